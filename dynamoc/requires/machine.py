"""Requirements for programs: one JSON document, described in docs/requires.md."""

from __future__ import annotations

from dynamoc.kube.lenient import mapping
from dynamoc.requires.installers import chart_of, module_of
from dynamoc.requires.needs import SETTLED
from dynamoc.requires.words import field_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Place
    from dynamoc.requires.needs import Address, Api, Gang, Named, Need, Requirement, Requirements, Role

FORMAT = "dynamoc-requires"
VERSION = 1


def requirements_record(found: Requirements, release: str) -> dict[str, Any]:
    """All but the head of the document. `release` is the operator's, which some versions depend on."""
    return {
        "summary": _summary(found),
        "objects": [_object(item) for item in found.objects],
        "apis": [_api(item, release) for item in found.apis],
        "operator": [{"reason": reason, "neededBy": _needs(needs)} for reason, needs in found.operator],
        "addresses": [_address(item) for item in found.addresses],
        "schedulers": [_named(item) for item in found.schedulers],
        "nodes": [{"what": item.what, **_named(item)} for item in found.nodes],
        "images": [_named(item) for item in found.images],
        "modelSources": [_named(item) for item in found.sources],
        "components": [_role(item) for item in found.roles],
        "resources": [
            {"name": name, "largestPod": most, "total": total} for name, (most, total) in found.resources.items()
        ],
        "gangs": [_gang(item) for item in found.gangs],
    }


def _summary(found: Requirements) -> dict[str, Any]:
    bringers = [by for by in (*(item.by for item in found.apis), *(item.by for item in found.objects)) if by]
    brought = sum(by in SETTLED for by in bringers)
    missing = [item for item in found.objects if item.by is None and not item.optional]
    largest = found.gangs[0] if found.gangs else None
    return {
        "missing": len(missing) + sum(item.by is None for item in found.apis),
        "ofInstallation": len(bringers) - brought,
        "brought": brought,
        "needsOperator": bool(found.operator),
        "pods": sum(role.pods for role in found.roles),
        "gpus": sum(role.gpus for role in found.roles),
        "largestGang": {"pods": largest.pods, "gpus": largest.gpus} if largest else None,
    }


def _object(item: Requirement) -> dict[str, Any]:
    return {
        "group": item.group,
        "kind": item.kind,
        "namespace": item.namespace or None,
        "name": item.name,
        "keys": [{"name": key, "optional": optional} for key, optional in sorted(item.keys.items())],
        "optional": item.optional,
        "broughtBy": item.by,
        "source": _place(item.source),
        "note": item.note,
        "neededBy": _needs(item.needs),
    }


def _api(item: Api, release: str) -> dict[str, Any]:
    chart = chart_of(item.project, release)
    return {
        "group": item.group,
        "version": item.version,
        "kind": item.kind,
        "project": item.project or None,
        "builtWith": module_of(item.project, release),
        "chart": {"name": chart[0], "version": chart[1], "value": chart[2]} if chart else None,
        "broughtBy": item.by,
        "source": _place(item.source),
        "note": item.note,
        "neededBy": _needs(item.needs),
    }


def _address(item: Address) -> dict[str, Any]:
    service = {"namespace": item.service[0], "name": item.service[1]} if item.service else None
    return {
        "variable": item.variable,
        "value": item.value,
        "service": service,
        "broughtBy": item.by,
        "source": _place(item.source),
        "neededBy": _needs(item.needs),
    }


def _named(item: Named) -> dict[str, Any]:
    return {"name": item.name, "broughtBy": item.by, "note": item.note, "neededBy": _needs(item.needs)}


def _role(item: Role) -> dict[str, Any]:
    return {
        "namespace": item.namespace or None,
        "graph": item.graph or None,
        "name": item.name,
        "type": item.type or None,
        "replicas": item.replicas,
        "pods": item.pods,
        "gpus": item.gpus,
        "gpusPerPod": item.per_pod,
        "sharedGpus": item.shared,
        "nodesPerReplica": item.nodes,
        "unknownClaims": sorted(item.unknown),
        "place": _place(item.place),
    }


def _gang(item: Gang) -> dict[str, Any]:
    metadata = mapping(item.subject, "metadata")
    return {
        "kind": item.subject["kind"],
        "namespace": metadata.get("namespace"),
        "name": metadata.get("name"),
        "scalingGroup": item.group or None,
        "scheduler": item.scheduler or None,
        "count": item.count,
        "pods": item.pods,
        "gpus": item.gpus,
        "sharedGpus": item.shared,
        "parts": [{"name": name, "pods": pods, "gpusPerPod": gpus} for name, pods, gpus in item.parts],
    }


def _needs(needs: list[Need]) -> list[dict[str, Any]]:
    return [_need(need) for need in needs]


def _need(need: Need) -> dict[str, Any]:
    metadata = mapping(need.subject, "metadata")
    return {
        "kind": need.subject.get("kind"),
        "namespace": metadata.get("namespace"),
        "name": metadata.get("name"),
        "component": need.component or None,
        "field": field_text(need.subject, need.path),
        "path": list(need.path),
        "optional": need.optional,
        "place": _place(need.place),
    }


def _place(place: Place | None) -> dict[str, Any] | None:
    return {"file": place.file, "line": place.line, "column": place.column} if place else None
