"""What a run looked at: nothing is taken for ours that is not, and nothing that may be is passed over in silence."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Run

#: a release that says nothing of how it was checked
RECORDED = ("--operator-version", "1.4")

ROOT = Path(__file__).parents[2]
GRAPH = """\
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: inference}
spec:
  components:
    - name: Frontend
      type: frontend
      podTemplate: {spec: {containers: [{name: main, image: "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0"}]}}
"""
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: inference}\n"
HINT = "Give files with a DynamoGraphDeployment or a DynamoComponentDeployment."
EVERY_COMMAND = (
    ("render",),
    ("validate",),
    ("requires",),
    ("convert",),
    ("convert", "--check"),
    ("diff", "in"),
    ("upgrade", "--from", "1.3"),
)


def put(name: str, text: str) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def slugs(text: str) -> list[str]:
    return [finding["slug"] for finding in json.loads(text)["findings"]]


@pytest.mark.parametrize("command", EVERY_COMMAND, ids=" ".join)
@pytest.mark.parametrize(
    "text", ["", "# nothing yet\n", "---\n---\n", CONFIG_MAP], ids=["empty", "comment", "---", "other"]
)
def test_a_run_without_a_graph_says_so(dynamoc: Run, command: tuple[str, ...], text: str) -> None:
    put("in", text)
    result = dynamoc(*command, "in")
    assert result.code == 0
    assert "dynamoc: warning: No graph found in in" in result.err
    assert f"hint: {HINT}" in result.err
    required = dynamoc(*command, "in", "--deny=input/no-graph")
    # 1 says of these three that something differs.
    assert required.code == (2 if command[0] in ("diff", "upgrade") or "--check" in command else 1)
    assert "dynamoc: error: No graph found in in" in required.err


def test_explain_says_so_too(dynamoc: Run) -> None:
    put("in", CONFIG_MAP)
    result = dynamoc("explain", "in")
    assert (result.code, result.out) == (0, "configmap/settings\n")
    assert "dynamoc: warning: No graph found in in." in result.err


@pytest.mark.parametrize("command", EVERY_COMMAND, ids=" ".join)
def test_a_run_with_a_graph_has_what_is_required(dynamoc: Run, command: tuple[str, ...]) -> None:
    put("in", GRAPH)
    options = ("--target", "lws") if command[0] in ("render", "validate") else ()
    result = dynamoc(*command, "in", "--deny=input/no-graph", *options)
    assert result.code == 0
    assert "input/no-graph" not in result.err


def test_validate_ends_with_what_was_looked_at(dynamoc: Run) -> None:
    put("in/a.yaml", GRAPH)
    put("in/b.yaml", f"{CONFIG_MAP}---\n{GRAPH.replace('chat', 'more')}---\n{CONFIG_MAP.replace('settings', 'x')}")
    put("in/values.yaml", "replicas: 3\n")
    result = dynamoc("validate", "in", "--target", "plain")
    assert result.err.splitlines()[-1] == "2 files, 2 graphs, 2 other objects; 1 file skipped"
    assert dynamoc("validate", "in/a.yaml", "--target", "plain", *RECORDED).err == "no findings\n1 file, 1 graph\n"
    report = json.loads(dynamoc("validate", "in", "--findings", "json").err)
    assert report["inputs"] == {"files": 2, "graphs": 2, "others": 2, "skipped": 1}


@pytest.mark.parametrize(
    ("written", "slug", "hint"),
    [
        ("dynamo.nvidia.com/v1beta1", "input/foreign-group", "write `apiVersion: nvidia.com/v1beta1`"),
        ("dynamo.nvidia.com/v1", "input/foreign-group", "write `apiVersion: nvidia.com/v1beta1`"),
        ("nvdia.com/v1alpha1", "input/foreign-group", "write `apiVersion: nvidia.com/v1alpha1`"),
        ("v1alpha1", "input/foreign-group", "write `apiVersion: nvidia.com/v1alpha1`"),
        ("nvidia.com/v1", "schema/api-version", "write `apiVersion: nvidia.com/v1beta1`"),
    ],
)
@pytest.mark.parametrize("command", ["render", "validate", "requires", "convert", "upgrade --from 1.3"])
def test_a_kind_of_the_operator_in_another_api_is_an_error(
    dynamoc: Run, command: str, written: str, slug: str, hint: str
) -> None:
    if command == "convert" and slug == "schema/api-version":
        pytest.skip("conversion leaves versions that it does not know to the other commands")
    put("a.yaml", GRAPH.replace("nvidia.com/v1beta1", written))
    result = dynamoc(*command.split(), "a.yaml")
    assert result.code == (2 if command.startswith("upgrade") else 1)
    assert command.startswith("upgrade") or result.out == ""
    assert "a.yaml:1:13: error: " in result.err
    assert f"[{slug}]" in result.err
    assert f"hint: {hint}" in result.err


@pytest.mark.parametrize(
    ("group", "kind"),
    [
        ("nvidia.com", "DynamGraphDeployment"),
        ("nvidia.com", "dynamographdeployment"),
        ("dynamo.nvidia.com", "DynamoGraphDeploymnt"),
    ],
)
def test_a_misspelt_kind_of_the_operator_is_an_error(dynamoc: Run, group: str, kind: str) -> None:
    put("a.yaml", GRAPH.replace("DynamoGraphDeployment", kind).replace("nvidia.com/v1beta1", f"{group}/v1beta1"))
    result = dynamoc("render", "a.yaml")
    assert (result.code, result.out) == (1, "")
    assert "hint: did you mean `DynamoGraphDeployment`" in result.err
    assert ("in `nvidia.com/v1beta1`" in result.err) is (group != "nvidia.com")


@pytest.mark.parametrize(
    "head", ["apiVersion: nvidia.com/v1\nkind: ClusterPolicy", "apiVersion: podsnapshot.gke.io/v1\nkind: PodSnapshot"]
)
def test_kinds_of_others_pass(dynamoc: Run, head: str) -> None:
    put("a.yaml", f"{head}\nmetadata: {{name: x, namespace: inference}}\n---\n{GRAPH}")
    result = dynamoc("render", "a.yaml", "--target", "plain", *RECORDED)
    assert (result.code, result.err) == (0, "")
    assert head in result.out


def test_a_document_of_which_nothing_is_made_is_told(dynamoc: Run) -> None:
    put("a.yaml", "apiVersion: nvidia.com/v1alpha1\nkind: DynamoWorkerMetadata\nmetadata: {name: x, namespace: z}\n"
        "spec: {data: {}}\n")  # fmt: skip
    result = dynamoc("validate", "a.yaml", "--findings", "json", *RECORDED)
    assert slugs(result.err) == ["input/not-rendered", "input/no-graph"]


def test_other_tools_files_in_a_directory_are_skipped_and_counted(dynamoc: Run) -> None:
    put("in/a.yaml", GRAPH)
    put("in/values.yaml", "image: {tag: 1}\nreplicas: 2\n")
    put("in/Chart.yaml", "apiVersion: v2\nname: x\nversion: 1.0.0\n")
    put("in/compose.yml", "services: {web: {image: nginx}}\n")
    put("in/package.json", '{"name": "x"}')
    put("in/list.yaml", "- a\n- b\n")
    put("in/empty.yaml", "# nothing\n")
    put("in/broken.yaml", "a: [\nb: {{ x }}\n")
    result = dynamoc("render", "in", "--target", "plain", *RECORDED)
    assert result.code == 0
    assert "kind: Deployment" in result.out
    assert (
        "dynamoc: note: 6 files are skipped, because nothing in them looks like a Kubernetes object: in/Chart.yaml, "
        "in/compose.yml, in/empty.yaml, in/list.yaml, in/package.json and 1 more. [skipped/alien]"
    ) in result.err
    assert "note: 1 file is skipped, because it cannot be read as YAML" in result.err
    assert "2 notes\n" in result.err
    assert dynamoc("validate", "in/values.yaml").code == 1, "who names a file means it"


@pytest.mark.parametrize(
    "text",
    [
        "apiVersion: v1\nkind: ConfigMap\n  x: [\n",
        "items:\n  - apiVersion: v1\n    kind: [\n",
        '{"kind": "ConfigMap", "apiVersion": \n',
        GRAPH.replace("kind: DynamoGraphDeployment\n", ""),
        GRAPH.replace("apiVersion: nvidia.com/v1beta1\n", ""),
        GRAPH.partition("metadata")[1] + GRAPH.partition("metadata")[2],
        "Kind: DynamoGraphDeployment\nApiVersion: x\n",
        "apiVersion: nvidia.com/v1beta1\ncomponents: []\n",
    ],
)
def test_what_may_be_a_manifest_is_an_error_in_a_directory_too(dynamoc: Run, text: str) -> None:
    put("in/a.yaml", text)
    result = dynamoc("validate", "in")
    assert result.code == 1
    assert "in/a.yaml:" in result.err
    assert "skipped" not in result.err


def test_charts_and_kustomizations_are_told_with_the_command_to_use(dynamoc: Run) -> None:
    put("repo/charts/chat/Chart.yaml", "apiVersion: v2\nname: chat\nversion: 1.0.0\n")
    put("repo/charts/chat/values.yaml", "replicas: 2\n")
    put("repo/charts/chat/templates/graph.yaml", GRAPH.replace("chat", "{{ .Release.Name }}"))
    put("repo/charts/chat/templates/sub/quoted.yaml", CONFIG_MAP.replace("settings", '"{{ .Values.x }}"'))
    put("repo/charts/chat/templates/plain.yaml", CONFIG_MAP)
    put("repo/base/kustomization.yaml", "resources: [graph.yaml]\n")
    put("repo/base/graph.yaml", GRAPH)
    put("repo/prod/kustomization.yaml",
        "resources: [../base]\npatches:\n  - path: more.yaml\npatchesStrategicMerge: [old.yaml]\n")  # fmt: skip
    head = GRAPH.partition("spec:")[0]
    put("repo/prod/more.yaml", head + "spec: {services: 3}\n")
    put("repo/prod/old.yaml", head)
    result = dynamoc("validate", "repo", "--target", "plain", "--deny=input/no-graph")
    assert result.code == 0
    assert "warning: 2 files are skipped, because they are Helm templates: repo/charts/chat/" in result.err
    assert "hint: `helm template repo/charts/chat | dynamoc render -` renders it" in result.err
    assert "note: 2 files are skipped, because they are kustomizations:" in result.err
    assert "hint: `kustomize build repo/base | dynamoc render -` renders it; the same for 1 more" in result.err
    assert "note: 2 files are skipped, because a kustomization lists them as patches: repo/prod/more.yaml" in result.err
    assert result.err.splitlines()[-1] == "2 files, 1 graph, 1 other object; 8 files skipped"


def test_a_template_that_is_named_is_an_error_with_the_command_to_use(dynamoc: Run) -> None:
    put("chart/Chart.yaml", "apiVersion: v2\nname: chat\nversion: 1.0.0\n")
    put("chart/templates/graph.yaml", GRAPH.replace("chat", "{{ .Release.Name }}"))
    result = dynamoc("render", "chart/templates/graph.yaml")
    assert result.code == 1
    assert "hint: This is a Helm template: `helm template chart | dynamoc render -` renders its chart." in result.err


def test_a_kustomization_that_is_named_is_an_error_with_the_command_to_use(dynamoc: Run) -> None:
    for text in ("resources: [a.yaml]\n", "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"):
        put("base/kustomization.yaml", text)
        result = dynamoc("render", "base/kustomization.yaml")
        assert (result.code, result.out) == (1, "")
        assert "`kustomize build base | dynamoc render -`" in result.err


def test_patterns_leave_files_out(dynamoc: Run) -> None:
    put("in/a.yaml", GRAPH)
    put("in/drafts/b.yaml", "kind: [\n")
    assert dynamoc("validate", "in").code == 1
    for command in EVERY_COMMAND[:3]:
        assert dynamoc(*command, "in", "--target", "plain", "--exclude", "drafts/").code == 0
    assert dynamoc("convert", "in", "--exclude", "drafts/").code == 0
    assert dynamoc("diff", "in", "in", "--exclude", "drafts/").code == 0
    put(".dynamocignore", "drafts/\n")
    assert dynamoc("validate", "in", "--target", "plain").code == 0


def test_context_directories_may_hold_files_of_others(dynamoc: Run) -> None:
    put("a.yaml", GRAPH)
    put("there/values.yaml", "a: 1\n")
    put("there/b.yaml", CONFIG_MAP)
    assert dynamoc("validate", "a.yaml", "--cluster", "there", "--target", "plain").code == 0


def test_both_sides_of_a_diff_skip_the_same_files(dynamoc: Run) -> None:
    def git(*words: str) -> None:
        who = ("-c", "user.name=x", "-c", "user.email=x@example.com")
        subprocess.run(["git", *who, *words], check=True, capture_output=True)

    put("in/a.yaml", GRAPH)
    put("in/values.yaml", "replicas: 1\n")
    put("in/drafts/b.yaml", "kind: [\n")
    put(".dynamocignore", "drafts/\n")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "x")
    for line in ("diff HEAD.. -- in", "diff HEAD:in in", "diff HEAD HEAD"):
        command, *words = line.split()
        assert dynamoc(command, "--target", "plain", *words).code == 0, line


@pytest.mark.parametrize("path", [".", "examples"])
def test_this_project_validates(dynamoc: Run, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.chdir(ROOT)
    assert dynamoc("validate", path, "--deny=input/no-graph").code == 0
