"""Claims that pods have mounted, and that the pods which replace them do not."""

from __future__ import annotations

from dynamoc.compare.pod_counts import component_of
from dynamoc.kube.labels import COMPONENT_LABEL
from dynamoc.kube.scope import GROVE_SETS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.compare.result import Change, ObjectChange

    Tree = dict[str, Any]
    Claims = dict[str, list[str]]
    """Claims with the places where they are mounted."""


def lost_claims(item: ObjectChange) -> dict[str, Claims]:
    """By component, the claims that the old pods of an object mount and none of the new ones does."""
    if item.old is None or item.new is None:
        return {}
    before, after = dict(_mounted(item.old)), dict(_mounted(item.new))
    names = _components(item.new)
    found: dict[str, Claims] = {}
    for pods, claims in before.items():
        gone = {claim: places for claim, places in claims.items() if claim not in after.get(pods, {})}
        if gone and pods in after:
            found.setdefault(names.get(pods, ""), {}).update(gone)
    return found


def is_of_claim(change: Change, claims: Claims) -> bool:
    """Whether a change is the volume or the mount of one of these claims, and nothing else."""
    if not claims or len(change.steps) < 2:
        return False
    field, element = change.steps[-2:]
    if not isinstance(element, tuple):
        return False
    if field == "volumeMounts":
        return any(element[1] in places for places in claims.values())
    source = change.old if isinstance(change.old, dict) else {}
    return field == "volumes" and (source.get("persistentVolumeClaim") or {}).get("claimName") in claims


def _mounted(value: Tree) -> dict[str, Claims]:
    """The claims that pods mount, by the clique, which is "" where there is none."""
    found: dict[str, Claims] = {}
    for name, spec in _pods(value):
        claims = found.setdefault(name, {})
        names = {
            volume.get("name"): (volume.get("persistentVolumeClaim") or {}).get("claimName")
            for volume in spec.get("volumes") or ()
        }
        for container in (*(spec.get("initContainers") or ()), *(spec.get("containers") or ())):
            for mount in container.get("volumeMounts") or ():
                claim = names.get(mount.get("name"))
                if claim:
                    places = claims.setdefault(claim, [])
                    places += [mount["mountPath"]] if mount["mountPath"] not in places else []
    return found


def _components(value: Tree) -> dict[str, str]:
    if value["kind"] not in GROVE_SETS:
        return {"": component_of(value)}
    return {clique["name"]: (clique.get("labels") or {}).get(COMPONENT_LABEL, "") for clique in _cliques(value)}


def _cliques(value: Tree) -> list[Tree]:
    return ((value.get("spec") or {}).get("template") or {}).get("cliques") or []


def _pods(value: Tree) -> Iterator[tuple[str, Tree]]:
    """The pod specs of a workload, with the names of their cliques."""
    spec = value.get("spec") or {}
    if value["kind"] in GROVE_SETS:
        for clique in _cliques(value):
            yield clique["name"], (clique.get("spec") or {}).get("podSpec") or {}
        return
    groups = spec.get("leaderWorkerTemplate") or {}
    for template in (spec.get("template"), groups.get("leaderTemplate"), groups.get("workerTemplate")):
        if isinstance(template, dict):
            yield "", template.get("spec") or {}
