"""How much room is left in names."""

from __future__ import annotations

from dynamoc.check.registry import rule
from dynamoc.kube.lenient import entries, mapping, text, texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynamoc.check.made import Made
    from dynamoc.stages.faults import Fault

#: Grove joins the names of set, scaling group and clique (webhook validatePodNameConstraints); Kubernetes' limit of a
#: label leaves the rest to what it appends
_BUDGET = 45
#: from here on, the next longer name is likely to break something
_FEW = 4


@rule("check/little-room")
def little_room(made: Made) -> Iterator[Fault]:
    for index, item in enumerate(made.objects):
        if item["kind"] != "PodCliqueSet":
            continue
        outline, name = mapping(item, "spec", "template"), text(mapping(item, "metadata").get("name"))
        groups = {
            clique: text(group.get("name"))
            for _, group in entries(outline, "podCliqueScalingGroups")
            for clique in texts(group.get("cliqueNames"))
        }
        least: tuple[int, str, tuple[str | int, ...]] | None = None
        for path, clique in entries(outline, "cliques", ("spec", "template")):
            own = text(clique.get("name"))
            left = _BUDGET - len(name) - len(own) - len(groups.get(own, ""))
            if 0 <= left <= _FEW and (least is None or left < least[0]):
                least = (left, own, (*path, "name"))
        if least is not None:
            yield _fault(made, index, *least)


def _fault(made: Made, index: int, left: int, clique: str, path: tuple[str | int, ...]) -> Fault:
    from dynamoc.schema.problem import Problem
    from dynamoc.stages.faults import Fault

    message = (
        f"The names of the graph and of `{clique}` leave {left} of {_BUDGET} characters: Grove refuses the set if they "
        f"grow by {left + 1}."
    )
    return Fault(index, made.objects[index], Problem("check/little-room", path, message, "use shorter names"))
