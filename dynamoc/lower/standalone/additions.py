"""What the objects of a document need of the operator or its chart, and do not bring along.

What the input or `--context` shows is there already and is not added. Objects that several graphs may
share carry a label of their own.
"""

from __future__ import annotations

from dynamoc.cluster import chart_objects
from dynamoc.kube.identity import identity
from dynamoc.lower.graph_objects import discovery_objects
from dynamoc.lower.standalone.key_pair import key_pairs
from dynamoc.lower.standalone.pod_templates import pod_specs
from dynamoc.lower.wait_for_leader import script_of
from dynamoc.rules.backends.wait_for_leader import VOLUME, config_map_name
from dynamoc.rules.discovery import discovery_account
from dynamoc.tracing import ALPHA, EARLY, HUB, builder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]

#: so that `kubectl delete -f FILE -l app.kubernetes.io/managed-by!=dynamoc` spares what others may need
LABELS = {"app.kubernetes.io/managed-by": "dynamoc"}


def missing_objects(objects: list[Tree], operator: Operator) -> list[Tree]:
    """The objects that a document's `objects` need and that exist neither among them nor in the cluster."""
    wanted = component_access(objects, operator)
    wanted += chart_roles([*objects, *wanted], operator)
    wanted += worker_metadata_definition(objects)
    wanted += scheduler_queues(objects)
    present = {identity(item)[1:] for item in objects}
    missing = [item for item in wanted if identity(item)[1:] not in present]
    added = [item for item in missing if not operator.cluster.spares(*identity(item)[1:], chart=True)]
    added += [item for item in wait_for_leader_scripts(objects) if identity(item)[1:] not in present]
    for item in added:
        _mark(item)
    return [*added, *key_pairs(objects, operator)]


@builder(
    "lower/standalone/additions/chart-roles",
    source="deploy/helm/charts/platform/components/operator/templates/planner.yaml, epp.yaml",
    generations=(EARLY, ALPHA, HUB),
    when="planner/makes-account",
)
def chart_roles(objects: list[Tree], operator: Operator) -> list[Tree]:
    """The ClusterRoles that RoleBindings of the operator refer to, which its chart installs.

    Without its role, a planner or EPP starts, but all its requests are rejected.
    """
    bound = {item["roleRef"]["name"] for item in objects if item["kind"] == "RoleBinding"}
    roles = chart_objects.cluster_roles(operator.config, operator.release)
    return [role for role in roles if role["metadata"]["name"] in bound]


@builder(
    "lower/standalone/additions/component-access",
    source="internal/discovery/resource.go; the chart's planner.yaml, epp.yaml",
    generations=(EARLY, ALPHA, HUB),
)
def component_access(objects: list[Tree], operator: Operator) -> list[Tree]:
    """ServiceAccounts that pods use and nothing creates, with their permissions.

    Those of planner and EPP come from the chart if the operator is restricted to one namespace. The discovery account
    of a DynamoComponentDeployment on its own would come from its graph. Other accounts are the user's own.
    """
    made = {(item["metadata"]["namespace"], item["metadata"]["name"]) for item in objects if _is_account(item)}
    accounts = {account: kind for kind, account in chart_objects.accounts(operator.release).items()}
    suffix = discovery_account("")
    added: list[Tree] = []
    for namespace, spec in pod_specs(objects):
        account = spec.get("serviceAccountName") or "default"
        if (namespace, account) in made:
            continue
        made.add((namespace, account))
        if account in accounts:
            added += chart_objects.namespaced_access(accounts[account], namespace, operator.release)
        elif account.endswith(suffix) and account != suffix:
            added += discovery_objects(account.removesuffix(suffix), namespace, operator.release)
    return added


@builder(
    "lower/standalone/additions/worker-metadata-definition",
    source="deploy/operator/config/crd/bases/nvidia.com_dynamoworkermetadatas.yaml",
    generations=(ALPHA, HUB),
    when="discovery/kubernetes",
)
def worker_metadata_definition(objects: list[Tree]) -> list[Tree]:
    """The CustomResourceDefinition of DynamoWorkerMetadata, where pods find each other through Kubernetes.

    Each pod that serves writes such an object about itself, and stops if the API server does not know the kind.
    """
    backends = {
        variable.get("value")
        for _, spec in pod_specs(objects)
        for container in spec.get("containers") or ()
        for variable in container.get("env") or ()
        if variable.get("name") == "DYN_DISCOVERY_BACKEND"
    }
    return [chart_objects.worker_metadata_definition()] if "kubernetes" in backends else []


@builder(
    "lower/standalone/additions/scheduler-queues",
    source="deploy/helm/charts/platform/templates/kai.yaml",
    generations=(EARLY, ALPHA, HUB),
    when="grove/kai",
)
def scheduler_queues(objects: list[Tree]) -> list[Tree]:
    """The queues of the KAI scheduler that the chart installs, where cliques are scheduled by the default one.

    A queue that the graph names is the user's own.
    """
    cliques = [
        clique
        for item in objects
        if item["kind"] == "PodCliqueSet"
        for clique in item["spec"]["template"].get("cliques") or ()
    ]
    queues = {(clique.get("labels") or {}).get("kai.scheduler/queue") for clique in cliques}
    return chart_objects.kai_queues() if chart_objects.KAI_QUEUE in queues else []


def wait_for_leader_scripts(objects: list[Tree]) -> list[Tree]:
    """The script with which multinode workers wait, for a DynamoComponentDeployment on its own.

    The operator creates it for graphs only. Source: internal/dynamo/backend_vllm.go GenerateWaitLeaderConfigMap.
    """
    suffix = config_map_name("")
    mounted = {
        (namespace, (volume.get("configMap") or {}).get("name") or "")
        for namespace, spec in pod_specs(objects)
        for volume in spec.get("volumes") or ()
        if volume.get("name") == VOLUME
    }
    return [
        script_of(name.removesuffix(suffix), namespace)
        for namespace, name in sorted(mounted)
        if name.endswith(suffix) and name != suffix
    ]


def _is_account(item: Tree) -> bool:
    return bool(item["kind"] == "ServiceAccount")


@builder(
    "lower/standalone/additions/mark",
    source="dynamoc; the operator's chart has no such label",
    generations=(EARLY, ALPHA, HUB),
)
def _mark(item: Tree) -> None:
    """Puts a label on an object of the chart. What the operator creates has labels, and is the same with a graph."""
    metadata = item["metadata"]
    if not metadata.get("labels"):
        metadata["labels"] = dict(LABELS)
