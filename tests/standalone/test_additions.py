"""What is added so that objects run without the operator."""

from __future__ import annotations

from pathlib import Path

import kubernetes_validate
import pytest
import yaml

from dynamoc.admission.cluster.helm_chart import KAI_QUEUE, kai_queues, worker_metadata_definition
from dynamoc.rendering.lower.scheduling import KAI_QUEUE as DEFAULT_QUEUE
from dynamoc.rendering.lower.shared_objects import KEEP
from tests.standalone.graphs import HASHED, OWNER, RELEASES, alone, component, graph, worker
from tests.standalone.rendering import Tree, identity, render

PLANNER_ROLE = ("ClusterRole", "", "dynamo-platform-dynamo-operator-planner")
EPP_ROLE = ("ClusterRole", "", "dynamo-platform-dynamo-operator-epp")
CRD = ("CustomResourceDefinition", "", "dynamoworkermetadatas.nvidia.com")
#: those that know KAI, and bring the key pair for mpirun
LATER = RELEASES[RELEASES.index("0.6") :]
EPP = component("epp", eppConfig={"config": {"plugins": [], "schedulingProfiles": []}})


def added(text: str, *known: Tree, **options: object) -> list[tuple[str, str, str]]:
    """What a rendering has over that for a cluster with the operator."""
    without = {identity(item) for item in render(text, *known, standalone=False, **options).objects}
    rendered = render(text, *known, **options)
    assert rendered.findings.errors == 0, rendered.findings.items
    return [identity(item) for item in rendered.objects if identity(item) not in without]


def configuration(tmp_path: Path, **settings: object) -> str:
    file = tmp_path / "config.yaml"
    head = {"apiVersion": "operator.config.dynamo.nvidia.com/v1alpha1", "kind": "OperatorConfiguration"}
    file.write_text(yaml.safe_dump({**head, **settings}))
    return str(file)


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("target", ["plain", "grove"])
def test_a_plain_graph_gets_its_role_and_the_resource_of_discovery(release: str, target: str) -> None:
    wanted = {"0.4": [], "0.5": [], "0.6": [PLANNER_ROLE]}.get(release, [CRD, PLANNER_ROLE])
    assert added(graph(), operator_version=release, target=target) == wanted


def test_nothing_else_changes() -> None:
    without = render(graph(), standalone=False).objects
    alone = [item for item in render(graph()).objects if identity(item) not in (CRD, PLANNER_ROLE)]
    for item in alone:
        if item["metadata"].get("annotations") == KEEP:
            del item["metadata"]["annotations"]
    assert alone == without


def test_with_etcd_there_is_no_resource_of_discovery() -> None:
    text = graph(annotations={"nvidia.com/dynamo-discovery-backend": "etcd"})
    assert added(text, operator_version="1.0") == [PLANNER_ROLE]


@pytest.mark.parametrize("release", HASHED)
def test_an_endpoint_picker_gets_its_role(release: str) -> None:
    services = {"Epp": EPP, "Worker": worker()}
    target = "grove" if release in ("1.3", "1.4") else "plain"
    assert added(graph(services), operator_version=release, target=target) == [CRD, EPP_ROLE, PLANNER_ROLE]


def test_what_is_known_to_be_there_is_not_added() -> None:
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": PLANNER_ROLE[2]}}
    for namespace in (None, "team"):
        assert added(graph(), role, worker_metadata_definition(), namespace=namespace) == []


def test_added_objects_are_marked() -> None:
    for item in render(graph()).objects:
        mark = (item["metadata"].get("labels") or {}).get("app.kubernetes.io/managed-by")
        assert (mark == "dynamoc") == (identity(item) in (CRD, PLANNER_ROLE))


def test_the_definition_is_valid() -> None:
    [definition] = render(graph()).of("CustomResourceDefinition")
    kubernetes_validate.validate(definition, "1.30", strict=True)


def test_an_operator_of_one_namespace_leaves_accounts_to_its_chart(tmp_path: Path) -> None:
    config = configuration(tmp_path, namespace={"restricted": "team"}, mpi=_CHART["mpi"])
    services = {"Planner": component("planner"), "Epp": EPP, "Worker": worker()}
    found = added(graph(services), operator_version="1.0", operator_config=config)
    assert found == [
        ("ServiceAccount", "team", "epp-serviceaccount"),
        ("ServiceAccount", "team", "planner-serviceaccount"),
        CRD,
        ("Role", "team", "epp-role"),
        ("Role", "team", "planner-role"),
        ("RoleBinding", "team", "epp-binding"),
        ("RoleBinding", "team", "planner-binding"),
    ]
    assert added(graph(), operator_version="1.0", operator_config=config) == [CRD]


@pytest.mark.parametrize("release", HASHED)
@pytest.mark.parametrize("owner", [None, OWNER])
def test_a_component_that_stands_alone_gets_the_access_of_its_pods(release: str, owner: Tree | None) -> None:
    text = alone(worker(), owner=owner)
    rendered = render(text, operator_version=release)
    [account] = rendered.names("ServiceAccount")
    [role], [binding] = rendered.of("Role"), rendered.of("RoleBinding")
    [deployment] = rendered.of("Deployment")
    assert deployment["spec"]["template"]["spec"]["serviceAccountName"] == account
    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": account, "namespace": "team"}]
    assert binding["roleRef"]["name"] == role["metadata"]["name"]
    assert account == ("chat" if owner else "lonely") + "-k8s-service-discovery"
    assert "admission/pod-name" not in rendered.slugs
    assert render(text, standalone=False, operator_version=release).of("ServiceAccount") == []


def test_an_account_of_the_user_is_left_to_the_user() -> None:
    spec = worker()
    spec["extraPodSpec"]["serviceAccountName"] = "mine"
    assert added(graph({"Worker": spec})) == [CRD, PLANNER_ROLE]


@pytest.mark.parametrize("release", LATER)
def test_the_default_queue_is_added_and_not_asked_for(release: str, tmp_path: Path) -> None:
    assert DEFAULT_QUEUE == KAI_QUEUE
    if release == "0.6":
        context, config = {"known": _group()}, None
    else:
        context, config = {}, configuration(tmp_path, **_CHART, orchestrators={"kaiScheduler": {"enabled": True}})
    options = {"operator_version": release, "target": "grove", "operator_config": config}
    rendered = render(graph(), *context.values(), **options)
    assert rendered.names("Queue") == ["dynamo-default", "dynamo"]
    assert "context/unknown-queue" not in rendered.slugs
    assert "context/unknown-queue" in render(graph(), *context.values(), standalone=False, **options).slugs
    kinds = [item["kind"] for item in rendered.objects]
    assert kinds.index("Queue") < kinds.index("PodCliqueSet")
    parent, queue = kai_queues()
    assert render(graph(), parent, queue, **options).of("Queue") == [parent, queue]
    assert render(graph(), queue, **options).names("Queue") == ["dynamo-default", "dynamo"]
    own = render(graph(annotations={"nvidia.com/kai-scheduler-queue": "mine"}), *context.values(), **options)
    assert own.of("Queue") == []
    assert "context/unknown-queue" in own.slugs


_CHART = {
    "rbac": {
        "plannerClusterRoleName": "dynamo-platform-dynamo-operator-planner",
        "dgdrProfilingClusterRoleName": "dynamo-platform-dynamo-operator-dgdr-profiling",
        "eppClusterRoleName": "dynamo-platform-dynamo-operator-epp",
    },
    "mpi": {"sshSecretName": "mpi-run-ssh-secret", "sshSecretNamespace": "dynamo-system"},
}


def _group() -> Tree:
    """Something of the scheduler's API group, by which it is known to be there."""
    names = {"kind": "BindRequest", "plural": "bindrequests"}
    spec = {"group": "scheduling.run.ai", "names": names, "scope": "Namespaced", "versions": [{"name": "v1alpha2"}]}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "bindrequests.scheduling.run.ai"},
        "spec": spec,
    }


def multinode(backend: str) -> str:
    return graph({"Worker": worker(nodes=2, backend=backend)}, backendFramework=backend)


@pytest.mark.parametrize("release", LATER)
@pytest.mark.parametrize("target", ["lws", "grove"])
def test_a_key_pair_is_told_where_pods_mount_it(release: str, target: str) -> None:
    options = {"operator_version": release, "target": target}
    rendered = render(multinode("trtllm"), **options)
    assert rendered.slugs.count("standalone/key-pair") == 1
    assert "context/key-pair" not in rendered.slugs
    assert rendered.of("Secret") == []
    assert "standalone/key-pair" not in render(multinode("vllm"), **options).slugs
    assert "standalone/key-pair" not in render(graph(), **options).slugs


@pytest.mark.parametrize("release", ["0.4", "0.5"])
def test_the_first_operators_made_no_key_pair(release: str) -> None:
    options = {"operator_version": release, "target": "lws", "generate_secrets": True}
    rendered = render(multinode("trtllm"), **options)
    assert rendered.of("Secret") == []
    assert "context/unknown-secret" in rendered.slugs
    assert "standalone/key-pair" not in rendered.slugs


@pytest.mark.parametrize("release", ["0.4", "0.5"])
def test_the_first_charts_made_the_account_of_planners(release: str) -> None:
    services = {"Planner": component("planner"), "Worker": worker()}
    assert added(graph(services), operator_version=release) == [
        ("ServiceAccount", "team", "planner-serviceaccount"),
        ("Role", "team", "planner-role"),
        ("RoleBinding", "team", "planner-binding"),
    ]


def test_a_key_pair_is_made_where_pods_mount_it_and_nowhere_else() -> None:
    options = {"operator_version": "1.4", "target": "lws", "generate_secrets": True}
    rendered = render(multinode("trtllm"), **options)
    [secret] = rendered.of("Secret")
    assert identity(secret) == ("Secret", "team", "mpi-run-ssh-secret")
    assert secret["data"].keys() == {"private.key", "private.key.pub"}
    assert "standalone/key-pair" not in rendered.slugs
    assert render(multinode("vllm"), **options).of("Secret") == []
    with_operator = render(multinode("trtllm"), standalone=False, **options)
    assert [identity(item)[1] for item in with_operator.of("Secret")] == ["dynamo-system", "team"]


@pytest.mark.parametrize("release", LATER)
def test_a_key_pair_is_copied_from_where_the_operator_would_keep_it(release: str) -> None:
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "mpi-run-ssh-secret", "namespace": "dynamo-system"},
        "data": {"private.key": "cHJpdmF0ZQ==", "private.key.pub": "cHVibGlj"},
    }
    options = {"operator_version": release, "target": "lws"}
    rendered = render(multinode("trtllm"), secret, **options)
    assert [identity(item)[1] for item in rendered.of("Secret")] == ["dynamo-system", "team"]
    assert rendered.of("Secret")[1]["data"] == secret["data"]
    own = {**secret, "metadata": {**secret["metadata"], "namespace": "team"}}
    assert render(multinode("trtllm"), own, **options).of("Secret") == [own]


@pytest.mark.parametrize("release", ["1.1", "1.2", "1.3", "1.4"])
def test_the_script_of_a_component_that_stands_alone_is_added(release: str) -> None:
    spec = worker(nodes=2)
    spec["extraPodSpec"]["mainContainer"]["args"] += ["--tensor-parallel-size", "2"]
    # Up to 1.1 the component's own annotations steer the operator, then those of its pods.
    spec["annotations"] = {"nvidia.com/vllm-distributed-executor-backend": "mp"}
    spec["extraPodMetadata"] = {"annotations": {"nvidia.com/vllm-distributed-executor-backend": "mp"}}
    options = {"operator_version": release, "target": "lws"}
    rendered = render(alone(spec, owner=OWNER), **options)
    [script] = rendered.of("ConfigMap")
    assert identity(script) == ("ConfigMap", "team", "chat-wait-leader-script")
    assert "ConfigMap" in {identity(item)[0] for item in render(graph({"Worker": spec}), **options).objects}
    assert script == render(graph({"Worker": spec}), standalone=False, **options).of("ConfigMap")[0]
    assert render(alone(spec, owner=OWNER), standalone=False, **options).of("ConfigMap") == []


def test_documents_share_what_is_added() -> None:
    rendered = render("---\n".join((graph(), graph(name="other"), alone(worker(), owner=OWNER))))
    assert rendered.findings.errors == 0
    assert len(rendered.of("CustomResourceDefinition")) == len(rendered.of("ClusterRole")) == 1
