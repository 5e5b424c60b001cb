"""What the cluster offers to the operator, and how sure that is.

The operator asks the API server for API groups, versions or kinds when it starts, and its configuration may overrule
what it finds (cmd/main.go up to 1.2, internal/features/gates.go since 1.3). Offline, they are known from objects in the
input or in `--context` (a CustomResourceDefinition, an APIService, or any object of the group) and from
`--api-versions`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.cluster.api_groups import ApiGroups
    from dynamoc.cluster.config import OperatorConfig
    from dynamoc.cluster.context import ClusterContext
    from dynamoc.release.registry import Release

GROVE = "grove.io"
LWS = "leaderworkerset.x-k8s.io"
VOLCANO = "scheduling.volcano.sh"
KAI = "scheduling.run.ai"
INFERENCE = "inference.networking.k8s.io"

#: Targets that say themselves which orchestrators there are: (Grove, LWS with Volcano). Under `grove`, LWS serves what
#: never goes to Grove: stand-alone DynamoComponentDeployments, and graphs that turn Grove off.
TARGETS = {"grove": (True, True), "lws": (False, True), "plain": (False, False)}


class Capabilities:
    """What the operator may use.

    grove             PodCliqueSets
    lws               LeaderWorkerSets, for multinode components outside of Grove
    volcano           the API of Volcano
    kai               KAI's scheduler and queues, with Grove
    volcano_scheduler Volcano schedules the pods of Grove (since 1.3)
    dra               resource claims (since 1.1)
    istio             DestinationRules of a service mesh (since 1.2)
    inference_pool    InferencePools of the Gateway API's inference extension
    assumed           names of the above that nothing shows, but that are taken to be there
    missing           settings that demand an API known to be missing, and that API: the operator exits
    """

    __slots__ = (
        "assumed",
        "dra",
        "grove",
        "inference_pool",
        "istio",
        "kai",
        "lws",
        "missing",
        "volcano",
        "volcano_scheduler",
    )

    def __init__(self) -> None:
        self.grove = False
        self.lws = False
        self.volcano = False
        self.kai = False
        self.volcano_scheduler = False
        self.dra = False
        self.istio = False
        self.inference_pool = True
        self.assumed: tuple[str, ...] = ()
        self.missing: tuple[tuple[str, str], ...] = ()


def capabilities(target: str, config: OperatorConfig, release: Release, context: ClusterContext) -> Capabilities:
    """What the operator finds for `target`: `grove`, `lws`, `plain` or `auto`.

    A target other than `auto` is the user's word on Grove and LWS, and wins over the configuration. `auto` is the
    operator's own decision: its configuration, then the API groups that are known to exist. A group of which nothing is
    known counts as missing where the operator could do without (Grove, KAI), and as there where it would refuse or fail
    (LWS with Volcano, resource claims, a configured mesh, the inference extension); those are `assumed`.
    """
    search = _Search(context.groups)
    found = Capabilities()
    orchestrators = config.orchestrators
    if target == "auto":
        found.grove = search.resolve("orchestrators.grove", orchestrators.grove.enabled, GROVE)
        found.volcano = search.assume("volcano", VOLCANO)
        needs = release["lws/needs"]
        found.lws = all(search.assume("lws", group) for group in needs)
        if not release.has("lws/detected"):
            found.lws = orchestrators.lws.enabled is True
        if orchestrators.lws.enabled:
            for group in needs:
                search.resolve("orchestrators.lws", True, group)
    else:
        found.grove, found.lws = TARGETS[target]
        found.volcano = found.lws
    found.lws = found.lws and orchestrators.lws.enabled is not False
    kai = orchestrators.kai_scheduler.enabled
    found.kai = release.has("grove/kai") and search.resolve("orchestrators.kaiScheduler", kai, KAI)
    volcano = orchestrators.volcano_scheduler.enabled is True
    found.volcano_scheduler = volcano and search.resolve("orchestrators.volcanoScheduler", True, VOLCANO)
    found.dra = _on(search, "dra", config.dra.enabled, release["api/dra"])
    mesh = config.service_mesh
    found.istio = mesh.wanted and _on(search, "serviceMesh", mesh.enabled, release["api/istio"])
    if config.checkpoint.enabled and release["api/checkpoint"]:
        search.resolve("checkpoint", True, release["api/checkpoint"])
    found.inference_pool = search.assume("inference_pool", INFERENCE)
    found.assumed = tuple(search.assumed)
    found.missing = tuple(search.missing)
    return found


def _on(search: _Search, setting: str, enabled: bool | None, group: str) -> bool:
    """A capability that counts as there where neither the administrator nor the context says anything."""
    return search.assume(setting, group) if enabled is None else search.resolve(setting, enabled, group)


class _Search:
    """Asks for API groups, and keeps what had to be assumed and what is missing."""

    __slots__ = ("_groups", "assumed", "missing")

    def __init__(self, groups: ApiGroups) -> None:
        self._groups = groups
        self.assumed: list[str] = []
        self.missing: list[tuple[str, str]] = []

    def resolve(self, setting: str, enabled: bool | None, group: str) -> bool:
        """The administrator's word, else whether the group is known to be served."""
        served = self._groups.serves(group)
        if enabled is None:
            return served is True
        if enabled and served is False:
            self.missing.append((f"{setting}.enabled", group))
        return enabled

    def assume(self, name: str, group: str) -> bool:
        served = self._groups.serves(group)
        if served is None and name not in self.assumed:
            self.assumed.append(name)
        return served is not False
