"""The operator that is imitated: its release, its configuration, and the cluster it would see."""

from __future__ import annotations

from dynamoc.diagnostics.finding import NOTE, WARNING
from dynamoc.kube.labels import DISCOVERY_BACKEND_LABEL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from dynamoc.cluster.config import OperatorConfig
    from dynamoc.cluster.context import Capabilities, ClusterContext
    from dynamoc.cluster.running import Running
    from dynamoc.diagnostics.catalog.slugs import NoteSlug, Severity, Slug, WarningSlug
    from dynamoc.diagnostics.finding import Path
    from dynamoc.model.standalone import Standalone
    from dynamoc.release.registry import Release

    class Report(Protocol):
        """Takes a finding on the document at hand; `others` are further fields that take part."""

        def __call__(
            self,
            severity: Severity,
            slug: Slug,
            message: str,
            path: Path,
            hint: str | None,
            others: tuple[Path, ...] = (),
        ) -> None: ...


#: what the operator does while an object is missing, where without it pods wait
_WAITS = ("the operator creates no pods until it exists", "the operator renders no PodCliqueSet until it exists")


class Operator:
    """Everything but the user's document that decides what is created.

    `report(severity, slug, message, path, hint)` takes what a rule has to tell about the document at hand.
    `running` is what an earlier release of the operator left in the cluster, None where it is empty.
    `standalone` collects what is lost without the operator, None where it runs.
    `intermediate` tells whether DynamoComponentDeployments are asked for, and not only what is made of them.
    """

    __slots__ = (
        "capabilities",
        "cluster",
        "config",
        "intermediate",
        "release",
        "report",
        "running",
        "standalone",
    )

    def __init__(
        self,
        release: Release,
        config: OperatorConfig,
        cluster: ClusterContext,
        capabilities: Capabilities,
        report: Report,
        running: Running | None = None,
        standalone: Standalone | None = None,
        *,
        intermediate: bool = True,
    ) -> None:
        self.release = release
        self.config = config
        self.cluster = cluster
        self.capabilities = capabilities
        self.report = report
        self.running = running
        self.standalone = standalone
        self.intermediate = intermediate

    @property
    def stable_names(self) -> bool:
        """Whether names must not tell generations of workers apart, because nobody would remove the old ones."""
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
        """Tells that nobody gave an object which the operator would look up. `effect` says what hangs on it."""
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
