"""The operator that is imitated: its release, its configuration, and the cluster it would see; or that none runs."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Protocol

from dynamoc.admission.cluster.capabilities import Capabilities
from dynamoc.admission.cluster.config import OperatorConfig
from dynamoc.admission.cluster.context import ClusterContext
from dynamoc.admission.cluster.previous import Running
from dynamoc.documents.findings.finding import NOTE, WARNING, Finding, Findings, Path
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import DISCOVERY_BACKEND_LABEL
from dynamoc.reference.releases import Release
from dynamoc.reference.slugs import NoteSlug, Severity, Slug, WarningSlug


class Report(Protocol):
    """Takes a finding on the document at hand; `others` are further fields that take part."""

    def __call__(
        self, severity: Severity, slug: Slug, message: str, path: Path, hint: str | None, others: tuple[Path, ...] = ()
    ) -> None: ...


#: what the operator does while an object is missing, where without it pods wait
_WAITS = ("the operator creates no pods until it exists", "the operator renders no PodCliqueSet until it exists")


@dataclass(eq=False, slots=True)
class Operator:
    """Everything but the user's document that decides what is created.

    `report(severity, slug, message, path, hint)` takes what a rule finds in the current document.
    `running` is what an earlier release of the operator left in the cluster, None where it is empty.
    `standalone` collects what is lost without the operator, None where it runs.
    `intermediate` is whether DynamoComponentDeployments are asked for, and not only what is made of them.
    """

    release: Release
    config: OperatorConfig
    cluster: ClusterContext
    capabilities: Capabilities
    report: Report
    running: Running | None = None
    standalone: Standalone | None = None
    _: KW_ONLY
    intermediate: bool = True

    @property
    def stable_names(self) -> bool:
        """Whether names must not distinguish generations of workers, because nothing would remove the old ones."""
        return self.standalone is not None and self.standalone.stable_names

    def warn(
        self,
        slug: WarningSlug,
        message: str,
        path: Path = (),
        hint: str | None = None,
        *,
        others: tuple[Path, ...] = (),
    ) -> None:
        """`others` are further fields of the document that take part, e.g. the one that wins."""
        if others:
            self.report(WARNING, slug, message, path, hint, others=others)
        else:
            self.report(WARNING, slug, message, path, hint)

    def note(self, slug: NoteSlug, message: str, path: Path = (), hint: str | None = None) -> None:
        self.report(NOTE, slug, message, path, hint)

    def unknown(self, kind: str, namespace: str | None, name: str, effect: str, path: Path = ()) -> None:
        """Reports an object that the operator would look up and that is not given. `effect` says what depends on it."""
        if self.standalone is not None and effect in _WAITS:
            effect = "pods that need it wait until it exists"
        self.cluster.unknown(self.report, kind, namespace, name, effect, path)

    def discovery_backend(self, annotations: dict[str, str]) -> str:
        """The annotation wins over the configuration (controller_common/predicate.go GetDiscoveryBackend)."""
        if not self.release.has("discovery/kubernetes"):
            return "etcd"
        value = annotations.get(DISCOVERY_BACKEND_LABEL)
        return self.config.discovery.backend if value is None else value

    def kubernetes_discovery(self, annotations: dict[str, str]) -> bool:
        return self.discovery_backend(annotations) == "kubernetes"

    def grove_pathway(self, annotations: dict[str, str]) -> bool:
        """Grove where it is there and the graph doesn't turn it off (controller isGrovePathway)."""
        if self.release.has("grove/chosen-once") and "nvidia.com/workload-provider" in annotations:
            return annotations["nvidia.com/workload-provider"] == "grove"
        word = annotations.get("nvidia.com/enable-grove", "")
        if self.release.has("grove/opt-out-in-any-case"):
            word = word.lower()
        return self.capabilities.grove and word != "false"


SLUG: NoteSlug = "standalone/without-operator"
#: what is printed: what graphs share and an administrator applies, the rest, or both
SHARED, GRAPH, ALL = "shared", "graph", "all"
PARTS = (SHARED, GRAPH, ALL)

#: What does not happen, in the order in which it is reported; `{}` stands for what is concerned.
LOSSES = {
    "upkeep": "nothing reports the status of graphs, reverts manual changes, or deletes objects that a later "
    "rendering no longer contains",
    "generations": "each change of a worker starts new workers next to the old, which run until you delete them: {} "
    "(--omit=worker-hash replaces them instead)",
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


@dataclass(eq=False, slots=True, kw_only=True)
class Standalone:
    """What is known about a rendering that must do without the operator.

    part          what of it is printed, of PARTS
    stable_names  leave the hash of workers out of names, labels and environment
    lost          what of LOSSES does not happen so far, and to what
    """

    part: str = ALL
    stable_names: bool = False
    lost: dict[str, set[str]] = field(default_factory=dict, init=False)
    _finding: Finding | None = field(default=None, init=False)

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
