"""Rules of the last webhooks that judge v1alpha1, those of 1.2: names under Grove, snapshots, KV transfer.

Source: internal/webhook/validation/dynamographdeployment.go and shared.go of 1.2.
"""

from __future__ import annotations

from dynamoc.kube.names import is_dns_label, is_label_key, lower
from dynamoc.webhooks.alpha_graph import NAME_LIMIT
from dynamoc.webhooks.alpha_memory import INTER_POD, enabled
from dynamoc.webhooks.hub_component import LEAST_NAME
from dynamoc.webhooks.known_annotations import ENABLE_GROVE
from dynamoc.webhooks.review import Component

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.webhooks.review import Review

    Tree = dict[str, Any]


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
        review.error(
            "admission/name-length",
            component.path,
            f"The pod names of this service are too long: their parts have {length} characters in total, {kept} "
            f"of them from the graph's name; the limit is {NAME_LIMIT}.",
            f"shorten `{component.name}`",
        )


def _plain(name: str, spec: Tree) -> Component:
    return Component(name, spec, (), "", in_graph=True)


def _length(component: Component) -> int:
    name = lower(component.name)
    if _has_memory_pods(component):
        cliques = [f"{name}-gms-0", *([f"{name}-wkr-{component.nodes - 1}"] if component.is_multinode else [])]
    elif component.is_multinode:
        cliques = [f"{name}-ldr"]
    else:
        return len(name.encode())
    return len(name.encode()) + max(len(clique.encode()) for clique in cliques)


def _has_memory_pods(component: Component) -> bool:
    return (enabled(component, "gpuMemoryService") or {}).get("mode") == INTER_POD


def checkpoint_is_complete(review: Review, component: Component) -> None:
    """A Job goes with snapshots that the operator takes (validateCheckpointConfig)."""
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
        review.error(
            "admission/checkpoint",
            (*component.path, "checkpoint"),
            "This operator does not take snapshots with gpuMemoryService unless DYN_OPERATOR_ALLOW_GMS_SNAPSHOT "
            "is set.",
            "set dynamo-operator.featureGates.gmsSnapshot in the chart's values",
        )


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
