"""Rules of 1.6 for the least number of available replicas, which a fragment of Grove's objects may say.

Source: internal/webhook/validation/shared_v1beta1.go, dynamographdeployment.go; internal/provideroverride of 1.6.
"""

from __future__ import annotations

from dynamoc.model import provider
from dynamoc.webhooks import update_pairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.webhooks.hub import HubComponent, HubReview
    from dynamoc.webhooks.review import Review
    from dynamoc.webhooks.update_pairs import Pair

    Tree = dict[str, Any]


def minimum_fits_replicas(review: HubReview, component: HubComponent) -> None:
    minimum, replicas = provider.said_minimum(component.spec), component.spec.get("replicas")
    replicas = 1 if replicas is None else replicas
    if minimum is not None and minimum > replicas > 0:
        message = f"`minAvailable: {minimum}` is more than the {replicas} replicas of the component."
        review.error("admission/min-available", (*component.path, "providerOverride", "value"), message)


def minimum_is_deprecated(review: HubReview, component: HubComponent) -> None:
    minimum = component.spec.get("minAvailable")
    old = review.old_component(component.name) or {}
    if minimum is None or review.needs_grove or old.get("minAvailable") == minimum:
        return
    place = "minAvailable" if provider.component_target(component.spec) == provider.GROUP else "spec.minAvailable"
    review.warn(
        "admission/deprecated-field",
        (*component.path, "minAvailable"),
        "`minAvailable` of a component is deprecated.",
        f"write it in `providerOverride.value.{place}`, in all components of the graph at the same time",
    )


def minima_are_said_in_one_way(review: HubReview) -> None:
    components = review.spec.get("components") or ()
    said = [index for index, item in enumerate(components) if provider.said_minimum(item) is not None]
    if said and any(item.get("minAvailable") is not None for item in components):
        review.error(
            "admission/min-available",
            ("spec", "components", said[0], "providerOverride", "value"),
            "Some components set `minAvailable` in `providerOverride`, others in the old field.",
            "set it the same way in all of them",
        )


def minimum_is_kept(review: Review, pair: Pair) -> None:
    """However it is said, it stays what it was."""
    old, new = provider.minimum(pair.old), provider.minimum(pair.new)
    if old != new and pair.in_graph:
        message = f"The minimum number of available replicas of `{pair.name}` is immutable: it is {old}, not {new}."
        update_pairs.refuse_pair(review, pair, "update/min-available", ("minAvailable",), message)
