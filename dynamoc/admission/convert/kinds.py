"""Whole objects between the two versions, annotations included.

Facts: api/v1alpha1/dynamo{graph,component}deployment_conversion.go of release 1.4 (ConvertTo, ConvertFrom).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dynamoc.admission.convert import envelope, request, specs, volume_mounts
from dynamoc.admission.convert.specs import V1ALPHA1, V1BETA1, read
from dynamoc.documents.findings.finding import Refusal
from dynamoc.kube.merge import Tree

GROUP = "nvidia.com"
#: what webhooks set in components, and both versions call the same
NUMBERS = ("replicas", "minAvailable")


@dataclass(frozen=True, slots=True)
class Functions:
    """What converts the parts of one kind, on minimal trees."""

    spec_to_beta: Callable[..., Any]
    spec_to_alpha: Callable[..., Any]
    status_to_beta: Callable[..., Any] = specs.status_to_beta
    status_to_alpha: Callable[..., Any] = specs.status_to_alpha
    status_leftovers: Callable[..., Any] = specs.status_leftovers


class Kind:
    """How one kind converts.

    functions  of its parts; None for requests, which convert as a whole
    strips     whether its v1beta1 objects drop what prints as {}
    spec_key, status_key   the annotations that keep what the other version cannot hold
    """

    def __init__(self, name: str, short: str, functions: Functions | None, *, strips: bool) -> None:
        self.name = name
        self.functions = functions
        self.strips = strips
        self.spec_key = f"{GROUP}/{short}-spec"
        self.status_key = f"{GROUP}/{short}-status"


_GRAPH = Functions(
    specs.graph_spec_to_beta,
    specs.graph_spec_to_alpha,
    volume_mounts.graph_to_beta,
    volume_mounts.graph_to_alpha,
    volume_mounts.graph_leftovers,
)
_COMPONENT = Functions(
    specs.component_spec_to_beta,
    specs.component_spec_to_alpha,
    volume_mounts.component_to_beta,
    volume_mounts.component_to_alpha,
    volume_mounts.component_leftovers,
)
_SCALING_ADAPTER = Functions(specs.adapter_spec_to_beta, specs.adapter_spec_to_alpha)
KINDS = {
    kind.name: kind
    for kind in (
        Kind("DynamoGraphDeployment", "dgd", _GRAPH, strips=True),
        Kind("DynamoComponentDeployment", "dcd", _COMPONENT, strips=True),
        Kind("DynamoGraphDeploymentScalingAdapter", "dgdsa", _SCALING_ADAPTER, strips=False),
        Kind("DynamoGraphDeploymentRequest", "dgdr", None, strips=False),
    )
}


def to_beta(value: Tree, kind: Kind, *, lossless: bool = True) -> Tree:
    """A v1alpha1 object in v1beta1, as a minimal tree; with `lossless`, annotations keep what it cannot hold."""
    functions = kind.functions
    if functions is None:
        return request.to_beta(value, lossless=lossless)
    alpha = read(value, kind.name)
    metadata, annotations = envelope.metadata_of(alpha)
    text = annotations.pop(kind.spec_key, "")
    annotations.pop(kind.status_key, None)
    saved = envelope.unpack(text, envelope.beta(kind.name + "Spec"))[0] if text else None
    spec, leftovers, records = functions.spec_to_beta(alpha.get("spec") or {}, saved, metadata.get("name", ""))
    if lossless and leftovers is not None:
        annotations[kind.spec_key] = envelope.pack(leftovers, envelope.alpha(kind.name + "Spec"), records)
    former = alpha.get("status") or {}
    kept = functions.status_leftovers(former)
    if lossless and kept:
        annotations[kind.status_key] = envelope.pack_bare(kept, envelope.alpha(kind.name + "Status"))
    return _object(V1BETA1, kind, metadata, annotations, spec, functions.status_to_beta(former))


def to_alpha(value: Tree, kind: Kind, *, lossless: bool = True) -> Tree:
    """A v1beta1 object in v1alpha1, as a minimal tree; with `lossless`, an annotation keeps what it cannot hold."""
    functions = kind.functions
    if functions is None:
        return request.to_alpha(value, lossless=lossless)
    beta = read(value, kind.name)
    metadata, annotations = envelope.metadata_of(beta)
    original = kind.spec_key not in annotations and kind.status_key not in annotations
    text = annotations.pop(kind.spec_key, "")
    saved, records = envelope.unpack(text, envelope.alpha(kind.name + "Spec")) if text else (None, [])
    saved_status = _saved_status(annotations.pop(kind.status_key, ""), kind)
    spec, leftovers = functions.spec_to_alpha(
        beta.get("spec") or {}, saved, records, metadata.get("name", ""), original=original
    )
    if lossless and leftovers is not None:
        annotations[kind.spec_key] = envelope.pack(leftovers, envelope.beta(kind.name + "Spec"), [])
    former = functions.status_to_alpha(beta.get("status") or {}, saved_status)
    return _object(V1ALPHA1, kind, metadata, annotations, spec, former)


def unmoved(written: Tree, defaulted: Tree, kind: Kind) -> Tree | None:
    """The v1alpha1 view of a graph, where its way to v1alpha1 and back changes nothing; None where it may.

    written    the graph in v1alpha1, as it was converted to v1beta1
    defaulted  what became of it: in v1beta1, where a webhook has set annotations and numbers of pods

    Both versions say these the same way. So the way back gives what was written and these, or has moved something.
    """
    alpha, back = read(written, kind.name), to_alpha(defaulted, kind)
    kept = {kind.spec_key, kind.status_key}
    is_kept = any(kept & envelope.metadata_of(tree)[1].keys() for tree in (alpha, back))
    if is_kept or "status" in alpha or "status" in back:
        return None
    spec = alpha.get("spec") or {}
    services = spec.get("services") or {}
    for component in (defaulted.get("spec") or {}).get("components") or ():
        service = services.get(component.get("name", ""))
        if service:
            for key in NUMBERS:
                if key in component:
                    service.setdefault(key, component[key])
    return back if back.get("spec") == spec else None


def printed(tree: Tree, kind: Kind) -> Tree:
    """A minimal tree as the operator prints the object."""
    if kind.functions is None:
        return request.printed(tree, has_status="status" in tree)
    is_beta = tree["apiVersion"] == V1BETA1
    found = envelope.beta(kind.name, strip=kind.strips) if is_beta else envelope.alpha(kind.name)
    out: Tree = found.print(tree)
    out.setdefault("metadata", {})
    return out


def _saved_status(text: str, kind: Kind) -> Tree | None:
    if not text:
        return None
    found = envelope.unpack_bare(text, envelope.alpha(kind.name + "Status"))
    if found is None:
        message = f"The annotation {kind.status_key} does not hold the status that the operator writes."
        hint = "Remove the annotation."
        raise Refusal("convert/bad-annotation", message, ("metadata", "annotations", kind.status_key), hint)
    return found


def _object(version: str, kind: Kind, metadata: Tree, annotations: dict[str, str], spec: Tree, status: Tree) -> Tree:
    metadata = envelope.with_annotations(metadata, annotations)
    out = {"apiVersion": version, "kind": kind.name, "metadata": metadata, "spec": spec, "status": status}
    return {key: value for key, value in out.items() if value}
