"""DynamoComponentDeployment between the two versions, on minimal trees.

Facts: api/v1alpha1/dynamocomponentdeployment_conversion.go of release 1.4.

One component of a graph, or the spec of a standalone one, between the two versions.

Trees are minimal: a field that is missing is Go's zero value. Neither function changes its arguments.
Facts: api/v1alpha1/shared_spec_conversion.go of release 1.4.

Reading an object as the operator's Go types do.
"""

from __future__ import annotations

from typing import Any

from dynamoc.admission.convert import alpha_leftovers, beta_leftovers, envelope, volume_mounts
from dynamoc.admission.convert.pod_template import (
    MAIN,
    SIDECAR,
    add_pod_fields,
    build_pod_template,
    containers_of,
    find_container,
    has_content,
)
from dynamoc.admission.convert.shared_fields import fields_to_alpha, fields_to_beta
from dynamoc.documents.findings.finding import Refusal, format_path
from dynamoc.kube.go_scalars import Mismatch

Tree = dict[str, Any]


def to_beta(alpha: Tree, saved: Tree | None, *, origins: bool) -> tuple[Tree, Tree]:
    """The component in v1beta1 (without a fitting name), and what v1beta1 cannot hold of it.

    `saved` are the leftovers of the v1beta1 original that `alpha` was made from, if any. `origins` asks for the
    split of main's fields between dedicated ones and `mainContainer` to be among the leftovers.
    """
    beta = fields_to_beta(alpha)
    if "serviceName" in alpha:
        beta["name"] = alpha["serviceName"]
    template = build_pod_template(alpha, required=saved is not None and "podTemplate" in saved)
    if template is not None:
        beta["podTemplate"] = template
        if "frontendSidecar" in alpha:
            beta["frontendSidecar"] = SIDECAR
    beta_leftovers.restore(beta, saved, alpha)
    return beta, alpha_leftovers.save(alpha, origins=origins)


def to_alpha(beta: Tree, saved: Tree | None) -> tuple[Tree, Tree]:
    """The component in v1alpha1, and what v1alpha1 cannot hold of it; `saved` as in `to_beta`, the other way round."""
    alpha = fields_to_alpha(beta)
    if "name" in beta:
        alpha["serviceName"] = beta["name"]
    add_pod_fields(beta, alpha, saved)
    main = find_container(containers_of(beta.get("podTemplate")), MAIN)
    if saved and "volumeMounts" in saved:
        mounts = volume_mounts.restore_caches(
            alpha.get("volumeMounts") or [], saved["volumeMounts"], beta, main, has_content(saved)
        )
        if mounts:
            alpha["volumeMounts"] = mounts
    alpha_leftovers.restore(alpha, saved, main)
    return alpha, beta_leftovers.save(beta, alpha)


# The record that says that v1alpha1 had no name of its own: v1beta1 needs one and takes the object's.
UNNAMED = {"path": "serviceName", "nil": True}


def spec_to_beta(alpha: Tree, saved: Tree | None, object_name: str) -> tuple[Tree, Tree | None, list[Tree]]:
    """The spec in v1beta1, what v1beta1 cannot hold of it, None if nothing needs an annotation, and its records.

    `saved` are the leftovers of the v1beta1 original that `alpha` was made from, None where it is an original itself.
    """
    beta, leftovers = to_beta(alpha, saved, origins=saved is None)
    if "backendFramework" in alpha:
        beta["backendFramework"] = alpha["backendFramework"]
    if object_name:
        beta.setdefault("name", object_name)
    if saved is not None and "name" not in saved and beta.get("name") == object_name:
        del beta["name"]
    records = [UNNAMED] if "serviceName" not in alpha and object_name and beta.get("name") == object_name else []
    needed = leftovers or records or (saved is None and "podTemplate" in beta)
    return beta, leftovers if needed else None, records


def spec_to_alpha(
    beta: Tree, saved: Tree | None, records: list[Tree], object_name: str, *, original: bool
) -> tuple[Tree, Tree | None]:
    """The spec in v1alpha1, and what v1alpha1 cannot hold of it, None if nothing needs an annotation.

    `saved` and `records` are the leftovers of a v1alpha1 original; `original` says that there never was one.
    """
    alpha, leftovers = to_alpha(beta, saved)
    if "backendFramework" in beta:
        alpha["backendFramework"] = beta["backendFramework"]
    if UNNAMED in records and alpha.get("serviceName", "") == object_name:
        alpha.pop("serviceName", None)
    nameless = "name" not in beta and object_name != ""
    if not (leftovers or nameless or (original and "podTemplate" in beta)):
        return alpha, None
    return alpha, leftovers | ({"name": beta["name"]} if "name" in beta else {})


V1ALPHA1, V1BETA1 = "nvidia.com/v1alpha1", "nvidia.com/v1beta1"


def read(value: Tree, kind: str) -> Tree:
    """The object of kind `kind` as a minimal tree. Refusal where the operator could not read it."""
    shape = envelope.beta(kind) if value["apiVersion"] == V1BETA1 else envelope.alpha(kind)
    try:
        tree: Tree = shape.read(value)
    except Mismatch as error:
        path = tuple(reversed(error.path))
        message = f"{format_path(path)} must be {error.wanted}, not {error.value!r:.60}: the operator cannot read it."
        raise Refusal("convert/wrong-type", message, path) from None
    return tree
