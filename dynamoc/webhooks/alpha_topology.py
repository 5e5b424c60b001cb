"""Rules of 1.1 and 1.2 for where Grove packs a graph and its services.

Source: internal/webhook/validation/dynamographdeployment.go validateTopologyConstraints.
"""

from __future__ import annotations

from dynamoc.webhooks.known_annotations import ENABLE_GROVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.webhooks.review import Review

    Tree = dict[str, Any]

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
        _check_domains(review, graph, {name: services[name]["topologyConstraint"] for name in packed})


def _wants_grove(review: Review) -> bool:
    return review.annotations.get(ENABLE_GROVE, "").lower() != "false"


def _check_domains(review: Review, graph: Tree, constraints: dict[str, Tree]) -> None:
    """Domains exist in the ClusterTopology, and a service's is no wider than the graph's.

    Source: validateTopologyDomainsAgainstGroveClusterTopology.
    """
    name, widest = graph["topologyProfile"], graph.get("packDomain", "")
    topology = review.context.get("ClusterTopology", None, name)
    if topology is None:
        effect = "the operator refuses the graph without it"
        review.context.unknown(review.report, "ClusterTopology", None, name, effect, (*_GRAPH, "topologyProfile"))
        return
    domains = [level.get("domain", "") for level in (topology.get("spec") or {}).get("levels") or ()]
    wanted: list[tuple[Path, str]] = [((*_GRAPH, "packDomain"), widest)] if widest else []
    wanted += [
        (("spec", "services", service, "topologyConstraint", "packDomain"), constraint.get("packDomain", ""))
        for service, constraint in constraints.items()
    ]
    for path, domain in wanted:
        if domain not in domains:
            known = ", ".join(f"`{item}`" for item in domains)
            message = f"The topology `{name}` has no domain `{domain}`; it has {known}."
            review.error("admission/topology", path, message)
        elif widest in domains and domains.index(domain) < domains.index(widest):
            message = f"The domain `{domain}` is wider than `{widest}`, into which the whole graph is packed."
            review.error("admission/topology", path, message)
