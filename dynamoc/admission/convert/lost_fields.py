"""What a conversion without annotations loses, in words.

Facts: the conversions of api/v1alpha1 in release 1.4, and internal/webhook/validation for the fields that the operator
ignores.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass

from dynamoc.admission.convert import request_spec, shared_fields
from dynamoc.admission.convert.correspondence import get, leaves
from dynamoc.admission.convert.plain import Conversion
from dynamoc.admission.convert.pod_template import MAIN, SIDECAR
from dynamoc.admission.convert.specs import V1BETA1
from dynamoc.documents.findings.finding import Path
from dynamoc.kube.merge import MISSING

Reasons = dict[str, str]

_OFF = "in v1beta1, a feature that is left out is off"
_EMPTY = "it is empty, and v1beta1 leaves it out"
_OVERRIDDEN = "another entry sets the same resource and wins"

# Field of a spec or a component, or of what is in it, to the reason; the longest name that fits a path counts.
# The first of each two tables holds what the operator renders differently for it.
_ALPHA: Reasons = {
    "pvcs": "v1beta1 does not create claims: create the PersistentVolumeClaim yourself and mount it in podTemplate",
    "annotations": "v1beta1 has no annotations for a component: podTemplate.metadata.annotations are those of its pods",
    "labels": "v1beta1 has no labels for a component: podTemplate.metadata.labels are those of its pods",
    "dynamoNamespace": "the operator computes the Dynamo namespace; without Grove, it labels pods with this one",
    "ingress": "in v1beta1, the operator's configuration decides about the ingress",
    "subComponentType": "v1beta1 has only the sub types prefill and decode, and only for workers",
}
_ALPHA_HARMLESS: Reasons = {
    "serviceName": "the key in `services` names the component; the operator does not read this name",
    "autoscaling": "the operator ignores it: `scalingAdapter` lets an autoscaler set the replicas",
    "useAsCompilationCache": "v1beta1 has one compilation cache, the first marked mount; this one stays a plain mount",
    "volumeMounts": "v1beta1 has one compilation cache, and a second one creates no pod template",
    "sharedMemory": _EMPTY,
    "sharedMemory.size": "shared memory is disabled, so its size has no effect",
    "extraPodMetadata": _EMPTY,
    "extraPodSpec": _EMPTY,
    "resources": _EMPTY,
    "scalingAdapter": _OFF,
    "gpuMemoryService": _OFF,
    "failover": _OFF,
    "mainContainer": _EMPTY,
    "mainContainer.name": f"the main container is always named {MAIN}",
    "envs": "mainContainer.env sets the same variable and wins",
    "envFromSecret": "mainContainer.envFrom replaces it, or it is empty",
    "livenessProbe": "mainContainer.livenessProbe wins",
    "readinessProbe": "mainContainer.readinessProbe wins",
    "requests": _OVERRIDDEN,
    "limits": _OVERRIDDEN,
    "resources.claims": "mainContainer.resources.claims replace them",
    "gpuType": "it has no effect without `gpu`",
    "containers": f"the operator drops a sidecar named {MAIN}",
    "frontendSidecar": f"extraPodSpec has a container named {SIDECAR}, which is used instead",
    "services": "a service without a value is not a component",
}
_BETA: Reasons = {
    "frontendSidecar": (
        "v1alpha1 cannot refer to a container as sidecar: `frontendSidecar` describes the container itself"
    ),
    "podTemplate.metadata": "v1alpha1 has only annotations and labels of pods",
    "volumeMounts": "v1alpha1 mounts the compilation cache by name and path alone",
    "grove": "v1alpha1 cannot force a scaling group",
}
_BETA_HARMLESS: Reasons = {
    "podTemplate": "v1alpha1 has no pod template, and this one is empty",
    "containers": f"v1alpha1 leaves out an empty container {MAIN}",
    "experimental": "v1alpha1 leaves the section out if it has no feature",
}
_SAVED = "it keeps fields that the other version does not have, which are now back in place"
_MOUNTED = "v1alpha1 marks a mount of the main container, which is part of the worker hash from now on"
_ORDER = "v1alpha1 keeps components in a map, sorted by name, and the cliques of Grove follow that order"
_UNKNOWN = "neither version has this field"
# Fields that earlier releases knew and neither version of today has.
_FORMER: Reasons = {
    "pvc": "releases up to 0.5 mounted this claim; name it in podTemplate.spec.volumes and mount it in main"
}


@dataclass(eq=False, slots=True)
class Loss:
    """A field that does not survive as it is.

    path      in the source
    fate      what becomes of it, as the rest of a sentence
    reason    why
    harmless  whether the operator renders the same without
    keepable  whether an annotation can keep it
    """

    path: Path
    reason: str
    _: KW_ONLY
    harmless: bool
    fate: str = "is lost"
    keepable: bool = True


def losses_of(conversion: Conversion) -> list[Loss]:
    """In the order of the source."""
    found = [_loss(path, conversion) for path in conversion.lost()]
    found += [_unknown(path, conversion) for path in conversion.unknown()]
    found += [_unread(path, conversion) for path in _no_quantities(conversion)]
    lost = {loss.path for loss in found}
    above = [loss for loss in found if not any(path[: len(loss.path)] == loss.path for path in lost - {loss.path})]
    found = list({loss.path: loss for loss in above}.values())
    found += [Loss(path, _MOUNTED, harmless=False, fate="becomes a mount") for path in conversion.mounted()]
    found += _of_requests(conversion) if conversion.source["kind"] == request_spec.KIND else ()
    if conversion.reordered():
        found.append(Loss(("spec", "components"), _ORDER, harmless=False, fate="loses its order"))
    return sorted(found, key=lambda loss: conversion.position(loss.path))


def _of_requests(conversion: Conversion) -> Iterator[Loss]:
    """Fields that some releases, or all, read in another way in the other version."""
    for path, (fate, reason) in (request_spec.TO_BETA if conversion.to == V1BETA1 else request_spec.TO_ALPHA).items():
        value = get(conversion.before, path)
        if path == ("spec", "workload") and get(conversion.before, ("spec", "sla")) is not MISSING:
            continue
        if value not in (MISSING, {}, None) and (conversion.home(path) is not None or _moves(path, conversion)):
            yield Loss(path, reason, harmless=True, fate=fate, keepable=False)


def _moves(path: Path, conversion: Conversion) -> bool:
    """Whether a part of a section has a home in the other version, and the section itself has none."""
    section = get(conversion.before, path)
    return isinstance(section, dict) and any(conversion.home((*path, key)) is not None for key in section)


def _unknown(path: Path, conversion: Conversion) -> Loss:
    value = get(conversion.source, path)
    reason = f"{_UNKNOWN}; its value was {value!r:.80}"
    return Loss(path, _reason(path[-1:], _FORMER) or reason, harmless=False, keepable=False)


def _no_quantities(conversion: Conversion) -> Iterator[Path]:
    """Amounts of resources that are not quantities, which the operator drops as well."""
    for path in leaves(conversion.before):
        if conversion.home(path) is None and "resources" in path[:-1] and path[-1] != "gpuType":
            is_amount = path[path.index("resources") + 1] in shared_fields.LISTS
            if is_amount and not shared_fields.is_quantity(get(conversion.before, path)):
                yield path


def _unread(path: Path, conversion: Conversion) -> Loss:
    text = get(conversion.before, path)
    reason = f"{text!r} is not a quantity, and the operator drops it too"
    if any(mark in str(text) for mark in ("${", "{{", "$(")):
        reason += "; fill in the placeholder before you convert"
    return Loss(path, reason, harmless=False, keepable=False)


def _makes_claims(value: object) -> bool:
    """Whether the operator creates a claim for an entry of `pvcs`, or for one of them."""
    entries = value if isinstance(value, list) else [value]
    return any(not isinstance(each, dict) or bool(each.get("create")) for each in entries)


def _loss(path: Path, conversion: Conversion) -> Loss:
    if path[:2] == ("metadata", "annotations"):
        return Loss(path, _SAVED, harmless=True, fate="is restored")
    harmful, harmless = _tables(conversion)
    if "pvcs" in path and not _makes_claims(get(conversion.before, path)):
        return Loss(path, "the operator does not create this claim; mounts name it", harmless=True)
    if conversion.source["kind"] == request_spec.KIND and get(conversion.before, path) in ([], {}):
        reason = request_spec.EMPTY.get(str(path[-1])) if conversion.to != V1BETA1 else None
        return Loss(path, reason or "it is empty", harmless=reason is None)
    if path == ("spec", "searchStrategy") and get(conversion.before, path) == "rapid":
        return Loss(path, harmless[str(path[1])], harmless=True)
    # A section goes as a whole where nothing is left of it, whatever it held.
    for leaf in leaves(get(conversion.before, path)):
        below = _reason((*path, *leaf), harmful)
        if below is not None:
            return Loss(path, below, harmless=False)
    told = _reason(path, harmless)
    if told is not None:
        return Loss(path, told, harmless=True)
    return Loss(path, f"{conversion.to.rpartition('/')[2]} does not have this field", harmless=False)


def _tables(conversion: Conversion) -> tuple[Reasons, Reasons]:
    """The reasons for what the operator renders differently, and for what it does not."""
    if conversion.source["kind"] == request_spec.KIND:
        if conversion.to == V1BETA1:
            return request_spec.ALPHA, request_spec.ALPHA_HARMLESS
        return request_spec.BETA, request_spec.BETA_HARMLESS
    return (_ALPHA, _ALPHA_HARMLESS) if conversion.to == V1BETA1 else (_BETA, _BETA_HARMLESS)


def _reason(path: Path, reasons: Reasons) -> str | None:
    names = _field_names(path)
    spans = ((start, end) for end in range(len(names), 0, -1) for start in range(end))
    return next((reasons[name] for start, end in spans if (name := ".".join(names[start:end])) in reasons), None)


def _field_names(path: Path) -> list[str]:
    """Names of fields, from the component or the spec on, without those that the user gives to services."""
    names = [step for step in path if isinstance(step, str)]
    if names[:2] == ["spec", "services"]:
        return names[3:] or ["services"]
    return names[2:] or ["components"] if names[:2] == ["spec", "components"] else names[1:]
