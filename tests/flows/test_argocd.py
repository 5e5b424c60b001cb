"""The plugin of Argo CD in deploy/argocd, run as its server runs it, and the health checks, run by Lua."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import lupa
import pytest
import yaml

from dynamoc.documents.emit.order import ANNOTATION
from dynamoc.interfaces.cli.setting_flags import fields
from tests.flows.cmp_server import FOLDER, Refused, Server
from tests.flows.graphs import GRAPH
from tests.flows.page_run import assert_page, environment

pytestmark = pytest.mark.usefixtures("as_installed")

Tree = dict[str, Any]
OTHER = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n"
PLAIN = {"name": "target", "string": "plain"}


@pytest.fixture
def server(tmp_path: Path) -> Any:
    """`server({name: text}, path=…, …)`: the server for a repository with these files."""

    def started(files: dict[str, str], **more: str) -> Server:
        for name, text in files.items():
            (tmp_path / "repository" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "repository" / name).write_text(text)
        return Server(tmp_path / "repository", tmp_path / "work", **more)

    return started


def kinds(manifests: list[Tree]) -> set[str]:
    return {item["kind"] for item in manifests}


@pytest.mark.parametrize(
    ("files", "matches"),
    [
        ({"chat.yaml": GRAPH}, True),
        ({"deep/er/chat.yml": GRAPH}, True),
        ({"chat.json": '{"apiVersion": "nvidia.com/v1beta1", "kind": "DynamoGraphDeployment"}'}, True),
        ({"two.yaml": OTHER + "---\n" + GRAPH}, True),
        ({"settings.yaml": OTHER}, False),
        ({"README.md": GRAPH}, False),
        ({"chat.yaml": GRAPH, "kustomization.yaml": "resources: [chat.yaml]"}, False),
        ({"chat.yaml": GRAPH, "Kustomization": "resources: [chat.yaml]"}, False),
        ({"chat.yaml": GRAPH, "Chart.yaml": "name: chat"}, False),
        ({"chat.yaml": GRAPH, ".dynamocignore": "chat.yaml\n"}, False),
        ({"empty/.gitkeep": ""}, False),
    ],
)
def test_discovery(server: Any, files: dict[str, str], matches: bool) -> None:
    assert server(files).matches() is matches


def test_discovery_looks_at_the_folder_of_the_application(server: Any) -> None:
    files = {"a/chat.yaml": GRAPH, "b/settings.yaml": OTHER}
    assert not server(files, path="b").matches()


def test_it_generates_what_render_renders_into_the_namespace_of_the_destination(server: Any) -> None:
    manifests = server({"chat.yaml": GRAPH, "settings.yaml": OTHER, "values.yaml": "a: b"}).manifests([PLAIN])
    assert {"Deployment", "ConfigMap"} <= kinds(manifests)
    [deployment] = [item for item in manifests if item["kind"] == "Deployment"]
    assert deployment["metadata"]["namespace"] == "inference"
    assert all(ANNOTATION not in item["metadata"].get("annotations", {}) for item in manifests)


def test_without_parameters_argo_cd_writes_null(server: Any) -> None:
    assert "Deployment" in kinds(server({"chat.yaml": GRAPH}).manifests(None))


def test_an_emptied_parameter_is_not_given(server: Any) -> None:
    empty = [{"name": "namespace", "string": ""}, {"name": "context", "array": []}]
    assert "Deployment" in kinds(server({"chat.yaml": GRAPH}).manifests([PLAIN, *empty]))


def test_parameters_are_options(server: Any) -> None:
    one = server({"a/chat.yaml": GRAPH, "b/other.yaml": OTHER})
    given = [PLAIN, {"name": "files", "array": ["a"]}, {"name": "namespace", "string": "prod"}]
    manifests = one.manifests([*given, {"name": "operatorVersion", "string": "1.4"}])
    assert "ConfigMap" not in kinds(manifests)
    assert {item["metadata"]["namespace"] for item in manifests} == {"prod"}


def test_the_parameters_that_the_ui_offers_are_taken(server: Any) -> None:
    one = server({"chat.yaml": GRAPH})
    announced = {parameter["name"]: parameter for parameter in one.parameters()}
    assert set(fields()) - set(announced) == {"limit", "loadRestrictor"}
    assert announced["cluster"] | {"tooltip": ""} == {
        "name": "cluster",
        "title": "Cluster",
        "tooltip": "",
        "itemType": "string",
        "collectionType": "array",
        "array": [],
    }
    sent = [{"name": name, "string": item["string"]} for name, item in announced.items() if "string" in item]
    assert "Deployment" in kinds(one.manifests(sent))


@pytest.mark.parametrize(
    ("parameter", "message"),
    [
        ({"name": "tarqet", "string": "lws"}, "the parameters of the Application has no option tarqet"),
        ({"name": "target", "string": "nomad"}, "choices: auto, grove, lws, plain"),
        ({"name": "skipForeign", "string": "1"}, "skipForeign of the parameters of the Application must be true"),
        ({"name": "cluster", "array": ["/etc"]}, "/etc in the parameters of the Application is outside"),
        ({"name": "cluster", "array": ["../../x"]}, "../../x in the parameters of the Application is outside"),
        ({"name": "profilingResult", "array": ["chat=/etc/passwd"]}, "/etc/passwd in the parameters"),
        ({"name": "loadRestrictor", "string": "none"}, "has no option loadRestrictor"),
    ],
)
def test_a_wrong_parameter_is_an_error(server: Any, parameter: Tree, message: str) -> None:
    with pytest.raises(Refused, match="exit status 2") as refused:
        server({"app/chat.yaml": GRAPH}, path="app").manifests([parameter])
    assert message in str(refused.value)


def test_files_elsewhere_in_the_repository_are_read(server: Any) -> None:
    one = server({"app/chat.yaml": GRAPH, "shared/settings.yaml": OTHER}, path="app")
    assert "ConfigMap" in kinds(one.manifests([PLAIN, {"name": "files", "array": [".", "../shared"]}]))


def test_the_ui_shows_errors_alone_with_their_places(server: Any) -> None:
    with pytest.raises(Refused, match="exit status 1") as refused:
        server({"chat.yaml": GRAPH.replace("type:", "tpye:")}).manifests([PLAIN])
    assert "./chat.yaml:7:7: error: " in str(refused.value)
    assert "note:" not in str(refused.value)


def test_an_empty_application_is_an_error_unless_it_is_allowed(server: Any) -> None:
    one = server({"other.yaml": OTHER})
    none = {"name": "omit", "array": ["inputs"]}
    with pytest.raises(Refused, match="contains no object"):
        one.manifests([none])
    assert one.manifests([none, {"name": "allowEmpty", "string": "true"}]) == []


def test_sync_waves(server: Any) -> None:
    own = OTHER.replace("name: settings", f"name: settings, annotations: {{{ANNOTATION}: '7'}}")
    files = {"chat.yaml": GRAPH, "own.yaml": own}
    manifests = server(files).manifests([PLAIN, {"name": "syncWaves", "string": "true"}])
    waves = {item["kind"]: item["metadata"].get("annotations", {}).get(ANNOTATION) for item in manifests}
    assert (waves["ServiceAccount"], waves["Deployment"], waves["ConfigMap"]) == (None, "1", "7")


@pytest.mark.parametrize("version", ["1.33", "v1.31.2+k3s1", "1.99", "1.20", ""])
def test_any_version_of_the_cluster_is_taken(server: Any, version: str) -> None:
    assert server({"chat.yaml": GRAPH}, KUBE_VERSION=version).manifests([PLAIN])


#: it leaves it to what the cluster serves whether Grove is used
CONFIGURATION = """\
apiVersion: operator.config.dynamo.nvidia.com/v1alpha1
kind: OperatorConfiguration
mpi: {sshSecretName: keys, sshSecretNamespace: dynamo}
rbac: {dgdrProfilingClusterRoleName: a, eppClusterRoleName: b, plannerClusterRoleName: c}
"""


def test_the_apis_of_the_cluster_decide_the_target(server: Any) -> None:
    one = server({"app/chat.yaml": GRAPH, "operator.yaml": CONFIGURATION}, path="app")
    given = [{"name": "cluster", "array": ["../operator.yaml"]}]
    assert "Deployment" in kinds(one.manifests(given))
    one.environment["KUBE_API_VERSIONS"] += ",grove.io/v1alpha1,grove.io/v1alpha1/PodCliqueSet"
    assert "PodCliqueSet" in kinds(one.manifests(given))


HEALTH = yaml.safe_load((FOLDER / "argocd-cm-patch.yaml").read_text())["data"]


def health(kind: str, spec: Tree, status: Tree | None, generation: int = 1) -> tuple[str, str]:
    """What the health check of a kind, such as `grove.io_PodClique`, says of an object."""
    lua = lupa.LuaRuntime(unpack_returned_tuples=True)
    check = lua.execute(f"return function(obj) {HEALTH[f'resource.customizations.health.{kind}']} end")
    value = {"metadata": {"generation": generation}, "spec": spec, "status": status}
    found = check(lua.table_from({key: part for key, part in value.items() if part is not None}, recursive=True))
    return found["status"], found["message"]


SET, CLIQUE = "grove.io_PodCliqueSet", "grove.io_PodClique"
GROUPS, DGD = "leaderworkerset.x-k8s.io_LeaderWorkerSet", "nvidia.com_DynamoGraphDeployment"
ERROR = [{"code": "ERR", "description": "no quota"}]


@pytest.mark.parametrize(
    ("kind", "spec", "status", "wanted"),
    [
        (SET, {"replicas": 1}, None, "Progressing"),
        (SET, {"replicas": 2}, {"observedGeneration": 1, "availableReplicas": 1}, "Progressing"),
        (SET, {"replicas": 2}, {"observedGeneration": 1, "availableReplicas": 2}, "Healthy"),
        (SET, {}, {"observedGeneration": 0, "availableReplicas": 2}, "Progressing"),
        (SET, {}, {"availableReplicas": 1, "updateProgress": {"updatedPodCliquesCount": 1}}, "Progressing"),
        (SET, {}, {"availableReplicas": 1, "updateProgress": {"updateEndedAt": "2026-01-01"}}, "Healthy"),
        (SET, {}, {"availableReplicas": 1, "lastErrors": ERROR}, "Degraded"),
        (CLIQUE, {"replicas": 2}, {"readyReplicas": 1, "scheduleGatedReplicas": 1}, "Progressing"),
        (CLIQUE, {"replicas": 2}, {"readyReplicas": 2}, "Healthy"),
        (CLIQUE, {}, {"conditions": [{"type": "MinAvailableBreached", "status": "True", "reason": "x"}]}, "Degraded"),
        (CLIQUE, {}, {"readyReplicas": 1, "lastErrors": ERROR}, "Degraded"),
        (GROUPS, {"replicas": 1}, {}, "Progressing"),
        (GROUPS, {"replicas": 1}, {"readyReplicas": 1, "updatedReplicas": 0}, "Progressing"),
        (GROUPS, {"replicas": 1}, {"readyReplicas": 1, "updatedReplicas": 1}, "Healthy"),
        (DGD, {}, {"state": "pending"}, "Progressing"),
        (DGD, {}, {"state": "successful"}, "Healthy"),
        (DGD, {}, {"state": "successful", "observedGeneration": 0}, "Progressing"),
        (DGD, {}, {"state": "failed", "conditions": [{"type": "Ready", "message": "no image"}]}, "Degraded"),
    ],
)
def test_health(kind: str, spec: Tree, status: Tree | None, wanted: str) -> None:
    found, message = health(kind, spec, status)
    assert found == wanted
    assert message


def test_the_message_of_a_condition_is_shown() -> None:
    status = {"state": "failed", "conditions": [{"type": "Ready", "message": "no image"}]}
    assert health(DGD, {}, status) == ("Degraded", "no image")


def test_the_sidecar_runs_without_rights() -> None:
    patch = yaml.safe_load((FOLDER / "repo-server-patch.yaml").read_text())
    [container] = patch["spec"]["template"]["spec"]["containers"]
    security = container["securityContext"]
    assert (security["runAsUser"], security["readOnlyRootFilesystem"]) == (999, True)
    mounted = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    assert mounted["dynamoc-tmp"] == "/tmp"


def test_the_page(tmp_path: Path) -> None:
    assert_page("how-to/argocd.md", tmp_path, environment())
