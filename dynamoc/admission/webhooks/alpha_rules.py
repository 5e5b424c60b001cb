"""Rules of 1.0 for a DynamoGraphDeployment of v1alpha1 as a whole, and for one component, in a graph or on its own.

Source: internal/webhook/validation/shared.go and dynamographdeployment.go of 1.0.
"""

from __future__ import annotations

from dynamoc.admission.adapters import ENABLE_GROVE
from dynamoc.admission.webhooks.defaults import is_on_grove
from dynamoc.admission.webhooks.review import Component, Review, Reviewed
from dynamoc.documents.findings.edits import Change
from dynamoc.documents.findings.finding import Path
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import lower
from dynamoc.kube.quantity import is_zero

SIDECAR = "sidecar-frontend"


def dynamo_namespace_is_ignored(review: Review, component: Component) -> None:
    """Tells that `dynamoNamespace` is computed. Labels and selectors of components without Grove still have it."""
    value = component.spec.get("dynamoNamespace")
    if not value:
        return
    path = (*component.path, "dynamoNamespace")
    if component.in_graph and (value == component.dynamo_namespace or not _is_on_labels(review)):
        message = f"`dynamoNamespace` is deprecated and ignored: the service runs in `{component.dynamo_namespace}`."
        change = Change("remove", old="dynamoNamespace")
        review.warn("admission/ignored-dynamo-namespace", path, message, "delete it", change=change)
        return
    message = (
        f"`dynamoNamespace` is deprecated: `{value}` appears only in labels and selectors, while the "
        f"environment of the pods has `{component.dynamo_namespace}`."
    )
    hint = "delete it; its pods restart then" if component.in_graph else None
    review.warn("admission/ignored-dynamo-namespace", path, message, hint)


def _is_on_labels(review: Review) -> bool:
    """Whether `dynamoNamespace` of a service in a graph becomes a label: in 1.0 and 1.1, the graph's own replaces it.

    Source: internal/dynamo/v1beta1_helpers.go GetDCDDynamoNamespace.
    """
    return review.context.release.has("hub/v1beta1") and not is_on_grove(review.annotations, review.context)


def replicas_are_not_negative(review: Review, component: Component) -> None:
    replicas = component.spec.get("replicas")
    if replicas is not None and replicas < 0:
        path = (*component.path, "replicas")
        review.error("admission/replicas", path, f"`replicas` must not be negative, but is {replicas}.")


def ingress_has_host(review: Review, component: Component) -> None:
    """An ingress that is enabled needs a host (validateIngress)."""
    ingress = component.spec.get("ingress")
    if ingress is not None and ingress.get("enabled") and not ingress.get("host"):
        message = "An ingress that is enabled needs a `host`."
        hint = "add `host`: the name before the host suffix, e.g. `host: llm`"
        review.error("admission/ingress-host", (*component.path, "ingress"), message, hint)


def mounts_have_mount_point(review: Review, component: Component) -> None:
    """Only a compilation cache has a default mount point, and that for vLLM alone (validateVolumeMount)."""
    for index, mount in enumerate(component.spec.get("volumeMounts") or ()):
        if not mount.get("useAsCompilationCache") and not mount.get("mountPoint"):
            message = f"The volume `{mount.get('name', '')}` needs a `mountPoint`."
            hint = "add `mountPoint`, or `useAsCompilationCache: true` for vLLM's cache"
            review.error("admission/mount-point", (*component.path, "volumeMounts", index), message, hint)


def shared_memory_has_size(review: Review, component: Component) -> None:
    """`sharedMemory` says how much, or that it is off (validateSharedMemory)."""
    memory = component.spec.get("sharedMemory")
    if memory is None or memory.get("disabled"):
        return
    size = memory.get("size")
    if size is None or is_zero(size):
        message = "`sharedMemory` needs a `size` above zero, or `disabled: true`."
        hint = "write e.g. `size: 16Gi`; without `sharedMemory` it is 8Gi"
        review.error("admission/shared-memory", (*component.path, "sharedMemory"), message, hint)


def autoscaling_is_ignored(review: Review, component: Component) -> None:
    if component.spec.get("autoscaling") is not None:
        message = "`autoscaling` is deprecated and ignored."
        hint = "enable `scalingAdapter`, and point an HPA, KEDA or the planner at the adapter"
        review.warn("admission/ignored-autoscaling", (*component.path, "autoscaling"), message, hint)


def sidecar_name_is_free(review: Review, component: Component) -> None:
    """The operator adds the container itself where `frontendSidecar` is set (validateFrontendSidecar)."""
    if component.spec.get("frontendSidecar") is None:
        return
    containers = (component.spec.get("extraPodSpec") or {}).get("containers") or ()
    for index, container in enumerate(containers):
        if container.get("name") == SIDECAR:
            message = f"`frontendSidecar` adds a container `{SIDECAR}`, but the pod already has one."
            hint = "rename the container, or delete `frontendSidecar`"
            review.error(
                "admission/sidecar-name", (*component.path, "extraPodSpec", "containers", index, "name"), message, hint
            )


def endpoint_picker(review: Review, component: Component) -> None:
    """An EPP is one pod on one node, with exactly one source of configuration."""
    if component.spec.get("componentType") != "epp":
        return
    if component.is_multinode:
        path = (*component.path, "multinode")
        review.error("admission/epp-multinode", path, "An EPP runs on one node.", "delete `multinode`")
    picker_has_one_replica(review, component)
    _check_config(review, component)


def picker_has_one_replica(review: Review, component: Reviewed) -> None:
    replicas = component.spec.get("replicas")
    if replicas is not None and replicas != 1:
        path = (*component.path, "replicas")
        review.error("admission/epp-replicas", path, f"An EPP has exactly 1 replica, not {replicas}.")


def picker_config_is_named(review: Review, component: Reviewed) -> None:
    """A ConfigMap is referred to by its name; since 1.5, of a document that was written in v1alpha1, too.

    Source: shared_v1alpha1.go validateEPPConfigV1alpha1.
    """
    reference = (component.spec.get("eppConfig") or {}).get("configMapRef")
    if reference is not None and not reference.get("name"):
        path = (*component.path, "eppConfig", "configMapRef")
        review.error("admission/epp-config", path, "`configMapRef` needs the ConfigMap's `name`.")


def inference_pool_is_served(review: Review, component: Component) -> None:
    """An EPP of a graph needs the API of the InferencePool in the cluster (checkInferencePoolAPIAvailability)."""
    if component.spec.get("componentType") == "epp":
        check_pools(review, (*component.path, "componentType"))


def check_pools(review: Review, path: Path) -> None:
    if not review.context.capabilities.inference_pool:
        message = "The cluster does not serve the API group inference.networking.k8s.io, which an EPP needs."
        review.error("admission/no-inference-pool", path, message, "install the Gateway API inference extension")


def _check_config(review: Review, component: Component) -> None:
    path = (*component.path, "eppConfig")
    config = component.spec.get("eppConfig")
    sources = "set `configMapRef` to a ConfigMap, or `config` to the configuration itself"
    if config is None:
        review.error("admission/epp-config", component.path, "An EPP needs `eppConfig`.", sources)
        return
    reference, inline = config.get("configMapRef"), config.get("config")
    if reference is None and inline is None:
        review.error("admission/epp-config", path, "`eppConfig` is empty; there is no default.", sources)
    if reference is not None and inline is not None:
        review.error("admission/epp-config", path, "`eppConfig` has both `configMapRef` and `config`.", sources)
    picker_config_is_named(review, component)


#: Grove builds names of pods from the names of PodCliqueSet, scaling group and clique, and leaves them this much room.
NAME_LIMIT = 45


def has_services(review: Review) -> None:
    """A graph without services is refused (Validate)."""
    if not services_of(review.spec):
        message = "The graph has no services; it needs at least one."
        hint = "add an entry below `spec.services`"
        review.error(
            "admission/no-services", ("spec", "services") if "services" in review.spec else ("spec",), message, hint
        )


def claims_are_complete(review: Review) -> None:
    """A claim needs a name, and all that a new claim needs where the operator is to create it (validatePVC)."""
    for index, claim in enumerate(review.spec.get("pvcs") or ()):
        path = ("spec", "pvcs", index)
        missing = [] if claim.get("name") else ["name"]
        if claim.get("create"):
            size = claim.get("size")
            missing += [field for field in ("storageClass", "volumeAccessMode") if not claim.get(field)]
            missing += ["size"] if size is None or is_zero(size) else []
        for field in missing:
            why = "" if field == "name" else " if `create` is true"
            review.error(
                "admission/claim-incomplete",
                (*path, field) if field in claim else path,
                f"A claim needs `{field}`{why}.",
                f"add `{field}`, or remove `create` if the claim exists" if why else None,
            )


def restart_is_complete(review: Review) -> None:
    """`restart` needs an id, and an order names each service once (validateRestart, validateRestartStrategyOrder)."""
    restart = review.spec.get("restart")
    if restart is not None and not restart.get("id"):
        review.error("admission/restart-id", ("spec", "restart"), "`restart` needs a non-empty `id`.")
    order_names_each(review, "service", list(services_of(review.spec)))


def order_names_each(review: Review, noun: str, names: list[str]) -> None:
    """The order of a restart names each service or component once; a parallel one has no order."""
    strategy = (review.spec.get("restart") or {}).get("strategy") or {}
    order = strategy.get("order") or ()
    path = ("spec", "restart", "strategy", "order")
    if order and strategy.get("type") == "Parallel":
        hint = "delete `order`, or write `type: Sequential`"
        review.error("admission/restart-order", path, "A parallel restart cannot have an `order`.", hint)
        return
    for index, name in enumerate(order):
        if name not in names:
            known = ", ".join(f"`{item}`" for item in sorted(names))
            message = f"`{name}` is not a {noun} of the graph; its {noun}s are {known}."
            review.error("admission/restart-order", (*path, index), message)
        elif name in order[:index]:
            review.error("admission/restart-order", (*path, index), f"`{name}` is in `order` twice.")
    for name in names if order else ():
        if name not in order:
            review.error("admission/restart-order", path, f"`order` does not list the {noun} `{name}`.")


def name_fits_grove(review: Review, component: Component) -> None:
    """Names of graph and service together must leave Grove room for its pod names, with Grove or without.

    Turned off by the annotation `nvidia.com/enable-grove: "false"` (validateServiceNameLength, isGrovePathway).
    """
    if review.annotations.get(ENABLE_GROVE, "").lower() == "false":
        return
    graph, service = review.metadata.get("name", ""), lower(component.name)
    parts = [graph, service]
    if component.is_multinode:
        parts.append(f"{service}-ldr")
    length = sum(len(part.encode()) for part in parts)
    if length <= NAME_LIMIT:
        return
    shown = " + ".join(f"`{part}` ({len(part.encode())})" for part in parts)
    over = length - NAME_LIMIT
    shorter = f"shorten `{graph}` by {over}" if over < len(graph) else f"shorten `{graph}` and `{component.name}`"
    message = (
        f"The pod names of this service are too long: their parts have {length} characters in total, {shown}; "
        f"the limit is {NAME_LIMIT}."
    )
    hint = f'{shorter} characters, or annotate the graph with `{ENABLE_GROVE}: "false"`'
    review.error("admission/name-length", component.path, message, hint, excess=over if over < len(graph) else 0)


def one_long_name(review: Review) -> None:
    """Where the names of several services don't fit, the graph's name is the one to shorten: one problem."""
    long = [problem for problem in review.problems if problem.slug == "admission/name-length" and problem.excess]
    if len(long) < 2:
        return
    worst = max(long, key=lambda problem: problem.excess)
    worst.others = tuple(problem.path for problem in long)
    worst.path = ("metadata", "name")
    worst.message += f" This affects {len(long)} services."
    review.problems = [problem for problem in review.problems if problem is worst or problem not in long]


def services_of(spec: Tree) -> dict[str, Tree]:
    """A null service does not count: the API server drops it."""
    return {name: service for name, service in (spec.get("services") or {}).items() if service is not None}
