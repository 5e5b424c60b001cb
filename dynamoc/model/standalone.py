"""That no operator runs where the objects go: what is rendered otherwise then, and what is lost."""

from __future__ import annotations

from dynamoc.diagnostics.finding import NOTE, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Findings

    Tree = dict[str, Any]

SLUG = "standalone/without-operator"

#: What the operator would do, in the order in which it is told; `{}` stands for what is concerned.
LOSSES = {
    "upkeep": "nobody reports how graphs do, restores what is changed by hand, or removes what a later rendering "
    "leaves out",
    "generations": "workers carry a hash in their names, and each change of one starts new ones beside the old, which "
    "run on until you delete them: {}; --stable-names leaves the hash out",
    "rollouts": "workers are replaced each on its own, old and new ones side by side: {}",
    "restarts": "a restart takes all components at once, in no order: {}",
    "grove-scaling": "Grove does not follow changed replicas of cliques that run, the operator would scale them: {}",
    "lws-scaling": "each replica is a LeaderWorkerSet of its own, and those of fewer replicas stay until you delete "
    "them: {}",
    "scaling-adapters": "scaling adapters scale nothing and are left out: {}",
    "planners": "a planner finds no DynamoGraphDeployment to scale: {}",
    "checkpoints": "nobody takes or restores checkpoints, so pods start cold: {}",
    "topology": "nobody copies topology labels from nodes to pods, so workers do not learn where they run: {}",
    "failover": "engines of a failover group are not replaced together: {}",
    "models": "DynamoModels are left out, nobody loads adapters or lists endpoints of models: {}",
    "requests": "DynamoGraphDeploymentRequests are left out, nobody profiles: {}",
    "services": "pods look for what the operator's chart installs; it does so without the operator, too "
    "(dynamo-operator.enabled: false): {}",
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
            self.lose(loss, item["metadata"]["name"])
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
