"""Rules for a DynamoGraphDeployment of v1alpha1 as a whole.

Source: internal/webhook/validation/dynamographdeployment.go of 1.0.
"""

from __future__ import annotations

from dynamoc.golang.quantity import is_zero
from dynamoc.kube.names import lower
from dynamoc.webhooks.known_annotations import ENABLE_GROVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.webhooks.review import Component, Review

    Tree = dict[str, Any]

#: Grove builds names of pods from the names of PodCliqueSet, scaling group and clique, and leaves them this much room.
NAME_LIMIT = 45


def has_services(review: Review) -> None:
    """A graph without services is refused (Validate)."""
    if not _services(review):
        review.error(
            "admission/no-services",
            ("spec", "services") if "services" in review.spec else ("spec",),
            "The graph has no services; it needs at least one.",
            "add an entry below `spec.services`",
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
    if restart is None:
        return
    if not restart.get("id"):
        review.error("admission/restart-id", ("spec", "restart"), "`restart` needs a non-empty `id`.")
    strategy = restart.get("strategy") or {}
    order = strategy.get("order")
    if order:
        _check_order(review, strategy.get("type"), order)


def _check_order(review: Review, kind: str | None, order: list[str]) -> None:
    path = ("spec", "restart", "strategy", "order")
    if kind == "Parallel":
        review.error(
            "admission/restart-order",
            path,
            "A parallel restart cannot have an `order`.",
            "delete `order`, or write `type: Sequential`",
        )
        return
    services = _services(review)
    for index, name in enumerate(order):
        if name not in services:
            near = ", ".join(f"`{service}`" for service in sorted(services))
            message = f"`{name}` is not a service of the graph; its services are {near}."
            review.error("admission/restart-order", (*path, index), message)
        elif name in order[:index]:
            review.error("admission/restart-order", (*path, index), f"`{name}` is in `order` twice.")
    for name in services:
        if name not in order:
            review.error("admission/restart-order", path, f"`order` does not list the service `{name}`.")


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
    review.error(
        "admission/name-length",
        component.path,
        f"The pod names of this service are too long: their parts have {length} characters in total, {shown}; "
        f"the limit is {NAME_LIMIT}.",
        f'{shorter} characters, or annotate the graph with `{ENABLE_GROVE}: "false"`',
        excess=over if over < len(graph) else 0,
    )


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


def _services(review: Review) -> dict[str, Tree]:
    """A null service is none: the API server drops it."""
    services = review.spec.get("services") or {}
    return {name: spec for name, spec in services.items() if spec is not None}
