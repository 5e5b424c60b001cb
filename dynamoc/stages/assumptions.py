"""What a compilation takes for granted, told once a run: the namespace, and what runs pods in the cluster."""

from __future__ import annotations

from dynamoc.cluster.capabilities import GROVE
from dynamoc.cluster.identity import is_dynamo
from dynamoc.diagnostics.finding import Finding
from dynamoc.kube.lenient import entries, mapping
from dynamoc.kube.scope import is_namespaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.cluster.context import ClusterContext
    from dynamoc.diagnostics.finding import Findings
    from dynamoc.options import Options
    from dynamoc.source.document import Document

_NAMESPACE = "Documents without a namespace are rendered for `default`."
_PASSED = "Documents without a namespace pass through without one, and count as objects of `default`."
_NAMESPACE_HINT = (
    "set it with -n or --default-namespace NAMESPACE; `kubectl apply -n` rejects objects of another namespace"
)
_TARGET_HINT = "set it with --target grove, lws or plain"


def tell_assumptions(documents: list[Document], options: Options, cluster: ClusterContext, findings: Findings) -> None:
    """Adds a note on the namespace of documents that name none, and one on the target `auto` of graphs.

    People see the first where other documents name another namespace, and the second where a component has several
    nodes: LeaderWorkerSets and Grove are not in each cluster.
    """
    lacking = [] if options.namespace else [item.value for item in documents if _lacks_namespace(item)]
    if lacking:
        message = _NAMESPACE if any(map(is_dynamo, lacking)) else _PASSED
        note = Finding("input/no-namespace", message, hint=_NAMESPACE_HINT)
        named = {(item.value.get("metadata") or {}).get("namespace") for item in documents}
        note.aside = not named - {None, "", "default"}
        findings.add(note)
    graphs = [item.value for item in documents if item.value["kind"] == "DynamoGraphDeployment"]
    if options.target == "auto" and graphs:
        note = Finding("config/target", _decision(options, cluster), hint=_TARGET_HINT)
        note.aside = not any(map(_has_several_nodes, graphs))
        findings.add(note)


def _lacks_namespace(document: Document) -> bool:
    metadata = document.value.get("metadata") or {}
    return not metadata.get("namespace") and is_namespaced(document.value)


def _has_several_nodes(graph: dict[str, Any]) -> bool:
    """Whether a component of a graph, which may be wrong in any way, asks for several nodes."""
    spec = mapping(graph, "spec")
    components = [*mapping(spec, "services").values(), *(each for _, each in entries(spec, "components"))]
    return any(mapping(component, "multinode") for component in components)


def _decision(options: Options, cluster: ClusterContext) -> str:
    """What --target auto decided, why, and what the operator makes of the same graphs in another cluster."""
    whole = f"one {cluster.release['grove/kind']} per graph"
    several = "a LeaderWorkerSet" if cluster.capabilities.lws else "nothing, and an error,"
    apart = f"a Deployment per component, and {several} for several nodes"
    why = _reason(options, cluster)
    told = cluster.config.orchestrators.grove.enabled is not None
    if cluster.capabilities.grove:
        other = "With Grove turned off" if told else "In a cluster without Grove"
        return f"--target auto renders {whole}, because {why}. {other}, it is {apart}."
    other = "With Grove turned on" if told else "In a cluster with Grove"
    return f"--target auto renders {apart}, because {why}. {other}, it is {whole}."


def _reason(options: Options, cluster: ClusterContext) -> str:
    """Where the decision for or against Grove comes from."""
    enabled = cluster.config.orchestrators.grove.enabled
    if enabled is not None:
        if options.operator_config:
            return f"{options.operator_config} turns Grove {'on' if enabled else 'off'}"
        return f"the Helm chart of release {cluster.release.name} turns Grove {'on' if enabled else 'off'} by default"
    groups = cluster.groups
    if groups.serves(GROVE):
        return f"the API group {GROVE} is in {'--api-versions' if groups.names(GROVE) else 'the input or --context'}"
    if groups.serves(GROVE) is False:
        return f"the cluster has no API group {GROVE}"
    return f"neither --operator-config nor --context has the API group {GROVE}"
