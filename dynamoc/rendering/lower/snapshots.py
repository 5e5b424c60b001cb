"""The snapshots that a graph takes of its engines, and how its components start from them.

Source: controller/dgd_checkpoints_reconciler.go, dgd_component_workloads_reconciler.go; internal/checkpoint/{hash,
resource}.go of release 1.4; dynamographdeployment_controller.go reconcileCheckpoints of 1.2.
"""

from __future__ import annotations

from dynamoc.admission.graph import (
    IMMEDIATE,
    Component,
    Graph,
    enabled_checkpoint,
    gpu_memory_service,
    is_intra_pod_failover,
)
from dynamoc.admission.operator import Operator
from dynamoc.documents.findings.finding import Path, Refusal
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import COMPONENT_LABEL, GRAPH_LABEL, WORKER_HASH_LABEL
from dynamoc.kube.text import dumps, hex_digest
from dynamoc.kube.tracing import builder
from dynamoc.rendering.lower.checkpoint_jobs import prepare_service, snapshot_job, storage_claim
from dynamoc.rendering.lower.common import metadata
from dynamoc.rendering.lower.deployed import DeployedComponent
from dynamoc.rendering.lower.hub_pods import annotations_of, labels_of, on_templates
from dynamoc.rendering.lower.scheduling import claim_template
from dynamoc.rendering.lower.shared_checkpoints import (
    checkpoint_objects,
    dynamo_checkpoint,
    is_to_be_taken,
    shared_snapshot,
)
from dynamoc.rendering.lower.snapshot_pods import job_template
from dynamoc.rendering.rules.backend import FRAMEWORKS, NOOP, determine_backend
from dynamoc.rendering.rules.checkpoint import alpha_service, require_gate_of_service, resolve_snapshot, use_service_of
from dynamoc.rendering.rules.failover import ENGINES
from dynamoc.rendering.rules.memory import claim_template_name, scalar_gpus
from dynamoc.rendering.rules.snapshot import find_container
from dynamoc.rendering.rules.snapshot_storage import DEFAULT_VERSION, ID_LABEL, VERSION, Snapshot, mark_pods

#: stands for the UID that the API server would give the graph
PLACEHOLDER_UID = "11111111-1111-4111-8111-111111111111"


def graph_snapshots(graph: Graph, operator: Operator, worker_hash: str) -> tuple[list[Tree], dict[str, Snapshot]]:
    """What is created for snapshots, and what each component with an enabled `checkpoint` knows about its own.

    Without a reference, the graph creates a DynamoCheckpoint, whatever the mode; it is not ready at first.
    """
    objects: list[Tree] = []
    snapshots: dict[str, Snapshot] = {}
    for component in graph.components:
        checkpoint = enabled_checkpoint(component.spec, operator.release)
        if checkpoint is None:
            continue
        path = (*component.path, "experimental", "checkpoint")
        objects += storage_claim(graph.namespace, operator, path)
        if checkpoint.get("checkpointRef"):
            snapshot = resolve_snapshot(operator, graph.namespace, checkpoint, path)
            use_service_of(snapshot, gpu_memory_service(component.spec), path)
        else:
            snapshot, made = _own_snapshot(graph, component, operator, worker_hash, checkpoint)
            objects += made
        if is_intra_pod_failover(component.spec):
            snapshot.targets = list(ENGINES)
        snapshots[component.name] = snapshot
    return once(objects), snapshots


def _own_snapshot(
    graph: Graph, component: Component, operator: Operator, worker_hash: str, checkpoint: Tree
) -> tuple[Snapshot, list[Tree]]:
    """The graph's DynamoCheckpoint of a component: found in the cluster, or new with its Job."""
    path = (*component.path, "experimental", "checkpoint")
    generation = worker_hash if component.is_worker else ""
    identifier = artifact_id(graph, component, operator, generation, path)
    name = f"checkpoint-{identifier}"
    if operator.cluster.spares("DynamoCheckpoint", graph.namespace, name):
        snapshot = resolve_snapshot(operator, graph.namespace, {**checkpoint, "checkpointRef": name}, path)
        use_service_of(snapshot, gpu_memory_service(component.spec), path)
        return snapshot, []
    value, claims = _dynamo_checkpoint(graph, component, operator, identifier, generation)
    snapshot = Snapshot.wanted(checkpoint)
    snapshot.read(value, operator.release)
    return snapshot, [*claims, value, snapshot_job(value, operator, claims, path)]


@builder("lower/hub/snapshots/artifact-id", "internal/checkpoint/hash.go DGDCheckpointID", when="snapshots/of-graphs")
def artifact_id(
    graph: Graph, component: Component, operator: Operator, generation: str, path: Path, contract: tuple[str, ...] = ()
) -> str:
    """32 hex digits that no other graph, component or generation of workers shares.

    Since 1.5, they depend on what a restored process needs of its pod, too: hash and version of that `contract`.
    """
    uid = graph.value["metadata"].get("uid")
    if not uid:
        uid = PLACEHOLDER_UID
        operator.note(
            "snapshot/placeholder-uid",
            f"The names of snapshots depend on the graph's UID, which only the cluster knows; here, it is {uid}.",
            path,
            "Set metadata.uid to the UID of the graph in the cluster.",
        )
    known = {
        "namespace": graph.namespace,
        "dgdName": graph.name,
        "dgdUID": uid,
        "componentName": component.name,
        "workerHash": generation,
        **dict(zip(("compatibilityHash", "compatibilityVersion"), contract, strict=False)),
    }
    return hex_digest(dumps({key: value for key, value in known.items() if value}))[:32]


@builder(
    "lower/hub/snapshots/dynamo-checkpoint",
    "controller/dgd_checkpoints_reconciler.go",
    when="snapshots/of-graphs",
    unless="snapshots/operator-of-their-own",
)
def _dynamo_checkpoint(
    graph: Graph, component: Component, operator: Operator, identifier: str, generation: str
) -> tuple[Tree, list[Tree]]:
    """A new DynamoCheckpoint, as the API server defaults it, and the claim template of its Job, if it needs one."""
    checkpoint = enabled_checkpoint(component.spec, operator.release) or {}
    path = (*component.path, "experimental", "checkpoint")
    backend = snapshot_backend(graph, component, path, checkpoint.get("identity") or {})
    template = job_template(graph, component, operator, backend)
    labels = template["metadata"]["labels"]
    labels[GRAPH_LABEL] = graph.name
    labels[COMPONENT_LABEL] = component.name
    if generation:
        labels[WORKER_HASH_LABEL] = generation
    target_name = checkpoint.get("targetContainerName") or "main"
    target = find_container(template["spec"], target_name, path)
    spec: Tree = {
        "identity": {
            "model": f"{graph.namespace}/{graph.name}",
            "backendFramework": backend,
            "tensorParallelSize": 1,
            "pipelineParallelSize": 1,
            "extraParameters": {
                "dgdUID": graph.value["metadata"].get("uid") or PLACEHOLDER_UID,
                "component": component.name,
                "checkpointID": identifier,
            },
        },
        "job": {"podTemplateSpec": template, "targetContainerName": target_name, "activeDeadlineSeconds": 3600},
    }
    claims: list[Tree] = []
    service = gpu_memory_service(component.spec)
    if service is not None:
        service, clients = _service_of_job(service, checkpoint, operator, path)
        spec["gpuMemoryService"] = service
        claim = claim_template_name(f"checkpoint-{identifier}", "worker")
        gpus = scalar_gpus(target.get("resources"), (*component.main_path, "resources"))
        claims = claim_template(
            claim, graph.namespace, service, gpus, operator, (*component.path, "experimental", "gpuMemoryService")
        )
        prepare_service(template["spec"], target, claim, clients)
    annotations = {
        VERSION: DEFAULT_VERSION,
        "nvidia.com/dynamo-auto-checkpoint": "true",
        "nvidia.com/dynamo-checkpoint-deletion-policy": checkpoint.get("deletionPolicy") or "Delete",
    }
    kept = (GRAPH_LABEL, COMPONENT_LABEL, WORKER_HASH_LABEL)
    own_labels = {ID_LABEL: identifier, **{key: labels[key] for key in kept if labels.get(key)}}
    value = {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoCheckpoint",
        "metadata": metadata(f"checkpoint-{identifier}", graph.namespace, own_labels, annotations),
        "spec": spec,
    }
    return value, claims


def _service_of_job(service: Tree, checkpoint: Tree, operator: Operator, path: Path) -> tuple[Tree, list[str]]:
    """GPU memory service of a DynamoCheckpoint, with the clients that its Job has in place of the component's."""
    clients: list[str] = (checkpoint.get("job") or {}).get("gmsClientContainers") or []
    service = {key: value for key, value in service.items() if key != "extraClientContainers"}
    service = {**alpha_service(service), **({"extraClientContainers": clients} if clients else {})}
    require_gate_of_service(service, operator, path)
    return service, clients


def snapshot_backend(graph: Graph, component: Component, path: Path, identity: Tree) -> str:
    """The component's backend, else the one in the identity of an older manifest."""
    backend = determine_backend(component, graph.backend_framework)
    if backend == NOOP:
        backend = identity.get("backendFramework", "")
    if backend not in FRAMEWORKS:
        raise Refusal(
            "snapshot/backend",
            f"The operator cannot detect the backend of {component.name}, and takes no snapshot of it.",
            path,
            "Set spec.backendFramework, or run a recognisable command (python3 -m dynamo.vllm).",
        )
    return backend


def start_from(deployed: DeployedComponent, snapshot: Snapshot, operator: Operator) -> None:
    """Writes a snapshot into a DynamoComponentDeployment, which has its hash by then.

    It becomes a reference, and there are no pods until it is ready, or its pods are marked for the webhook that
    restores them. Since 1.5, they are marked before as well.
    Source: dgd_component_workloads_reconciler.go applyCheckpointStartupPolicy.
    """
    spec, path = deployed.spec, deployed.component.path
    if snapshot.name:
        checkpoint = spec.setdefault("experimental", {}).setdefault("checkpoint", {})
        for field in ("identity", "job"):
            checkpoint.pop(field, None)
        checkpoint.update(enabled=True, checkpointRef=snapshot.name, startupPolicy=snapshot.startup_policy)
    if snapshot.is_waited_for:
        spec["replicas"] = 0
    if snapshot.marks or snapshot.startup_policy == IMMEDIATE:
        on_templates(spec, lambda view: mark_pods(labels_of(view), annotations_of(view), snapshot, operator, path))
    deployed.component = deployed.component.with_spec(spec)
    deployed.snapshot = snapshot


def once(objects: list[Tree]) -> list[Tree]:
    """Without repetitions: several components of a graph store their snapshots in one claim."""
    unique: list[Tree] = []
    for item in objects:
        if item not in unique:
            unique.append(item)
    return unique


def shared_graph_snapshots(graph: Graph, operator: Operator) -> tuple[list[Tree], dict[str, Snapshot]]:
    """What is created for snapshots, and what each component with a `checkpoint` knows about its own."""
    objects: list[Tree] = []
    snapshots: dict[str, Snapshot] = {}
    for component in graph.components:
        checkpoint = enabled_checkpoint(component.spec, operator.release)
        if checkpoint is None:
            continue
        path = (*component.path, "experimental", "checkpoint")
        if not snapshots:
            objects += storage_claim(graph.namespace, operator, path)
        snapshot = snapshots[component.name] = shared_snapshot(operator, graph.namespace, checkpoint, path)
        if is_intra_pod_failover(component.spec):
            snapshot.targets = list(ENGINES)
        use_service_of(snapshot, gpu_memory_service(component.spec), path)
        if is_to_be_taken(checkpoint, snapshot):
            value = _shared_checkpoint(graph, component, operator, checkpoint)
            objects += [*checkpoint_objects(value, operator, path), value]
    return objects, snapshots


def _shared_checkpoint(graph: Graph, component: Component, operator: Operator, checkpoint: Tree) -> Tree:
    identity = checkpoint["identity"]
    template = job_template(graph, component, operator, identity["backendFramework"])
    service = gpu_memory_service(component.spec)
    if service is not None:
        service, _ = _service_of_job(service, checkpoint, operator, (*component.path, "experimental", "checkpoint"))
    target = checkpoint.get("targetContainerName") or "main"
    return dynamo_checkpoint(operator, graph.namespace, identity, template, service, target)
