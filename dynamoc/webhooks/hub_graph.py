"""Rules for a DynamoGraphDeployment of v1beta1 as a whole.

Source: internal/webhook/validation/dynamographdeployment.go of 1.4.
"""

from __future__ import annotations

from dynamoc.kube.names import is_dns_subdomain
from dynamoc.webhooks.hub import INTRA_POD, mode_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.webhooks.hub import HubReview

    Tree = dict[str, Any]

UPDATE_STRATEGY = "nvidia.com/grove-update-strategy"
DISCOVERY_MODE = "nvidia.com/dynamo-kube-discovery-mode"


def annotations_are_known(review: HubReview) -> None:
    """Two annotations take one of a few words each, as they are written here (validateObjectMeta)."""
    strategies = review.context.release["grove/update-strategies"]
    for key, allowed in ((UPDATE_STRATEGY, strategies), (DISCOVERY_MODE, ("pod", "container"))):
        value = review.annotations.get(key)
        if value is not None and value not in allowed:
            words = " or ".join(f"`{word}`" for word in allowed)
            message = f"The annotation `{key}` must be {words}, not {value!r}."
            from dynamoc.diagnostics.change import other_case

            change = other_case(value, tuple(allowed))
            review.error("admission/annotation-value", ("metadata", "annotations", key), message, change=change)


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
    review.error(
        "admission/failover-discovery",
        path,
        "Failover within a pod needs containers that register on their own.",
        f"annotate the graph with `{DISCOVERY_MODE}: container`",
    )


def priority_class_needs_grove(review: HubReview) -> None:
    if review.spec.get("priorityClassName") and review.needs_grove:
        message = f"`priorityClassName` of a graph needs Grove, but {review.needs_grove}."
        review.error("admission/needs-grove", ("spec", "priorityClassName"), message)


def has_components(review: HubReview) -> None:
    if not review.spec.get("components"):
        review.error(
            "admission/no-services",
            ("spec", "components"),
            "The graph has no components; it needs at least one.",
            "add an item below `spec.components`, with `name`, `type` and `podTemplate`",
        )


def each_component_is_packed(review: HubReview) -> None:
    """In 1.3 a graph without a domain of its own needs one for each component."""
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
        _check_domains(review, name, graph.get("packDomain") or "", packed)


def _check_domains(review: HubReview, name: str, graph_domain: str, packed: list[int]) -> None:
    """Domains exist in the topology, and a component's is no wider than the graph's."""
    path = ("spec", "topologyConstraint")
    domains = _domains(review, name, (*path, "clusterTopologyName"), tell=True)
    if domains is None:
        return
    if graph_domain and graph_domain not in domains:
        _unknown_domain(review, graph_domain, name, domains, (*path, "packDomain"))
    for index in packed:
        domain = review.spec["components"][index]["topologyConstraint"].get("packDomain", "")
        at = ("spec", "components", index, "topologyConstraint", "packDomain")
        if domain not in domains:
            _unknown_domain(review, domain, name, domains, at)
        elif graph_domain in domains and domains.index(domain) < domains.index(graph_domain):
            message = f"The domain `{domain}` is wider than `{graph_domain}`, into which the whole graph is packed."
            review.error("admission/topology", at, message)


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
        # What is unknown about this topology is told where it is rendered.
        domains = _domains(review, name, (*path, "clusterTopologyName"), tell=False)
        if domains is not None and policy.get("domain") not in domains:
            _unknown_domain(review, policy.get("domain", ""), name, domains, (*path, "domain"))


def _domains(review: HubReview, name: str, path: Path, *, tell: bool) -> list[str] | None:
    """The levels of a ClusterTopologyBinding, widest first; None where nobody showed it."""
    binding = review.context.get("ClusterTopologyBinding", None, name)
    if binding is None:
        if tell:
            effect = "the operator refuses the graph without it"
            review.context.unknown(review.report, "ClusterTopologyBinding", None, name, effect, path)
        return None
    return [level.get("domain", "") for level in (binding.get("spec") or {}).get("levels") or ()]


def _unknown_domain(review: HubReview, domain: str, name: str, domains: list[str], path: Path) -> None:
    known = ", ".join(f"`{item}`" for item in domains)
    review.error("admission/topology", path, f"The topology `{name}` has no domain `{domain}`; it has {known}.")
