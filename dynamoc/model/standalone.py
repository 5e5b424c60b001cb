"""That no operator runs where the objects go: what is rendered otherwise then, and what is lost."""

from __future__ import annotations

from dynamoc.diagnostics.finding import NOTE, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Findings

    Tree = dict[str, Any]

SLUG = "standalone/without-operator"

#: What does not happen, in the order in which it is told; `{}` stands for what is concerned.
LOSSES = {
    "upkeep": "nobody reports how graphs do, restores what is changed by hand, or removes what a later rendering "
    "leaves out",
    "generations": "each change of a worker starts new workers beside the old, which run on until you delete them: {} "
    "(--stable-names replaces them instead)",
    "rollouts": "nobody coordinates rollouts; old and new workers serve side by side until all are replaced: {}",
    "restarts": "restarts follow no order, all components restart at once: {}",
    "grove-scaling": "Grove does not scale cliques that run when replicas change, and nobody does so instead: {}",
    "lws-scaling": "each replica is a LeaderWorkerSet of its own; with fewer, the others run on until you delete them: "
    "{}",
    "scaling-adapters": "scaling adapters are left out, nobody would act on them: {}",
    "planners": "planners scale nothing, they find no DynamoGraphDeployment: {}",
    "checkpoints": "nobody takes or restores checkpoints, pods start cold: {}",
    "topology": "nobody copies topology labels from nodes to pods, so that workers do not learn where they run: {}",
    "failover": "nobody replaces the engines of a failover group together: {}",
    "models": "DynamoModels are left out, nobody would load adapters or list endpoints: {}",
    "requests": "DynamoGraphDeploymentRequests are left out, nobody would profile: {}",
    "services": "pods look for services that the operator's chart installs, which it does with "
    "dynamo-operator.enabled=false, too: {}",
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

    stable_names  leave the hash of workers out of names, labels and environment
    """

    __slots__ = ("_finding", "_lost", "stable_names")

    def __init__(self, *, stable_names: bool = False) -> None:
        self.stable_names = stable_names
        self._lost: dict[str, set[str]] = {}
        self._finding: Finding | None = None

    def lose(self, what: str, name: str = "") -> None:
        """Remembers that something of LOSSES does not happen, and to what."""
        names = self._lost.setdefault(what, set())
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
        if not self._lost:
            return
        if self._finding is None:
            hint = "docs/standalone.md tells what to do instead."
            self._finding = Finding(SLUG, NOTE, "", hint=hint)
            findings.add(self._finding)
        lines = [text.format(_listed(self._lost[what])) for what, text in LOSSES.items() if what in self._lost]
        self._finding.message = "\n".join(["Without the operator:", *(f"- {line}" for line in lines)])


def _listed(names: set[str]) -> str:
    """The first few in order, and how many more there are."""
    found = sorted(names, key=str.encode)
    shown = found if len(found) <= _SHOWN else found[: _SHOWN - 1]
    rest = f", and {len(found) - len(shown)} more" if len(shown) < len(found) else ""
    return ", ".join(shown) + rest


_SHOWN = 6
