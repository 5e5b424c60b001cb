"""DynamoGraphDeploymentRequests between the two versions, annotations included.

Facts: api/v1alpha1/dynamographdeploymentrequest_conversion.go of releases 1.0 to 1.5 (ConvertTo, ConvertFrom).
"""

from __future__ import annotations

from dynamoc.convert import envelope, request_annotations, request_spec, request_status
from dynamoc.convert import go_types as shapes
from dynamoc.convert.reading import V1ALPHA1, V1BETA1, read
from dynamoc.convert.request_dialect import DIALECTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.convert.request_dialect import Dialect

    Tree = dict[str, Any]

KIND = "DynamoGraphDeploymentRequest"
SPEC_KEY, STATUS_KEY = "nvidia.com/dgdr-spec", "nvidia.com/dgdr-status"
#: the newest way to convert
NEWEST = "named"


def to_v1beta1(value: Tree, way: str = NEWEST) -> Tree:
    """A v1alpha1 request in v1beta1, as releases convert whose way is `way`. Refusal where they cannot read it.

    A status comes out where one is given.
    """
    return printed(to_beta(value, way), has_status="status" in value, strip=DIALECTS[way].envelope)


def to_v1alpha1(value: Tree, way: str = NEWEST) -> Tree:
    """A v1beta1 request in v1alpha1, as `to_v1beta1` does it."""
    return printed(to_alpha(value, way), has_status="status" in value)


def to_beta(value: Tree, way: str = NEWEST, *, lossless: bool = True) -> Tree:
    """A v1alpha1 request in v1beta1, as a minimal tree; with `lossless`, annotations keep what it cannot hold."""
    dialect, alpha = DIALECTS[way], read(value, KIND)
    metadata, annotations = _metadata(alpha)
    saved, saved_status = _saved_hub(annotations, dialect)
    spec, status = alpha.get("spec") or {}, alpha.get("status") or {}
    if lossless:
        annotations.update(_spoke_annotations(spec, status, dialect))
    beta = {"spec": request_spec.to_beta(spec, saved, dialect)}
    if "status" in value:
        beta["status"] = request_status.to_beta(status, saved_status)
    return _object(V1BETA1, metadata, annotations, beta)


def to_alpha(value: Tree, way: str = NEWEST, *, lossless: bool = True) -> Tree:
    """A v1beta1 request in v1alpha1, as a minimal tree; with `lossless`, annotations keep what it cannot hold."""
    dialect, beta = DIALECTS[way], read(value, KIND)
    metadata, annotations = _metadata(beta)
    saved, saved_status = _saved_spoke(annotations, dialect)
    spec, status = beta.get("spec") or {}, beta.get("status") or {}
    alpha = {"spec": request_spec.to_alpha(spec, saved, dialect)}
    if not lossless:
        # False is what v1alpha1 means by nothing, and not what v1beta1 means.
        alpha["spec"].setdefault("autoApply", False)
    former = request_status.to_alpha(status, saved_status)
    if "status" in value:
        alpha["status"] = former
    if lossless:
        annotations.update(_hub_annotations(spec, status, former, dialect))
    return _object(V1ALPHA1, metadata, annotations, alpha)


def _hub_annotations(spec: Tree, status: Tree, former: Tree, dialect: Dialect) -> dict[str, str]:
    out: dict[str, str] = {}
    if dialect.envelope:
        kept = request_spec.hub_only(spec, dialect)
        if kept:
            out[SPEC_KEY] = envelope.pack(kept, shapes.beta(KIND + "Spec"), [])
        kept = request_status.hub_only(status, former)
        if kept:
            out[STATUS_KEY] = envelope.pack_bare(kept, shapes.beta(KIND + "Status"))
    if dialect.own_annotations and status.get("profilingJobName"):
        out[request_annotations.JOB] = status["profilingJobName"]
    return out


def _saved_hub(annotations: dict[str, str], dialect: Dialect) -> tuple[Tree | None, Tree | None]:
    """Spec and status of v1beta1 that annotations keep, which go."""
    if not dialect.envelope:
        return None, None
    spec = _unpacked(annotations.get(SPEC_KEY, ""), shapes.beta(KIND + "Spec"))
    status = _unpacked_bare(annotations.get(STATUS_KEY, ""), shapes.beta(KIND + "Status"))
    if dialect.own_annotations and annotations.get(request_annotations.JOB):
        status = {**(status or {}), "profilingJobName": annotations[request_annotations.JOB]}
    _scrub(annotations)
    return spec, status


def _saved_spoke(annotations: dict[str, str], dialect: Dialect) -> tuple[Tree | None, Tree | None]:
    """Spec and status of v1alpha1 that annotations keep, which go since 1.2."""
    own = (request_annotations.saved_spec(annotations), request_annotations.saved_status(annotations))
    if not dialect.envelope:
        # What was kept as JSON without an envelope stays where it is.
        return own[0], own[1]
    spec = _unpacked(annotations.get(SPEC_KEY, ""), shapes.alpha(KIND + "Spec"))
    status = _unpacked_bare(annotations.get(STATUS_KEY, ""), shapes.alpha(KIND + "Status"))
    if dialect.own_annotations:
        spec, status = spec if spec is not None else own[0], status if status is not None else own[1]
    _scrub(annotations)
    return spec, status


def _scrub(annotations: dict[str, str]) -> None:
    for key in (SPEC_KEY, STATUS_KEY, *request_annotations.KEYS):
        annotations.pop(key, None)


def _unpacked(text: str, kind: Any) -> Tree | None:
    return envelope.unpack(text, kind)[0] if text else None


def _unpacked_bare(text: str, kind: Any) -> Tree | None:
    return envelope.unpack_bare(text, kind) if text else None


def _spoke_annotations(spec: Tree, status: Tree, dialect: Dialect) -> dict[str, str]:
    out: dict[str, str] = {}
    if dialect.envelope:
        kept = request_spec.alpha_only(spec, dialect)
        if kept:
            out[SPEC_KEY] = envelope.pack(kept, shapes.alpha(KIND + "Spec"), [])
        kept = request_status.alpha_only(status)
        if kept:
            out[STATUS_KEY] = envelope.pack_bare(kept, shapes.alpha(KIND + "Status"))
    if dialect.own_annotations:
        out.update(request_annotations.written(spec, status, with_state=dialect.envelope))
    return out


def printed(tree: Tree, *, has_status: bool, strip: bool = True) -> Tree:
    """A minimal tree as the operator prints the request, with its status or without.

    With `strip`, as since 1.2, v1beta1 is without what prints as {}.
    """
    shape = shapes.beta(KIND, strip=strip) if tree["apiVersion"] == V1BETA1 else shapes.alpha(KIND)
    out: Tree = shape.print(tree)
    if not has_status:
        out.pop("status", None)
    out.setdefault("metadata", {})
    return out


def _metadata(tree: Tree) -> tuple[Tree, dict[str, str]]:
    metadata = tree.get("metadata") or {}
    return metadata, dict(metadata.get("annotations") or {})


def _object(version: str, metadata: Tree, annotations: dict[str, str], parts: Tree) -> Tree:
    metadata = {key: item for key, item in metadata.items() if key != "annotations"}
    if annotations:
        metadata["annotations"] = annotations
    tree = {"apiVersion": version, "kind": KIND, "metadata": metadata, **parts}
    return {key: item for key, item in tree.items() if item}
