"""A checked and admitted document as objects, by the generation of lowering that a release has.

Objects that need the operator, its chart or a key pair are added for output that stands alone, unless the input or
`--cluster` shows them; objects that several graphs may share carry a separate label.
"""

from __future__ import annotations

from dynamoc.admission.cluster import helm_chart, secrets
from dynamoc.admission.cluster.helm_values import HELM_RELEASE
from dynamoc.admission.graph import WORKER_TYPES
from dynamoc.admission.operator import Operator, Standalone
from dynamoc.documents.findings.finding import ERROR, WARNING
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import COMPONENT_LABEL, GROVE_SETS, TYPE_LABEL, WORKER_HASH_LABEL, identity
from dynamoc.kube.tracing import ALL, EARLY, NOT_EARLY, builder
from dynamoc.reference.releases import Release
from dynamoc.rendering.lower import early_graph, graphs
from dynamoc.rendering.lower.common import script_of
from dynamoc.rendering.lower.graph_objects import discovery_objects
from dynamoc.rendering.lower.shared_objects import keep_shared, pod_specs, pod_templates, without_waiting
from dynamoc.rendering.rules.container import discovery_account
from dynamoc.rendering.rules.multinode import VOLUME, config_map_name


def lower_document(value: Tree, operator: Operator, written: str, *alpha: Tree) -> list[Tree]:
    """The objects that the operator creates for a canonical document, intermediate ones included.

    `written` is the apiVersion that the user wrote: findings are placed there. `alpha` is the document as it is stored
    in v1alpha1, where it is. Raises `Refusal` where the operator admits the document and then fails.
    """
    if operator.release["lower"] == EARLY:
        return early_graph.lower_document(value, operator)
    return graphs.lower_document(value, operator, written, *alpha)


@builder("lower/standalone/key_pair/key-pairs", "internal/secret/ssh_key_manager.go", ALL)
def key_pairs(objects: list[Tree], operator: Operator) -> list[Tree]:
    """The Secret with the key pair, in each namespace where pods mount it and it is not in the input or --cluster.

    A copy where the operator's namespace has one; a new one only with `--include=secrets`, else a note: keys are never
    generated unasked. The operator's own namespace gets none. Before 0.6 the Secret was the user's own.
    """
    if not operator.release.has("mpi/brings-key-pair"):
        return []
    name, cluster = operator.config.mpi.ssh_secret_name, operator.cluster
    wanted = dict.fromkeys(namespace for namespace, spec in pod_specs(objects) if name and _mounts(spec, name))
    missing = [namespace for namespace in wanted if not cluster.spares("Secret", namespace, name)]
    if not missing:
        return []
    labelled = operator.release.has("mpi/makes-key-pair")
    source = cluster.get("Secret", operator.config.mpi.ssh_secret_namespace, name)
    if source is not None and secrets.has_content(source):
        return secrets.copies(source, missing, labelled=labelled)
    if cluster.generate_secrets:
        try:
            return secrets.new(name, missing, labelled=labelled)
        except OSError as error:
            operator.report(
                ERROR, "context/key-pair", f"ssh-keygen cannot create a key pair: {error}.", (), "install OpenSSH"
            )
            return []
    for namespace in missing:
        operator.report(
            WARNING,
            "standalone/key-pair",
            f"Pods mount the key pair for mpirun from Secret `{namespace}/{name}`, which the operator would "
            "create; they do not start without it.",
            (),
            "Create it once with --include=secrets, or by hand (docs/standalone.md), and then pass it with --cluster.",
        )
    return []


def _mounts(spec: Tree, secret: str) -> bool:
    return any((volume.get("secret") or {}).get("secretName") == secret for volume in spec.get("volumes") or ())


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
    "deploy/helm/charts/platform/components/operator/templates/planner.yaml, epp.yaml",
    ALL,
    when="planner/makes-account",
)
def chart_roles(objects: list[Tree], operator: Operator) -> list[Tree]:
    """The ClusterRoles that RoleBindings of the operator refer to, which its chart installs.

    Without its role, a planner or EPP starts, but all its requests are rejected.
    """
    bound = {item["roleRef"]["name"] for item in objects if item["kind"] == "RoleBinding"}
    roles = helm_chart.cluster_roles(operator.config, operator.release)
    return [role for role in roles if role["metadata"]["name"] in bound]


@builder(
    "lower/standalone/additions/component-access",
    "internal/discovery/resource.go; the chart's planner.yaml, epp.yaml",
    ALL,
)
def component_access(objects: list[Tree], operator: Operator) -> list[Tree]:
    """ServiceAccounts that pods use and nothing creates, with their permissions.

    Those of planner and EPP come from the chart if the operator is restricted to one namespace. The discovery account
    of a DynamoComponentDeployment on its own would come from its graph. Other accounts are the user's own.
    """
    created = (item["metadata"] for item in objects if item["kind"] == "ServiceAccount")
    made = {(metadata["namespace"], metadata["name"]) for metadata in created}
    accounts = {account: kind for kind, account in helm_chart.accounts(operator.release).items()}
    suffix = discovery_account("")
    added: list[Tree] = []
    for namespace, spec in pod_specs(objects):
        account = spec.get("serviceAccountName") or "default"
        if (namespace, account) in made:
            continue
        made.add((namespace, account))
        if account in accounts:
            added += helm_chart.namespaced_access(accounts[account], namespace, operator.release)
        elif account.endswith(suffix) and account != suffix:
            added += discovery_objects(account.removesuffix(suffix), namespace, operator.release)
    return added


@builder(
    "lower/standalone/additions/worker-metadata-definition",
    "deploy/operator/config/crd/bases/nvidia.com_dynamoworkermetadatas.yaml",
    NOT_EARLY,
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
    return [helm_chart.worker_metadata_definition()] if "kubernetes" in backends else []


@builder(
    "lower/standalone/additions/scheduler-queues",
    "deploy/helm/charts/platform/templates/kai.yaml",
    ALL,
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
    return helm_chart.kai_queues() if helm_chart.KAI_QUEUE in queues else []


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


@builder("lower/standalone/additions/mark", "dynamoc; the operator's chart has no such label", ALL)
def _mark(item: Tree) -> None:
    """Puts a label on an object of the chart. What the operator creates has labels, and is the same with a graph."""
    metadata = item["metadata"]
    if not metadata.get("labels"):
        metadata["labels"] = dict(LABELS)


_ENGINE_GROUP = "nvidia.com/dynamo-failover-engine-group-member"
_TOPOLOGY = ("nvidia.com/topology-label-key", "nvidia.com/topology-cluster-topology-name")
#: variables with addresses from the operator's configuration
_ADDRESSES = ("NATS_SERVER", "ETCD_ENDPOINTS")


def note_losses(value: Tree, objects: list[Tree], operator: Operator) -> None:
    """Remembers what will not happen to the `objects` of a document."""
    standalone = operator.standalone
    if standalone is None:
        return
    owner = value["metadata"].get("name") or ""
    standalone.lose("upkeep")
    for item in objects:
        _note_object(item, owner, operator.release, standalone)
    for _, template in pod_templates(objects):
        _note_pods(template, owner, standalone)


def _note_object(item: Tree, owner: str, release: Release, standalone: Standalone) -> None:
    kind, labels = item["kind"], item["metadata"].get("labels") or {}
    if kind in GROVE_SETS:
        standalone.lose("grove-scaling", owner)
    elif kind == "LeaderWorkerSet" and "instance-id" in labels:
        standalone.lose("lws-scaling", owner)
    if kind in ("Deployment", "LeaderWorkerSet") and release.has("worker/generations") and _runs_workers(item):
        standalone.lose("generations" if labels.get(WORKER_HASH_LABEL) else "rollouts", owner)


def _runs_workers(item: Tree) -> bool:
    return any(
        ((template.get("metadata") or {}).get("labels") or {}).get(TYPE_LABEL) in WORKER_TYPES
        for _, template in pod_templates([item])
    )


def _note_pods(template: Tree, owner: str, standalone: Standalone) -> None:
    metadata = template.get("metadata") or {}
    labels, annotations = metadata.get("labels") or {}, metadata.get("annotations") or {}
    name = "/".join(part for part in (owner, labels.get(COMPONENT_LABEL, "")) if part)
    if labels.get(TYPE_LABEL) == "planner":
        standalone.lose("planners", name)
    if any(annotations.get(key) for key in _TOPOLOGY):
        standalone.lose("topology", name)
    if labels.get(_ENGINE_GROUP) == "true":
        standalone.lose("failover", name)
    for container in (template.get("spec") or {}).get("containers") or ():
        for variable in container.get("env") or ():
            address = variable.get("value", "")
            if variable.get("name") in _ADDRESSES and f"{HELM_RELEASE}-" in address:
                standalone.lose("services", address)


def lower_standalone(value: Tree, operator: Operator, written: str, *alpha: Tree) -> list[Tree]:
    """What the operator creates for a canonical document, without what only it reads, and with what is missing.

    Raises `Refusal` where the operator admits the document and then fails.
    """
    standalone = operator.standalone
    if standalone is None:
        raise ValueError("a document is lowered to stand alone, and the operator is there")
    if standalone.leaves_out(value):
        return []
    prepared = [without_waiting(tree, operator) for tree in (value, *alpha)]
    objects = lower_document(prepared[0], operator, written, *prepared[1:])
    note_losses(prepared[0], objects, operator)
    kept = [item for item in objects if not standalone.leaves_out(item)]
    return keep_shared(kept + missing_objects(kept, operator), operator)
