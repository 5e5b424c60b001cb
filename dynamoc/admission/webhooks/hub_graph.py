"""Rules for a DynamoGraphDeployment of v1beta1 as a whole, for what only v1alpha1 can say, and for a DynamoCheckpoint.

Source: internal/webhook/validation/dynamographdeployment.go, *_v1alpha1.go and dynamocheckpoint.go of 1.4.
"""

from __future__ import annotations

from dynamoc.admission.graph import INTRA_POD
from dynamoc.admission.webhooks.hub_experimental import refuse_snapshot
from dynamoc.admission.webhooks.hub_roles import DISCOVERY_MODE, check_word
from dynamoc.admission.webhooks.review import Component, HubReview, Review, image_of, mode_of
from dynamoc.documents.findings.finding import Path
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import is_dns_subdomain

UPDATE_STRATEGY = "nvidia.com/grove-update-strategy"
_BINDING = "ClusterTopologyBinding"


def annotations_are_known(review: HubReview) -> None:
    """Two annotations take one of a few words each, as they are written here (validateObjectMeta)."""
    check_word(review, UPDATE_STRATEGY, tuple(review.context.release["grove/update-strategies"]))
    check_word(review, DISCOVERY_MODE, ("pod", "container"))


def failover_discovers_containers(review: HubReview) -> None:
    """Two engines in one pod are found as containers (validateObjectMeta, hasIntraPodFailover)."""
    components = review.spec.get("components") or ()
    failovers = [(component.get("experimental") or {}).get("failover") for component in components]
    if INTRA_POD not in map(mode_of, failovers) or review.annotations.get(DISCOVERY_MODE) == "container":
        return
    path: Path = ("metadata", "annotations", DISCOVERY_MODE)
    if DISCOVERY_MODE not in review.annotations:
        path = (
            "spec",
            "components",
            [mode_of(item) for item in failovers].index(INTRA_POD),
            "experimental",
            "failover",
        )
    message = "Failover within a pod needs containers that register on their own."
    hint = f"annotate the graph with `{DISCOVERY_MODE}: container`"
    review.error("admission/failover-discovery", path, message, hint)


def priority_class_needs_grove(review: HubReview) -> None:
    if review.spec.get("priorityClassName") and review.needs_grove:
        message = f"`priorityClassName` of a graph needs Grove, but {review.needs_grove}."
        review.error("admission/needs-grove", ("spec", "priorityClassName"), message)


def has_components(review: HubReview) -> None:
    if not review.spec.get("components"):
        message = "The graph has no components; it needs at least one."
        hint = "add an item below `spec.components`, with `name`, `type` and `podTemplate`"
        review.error("admission/no-services", ("spec", "components"), message, hint)


def each_component_is_packed(review: HubReview) -> None:
    """In 1.3 a graph without a domain needs one for each component."""
    graph = review.spec.get("topologyConstraint")
    if graph is not None and not graph.get("packDomain"):
        for index, component in enumerate(review.spec.get("components") or ()):
            if component.get("topologyConstraint") is None:
                message = "The graph has no `packDomain`, so each component needs a `topologyConstraint`."
                review.error("admission/topology", ("spec", "components", index), message)
    _check_topology(review)


def topology_is_complete(review: HubReview) -> None:
    """Components pack into a topology that the graph names, and something must be packed."""
    graph, packed = review.spec.get("topologyConstraint"), _packed(review)
    if graph is not None and not graph.get("packDomain") and not packed:
        message = "`topologyConstraint` packs nothing: neither the graph nor a component has a `packDomain`."
        review.error("admission/topology", ("spec", "topologyConstraint"), message)
    _check_topology(review)


def _packed(review: HubReview) -> list[int]:
    components = review.spec.get("components") or ()
    return [index for index, component in enumerate(components) if component.get("topologyConstraint") is not None]


def _check_topology(review: HubReview) -> None:
    graph, packed = review.spec.get("topologyConstraint"), _packed(review)
    if graph is None:
        if packed:
            message = "A component's `topologyConstraint` needs one on the graph, which names the topology."
            path = ("spec", "components", packed[0], "topologyConstraint")
            review.error("admission/topology", path, message, "add `spec.topologyConstraint.clusterTopologyName`")
        return
    name = graph.get("clusterTopologyName")
    if name and review.needs_grove is None and review.is_first_generation:
        components, step = review.spec["components"], "topologyConstraint"
        parts: dict[Path, str] = {
            ("spec", "components", index, step, "packDomain"): components[index][step].get("packDomain", "")
            for index in packed
        }
        at, widest = ("spec", step, "clusterTopologyName"), graph.get("packDomain") or ""
        check_domains(review, _BINDING, name, at, widest, parts)


def check_domains(review: Review, kind: str, name: str, at: Path, widest: str, parts: dict[Path, str]) -> None:
    """Domains exist in the topology `name`, given `at` a path, and those of parts are no wider than the graph's.

    Source: validateTopologyDomainsAgainstGroveClusterTopology.
    """
    domains = _domains(review, kind, name, at, tell=True)
    if domains is None:
        return
    graph: dict[Path, str] = {("spec", "topologyConstraint", "packDomain"): widest} if widest else {}
    for path, domain in {**graph, **parts}.items():
        if domain not in domains:
            _unknown_domain(review, domain, name, domains, path)
        elif widest in domains and domains.index(domain) < domains.index(widest):
            message = f"The domain `{domain}` is wider than `{widest}`, into which the whole graph is packed."
            review.error("admission/topology", path, message)


def transfer_policy_fits(review: HubReview) -> None:
    """KV transfer along a topology needs Grove, and a domain of that topology (validateKvTransferPolicy)."""
    policy = (review.spec.get("experimental") or {}).get("kvTransferPolicy") or {}
    name = policy.get("clusterTopologyName")
    if not name:
        return
    path = ("spec", "experimental", "kvTransferPolicy")
    if not is_dns_subdomain(name):
        message = f"`{name}` cannot be the name of a ClusterTopologyBinding."
        review.error("admission/topology", (*path, "clusterTopologyName"), message)
    elif review.needs_grove:
        message = f"KV transfer along a topology needs Grove, but {review.needs_grove}."
        review.error("admission/needs-grove", (*path, "clusterTopologyName"), message, "name a `labelKey` instead")
    elif review.is_first_generation:
        # What is unknown about this topology is reported where it is rendered.
        domains = _domains(review, _BINDING, name, (*path, "clusterTopologyName"), tell=False)
        if domains is not None and policy.get("domain") not in domains:
            _unknown_domain(review, policy.get("domain", ""), name, domains, (*path, "domain"))


def _domains(review: Review, kind: str, name: str, path: Path, *, tell: bool) -> list[str] | None:
    """The levels of a topology, an object of that kind, widest first; None where it is not shown."""
    topology = review.context.get(kind, None, name)
    if topology is None:
        if tell:
            effect = "the operator refuses the graph without it"
            review.context.unknown(review.report, kind, None, name, effect, path)
        return None
    return [level.get("domain", "") for level in (topology.get("spec") or {}).get("levels") or ()]


def _unknown_domain(review: Review, domain: str, name: str, domains: list[str], path: Path) -> None:
    known = ", ".join(f"`{item}`" for item in domains)
    review.error("admission/topology", path, f"The topology `{name}` has no domain `{domain}`; it has {known}.")


def version_is_deprecated(review: Review) -> None:
    """The API server warns of v1alpha1 where v1beta1 is served."""
    kind = review.value.get("kind", "")
    message = f"`nvidia.com/v1alpha1` is deprecated for a {kind}; use `nvidia.com/v1beta1`."
    review.warn("admission/deprecated-version", ("apiVersion",), message, "`dynamoc convert` converts the document")


def written_adapter_is_deprecated(review: Review) -> None:
    """No webhook; the API server warns of the old version."""
    if review.origin is not None:
        alpha = Review(review.origin, review.context)
        version_is_deprecated(alpha)
        review.problems += alpha.problems


def old_version_is_deprecated(review: Review) -> None:
    """For webhooks that judge v1alpha1: what was written in v1beta1 comes with its origin."""
    if review.origin is None:
        version_is_deprecated(review)


def old_component_is_deprecated(review: Review, component: Component) -> None:  # noqa: ARG001 - a check of components
    old_version_is_deprecated(review)


def claims_have_names(review: Review) -> None:
    for index, claim in enumerate(review.spec.get("pvcs") or ()):
        if not claim.get("name"):
            review.error("admission/claim-incomplete", ("spec", "pvcs", index), "A claim needs `name`.")


def picker_has_one_config(review: Review, component: Component) -> None:
    config = component.spec.get("eppConfig")
    if config is None or (config.get("configMapRef") is None) != (config.get("config") is None):
        return
    review.error(
        "admission/epp-config", (*component.path, "eppConfig"), "`eppConfig` needs either `configMapRef` or `config`."
    )


def shadows_fit_mode(review: Review, component: Component) -> None:
    """Failover within a pod has one shadow."""
    failover = component.spec.get("failover") or {}
    if failover.get("enabled") and failover.get("mode") == "intraPod" and failover.get("numShadows", 0) not in (0, 1):
        message = (
            f"`numShadows: {failover['numShadows']}` applies only with `mode: interPod`; within a pod, there is "
            "one shadow."
        )
        review.error("admission/failover", (*component.path, "failover", "numShadows"), message)


def image_is_given(review: Review, component: Component) -> None:
    if review.old is None and not image_of(component.main()[0]):
        path = (*component.path, "extraPodSpec", "mainContainer", "image")
        message = "The component has no image."
        hint = "add `extraPodSpec.mainContainer.image`"
        containers = (component.spec.get("extraPodSpec") or {}).get("containers") or []
        if len(containers) == 1 and containers[0].get("image"):
            hint = f"move the container `{containers[0].get('name', '')}` to `extraPodSpec.mainContainer`"
        review.error("admission/no-image", path, message, hint)


#: internal/gms/gms.go, internal/dra/dra.go
SERVER = "gms-server"
VOLUME = "gms-intrapod-control"
MOUNT_PATH = "/gms-intrapod-control"
SOCKET_DIR = "GMS_SOCKET_DIR"
CLAIM = "intrapod-shared-gpu"
_POD: Path = ("spec", "job", "podTemplateSpec", "spec")


def checkpoints_are_enabled(review: Review) -> None:
    if not review.context.config.checkpoint.enabled:
        message = "Checkpoints are disabled in the operator's configuration."
        hint = "set `checkpoint.enabled: true` in it, and pass the file with --cluster"
        review.error("admission/checkpoint-disabled", ("spec",), message, hint)


def memory_service_is_switched_on(review: Review) -> None:
    """Snapshots with GPU memory service need a switch of the operator 1.3."""
    service = review.spec.get("gpuMemoryService") or {}
    if service.get("enabled") and not review.context.config.checkpoint.gms_snapshot:
        refuse_snapshot(review, ("spec", "gpuMemoryService"))


def job_is_wired_for_memory_service(review: Review) -> None:
    """With GPU memory service, the pod has what clients and server share (validateDynamoCheckpointJobConfig)."""
    service = review.spec.get("gpuMemoryService") or {}
    if not service.get("enabled"):
        return
    path = ("spec", "gpuMemoryService")
    if service.get("mode", "intraPod") not in ("", "intraPod"):
        review.error("admission/memory-service", (*path, "mode"), "A checkpoint accepts only `mode: intraPod`.")
        return
    job = review.spec.get("job") or {}
    pod = (job.get("podTemplateSpec") or {}).get("spec") or {}
    containers = pod.get("containers") or []
    clients = service.get("extraClientContainers") or []
    for index, name in enumerate(clients):
        if not _named(containers, name):
            message = f"The client `{name}` is not a container of the job's pod."
            review.error("admission/memory-service", (*path, "extraClientContainers", index), message)
    _check_pod(review, pod, {job.get("targetContainerName") or "main", *clients})
    target = job.get("targetContainerName") or "main"
    if not _named(containers, target):
        message = f"The job's pod has no container `{target}`, which the checkpoint is taken from."
        review.error("admission/checkpoint-target", ("spec", "job"), message, "name one with `targetContainerName`")


def _check_pod(review: Review, pod: Tree, clients: set[str]) -> None:
    parts = (
        ("volumes", "volume", VOLUME),
        ("resourceClaims", "resource claim", CLAIM),
        ("initContainers", "init container", SERVER),
    )
    for field, what, name in parts:
        if not _named(pod.get(field), name):
            message = f"GPU memory service needs the {what} `{name}` in the job's pod."
            review.error("admission/memory-service", (*_POD, field), message)
    for field, names in (("initContainers", {SERVER}), ("containers", clients)):
        for index, container in enumerate(pod.get(field) or ()):
            if container.get("name") in names:
                _check_client(review, container, (*_POD, field, index))


def _check_client(review: Review, container: Tree, path: Path) -> None:
    """Socket directory, claim and mount, of the server as of its clients."""
    name = container["name"]
    env = [(variable.get("name"), variable.get("value")) for variable in container.get("env") or ()]
    mounts = [(mount.get("name"), mount.get("mountPath")) for mount in container.get("volumeMounts") or ()]
    missing = []
    if (SOCKET_DIR, MOUNT_PATH) not in env:
        missing.append(f"the variable `{SOCKET_DIR}={MOUNT_PATH}`")
    if not _named((container.get("resources") or {}).get("claims"), CLAIM):
        missing.append(f"the resource claim `{CLAIM}`")
    if (VOLUME, MOUNT_PATH) not in mounts:
        missing.append(f"the volume `{VOLUME}` at `{MOUNT_PATH}`")
    for what in missing:
        review.error("admission/memory-service", path, f"GPU memory service needs {what} in the container `{name}`.")


def _named(items: list[Tree] | None, name: str) -> bool:
    return any(item.get("name") == name for item in items or ())
