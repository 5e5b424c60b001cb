"""One component of a graph, or the spec of a standalone one, between the two versions.

Trees are minimal: a field that is missing is Go's zero value. Neither function changes its arguments.
Facts: api/v1alpha1/shared_spec_conversion.go of release 1.4.
"""

from __future__ import annotations

from dynamoc.convert import alpha_leftovers, beta_leftovers, volume_mounts
from dynamoc.convert.main_container import MAIN
from dynamoc.convert.pod_fields import add_pod_fields
from dynamoc.convert.pod_template import SIDECAR, build_pod_template, containers_of, find_container, has_content
from dynamoc.convert.shared_fields import fields_to_alpha, fields_to_beta

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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
