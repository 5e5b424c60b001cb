"""The pods of Grove's cliques: what their graph adds to them, their names, roles and worker generations.

Functions that change canonical v1beta1 component specs do so in place; callers pass copies.
Source: internal/dynamo/{graph,v1beta1_helpers,failover}.go, controller/dgd_grove_workload_renderer.go since 1.4.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from dynamoc.admission.adapters import has_role_templates
from dynamoc.admission.graph import MAIN as V1BETA1_MAIN
from dynamoc.admission.graph import (
    RUNTIME,
    Component,
    Graph,
    engine_pods,
    forces_scaling_group,
    is_inter_pod_gms,
    node_count,
    uses_scaling_group,
)
from dynamoc.admission.operator import Operator
from dynamoc.kube.merge import Tree, copy_tree
from dynamoc.kube.names import COMPONENT_LABEL, WORKER_HASH_LABEL, kube_resource_name
from dynamoc.kube.tracing import NOT_EARLY, builder
from dynamoc.reference.releases import Release
from dynamoc.rendering.lower.graph_objects import checked_restart
from dynamoc.rendering.lower.scheduling import transfer_domains
from dynamoc.rendering.rules.draft import LEADER, MAIN, WORKER, Hosts
from dynamoc.rendering.rules.env import apply_to_template, merge_env, worker_policy
from dynamoc.rendering.rules.order import build_graph_pod
from dynamoc.rendering.rules.snapshot_storage import CheckpointInfo, Snapshot

ORIGIN = "nvidia.com/dynamo-operator-origin-version"
_CONTAINERS = ("containers", "initContainers")


def pod_template(spec: Tree) -> Tree:
    """The component's pod template, created if it is missing."""
    template: Tree = spec.setdefault("podTemplate", {})
    return template


def with_own_pods(spec: Tree) -> Tree:
    """The spec with pods to change: their metadata and containers are its own, what these hold is shared."""
    own = {**spec, "podTemplate": _own_template(spec.get("podTemplate"))}
    if has_role_templates(spec):
        own["roles"] = [
            {**role, "podTemplate": _own_template(role["podTemplate"])} if role.get("podTemplate") is not None else role
            for role in spec["roles"]
        ]
    return own


def _own_template(template: Tree | None) -> Tree:
    template = template or {}
    metadata = template.get("metadata") or {}
    own = {field: dict(metadata.get(field) or {}) for field in ("labels", "annotations")}
    found = {**template, "metadata": {**metadata, **own}}
    if "spec" in template:
        found["spec"] = {
            key: [dict(item) for item in value] if key in _CONTAINERS else value
            for key, value in template["spec"].items()
        }
    return found


def labels_of(spec: Tree) -> dict[str, str]:
    """The labels of the component's pods, for changes."""
    labels: dict[str, str] = pod_template(spec).setdefault("metadata", {}).setdefault("labels", {})
    return labels


def annotations_of(spec: Tree) -> dict[str, str]:
    """The annotations of the component's pods, for changes."""
    annotations: dict[str, str] = pod_template(spec).setdefault("metadata", {}).setdefault("annotations", {})
    return annotations


def main_container(spec: Tree) -> Tree | None:
    containers = ((spec.get("podTemplate") or {}).get("spec") or {}).get("containers") or []
    return next((container for container in containers if container.get("name") == V1BETA1_MAIN), None)


def runtime_sidecar(spec: Tree, release: Release) -> Tree | None:
    """The init container that runs Dynamo, if there is one (since 1.6)."""
    if not release.has("runtime/in-sidecar"):
        return None
    containers = ((spec.get("podTemplate") or {}).get("spec") or {}).get("initContainers") or []
    return next((container for container in containers if container.get("name") == RUNTIME), None)


def made_main_container(spec: Tree) -> Tree:
    """The container `main`, created before the others if it is missing."""
    main = main_container(spec)
    if main is None:
        main = {"name": V1BETA1_MAIN}
        pod_spec = pod_template(spec).setdefault("spec", {})
        pod_spec["containers"] = [main, *(pod_spec.get("containers") or ())]
    return main


@builder("lower/hub/template/on-templates", "internal/dynamo/graph.go applyDGDTemplateDefaults")
def on_templates(spec: Tree, change: Callable[[Tree], None]) -> None:
    """Changes a spec by its `podTemplate`; where roles have their own, by each of them in its place."""
    roles = [role for role in spec.get("roles") or () if role.get("podTemplate") is not None]
    if not roles:
        change(spec)
    for role in roles:
        view = {**spec, "podTemplate": role["podTemplate"]}
        change(view)
        role["podTemplate"] = view["podTemplate"]


@builder("lower/hub/template/apply-graph-defaults", "internal/dynamo/graph.go applyDGDTemplateDefaults")
def apply_graph_defaults(spec: Tree, graph: Graph, component: Component, release: Release, domains: list[str]) -> None:
    """The graph's environment, KV transfer policy, annotations and labels, all below the component's own.

    Since 1.5, annotations and labels of `spec` and of a v1alpha1 service come before those of the graph's metadata.

    `domains` are the levels of the topology that the policy names; only Grove knows them.
    """
    if graph.env:
        main = made_main_container(spec)
        main["env"] = merge_env(copy_tree(graph.env), main.get("env"))
        runtime = runtime_sidecar(spec, release)
        if runtime is not None:
            runtime["env"] = merge_env(copy_tree(graph.env), runtime.get("env"))
    policy = worker_policy(graph.value.get("spec") or {}, spec.get("type", ""))
    if policy is not None:
        apply_to_template(pod_template(spec), policy, domains, runtime_sidecar(spec, release))
    if release.has("metadata/of-spec-first"):
        _add_missing(annotations_of(spec), {**graph.spec_annotations, **component.annotations})
        _add_missing(labels_of(spec), {**graph.spec_labels, **component.labels})
        propagate_annotations(spec, graph, release)
        return
    propagate_annotations(spec, graph, release)
    _add_missing(annotations_of(spec), graph.spec_annotations)
    _add_missing(labels_of(spec), graph.spec_labels)


def propagate_annotations(spec: Tree, graph: Graph, release: Release) -> None:
    """Copies the graph's annotations that steer rendering to pods that don't have them."""
    annotations = annotations_of(spec)
    if release.has("origin/of-graph-alone"):
        annotations.pop(ORIGIN, None)
    for key in release["propagated-annotations"]:
        if key in graph.annotations:
            annotations.setdefault(key, graph.annotations[key])


def _add_missing(target: dict[str, str], values: dict[str, str]) -> None:
    for key, value in values.items():
        target.setdefault(key, value)


def grove_pod(
    rendering: GraphRendering,
    component: Component,
    part: str,
    nodes: int,
    backend: str,
    hosts: Hosts,
    snapshot: Snapshot | None,
) -> Tree:
    """The PodSpec of a component with everything that its graph adds (generatePodSpecForComponent).

    Changes the component and the pods of its spec, which are its own.
    """
    graph, operator = rendering.graph, rendering.operator
    apply_graph_defaults(component.spec, graph, component, operator.release, rendering.domains)
    return build_graph_pod(graph, component, operator, part, backend, nodes=nodes, hosts=hosts, snapshot=snapshot)


#: the part of a GMS weight server, beside those of `dynamoc.rendering.rules.draft`
WEIGHT_SERVER = "gms"


@dataclass(eq=False, slots=True)
class CliqueRole:
    """One PodClique of a component.

    name    of the clique
    part    leader, worker, main or gms
    pods    replicas of the clique
    rank    node of the replica that the clique is; only meaningful with inter-pod GMS
    """

    name: str
    part: str
    pods: int
    rank: int = 0


@builder(
    "lower/hub/clique_roles/clique-roles",
    "internal/dynamo/graph.go expandRolesForComponent, up to 1.1 expandRolesForService",
    NOT_EARLY,
)
def clique_roles(name: str, spec: Tree) -> list[CliqueRole]:
    """The cliques of the component named `name` with the canonical v1beta1 `spec`, in the order they are created."""
    name, nodes = name.lower(), node_count(spec)
    if is_inter_pod_gms(spec):
        return _with_weight_servers(name, nodes, engine_pods(spec))
    if nodes > 1:
        return [CliqueRole(f"{name}-ldr", LEADER, 1), CliqueRole(f"{name}-wkr", WORKER, nodes - 1)]
    if forces_scaling_group(spec):
        # The scaling group's replicas carry the number that the user asked for.
        return [CliqueRole(name, MAIN, 1)]
    replicas = spec.get("replicas")
    return [CliqueRole(name, MAIN, 1 if replicas is None else replicas)]


def longest_clique_name(name: str, spec: Tree) -> str:
    """The name that counts against Grove's limit (LongestPodCliqueNameForDGDComponent)."""
    names = [name.lower()]
    if uses_scaling_group(spec):
        names += [role.name for role in clique_roles(name, spec)]
    return max(names, key=len)


def _with_weight_servers(name: str, nodes: int, engines: int) -> list[CliqueRole]:
    """For each rank its weight server, then its engines: the primary and the shadows."""
    roles = []
    for rank in range(max(nodes, 1)):
        roles.append(CliqueRole(f"{name}-gms-{rank}", WEIGHT_SERVER, 1, rank))
        if nodes <= 1:
            roles.append(CliqueRole(name, MAIN, engines, rank))
        elif rank == 0:
            roles.append(CliqueRole(f"{name}-ldr", LEADER, engines, rank))
        else:
            roles.append(CliqueRole(f"{name}-wkr-{rank}", WORKER, engines, rank))
    return roles


@builder(
    "lower/hub/clique_roles/start-dependencies", "internal/dynamo/graph.go applyCliqueStartupDependencies", NOT_EARLY
)
def start_dependencies(roles: list[CliqueRole], *, backend: str) -> dict[str, list[str]]:
    """Clique name to the cliques that it starts after.

    Engines need their weight server, whatever the backend; mpirun on the leader needs the workers' sshd.
    """
    servers = {role.rank: role.name for role in roles if role.part == WEIGHT_SERVER}
    workers = [role.name for role in roles if role.part == WORKER]
    after: dict[str, list[str]] = {}
    for role in roles:
        if role.part == WEIGHT_SERVER:
            continue
        names = [servers[role.rank]] if role.rank in servers else []
        if role.part == LEADER and backend == "trtllm":
            names += workers
        if names:
            after[role.name] = names
    return after


@builder("lower/hub/grove_names/pod-clique-set-name", "internal/dynamo/graph.go PCSNameForDGD")
def pod_clique_set_name(graph: Graph, release: Release) -> str:
    """The graph's name, cut to the length that the longest component leaves, with 4 hex digits for the rest.

    Grove joins the names of set, scaling group and clique, 45 characters in total.
    """
    longest = max((_component_length(component.name, component.spec) for component in graph.components), default=0)
    budget = max(release["grove/name-budget"] - longest, release["grove/least-name"])
    name = graph.name.encode()
    if len(name) <= budget:
        return graph.name
    return f"{name[: budget - 5].decode()}-{_fnv32a(name) & 0xFFFF:04x}"


def ray_service_name(name: str) -> str:
    """The Service of a Ray head, after that of the component; beyond 63 characters, 4 hex digits replace the end.

    Source: internal/dynamo/graph.go ElasticEPLeaderServiceName of release 1.5.
    """
    full = kube_resource_name(f"{name}-ray")
    if len(full) <= 63:
        return full
    return f"{full[:58]}-{_fnv32a(full.encode()) & 0xFFFF:04x}"


def _component_length(name: str, spec: dict[str, object]) -> int:
    length = len(name.lower())
    return length + len(longest_clique_name(name, spec)) if uses_scaling_group(spec) else length


def _fnv32a(data: bytes) -> int:
    value = 0x811C9DC5
    for byte in data:
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value


CURRENT_HASH_V2 = "nvidia.com/current-worker-hash-v2"


def mark_generation(graph: Graph, operator: Operator, digest: str) -> None:
    """Writes the hash into the labels of all workers' pods, over the user's label, as the operator does in memory.

    Pods that an earlier release created without it keep running without it until the graph changes.
    """
    if operator.stable_names or _runs_without(graph, operator, digest):
        return
    for component in graph.components:
        if component.is_worker:
            on_templates(component.spec, lambda view: labels_of(view).update({WORKER_HASH_LABEL: digest}))


def _runs_without(graph: Graph, operator: Operator, digest: str) -> bool:
    """Whether the PodCliqueSet exists, a worker in it has no hash, and the workers have not changed since."""
    if operator.running is None:
        return False
    existing = operator.running.get("PodCliqueSet", graph.namespace, pod_clique_set_name(graph, operator.release))
    if existing is None or graph.annotations.get(CURRENT_HASH_V2, digest) != digest:
        return False
    cliques = existing["spec"]["template"]["cliques"]
    return any(component.is_worker and not _has_hash(cliques, component.name) for component in graph.components)


def _has_hash(cliques: list[Tree], component: str) -> bool:
    """The first clique of the component decides for all."""
    labels: Tree = next((item["labels"] for item in cliques if item["labels"].get(COMPONENT_LABEL) == component), {})
    return bool(labels.get(WORKER_HASH_LABEL))


@dataclass(eq=False, slots=True)
class GraphRendering:
    """What all cliques of a graph have in common.

    queue        of the KAI scheduler, or None
    snapshots    by component name
    checkpoints  what release 1.0 has in their place
    domains      levels of the topology of the graph's KV transfer policy
    restarts     component name to the id of the restart that its pods carry
    """

    graph: Graph
    operator: Operator
    queue: str | None
    snapshots: dict[str, Snapshot]
    checkpoints: dict[str, CheckpointInfo]
    domains: list[str] = field(init=False)
    restarts: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        policy = ((self.graph.value.get("spec") or {}).get("experimental") or {}).get("kvTransferPolicy")
        self.domains = transfer_domains(policy, self.operator)
        self.restarts = checked_restart(self.graph)
