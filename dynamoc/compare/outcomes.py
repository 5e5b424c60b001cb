"""What an upgrade leads to, of graphs and components together, from the worst on."""

from __future__ import annotations

from dynamoc.compare.result import IN_PLACE, RECREATES, ROLLS
from dynamoc.compare.verdicts import BLOCKED, BREAKS, DEGRADES, LOST, ORPHANED, REFUSED, STUCK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.compare.verdicts import GraphVerdict

#: outcomes from the worst on: of graphs (stuck, refused) and of components
OUTCOMES = (BREAKS, DEGRADES, STUCK, LOST, REFUSED, RECREATES, ORPHANED, ROLLS, IN_PLACE)


def outcomes(graphs: list[GraphVerdict]) -> dict[str, int]:
    """How many graphs or components each outcome concerns, from the worst on."""
    found = dict.fromkeys(OUTCOMES, 0)
    for graph in graphs:
        found[STUCK] += graph.state in (STUCK, BLOCKED)
        found[REFUSED] += graph.state == REFUSED or (not graph.state and bool(graph.refused))
        named = {component.verdict for name, component in graph.components.items() if name}
        for name, component in graph.components.items() if not graph.state else ():
            if component.serving:
                found[component.serving] += 1
            # The graph's own objects count where no component fares as badly.
            if component.verdict in found and (name or component.verdict not in named):
                found[component.verdict] += 1
            if component.restarted and component.verdict != ROLLS:
                found[ROLLS] += 1
    return found
