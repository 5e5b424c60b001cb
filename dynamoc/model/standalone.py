"""That no operator runs where the objects go: what is rendered otherwise then, and what is lost."""

from __future__ import annotations

from dynamoc.diagnostics.finding import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.catalog.slugs import NoteSlug
    from dynamoc.diagnostics.finding import Findings

    Tree = dict[str, Any]

SLUG: NoteSlug = "standalone/without-operator"
#: what is printed: what graphs share and an administrator applies, the rest, or both
SHARED, GRAPH, ALL = "shared", "graph", "all"
PARTS = (SHARED, GRAPH, ALL)

#: What does not happen, in the order in which it is told; `{}` stands for what is concerned.
LOSSES = {
    "upkeep": "nothing reports the status of graphs, reverts manual changes, or deletes objects that a later "
    "rendering no longer contains",
    "generations": "each change of a worker starts new workers next to the old, which run until you delete them: {} "
    "(--stable-names replaces them instead)",
    "rollouts": "nothing coordinates rollouts; old and new workers serve side by side until all are replaced: {}",
    "restarts": "restarts have no order; all components restart at once: {}",
    "grove-scaling": "Grove does not scale running cliques when replicas change, and nothing else does: {}",
    "lws-scaling": "each replica is one LeaderWorkerSet; after a scale-down, the rest run until you delete them: {}",
    "scaling-adapters": "scaling adapters are left out, because nothing would act on them: {}",
    "planners": "planners scale nothing, because they find no DynamoGraphDeployment: {}",
    "checkpoints": "nothing takes or restores checkpoints; pods start cold: {}",
    "topology": "nothing copies topology labels from nodes to pods, so workers do not know where they run: {}",
    "failover": "nothing replaces the engines of a failover group together: {}",
    "models": "DynamoModels are left out, because nothing would load adapters or list endpoints: {}",
    "requests": "DynamoGraphDeploymentRequests are left out, because nothing would profile them: {}",
    "services": "pods use services that the operator's chart installs, even with dynamo-operator.enabled=false: {}",
}

#: Kinds that only the operator reads, and what is lost of them.
INERT_KINDS = {
    "DynamoCheckpoint": "checkpoints",
    "DynamoGraphDeploymentRequest": "requests",
    "DynamoGraphDeploymentScalingAdapter": "scaling-adapters",
    "DynamoModel": "models",
}


class Standalone:
    """What is known about a rendering that must do without the operator.

    part          what of it is printed, of PARTS
    stable_names  leave the hash of workers out of names, labels and environment
    lost          what of LOSSES does not happen so far, and to what
    """

    __slots__ = ("_finding", "lost", "part", "stable_names")

    def __init__(self, *, part: str = ALL, stable_names: bool = False) -> None:
        self.part = part
        self.stable_names = stable_names
        self.lost: dict[str, set[str]] = {}
        self._finding: Finding | None = None

    def lose(self, what: str, name: str = "") -> None:
        """Remembers that something of LOSSES does not happen, and to what."""
        names = self.lost.setdefault(what, set())
        if name:
            names.add(name)

    def leaves_out(self, item: Tree) -> bool:
        """Whether an object would do nothing, which is remembered."""
        loss = INERT_KINDS.get(item["kind"])
        if loss is not None:
            self.lose(loss, str(item["metadata"].get("name") or item["metadata"].get("generateName") or loss))
        return loss is not None

    def tell(self, findings: Findings) -> None:
        """One note on all that is lost so far; a later call completes it."""
        if not self.lost or self.part == SHARED:
            return
        if self._finding is None:
            hint = "docs/standalone.md explains what to do instead."
            self._finding = Finding(SLUG, "Without the operator:", hint=hint)
            findings.add(self._finding)
        self._finding.points = [
            text.format(_listed(self.lost[what])) for what, text in LOSSES.items() if what in self.lost
        ]


def _listed(names: set[str]) -> str:
    """The first few in order, and how many more there are."""
    found = sorted(names, key=str.encode)
    shown = found if len(found) <= _SHOWN else found[: _SHOWN - 1]
    rest = f", and {len(found) - len(shown)} more" if len(shown) < len(found) else ""
    return ", ".join(shown) + rest


_SHOWN = 6
