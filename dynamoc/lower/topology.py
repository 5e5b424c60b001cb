"""Where Grove packs pods together, and the levels of a cluster's topology.

Source: internal/dynamo/grove.go, internal/dynamo/graph.go resolveGroveClusterTopologyDomains since 1.3.
"""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal
from dynamoc.tracing import ALPHA, HUB, builder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.model.operator import Operator
    from dynamoc.release.registry import Release

    Tree = dict[str, Any]

_POLICY_PATH = ("spec", "experimental", "kvTransferPolicy")


def graph_constraint(constraint: Tree | None, release: Release) -> Tree | None:
    """`topologyConstraint` of the graph as that of the PodCliqueSet, None where it packs nothing."""
    if constraint is None:
        return None
    return _pack(constraint.get("clusterTopologyName", ""), constraint.get("packDomain", ""), release)


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
    source="internal/dynamo/grove.go; internal/dynamo/graph.go resolveGroveClusterTopologyDomains",
    generations=(ALPHA, HUB),
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
    the input or --context is unknown: its only known level is the domain itself.
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
