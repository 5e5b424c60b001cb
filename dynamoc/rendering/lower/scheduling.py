"""Where pods run and what they share there: KAI's queue, levels of topology, claims of GPUs, mpirun's key pair.

Source: internal/dynamo/{grove,graph}.go, internal/dra/dra.go, controller/dgd_gms_resource_claims_reconciler.go.
"""

from __future__ import annotations

from dynamoc.admission.graph import Component, Graph, gpu_count, gpu_memory_service, is_inter_pod_failover
from dynamoc.admission.operator import Operator
from dynamoc.documents.findings.finding import Path, Refusal
from dynamoc.kube.merge import Tree
from dynamoc.kube.tracing import ALL, HUB, NOT_EARLY, builder
from dynamoc.reference.releases import Release
from dynamoc.rendering.lower.common import metadata
from dynamoc.rendering.rules.memory import DEFAULT_DEVICE_CLASS, claim_template_name, device_requests, scalar_gpus

#: the queue of graphs that name none; without the operator it is added
KAI_QUEUE = "dynamo"
_ANNOTATION = "nvidia.com/kai-scheduler-queue"


def kai_queue(graph: Graph, operator: Operator) -> str | None:
    """The queue of the KAI scheduler, None if it is not used (grove.go DetermineKaiSchedulerQueue)."""
    if not operator.capabilities.kai:
        return None
    return chosen_queue(graph, operator)


@builder("lower/kai/chosen-queue", "internal/dynamo/grove.go DetermineKaiSchedulerQueue", ALL, when="grove/kai")
def chosen_queue(graph: Graph, operator: Operator) -> str:
    """The queue that a graph names, or the chart's. One that is not in the input or --cluster is unknown."""
    queue = graph.annotations.get(_ANNOTATION, "").strip() or KAI_QUEUE
    if not operator.cluster.exists("Queue", None, queue) and not (operator.standalone and queue == KAI_QUEUE):
        effect = "the operator renders no PodCliqueSet until it exists"
        operator.unknown("Queue", None, queue, effect, ("metadata", "annotations", _ANNOTATION))
    return queue


@builder("lower/kai/schedule-with-kai", "internal/dynamo/grove.go injectKaiSchedulerIfEnabled", ALL, when="grove/kai")
def schedule_with_kai(clique: Tree, queue: str) -> None:
    """A scheduler that the user chose is kept."""
    spec = clique["spec"]["podSpec"]
    if spec.get("schedulerName", "") in ("", "kai-scheduler"):
        spec["schedulerName"] = "kai-scheduler"
        clique["labels"]["kai.scheduler/queue"] = queue


_POLICY_PATH = ("spec", "experimental", "kvTransferPolicy")


def graph_constraint(constraint: Tree | None, release: Release) -> Tree | None:
    """`topologyConstraint` of the graph as that of the PodCliqueSet, None where it packs nothing."""
    if constraint is None:
        return None
    return _pack(constraint.get("clusterTopologyName", ""), constraint.get("packDomain", ""), release)


def pack(target: Tree, constraint: Tree | None) -> None:
    """Sets what packs the pods of a set, a group or a clique, if anything does."""
    if constraint is not None:
        target["topologyConstraint"] = constraint


def component_constraint(constraint: Tree | None, of_graph: Tree | None, release: Release) -> Tree | None:
    """`topologyConstraint` of a component as that of its clique or scaling group.

    The name of the topology is inherited from a graph that packs too; else it must be set here.
    """
    if constraint is None:
        return None
    packs = (of_graph or {}).get("packDomain")
    name = "" if packs else (of_graph or {}).get("clusterTopologyName", "")
    return _pack(name, constraint.get("packDomain", ""), release)


@builder(
    "lower/topology/pack",
    "internal/dynamo/grove.go; internal/dynamo/graph.go resolveGroveClusterTopologyDomains",
    NOT_EARLY,
)
def _pack(topology: str, domain: str, release: Release) -> Tree | None:
    """Up to 1.2 Grove has one topology only, which needs no name."""
    if not domain:
        return None
    if not release.has("grove/named-topology"):
        return {"packDomain": domain}
    return {**({"topologyName": topology} if topology else {}), "pack": {"required": domain}}


def transfer_domains(policy: Tree | None, operator: Operator) -> list[str]:
    """The levels of the topology that a `kvTransferPolicy` names, widest first; none where it names a label instead.

    Raises `Refusal` if the topology is known and does not have the policy's domain. A topology that is not in
    the input or --cluster is unknown: its only known level is the domain itself.
    """
    name = (policy or {}).get("clusterTopologyName", "")
    if not policy or not name:
        return []
    domain = policy.get("domain", "")
    domains = topology_levels(name, operator, (*_POLICY_PATH, "clusterTopologyName"))
    if domains is None:
        return [domain]
    if domain not in domains:
        raise Refusal(
            "topology/unknown-domain",
            f"ClusterTopologyBinding {name} has no domain {domain}; the operator creates no PodCliqueSet. "
            f"It has {', '.join(domains) or 'none'}.",
            (*_POLICY_PATH, "domain"),
        )
    return domains


def topology_levels(name: str, operator: Operator, path: Path) -> list[str] | None:
    """The domains of a ClusterTopologyBinding in its order; None, with a finding, if nothing shows it."""
    binding = operator.cluster.get("ClusterTopologyBinding", None, name)
    if binding is None:
        operator.unknown(
            "ClusterTopologyBinding",
            None,
            name,
            "its levels are unknown; the operator refuses the graph if it does not exist",
            path,
        )
        return None
    levels = (binding.get("spec") or {}).get("levels") or []
    return [level.get("domain", "") for level in levels]


def gpu_claim_templates(graph: Graph, operator: Operator) -> list[Tree]:
    """One ResourceClaimTemplate per component with GPU memory service, in any mode.

    Raises `Refusal` if resource claims are not available.
    """
    objects: list[Tree] = []
    for component in graph.components:
        service = gpu_memory_service(component.spec)
        path = (*component.path, "experimental")
        if not operator.capabilities.dra:
            if service is not None or is_inter_pod_failover(component.spec):
                raise Refusal(
                    "dra/not-available",
                    "GPU memory service needs resource claims (resource.k8s.io/v1, Kubernetes 1.34), but they "
                    "are not available; the operator creates no pods of this graph.",
                    (*path, "gpuMemoryService"),
                    "Set dra.enabled in the operator's configuration, or remove gpuMemoryService.",
                )
            continue
        if service is not None:
            name = claim_template_name(graph.name, component.name)
            gpus = main_gpus(component)
            objects += claim_template(name, graph.namespace, service, gpus, operator, (*path, "gpuMemoryService"))
    return objects


def gpu_claim_template(
    component: Component, owner: str, namespace: str, operator: Operator, *, name: str | None = None
) -> list[Tree]:
    """The ResourceClaimTemplate of a component with GPU memory service, else none; none without GPUs.

    `name` is the component's own by default. Raises `Refusal` if resource claims are not available.
    """
    service = component.spec.get("gpuMemoryService") or {}
    if not service.get("enabled"):
        return []

    path = (*component.path, "gpuMemoryService")
    if not operator.capabilities.dra:
        raise Refusal(
            "dra/not-available",
            "gpuMemoryService needs resource claims (resource.k8s.io, Kubernetes 1.32), but they are not "
            "available; the operator creates no pods.",
            path,
            "Remove gpuMemoryService, or render for a cluster with resource claims.",
        )
    template = claim_template_name(owner, component.name if name is None else name)
    return claim_template(template, namespace, service, gpu_count(component.resources), operator, path)


@builder("lower/gpu_claims/claim-template", "internal/dra/dra.go GenerateResourceClaimTemplate", (HUB,))
def claim_template(name: str, namespace: str, service: Tree, gpus: int, operator: Operator, path: Path) -> list[Tree]:
    """A ResourceClaimTemplate for the GPUs of a gpuMemoryService; none without GPUs."""
    if gpus <= 0:
        return []
    device_class = service.get("deviceClassName") or DEFAULT_DEVICE_CLASS
    if not operator.cluster.exists("DeviceClass", None, device_class):
        operator.unknown(
            "DeviceClass",
            None,
            device_class,
            "without it the operator creates no pods of this graph",
            (*path, "deviceClassName") if "deviceClassName" in service else path,
        )
    return [
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceClaimTemplate",
            "metadata": metadata(name, namespace),
            "spec": device_requests("gpus", device_class, gpus),
        }
    ]


def set_template(operator: Operator) -> Tree:
    """The template of a PodCliqueSet without cliques: with the settings that all releases give it."""
    delay = operator.config.orchestrators.grove.termination_delay
    return {
        "cliques": [],
        "headlessServiceConfig": {"publishNotReadyAddresses": True},
        "cliqueStartupType": "CliqueStartupTypeAnyOrder",
        **({"terminationDelay": delay} if delay else {}),
    }


def start_after_workers(template: Tree, cliques: list[Tree]) -> None:
    """The leader, the first of two cliques, needs its workers' sshd for mpirun."""
    leader, worker = cliques
    leader["spec"]["startsAfter"] = [worker["name"]]
    template["cliqueStartupType"] = "CliqueStartupTypeExplicit"


def scaled_together(component: Component, cliques: list[Tree]) -> Tree:
    """The scaling group of a multinode component's cliques."""
    return {
        "name": component.name.lower(),
        "cliqueNames": [clique["name"] for clique in cliques],
        "minAvailable": 1,
        **({} if component.replicas is None else {"replicas": component.replicas}),
    }


def main_gpus(component: Component) -> int:
    """The GPUs that the container `main` counts as a resource."""
    return scalar_gpus((component.main or {}).get("resources"), (*component.main_path, "resources"))


@builder("lower/ssh_keys/ssh-secrets", "internal/secret/ssh_key_manager.go", NOT_EARLY, when="mpi/makes-key-pair")
def ssh_secrets(graph: Graph, operator: Operator) -> list[Tree]:
    """The Secret in the operator's namespace and a copy in the graph's, where they don't exist.

    Any multinode component needs them, whatever its backend. Keys are never generated unasked: without
    `--include=secrets`, a note explains how to create them. Without the operator, pods get the one that they mount.
    """
    if not graph.is_multinode or operator.standalone is not None:
        return []
    mpi, cluster = operator.config.mpi, operator.cluster
    namespaces = dict.fromkeys((mpi.ssh_secret_namespace, graph.namespace))
    missing = [namespace for namespace in namespaces if not cluster.spares("Secret", namespace, mpi.ssh_secret_name)]
    return cluster.key_pair_secrets(operator.report, mpi.ssh_secret_name, missing) if missing else []
