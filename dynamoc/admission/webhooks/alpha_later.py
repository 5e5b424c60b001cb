"""Rules of 1.1 and 1.2 that judge v1alpha1: GPU memory service, failover, snapshots, KV transfer, topology, names.

Source: internal/webhook/validation/shared.go and dynamographdeployment.go of 1.1 and 1.2.
"""

from __future__ import annotations

from dynamoc.admission.adapters import ENABLE_GROVE
from dynamoc.admission.graph import WORKER_TYPES, gpu_count
from dynamoc.admission.webhooks.alpha_rules import NAME_LIMIT
from dynamoc.admission.webhooks.hub_component import LEAST_NAME
from dynamoc.admission.webhooks.hub_experimental import check_memory_pods, refuse_snapshot
from dynamoc.admission.webhooks.hub_graph import check_domains
from dynamoc.admission.webhooks.hub_roles import DISCOVERY_MODE
from dynamoc.admission.webhooks.review import Component, Review
from dynamoc.documents.findings.finding import Path
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import is_dns_label, is_label_key, lower

INTER_POD, INTRA_POD = "interPod", "intraPod"


def enabled(component: Component, field: str) -> Tree | None:
    """The block `gpuMemoryService` or `failover`, where it is enabled."""
    block: Tree | None = component.spec.get(field)
    return block if block is not None and block.get("enabled") else None


def failover_discovers_containers(review: Review) -> None:
    """Two engines in one pod are found as containers."""
    if review.annotations.get(DISCOVERY_MODE) == "container":
        return
    for name, spec in (review.spec.get("services") or {}).items():
        failover = (spec or {}).get("failover") or {}
        if failover.get("enabled") and failover.get("mode", INTRA_POD) == INTRA_POD:
            review.error(
                "admission/failover-discovery",
                ("metadata", "annotations", DISCOVERY_MODE)
                if DISCOVERY_MODE in review.annotations
                else ("spec", "services", name, "failover"),
                "Failover needs containers that register on their own.",
                f"annotate the graph with `{DISCOVERY_MODE}: container`",
            )
            return


def service_is_for_workers(review: Review, component: Component) -> None:
    """GPU memory service is for workers with a GPU."""
    if enabled(component, "gpuMemoryService") is None:
        return
    path = (*component.path, "gpuMemoryService")
    if component.spec.get("componentType") not in WORKER_TYPES:
        message = f"GPU memory service is only for components of type {', '.join(WORKER_TYPES)}."
        review.error("admission/memory-service", path, message)
    if gpu_count(component.spec.get("resources")) < 1:
        message = "GPU memory service needs at least one GPU."
        review.error("admission/memory-service", path, message, "set `resources.limits.gpu`")


def service_is_in_the_pod(review: Review, component: Component) -> None:
    """1.1 knows no GPU memory service between pods."""
    service = enabled(component, "gpuMemoryService")
    if service is not None and service.get("mode") == INTER_POD:
        message = "Release 1.1 has no GPU memory service between pods."
        review.error("admission/memory-service", (*component.path, "gpuMemoryService", "mode"), message)


def failover_in_the_pod(review: Review, component: Component) -> None:
    """Failover of 1.1 shares weights through the GPU memory service of its pod."""
    failover = enabled(component, "failover")
    if failover is None:
        return
    path = (*component.path, "failover")
    service = enabled(component, "gpuMemoryService")
    if service is None:
        _no_service(review, component)
    elif failover.get("mode") and service.get("mode") and failover["mode"] != service["mode"]:
        _modes_differ(review, component, failover, service)
    elif failover.get("mode") == INTER_POD:
        review.error("admission/failover", (*path, "mode"), "Release 1.1 has no failover between pods.")


def failover(review: Review, component: Component) -> None:
    """Failover of 1.2 has the mode of its GPU memory service, and the shadows that the mode allows."""
    block = enabled(component, "failover")
    if block is None:
        return
    path = (*component.path, "failover")
    service = enabled(component, "gpuMemoryService")
    mode, shadows = block.get("mode", INTRA_POD), block.get("numShadows", 0)
    if service is None:
        _no_service(review, component)
    elif (service.get("mode") or INTRA_POD) != mode:
        _modes_differ(review, component, block, service)
    if mode == INTRA_POD:
        if shadows not in (0, 1):
            message = f"`numShadows: {shadows}` applies only with `mode: interPod`; within a pod, there is one shadow."
            review.error("admission/failover", (*path, "numShadows"), message)
        return
    if shadows < 1:
        message = "Failover between pods needs `numShadows` of at least 1."
        review.error("admission/failover", (*path, "numShadows") if "numShadows" in block else path, message)
    if gpu_count(component.spec.get("resources")) < 1:
        message = "Failover between pods needs at least one GPU."
        review.error("admission/failover", path, message, "set `resources.limits.gpu`")
    if component.spec.get("componentType") in ("epp", "frontend", "planner"):
        review.error("admission/failover", path, f"A {component.spec['componentType']} cannot have failover.")


def pods_need_grove(review: Review, component: Component) -> None:
    """GPU memory service of 1.2 between pods runs on Grove, and with vLLM by name."""
    service = enabled(component, "gpuMemoryService")
    if service is None or service.get("mode") != INTER_POD:
        return
    path = (*component.path, "gpuMemoryService", "mode")
    check_memory_pods(review, path, INTRA_POD, review.spec.get("backendFramework"))


def _no_service(review: Review, component: Component) -> None:
    message = "Failover needs `gpuMemoryService`, which keeps the weights."
    hint = "add `gpuMemoryService: {enabled: true}` with the same mode"
    review.error("admission/failover", (*component.path, "failover"), message, hint)


def _modes_differ(review: Review, component: Component, failover: Tree, service: Tree) -> None:
    message = (
        f"The mode of failover, {failover.get('mode')}, must equal that of gpuMemoryService, "
        f"{service.get('mode') or INTRA_POD}."
    )
    review.error("admission/failover", (*component.path, "failover", "mode"), message)


def name_fits_grove(review: Review, component: Component) -> None:
    """Set, scaling group and clique together leave Grove room for pod names; the set's name is cut where it can be.

    Source: validateServiceNameLength, dynamo.PCSNameForAlphaDGDServices.
    """
    grove = review.context.capabilities.grove
    if not grove or review.annotations.get(ENABLE_GROVE, "").lower() == "false":
        return
    services = review.spec.get("services") or {}
    needs = [_length(_plain(name, spec)) for name, spec in services.items() if spec is not None]
    budget = max(NAME_LIMIT - max(needs), LEAST_NAME)
    kept = min(len(review.metadata.get("name", "").encode()), budget)
    length = kept + _length(component)
    if length > NAME_LIMIT:
        message = (
            f"The pod names of this service are too long: their parts have {length} characters in total, {kept} "
            f"of them from the graph's name; the limit is {NAME_LIMIT}."
        )
        review.error("admission/name-length", component.path, message, f"shorten `{component.name}`")


def _plain(name: str, spec: Tree) -> Component:
    return Component(name, spec, (), "", in_graph=True)


def _length(component: Component) -> int:
    name = lower(component.name)
    if (enabled(component, "gpuMemoryService") or {}).get("mode") == INTER_POD:
        cliques = [f"{name}-gms-0", *([f"{name}-wkr-{component.nodes - 1}"] if component.is_multinode else [])]
    elif component.is_multinode:
        cliques = [f"{name}-ldr"]
    else:
        return len(name.encode())
    return len(name.encode()) + max(len(clique.encode()) for clique in cliques)


def checkpoint_is_complete(review: Review, component: Component) -> None:
    """A Job is only for snapshots that the operator takes (validateCheckpointConfig)."""
    checkpoint = component.spec.get("checkpoint")
    if checkpoint is None:
        return
    path = (*component.path, "checkpoint")
    _check_name(review, checkpoint.get("targetContainerName"), (*path, "targetContainerName"))
    job = checkpoint.get("job")
    if job is None:
        return
    if checkpoint.get("checkpointRef"):
        review.error("admission/checkpoint", (*path, "job"), "A snapshot that `checkpointRef` names has no `job`.")
    elif checkpoint.get("mode") not in (None, "", "Auto"):
        review.error("admission/checkpoint", (*path, "job"), "`job` applies only with `mode: Auto`.")
    clients = job.get("gmsClientContainers") or []
    service = enabled(component, "gpuMemoryService")
    if clients and (service is None or service.get("mode") == INTER_POD):
        message = "`gmsClientContainers` requires `gpuMemoryService` with `mode: intraPod`."
        review.error("admission/checkpoint", (*path, "job", "gmsClientContainers"), message)
    for index, name in enumerate(clients):
        _check_name(review, name, (*path, "job", "gmsClientContainers", index))


def clients_have_names(review: Review, component: Component) -> None:
    """Source: validateGMSClientContainerNames."""
    clients = (component.spec.get("gpuMemoryService") or {}).get("extraClientContainers") or []
    for index, name in enumerate(clients):
        _check_name(review, name, (*component.path, "gpuMemoryService", "extraClientContainers", index))


def _check_name(review: Review, name: str | None, path: Path) -> None:
    if name and not is_dns_label(name):
        review.error("admission/container-name", path, f"`{name}` cannot be the name of a container.")


def snapshot_without_memory_service(review: Review, component: Component) -> None:
    """Snapshots with GPU memory service need a switch of the operator (validateSnapshotWithGPUMemoryService)."""
    if review.context.config.checkpoint.gms_snapshot or enabled(component, "gpuMemoryService") is None:
        return
    if enabled(component, "checkpoint") is not None:
        refuse_snapshot(review, (*component.path, "checkpoint"))


def transfer_policy_is_complete(review: Review) -> None:
    """KV transfer follows a label of nodes; a preference has a weight, a requirement has none."""
    policy = (review.spec.get("experimental") or {}).get("kvTransferPolicy")
    if policy is None:
        return
    path: Path = ("spec", "experimental", "kvTransferPolicy")
    key, weight = policy.get("labelKey"), policy.get("preferredWeight")
    if not key:
        review.error("admission/transfer-policy", path, "`kvTransferPolicy` needs `labelKey`.")
    elif not is_label_key(key):
        message = f"`{key}` cannot be the key of a label."
        review.error("admission/transfer-policy", (*path, "labelKey"), message)
    preferred = policy.get("enforcement") == "preferred"
    if preferred and weight is None:
        review.error("admission/transfer-policy", path, "`enforcement: preferred` needs `preferredWeight`.")
    if weight is not None and not preferred:
        message = "`preferredWeight` applies only with `enforcement: preferred`."
        review.error("admission/transfer-policy", (*path, "preferredWeight"), message)


_GRAPH = ("spec", "topologyConstraint")


def constraints_are_complete(review: Review) -> None:
    """A service is packed in the topology that the graph names; without a domain of the graph, each service has one.

    1.1 looks the topology up even in clusters without Grove, and then refuses the graph (isGrovePathway).
    """
    _check(review, looks_up=_wants_grove(review))


def constraints_are_complete_on_grove(review: Review) -> None:
    """The same for 1.2, which looks the topology up only where it runs with Grove."""
    _check(review, looks_up=_wants_grove(review) and review.context.capabilities.grove)


def _check(review: Review, *, looks_up: bool) -> None:
    graph = review.spec.get("topologyConstraint")
    services = {name: spec for name, spec in (review.spec.get("services") or {}).items() if spec is not None}
    packed = [name for name in sorted(services, key=str.encode) if services[name].get("topologyConstraint") is not None]
    if graph is None:
        if packed:
            path = ("spec", "services", packed[0], "topologyConstraint")
            message = "A service's `topologyConstraint` needs one on the graph, which names the topology."
            review.error("admission/topology", path, message, "add `spec.topologyConstraint.topologyProfile`")
        return
    complete = True
    if not graph.get("topologyProfile"):
        complete = False
        review.error(
            "admission/topology", _GRAPH, "`topologyConstraint` needs `topologyProfile`, the name of its topology."
        )
    if not graph.get("packDomain"):
        for name in services:
            if name not in packed:
                complete = False
                message = "The graph has no `packDomain`, so each service needs a `topologyConstraint`."
                review.error("admission/topology", ("spec", "services", name), message)
    if complete and review.is_first_generation and looks_up:
        parts: dict[Path, str] = {
            ("spec", "services", name, "topologyConstraint", "packDomain"): services[name]["topologyConstraint"].get(
                "packDomain", ""
            )
            for name in packed
        }
        at, widest = (*_GRAPH, "topologyProfile"), graph.get("packDomain", "")
        check_domains(review, "ClusterTopology", graph["topologyProfile"], at, widest, parts)


def _wants_grove(review: Review) -> bool:
    return review.annotations.get(ENABLE_GROVE, "").lower() != "false"
