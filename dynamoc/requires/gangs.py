"""Pods that have to be scheduled together."""

from __future__ import annotations

from dynamoc.kube.lenient import mapping, text, whole
from dynamoc.kube.scope import GROVE_SETS
from dynamoc.requires.needs import Gang
from dynamoc.requires.workload_pods import templates_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from dynamoc.requires.workload_pods import Template

    Tree = dict[str, Any]
    Gpus = Callable[[Tree, Template], int]


def gangs_of(value: Tree, gpus: Gpus) -> list[Gang]:
    """The gangs of a workload; pods that run alone are none.

    A PodCliqueSet has one for each replica: cliques, and the first replicas of its scaling groups, with as many pods
    as `minAvailable` says; and one for each further replica of a scaling group.
    Source: Grove's controller/podcliqueset/components/podgang/syncflow.go. A LeaderWorkerSet has one a replica.
    """
    templates = [template for template in templates_of(value) if template.pods]
    if value.get("kind") == "LeaderWorkerSet":
        found = [_gang(value, "", templates[0].units, templates, gpus)] if templates else []
    elif value.get("kind") in GROVE_SETS:
        found = _of_cliques(value, templates, gpus)
    else:
        return []
    return [gang for gang in found if gang.count and gang.pods]


def _gang(value: Tree, group: str, count: int, templates: list[Template], gpus: Gpus, *, base: bool = False) -> Gang:
    gang = Gang(value, group, count)
    for template in templates:
        pods, units = template.minimum
        times = units if base else 1
        if pods * times:
            gang.parts.append((template.name, pods * times, gpus(value, template)))
            gang.shared += template.shared * times
            gang.scheduler = gang.scheduler or text(template.spec.get("schedulerName"))
    return gang


def _of_cliques(value: Tree, templates: list[Template], gpus: Gpus) -> list[Gang]:
    sets = whole(mapping(value, "spec").get("replicas"))
    found = [_gang(value, "", sets, templates, gpus, base=True)]
    groups: dict[str, list[Template]] = {}
    for template in templates:
        if template.unit:
            groups.setdefault(template.unit, []).append(template)
    for name, members in groups.items():
        further = members[0].units - sets * members[0].minimum[1]
        found.append(_gang(value, name, further, members, gpus))
    return found
