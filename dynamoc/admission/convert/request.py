"""DynamoGraphDeploymentRequests between the two versions, annotations included, as each release converts them.

1.0 to 1.2 write an annotation for each field of v1alpha1 that v1beta1 lacks; later releases remove these unread.
Facts: api/v1alpha1/dynamographdeploymentrequest_conversion.go of releases 1.0 to 1.5 (ConvertTo, ConvertFrom).
"""

from __future__ import annotations

from collections.abc import Callable

from dynamoc.admission.convert import envelope, request_spec, request_status
from dynamoc.admission.convert.request_spec import DIALECTS, Dialect
from dynamoc.admission.convert.specs import V1ALPHA1, V1BETA1, read
from dynamoc.kube.merge import Tree
from dynamoc.kube.text import dumps, dumps_sorted, loads

_DISCOVERY = "nvidia.com/dgdr-enable-gpu-discovery"
_CONFIG = "nvidia.com/dgdr-profiling-config"
_CONFIG_MAP = "nvidia.com/dgdr-config-map-ref"
_CLAIM = "nvidia.com/dgdr-output-pvc"
_OVERRIDES = "nvidia.com/dgdr-deployment-overrides"
_BACKEND = "nvidia.com/dgdr-status-backend"
_RESULTS = "nvidia.com/dgdr-profiling-results"
_DEPLOYMENT = "nvidia.com/dgdr-deployment-status"
JOB = "nvidia.com/dgdr-profiling-job-name"
KEYS = (_DISCOVERY, _CONFIG, _CONFIG_MAP, _CLAIM, _OVERRIDES, _BACKEND, _RESULTS, _DEPLOYMENT, JOB)
_OVERRIDE_FIELDS = ("name", "namespace", "labels", "annotations")


def written(spec: Tree, status: Tree, *, with_state: bool) -> dict[str, str]:
    """The annotations for a spec and a status of v1alpha1. `with_state` is 1.2, which writes the state too."""
    profiling = spec.get("profilingConfig") or {}
    out: dict[str, str] = {}
    if spec.get("enableGpuDiscovery"):
        out[_DISCOVERY] = "true"
    if profiling.get("config") is not None:
        out[_CONFIG] = dumps_sorted(profiling["config"]).decode()
    if "configMapRef" in profiling:
        reference = profiling["configMapRef"]
        said = {"name": reference.get("name", ""), **({"key": reference["key"]} if reference.get("key") else {})}
        out[_CONFIG_MAP] = dumps(said).decode()
    if profiling.get("outputPVC"):
        out[_CLAIM] = profiling["outputPVC"]
    overrides = spec.get("deploymentOverrides") or {}
    said = {name: overrides[name] for name in _OVERRIDE_FIELDS if overrides.get(name)}
    if said:
        ordered = {name: dict(sorted(item.items())) if isinstance(item, dict) else item for name, item in said.items()}
        out[_OVERRIDES] = dumps(ordered).decode()
    return {**out, **_of_status(status, with_state=with_state)}


def _of_status(status: Tree, *, with_state: bool) -> dict[str, str]:
    out = {
        key: status[name] for key, name in ((_BACKEND, "backend"), (_RESULTS, "profilingResults")) if status.get(name)
    }
    deployment = status.get("deployment")
    if deployment is not None:
        said = {name: deployment[name] for name in ("name", "namespace") if deployment.get(name)}
        said["state"] = deployment.get("state", "")
        if deployment.get("created"):
            said["created"] = True
        if with_state and status.get("state"):
            said["requestState"] = status["state"]
        out[_DEPLOYMENT] = dumps(said).decode()
    return out


def saved_spec(annotations: dict[str, str]) -> Tree:
    """What annotations keep of a spec of v1alpha1; what cannot be read counts as nothing."""
    profiling: Tree = {}
    config = _parsed(annotations.get(_CONFIG))
    if config is not None:
        profiling["config"] = config
    reference = _parsed(annotations.get(_CONFIG_MAP))
    if reference is not None:
        profiling["configMapRef"] = {name: reference[name] for name in ("name", "key") if reference.get(name)}
    if annotations.get(_CLAIM):
        profiling["outputPVC"] = annotations[_CLAIM]
    out: Tree = {"profilingConfig": profiling} if profiling else {}
    if annotations.get(_DISCOVERY) == "true":
        out["enableGpuDiscovery"] = True
    overrides = _parsed(annotations.get(_OVERRIDES))
    if overrides is not None:
        out["deploymentOverrides"] = {name: overrides[name] for name in _OVERRIDE_FIELDS if overrides.get(name)}
    return out


def saved_status(annotations: dict[str, str]) -> Tree:
    """What annotations keep of a status of v1alpha1."""
    out: Tree = {
        name: annotations[key]
        for key, name in ((_BACKEND, "backend"), (_RESULTS, "profilingResults"))
        if annotations.get(key)
    }
    deployment = _parsed(annotations.get(_DEPLOYMENT))
    if deployment is not None and deployment.get("name"):
        state = deployment.pop("requestState", None)
        out["deployment"] = deployment
        if state:
            out["state"] = state
    return out


def _parsed(text: str | None) -> Tree | None:
    try:
        value = loads(text) if text else None
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


#: a Go type by its name: `envelope.alpha` or `envelope.beta`
Shape = Callable[[str], envelope.Type]


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
    metadata, annotations = envelope.metadata_of(alpha)
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
    metadata, annotations = envelope.metadata_of(beta)
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
        out = _packed(request_spec.hub_only(spec, dialect), request_status.hub_only(status, former), envelope.beta)
    if dialect.own_annotations and status.get("profilingJobName"):
        out[JOB] = status["profilingJobName"]
    return out


def _packed(spec: Tree, status: Tree, shape: Shape) -> dict[str, str]:
    """The annotations that keep what is left of a spec and of a status."""
    out = {SPEC_KEY: envelope.pack(spec, shape(KIND + "Spec"), [])} if spec else {}
    return out | ({STATUS_KEY: envelope.pack_bare(status, shape(KIND + "Status"))} if status else {})


def _unpacked(annotations: dict[str, str], shape: Shape) -> tuple[Tree | None, Tree | None]:
    """The spec and the status in such annotations; what cannot be read counts as nothing."""
    spec, status = annotations.get(SPEC_KEY), annotations.get(STATUS_KEY)
    return (
        envelope.unpack(spec, shape(KIND + "Spec"))[0] if spec else None,
        envelope.unpack_bare(status, shape(KIND + "Status")) if status else None,
    )


def _saved_hub(annotations: dict[str, str], dialect: Dialect) -> tuple[Tree | None, Tree | None]:
    """Spec and status of v1beta1 that annotations keep, which go."""
    if not dialect.envelope:
        return None, None
    spec, status = _unpacked(annotations, envelope.beta)
    if dialect.own_annotations and annotations.get(JOB):
        status = {**(status or {}), "profilingJobName": annotations[JOB]}
    _scrub(annotations)
    return spec, status


def _saved_spoke(annotations: dict[str, str], dialect: Dialect) -> tuple[Tree | None, Tree | None]:
    """Spec and status of v1alpha1 that annotations keep, which go since 1.2."""
    own = (saved_spec(annotations), saved_status(annotations))
    if not dialect.envelope:
        # What was kept as JSON without an envelope stays where it is.
        return own
    spec, status = _unpacked(annotations, envelope.alpha)
    if dialect.own_annotations:
        spec, status = spec if spec is not None else own[0], status if status is not None else own[1]
    _scrub(annotations)
    return spec, status


def _scrub(annotations: dict[str, str]) -> None:
    for key in (SPEC_KEY, STATUS_KEY, *KEYS):
        annotations.pop(key, None)


def _spoke_annotations(spec: Tree, status: Tree, dialect: Dialect) -> dict[str, str]:
    out: dict[str, str] = {}
    if dialect.envelope:
        out = _packed(request_spec.alpha_only(spec, dialect), request_status.alpha_only(status), envelope.alpha)
    if dialect.own_annotations:
        out.update(written(spec, status, with_state=dialect.envelope))
    return out


def printed(tree: Tree, *, has_status: bool, strip: bool = True) -> Tree:
    """A minimal tree as the operator prints the request, with its status or without.

    With `strip`, as since 1.2, v1beta1 is without what prints as {}.
    """
    shape = envelope.beta(KIND, strip=strip) if tree["apiVersion"] == V1BETA1 else envelope.alpha(KIND)
    out: Tree = shape.print(tree)
    if not has_status:
        out.pop("status", None)
    out.setdefault("metadata", {})
    return out


def _object(version: str, metadata: Tree, annotations: dict[str, str], parts: Tree) -> Tree:
    metadata = envelope.with_annotations(metadata, annotations)
    tree = {"apiVersion": version, "kind": KIND, "metadata": metadata, **parts}
    return {key: item for key, item in tree.items() if item}
