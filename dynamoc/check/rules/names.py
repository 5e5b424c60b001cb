"""How much room is left in names."""

from __future__ import annotations

from dynamoc.check.registry import rule
from dynamoc.kube.labels import COMPONENT_LABEL, SELECTOR_LABEL
from dynamoc.kube.lenient import entries, mapping, text, texts
from dynamoc.schema.problem import Problem
from dynamoc.stages.faults import Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.check.made import Made
    from dynamoc.diagnostics.finding import Path

    Tree = dict[str, Any]
    Room = tuple[int, int, Tree, Path, str]
    """Characters that are left, number of the object, the object, path of the name, and what has the limit."""

#: Grove joins the names of set, scaling group and clique (webhook validatePodNameConstraints); Kubernetes' limit of a
#: label leaves the rest to what it appends
_BUDGET = 45
#: of a Service's name, and of a label's value (RFC 1123; apimachinery validation LabelValueMaxLength)
_LABEL = 63
#: from here on, the next longer name is likely to break something
_FEW = 4


@rule("check/little-room")
def little_room(made: Made) -> Iterator[Fault]:
    """The name with the least room, of each limit."""
    for limit, rooms in ((_BUDGET, _of_cliques(made)), (_LABEL, _of_labels(made))):
        left = [room for room in rooms if 0 <= room[0] <= _FEW]
        if left:
            yield _fault(limit, min(left, key=lambda room: room[:2]))


def _of_cliques(made: Made) -> Iterator[Room]:
    for index, item in enumerate(made.objects):
        if item["kind"] != "PodCliqueSet":
            continue
        outline, name = mapping(item, "spec", "template"), text(mapping(item, "metadata").get("name"))
        groups = {
            clique: text(group.get("name"))
            for _, group in entries(outline, "podCliqueScalingGroups")
            for clique in texts(group.get("cliqueNames"))
        }
        for path, clique in entries(outline, "cliques", ("spec", "template")):
            own = text(clique.get("name"))
            left = _BUDGET - len(name) - len(own) - len(groups.get(own, ""))
            yield left, index, item, (*path, "name"), own


def _of_labels(made: Made) -> Iterator[Room]:
    """Names of Services, and of components in labels, which consist of those of the graph and the component."""
    for index, item in enumerate(made.objects):
        name = text(mapping(item, "metadata").get("name"))
        if item["kind"] == "Service":
            yield _LABEL - len(name), index, item, ("metadata", "name"), f"Service {name}"
        labels = mapping(item, "metadata", "labels")
        for key in (SELECTOR_LABEL, COMPONENT_LABEL):
            value = text(labels.get(key))
            if value:
                yield _LABEL - len(value), index, item, ("metadata", "labels", key), f"the label {key}"


def _fault(limit: int, room: Room) -> Fault:
    left, index, item, path, what = room
    if limit == _BUDGET:
        message = (
            f"The names of the graph and of `{what}` leave {left} of {limit} characters: Grove refuses the set if they "
            f"grow by {left + 1}."
        )
    else:
        message = (
            f"The names of the graph and the component leave {left} of {limit} characters for {what}: the API server "
            f"refuses it if they grow by {left + 1}."
        )
    return Fault(index, item, Problem("check/little-room", path, message, "use shorter names"))
