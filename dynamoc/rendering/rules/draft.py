"""The pod that is being built, what a rule is, and what several rules use.

A rule is a function that shapes a pod, with its name and its source; `order.py` lists them by release. A merge as the
operator does it takes empty values for missing ones, and keeps the name of a port against a number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field

from dynamoc.admission.graph import Component
from dynamoc.admission.operator import Operator
from dynamoc.documents.findings.finding import Path
from dynamoc.kube.go import parse_semver
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import dynamo_namespace
from dynamoc.kube.tracing import RULE, Step, watched
from dynamoc.reference.releases import Release
from dynamoc.reference.slugs import WarningSlug
from dynamoc.rendering.rules.snapshot_storage import CheckpointInfo, Snapshot

VALUE_LOST: WarningSlug = "merge/value-lost"
_SHELLS = ("bash", "zsh", "ksh", "fish")
#: registries, and owners in them, whose images take no login
_PUBLIC = (
    "docker.io", "gcr.io", "ghcr.io", "index.docker.io", "mcr.microsoft.com", "nvcr.io/nvidia", "public.ecr.aws",
    "quay.io", "registry.k8s.io",
)  # fmt: skip

Version = tuple[int, int, int]


#: the part a pod plays in a replica
LEADER, WORKER, MAIN, CHECKPOINT = "leader", "worker", "main", "checkpoint"


@dataclass(eq=False, slots=True)
class Pod:
    """Input and result of the pod rules.

    component    what the pod is made for
    owner        name of the DynamoGraphDeployment, "" for a DCD that stands alone
    namespace    Kubernetes namespace
    service      name from which host names of a multinode replica are made
    role         leader, worker, main or checkpoint
    nodes        nodes of one replica
    backend      vllm, sglang, trtllm or noop
    hosts        how the pods of a replica find each other
    checkpoint   what is known about the checkpoint to restore from, or None
    snapshot     the same since 1.4
    spec, main   the PodSpec and its container `main`; `main` is one of spec's containers at the end
    volumes      volumes that go behind the user's own
    shared_mounts   mounts of `main` that a frontend sidecar gets too
    """

    operator: Operator
    component: Component
    _: KW_ONLY
    owner: str
    namespace: str
    service: str
    role: str
    nodes: int
    backend: str
    hosts: Hosts
    checkpoint: CheckpointInfo | None = None
    snapshot: Snapshot | None = None
    spec: Tree = field(default_factory=dict, init=False)
    main: Tree = field(default_factory=dict, init=False)
    volumes: list[Tree] = field(default_factory=list, init=False)
    shared_mounts: list[Tree] = field(default_factory=list, init=False)

    @property
    def release(self) -> Release:
        return self.operator.release

    @property
    def dynamo_namespace(self) -> str:
        if self.release.has("dynamo-namespace/from-services"):
            return self.component.dynamo_namespace or ""
        return dynamo_namespace(self.component.global_dynamo_namespace, self.namespace, self.owner)

    @property
    def is_multinode(self) -> bool:
        return self.nodes > 1

    def origin_has(self, gate: str) -> bool:
        """Whether the graph was created by an operator that is new enough for `gate`."""
        least = self.release["origin-gates"].get(gate)
        if least is None:
            return False

        origin = parse_semver(self.component.steering.get("nvidia.com/dynamo-operator-origin-version", ""))
        return origin is not None and origin.at_least(least)

    def runtime_has(self, gate: str, version: Version | None) -> bool:
        """Whether a Dynamo runtime is new enough for `gate`; one of unknown version isn't."""
        least = self.release["runtime-gates"].get(gate)
        return least is not None and version is not None and version >= least

    @property
    def runtime_version(self) -> Version | None:
        return self.component.runtime_version(self.release)


@dataclass(eq=False, slots=True)
class Rule:
    """One named step.

    name    `topic/what`; its topic, and what it does
    source  file and symbol of the operator whose behaviour the rule follows
    apply   changes the pod; raises `Refusal` where the operator fails
    """

    name: str
    source: str
    apply: Callable[[Pod], None]

    @property
    def reason(self) -> str:
        """What the rule sets, why, and what the user can override: its docstring."""
        return self.apply.__doc__ or ""


#: rules by the functions that the orders of releases list
RULES: dict[Callable[[Pod], None], Rule] = {}


def rule(name: str, *, source: str) -> Callable[[Callable[[Pod], None]], Callable[[Pod], None]]:
    """Marks a function as the rule `name`."""

    def register(function: Callable[[Pod], None]) -> Callable[[Pod], None]:
        function = watched(Step(name, RULE, source, function.__doc__ or ""), function)
        RULES[function] = Rule(name, source, function)
        return function

    return register


def pool_name(owner: str) -> str:
    """epp/inference_pool.go GetPoolName."""
    return f"{owner}-pool"


def config_map_name(owner: str) -> str:
    """epp/config.go GetConfigMapName."""
    return f"{owner}-epp-config"


def epp_args(pod: Pod) -> list[str]:
    """component_epp.go GetBaseContainer."""
    release = pod.release
    dashes = release["epp/flag-dashes"]
    return [
        *(f"{dashes}pool-name", pool_name(pod.owner)),
        *(f"{dashes}pool-namespace", pod.namespace),
        *(f"{dashes}pool-group", release["epp/pool-group"]),
        *("-v", "4"),
        *("--zap-encoder", "json"),
        *(f"{dashes}grpc-port", str(release["epp/grpc-port"])),
        *(f"{dashes}grpc-health-port", "9003"),
        *(f"{dashes}config-file", f"{release['epp/config-dir']}/{release['epp/config-key']}"),
    ]


def is_native(pod: Pod) -> bool:
    """Whether the picker is the one that Dynamo brings since 1.5: eppConfig is for its predecessor alone."""
    return pod.release.has("epp/native") and pod.component.epp_config is None


def epp_mounts(pod: Pod) -> list[Tree]:
    """component_epp.go GetBaseContainer."""
    release = pod.release
    config = {"name": "epp-config", "mountPath": release["epp/config-dir"], "readOnly": True}
    if not release.has("epp/cache-of-native-only"):
        return [config, {"name": "hf-cache", "mountPath": "/home/nonroot/.cache"}]
    if is_native(pod):
        return [{"name": "hf-cache", "mountPath": f"{release['epp/native-home']}/.cache"}]
    return [config]


def epp_volumes(pod: Pod) -> list[Tree]:
    """The configuration, from the graph's own ConfigMap or the one the user refers to, and a cache for models.

    Since 1.5 the native picker has the cache alone, and the other one the configuration alone.
    """
    cache: Tree = {"name": "hf-cache", "emptyDir": {}}
    if is_native(pod):
        return [cache]
    key = pod.release["epp/config-key"]
    reference = (pod.component.epp_config or {}).get("configMapRef")
    name = config_map_name(pod.owner) if reference is None else reference.get("name", "")
    # Whatever the key is called in the user's ConfigMap, the file keeps the name that the arguments point to.
    item = {"key": (reference or {}).get("key") or key, "path": key}
    config = {"name": "epp-config", "configMap": {"name": name, "items": [item]}}
    return [config] if pod.release.has("epp/cache-of-native-only") else [config, cache]


def tell_lost(pod: Pod, user: Tree, merged: Tree, path: Path) -> None:
    """Warns of values at `path` of the user's document that the merged tree does not have; lists replace others."""
    for key, value in user.items():
        kept = merged.get(key)
        if value.__class__ is dict and kept.__class__ is dict:
            tell_lost(pod, value, kept, (*path, key))
        elif value.__class__ is not list and value.__class__ is not dict and kept != value and key != "name":
            pod.operator.warn(
                VALUE_LOST,
                f"`{key}: {value}` has no effect: the operator merges it into its default, which stays "
                f"`{key}: {kept}`.",
                (*path, key),
                f"Write a value that is not zero, or remove `{key}`." if not value else f"Remove `{key}`.",
            )


def tell_lost_volumes(pod: Pod, defaults: Tree, user: Tree, path: Path) -> None:
    """Warns where the user's list of volumes replaces volumes that the operator's own mounts need."""
    if "volumes" not in user or not defaults.get("volumes"):
        return
    names = {volume.get("name") for volume in user["volumes"]}
    lost = [volume["name"] for volume in defaults["volumes"] if volume["name"] not in names]
    if lost:
        pod.operator.warn(
            "merge/volumes-lost",
            f"These volumes replace those of the operator: {' and '.join(lost)} of {pod.component.name} are "
            "mounted, but the pod does not have these volumes.",
            (*path, "volumes"),
            f"Add {' and '.join(lost)} to the list.",
            others=((*pod.component.path, "eppConfig"),) if pod.component.epp_config else (),
        )


def tell_other_shell(pod: Pod, before: list[str]) -> None:
    """Warns where the backend runs the words of a command by `sh` that were written for another shell."""
    shell = before[0].rpartition("/")[2] if before else ""
    after = pod.main.get("command") or []
    if shell in _SHELLS and after[:1] != before[:1]:
        pod.operator.warn(
            "command/other-shell",
            f"The operator runs this command with {after[0] if after else 'the image'}, not with {before[0]}: on "
            "several nodes, it writes the command line itself.",
            (*pod.component.main_path, "command"),
            f"Write the arguments so that sh can run them, or call {shell} in them: `{shell} -c '...'`.",
        )


def pod_path(pod: Pod) -> Path:
    """Where the user's document has the fields of the pod."""
    path = pod.component.path
    is_alpha = pod.component.main_path[len(path) : len(path) + 1] == ("extraPodSpec",)
    return (*path, "extraPodSpec") if is_alpha else (*path, "podTemplate", "spec")


def add_pull_secrets(pod: Pod, image: str) -> None:
    """Appends the docker-registry Secrets of the namespace that know the image's registry, since 1.0 each once.

    The annotation `nvidia.com/disable-image-pull-secret-discovery: "true"` on the component turns it off since 0.6.
    Source: internal/secrets/docker.go, controller_common/resource.go AppendUniqueImagePullSecrets.
    """
    switch = pod.component.steering.get("nvidia.com/disable-image-pull-secret-discovery")
    if not image or (switch == "true" and pod.release.has("images/discovery-switch")):
        return
    names = pod.operator.cluster.pull_secrets(pod.namespace, image)
    if not names:
        _tell_unknown(pod, image)
        return
    secrets = pod.spec.setdefault("imagePullSecrets", [])
    if pod.release.has("images/each-pull-secret-once"):
        known = {secret.get("name") for secret in secrets}
        # A Secret that writes one registry in two ways (`nvcr.io`, `https://nvcr.io/v1`) is found twice.
        names = [name for name in dict.fromkeys(names) if name not in known]
    secrets.extend({"name": name} for name in names)


def _tell_unknown(pod: Pod, image: str) -> None:
    """Warns where a registry likely asks for a login, and no Secret is shown or named for the pod."""
    registry = private_registry(image)
    named = pod.spec.get("imagePullSecrets") or (pod.component.pod_spec or {}).get("imagePullSecrets")
    if registry is None or named or not pod.operator.cluster.lacks_secrets:
        return
    is_main = image == (pod.component.main or {}).get("image")
    path = (*pod.component.main_path, "image") if is_main else pod.component.path
    message = f"No Secret is in the input or --cluster: if the cluster has one for the registry `{registry}`, the "
    message += "operator adds it to imagePullSecrets, and the output does not have it."
    hint = "add the Secret to --cluster, or name it in imagePullSecrets of the pod"
    pod.operator.warn("context/unknown-pull-secret", message, path, hint)


def private_registry(image: str) -> str | None:
    """The registry of an image, where it likely asks for a login; None for registries that everybody may read."""
    host, slash, rest = image.partition("/")
    if not slash or not ("." in host or ":" in host or host == "localhost"):
        return None
    if host in _PUBLIC or f"{host}/{rest.partition('/')[0]}" in _PUBLIC:
        return None
    return host


@dataclass(frozen=True, slots=True, kw_only=True)
class Hosts:
    """Host names and ranks inside one replica.

    leader_host, worker_host   names with places for the service and the worker's index
    first_worker   the index from which workers count
    node_rank   text for the rank of a worker
    rank_needs_shell   whether only a shell can read that text
    dns_wait    whether the leader waits until the workers' names resolve
    lower       whether names take the service's name in lower case
    pod_rank    text for the rank of any pod, which Kubernetes expands itself; "" before 1.6
    """

    leader_host: str
    worker_host: str
    first_worker: int = 1
    node_rank: str
    rank_needs_shell: bool = False
    dns_wait: bool = False
    lower: bool = True
    pod_rank: str = ""

    def leader(self, service: str) -> str:
        return self.leader_host.replace("{service}", self._name(service))

    def _name(self, service: str) -> str:
        return service.lower() if self.lower else service

    def all(self, service: str, nodes: int) -> list[str]:
        """The leader's name first, then those of the workers."""
        worker = self.worker_host.replace("{service}", self._name(service))
        indices = range(self.first_worker, self.first_worker + nodes - 1)
        return [self.leader(service), *(worker.replace("{index}", str(index)) for index in indices)]
