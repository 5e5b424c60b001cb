"""What a document takes for granted of the cluster, where nothing shows it."""

from __future__ import annotations

from dynamoc.webhooks.known_annotations import ENABLE_GROVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.webhooks.hub import HubComponent
    from dynamoc.webhooks.review import Component, Review


def multinode_without_grove(review: Review, component: Component | HubComponent) -> None:
    """Tells that LWS and Volcano are assumed, for a component on several nodes that Grove does not serve.

    Only with the target `auto`: the others say themselves what there is.
    """
    _tell(review, component, in_graph=component.in_graph)


def lone_multinode_without_grove(review: Review, component: Component) -> None:
    """The same of a component alone; one that names its graph as its owner is alone in the input all the same."""
    _tell(review, component, in_graph=False)


def _tell(review: Review, component: Component | HubComponent, *, in_graph: bool) -> None:
    capabilities = review.context.capabilities
    if not component.is_multinode or not capabilities.lws or "lws" not in capabilities.assumed:
        return
    if in_graph and capabilities.grove and review.annotations.get(ENABLE_GROVE, "").lower() != "false":
        return
    review.warn(
        "context/unknown-orchestrator",
        (*component.path, "multinode"),
        "Several nodes need an orchestrator, but neither the input nor --context has one; dynamoc assumes LWS "
        "with Volcano. Without an orchestrator, the operator creates nothing.",
        "set it with --target grove, lws or plain",
    )
