"""What the cluster offers to the operator, how sure that is, and the directory that `dynamoc capture` fills.

The operator asks the API server for API groups, versions or kinds when it starts, and its configuration may overrule
what it finds (cmd/main.go up to 1.2, internal/features/gates.go since 1.3). Offline, they are known from objects in the
input or in `--cluster` (a CustomResourceDefinition, an APIService, or any object of the group) and from
`--cluster API`. A captured directory has

capture.txt            what was asked, and what could not be read; names the directory for what it is
operator-config.yaml   the OperatorConfiguration, where the operator has one (since 1.0)
context/*.yaml         the operator's Deployment, CRDs, nodes, claims, classes, queues; Secrets by name alone
against/graphs.yaml    Dynamo's own objects
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from dynamoc.admission.cluster.config import OperatorConfig
from dynamoc.kube.merge import Tree
from dynamoc.reference.releases import Release

GROVE = "grove.io"
LWS = "leaderworkerset.x-k8s.io"
VOLCANO = "scheduling.volcano.sh"
KAI = "scheduling.run.ai"
INFERENCE = "inference.networking.k8s.io"

#: Targets that say themselves which orchestrators there are: (Grove, LWS with Volcano). Under `grove`, LWS serves what
#: never goes to Grove: stand-alone DynamoComponentDeployments, and graphs that turn Grove off.
TARGETS = {"grove": (True, True), "lws": (False, True), "plain": (False, False)}


@dataclass(eq=False, slots=True)
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

    grove: bool = False
    lws: bool = False
    volcano: bool = False
    kai: bool = False
    volcano_scheduler: bool = False
    dra: bool = False
    istio: bool = False
    inference_pool: bool = True
    assumed: tuple[str, ...] = ()
    missing: tuple[tuple[str, str], ...] = ()


def capabilities(target: str, config: OperatorConfig, release: Release, groups: ApiGroups) -> Capabilities:
    """What the operator finds for `target`: `grove`, `lws`, `plain` or `auto`.

    A target other than `auto` is the user's word on Grove and LWS, and wins over the configuration. `auto` is the
    operator's own decision: its configuration, then the API groups that are known to exist. A group of which nothing is
    known counts as missing where the operator could do without (Grove, KAI), and as there where it would refuse or fail
    (LWS with Volcano, resource claims, a configured mesh, the inference extension); those are `assumed`.
    """
    search = _Search(groups)
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


@dataclass(eq=False, slots=True)
class _Search:
    """Asks for API groups, and keeps what had to be assumed and what is missing."""

    groups: ApiGroups
    assumed: list[str] = field(default_factory=list)
    missing: list[tuple[str, str]] = field(default_factory=list)

    def resolve(self, setting: str, enabled: bool | None, group: str) -> bool:
        """The administrator's word, else whether the group is known to be served."""
        served = self.groups.serves(group)
        if enabled is None:
            return served is True
        if enabled and served is False:
            self.missing.append((f"{setting}.enabled", group))
        return enabled

    def assume(self, name: str, group: str) -> bool:
        served = self.groups.serves(group)
        if served is None and name not in self.assumed:
            self.assumed.append(name)
        return served is not False


#: Groups of the API server itself, which no list of CustomResourceDefinitions names.
_BUILT_IN = ("resource.k8s.io",)
_DYNAMO = "nvidia.com"
_DEFINITION = ("apiextensions.k8s.io", "CustomResourceDefinition")
_SERVICE = ("apiregistration.k8s.io", "APIService")
#: Kubernetes of the first minor that serves an API
_SINCE_MINOR = {"resource.k8s.io/v1": 34}


class ApiGroups:
    """Which APIs are known to be served, and whether everything that is served is known.

    An API is a group, `GROUP/VERSION` or `GROUP/VERSION/KIND`; `listed` are those of `--cluster`. A list of the
    cluster's CustomResourceDefinitions or APIServices is taken as complete where it names Dynamo's own group, which
    every cluster in question serves; so is `listed` where it names that, or the core API. CustomResourceDefinitions say
    nothing about built-in groups, and APIServices nothing about kinds.
    """

    def __init__(self, objects: Iterable[Tree], listed: Iterable[str] = (), kube_minor: int | None = None) -> None:
        self._served: set[str] = set()
        self._without_kinds: set[str] = set()
        self._all_custom = False
        self._all_served = False
        self._minor = kube_minor
        for value in objects:
            self._add(value)
        self._listed = {known for api in listed for known in _prefixes(api)}
        self._served |= self._listed
        kinds = {api.rpartition("/")[0] for api in self._listed if api.count("/") == 2}
        self._without_kinds |= {api for api in self._listed if api.count("/") == 1 and api not in kinds}
        self._all_served |= "/v1" in self._listed
        self._all_custom |= _DYNAMO in self._listed

    def _add(self, value: Tree) -> None:
        group, _, version = str(value.get("apiVersion") or "").rpartition("/")
        kind, spec = str(value.get("kind") or ""), value.get("spec")
        spec = spec if isinstance(spec, dict) else {}
        own = str(spec.get("group") or "")
        self._served.update(_prefixes(api_of(group, version, kind)))
        if (group, kind) == _DEFINITION:
            self._all_custom |= own == _DYNAMO
            self._served |= set(_defined(own, spec))
        elif (group, kind) == _SERVICE:
            self._all_served |= own == _DYNAMO
            self._served.add(own)
            if spec.get("version"):
                self._served.add(api_of(own, str(spec["version"])))
                self._without_kinds.add(api_of(own, str(spec["version"])))

    def serves(self, api: str) -> bool | None:
        """True or False where it is known, None where nothing is."""
        if api in self._served or api.rpartition("/")[0] in self._without_kinds:
            return True
        group = api.partition("/")[0]
        if group in self._served and not self._knows_versions(group):
            return True
        if self._all_served or (self._all_custom and group not in _BUILT_IN):
            return False
        return False if self._minor is not None and self._minor < _SINCE_MINOR.get(api, 0) else None

    def _knows_versions(self, group: str) -> bool:
        """Whether a definition, a service or the command line says in which versions a group is served."""
        return any(api.startswith(group + "/") for api in self._served)

    def names(self, group: str) -> bool:
        """Whether the command line names a group."""
        return group in self._listed


def _defined(group: str, spec: Tree) -> Iterator[str]:
    """What a CustomResourceDefinition serves; one without versions is one whose versions do not matter."""
    names = spec.get("names")
    kind = names.get("kind") if isinstance(names, dict) else None
    versions = spec.get("versions")
    if not versions or not isinstance(versions, list):
        yield group
        return
    for item in versions:
        if isinstance(item, dict) and item.get("served", True):
            yield from _prefixes(api_of(group, str(item.get("name")), str(kind)))


def _prefixes(api: str) -> Iterator[str]:
    """`grove.io`, `grove.io/v1alpha1` and `grove.io/v1alpha1/PodCliqueSet`, of the last."""
    steps = api.split("/")
    for number in range(1, len(steps) + 1):
        yield "/".join(steps[:number])


def api_of(*steps: str) -> str:
    """An API by its group, version and kind."""
    return "/".join(steps)


def parsed_apis(texts: Iterable[str]) -> list[str]:
    """The APIs of `--cluster`, as helm writes them: `v1`, `v1/Pod`, `apps/v1` or `apps/v1/Deployment`.

    The core group is empty: `/v1/Pod`. ValueError, with the text, for anything else.
    """
    found: dict[str, None] = {}
    for text in texts:
        for entry in filter(None, map(str.strip, text.split(","))):
            steps = entry.split("/")
            if (steps[0][:1] == "v" and steps[0][1:2].isdigit() and "." not in steps[0]) and len(steps) < 3:
                steps.insert(0, "")
            if len(steps) > 3 or not all(steps[1:]) or (len(steps) == 1 and "." not in entry):
                raise ValueError(entry)
            found["/".join(steps)] = None
    return list(found)


MARKER = "capture.txt"
CONFIG = "operator-config.yaml"
OPERATOR = os.path.join("context", "operator.yaml")
CONTEXT = "context"
AGAINST = "against"


def is_captured(path: str) -> bool:
    """Whether a path is such a directory."""
    return os.path.isfile(os.path.join(path, MARKER))


def part_of(path: str, part: str) -> str:
    """The part of a captured directory that an option takes; any other path as it is."""
    return os.path.join(path, part) if is_captured(path) else path


def config_of(path: str, *, by_flags: bool) -> str | None:
    """The file in a captured directory that says how the operator is configured; None where none was found.

    `by_flags`: an operator up to 0.6, which its Deployment configures.
    """
    file = os.path.join(path, OPERATOR if by_flags else CONFIG)
    return file if os.path.isfile(file) and os.path.getsize(file) else None
