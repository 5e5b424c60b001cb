"""What follows the profiler's answer, from the cluster and from a file."""

from pathlib import Path
from typing import Any

import pytest

from tests.requests.compiled import GRAPH, HARDWARE, HEAD, Tree, compiled, kinds, output, slugs

REQUEST = HEAD + HARDWARE
OWN = ["ServiceAccount/dgdr-profiling-job", "RoleBinding/dgdr-profiling-job-binding", "Job/profile-qwen"]
DATA = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: planner-profile-data}\ndata: {a: b}\n"
OVERRIDE = """\
  overrides:
    dgd:
      apiVersion: nvidia.com/v1alpha1
      kind: DynamoGraphDeployment
      metadata: {name: mine}
      spec:
        services:
          VllmDecodeWorker: {replicas: 3, extraPodSpec: {mainContainer: {args: [--b]}}}
          Other: {replicas: 1}
"""


def given(folder: Path, text: str, name: str = "qwen") -> dict[str, str]:
    file = folder / "final_config.yaml"
    file.write_text(text)
    return {name: str(file)}


def graph_of(objects: list[Tree]) -> Tree:
    [graph] = [item for item in objects if item["kind"] == "DynamoGraphDeployment"]
    return graph


def worker(graph: Tree) -> Tree:
    [found] = [item for item in graph["spec"]["components"] if item["name"] == "VllmDecodeWorker"]
    return found  # type: ignore[no-any-return]


def test_a_file_stands_for_the_config_map(tmp_path: Path) -> None:
    by_file, findings = compiled(REQUEST, profiling_results=given(tmp_path, DATA + "---\n" + GRAPH))
    by_map, _ = compiled(REQUEST, output(**{"final_config.yaml": DATA + "---\n" + GRAPH}))
    assert by_file == by_map
    assert set(kinds(by_file)) == {*OWN, "ConfigMap/planner-profile-data", "DynamoGraphDeployment/qwen-dgd"}
    assert findings.errors == 0


def test_a_file_may_hold_the_config_map(tmp_path: Path) -> None:
    text = output(**{"final_config.yaml": GRAPH})
    assert compiled(REQUEST, profiling_results=given(tmp_path, text))[0] == compiled(REQUEST, text)[0]


def test_overrides_are_applied_to_a_file_alone(tmp_path: Path) -> None:
    objects, findings = compiled(REQUEST + OVERRIDE, profiling_results=given(tmp_path, GRAPH))
    graph = graph_of(objects)
    assert graph["metadata"]["name"] == "mine"
    assert worker(graph)["replicas"] == 3
    assert worker(graph)["podTemplate"]["spec"]["containers"][0]["args"] == ["--a", "--b"]
    told = slugs(findings)
    assert "note request/override-applied 9" in told
    assert sum("request/override-ignored" in text for text in told) == 2
    objects, findings = compiled(REQUEST + OVERRIDE, output(**{"final_config.yaml": GRAPH}))
    assert worker(graph_of(objects))["replicas"] == 2


def test_a_wrong_override_is_told_at_its_line(tmp_path: Path) -> None:
    wrong = (REQUEST + OVERRIDE).replace("replicas: 3", "replicaz: 3")
    objects, findings = compiled(wrong, profiling_results=given(tmp_path, GRAPH))
    assert "warning request/override 14" in slugs(findings)
    assert kinds(objects) == [*OWN]


def test_without_auto_apply_the_graph_comes_when_it_is_asked_for(tmp_path: Path) -> None:
    request, results = REQUEST + "  autoApply: false\n", given(tmp_path, GRAPH)
    objects, findings = compiled(request, profiling_results=results)
    assert kinds(objects) == OWN
    assert "note request/not-applied 7" in slugs(findings)
    objects, _ = compiled(request, profiling_results=results, through="graph")
    assert set(kinds(objects)) == {*OWN, "DynamoGraphDeployment/qwen-dgd"}


def test_through_renders_the_graph_on(tmp_path: Path) -> None:
    objects, _ = compiled(REQUEST, profiling_results=given(tmp_path, GRAPH), through="pods")
    [graph] = [item for item in objects if item["kind"] == "DynamoGraphDeployment"]
    others = [item for item in objects if item is not graph and f"{item['kind']}/{item['metadata']['name']}" not in OWN]
    import yaml

    alone, _ = compiled(yaml.safe_dump(graph))
    assert others == alone
    assert any(item["kind"] == "Deployment" for item in others)


def test_a_graph_that_is_there_is_left_alone(tmp_path: Path) -> None:
    there = GRAPH.replace("{name: vllm-agg}", "{name: qwen-dgd, namespace: ml}")
    objects, findings = compiled(REQUEST, there, profiling_results=given(tmp_path, GRAPH))
    assert not any(item["kind"] == "DynamoGraphDeployment" for item in objects)
    assert "note request/graph-exists 1" in slugs(findings)


def test_a_graph_that_the_api_server_refuses_is_told(tmp_path: Path) -> None:
    bad = GRAPH.replace("x/vllm-runtime:1.4.0", "x/vllm-runtime:latest")
    _, findings = compiled(REQUEST, profiling_results=given(tmp_path, bad))
    assert any(text.startswith("warning admission/runtime-version") for text in slugs(findings))


@pytest.mark.parametrize(
    ("version", "data", "made"),
    [
        ("1.4", {"profiler_status": "failed", "final_config.yaml": GRAPH}, False),
        ("1.1", {"profiler_status": "failed", "final_config.yaml": GRAPH}, True),
        ("1.4", {"phase": "Dreaming", "final_config.yaml": GRAPH}, False),
        ("1.0", {"phase": "Dreaming", "final_config.yaml": GRAPH}, True),
        ("1.4", {"phase": "Done", "final_config.yaml": GRAPH}, True),
        ("1.4", {"config_with_planner.yaml": GRAPH}, False),
        ("1.4", {"final_config.yaml": "- a\n- b\n"}, False),
    ],
)
def test_not_each_config_map_leads_to_a_graph(version: str, data: dict[str, str], made: bool) -> None:
    objects, findings = compiled(
        REQUEST.replace(", interconnect: x, rdma: true", "") if version == "1.0" else REQUEST,
        output(**data),
        version=version,
    )
    assert any(item["kind"] == "DynamoGraphDeployment" for item in objects) is made, findings.items
    assert ("warning request/no-answer 1" in slugs(findings)) is not made


def test_1_0_keeps_the_version_and_the_name() -> None:
    objects, _ = compiled(
        HEAD + "  hardware: {gpuSku: h100_sxm}\n", output(**{"final_config.yaml": GRAPH}), version="1.0"
    )
    graph = graph_of(objects)
    assert (graph["apiVersion"], graph["metadata"]["name"]) == ("nvidia.com/v1alpha1", "vllm-agg")


def test_a_result_without_request_is_told(tmp_path: Path) -> None:
    from dynamoc.compiler.options import Options
    from dynamoc.compiler.run import compile_paths
    from dynamoc.documents.findings.finding import Findings

    file = tmp_path / "request.yaml"
    file.write_text(REQUEST)
    findings = Findings()
    options: Any = Options(operator_version="1.4", profiling_results=given(tmp_path, GRAPH, "other"))
    compile_paths([str(file)], options, findings)
    assert "warning request/unused-result 0" in slugs(findings)


FIRST = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata: {name: qwen, namespace: ml, uid: u}
spec:
  model: Qwen/Qwen3-32B
  backend: vllm
  autoApply: true
  profilingConfig: {profilerImage: "x:1", config: {sweep: {use_ai_configurator: true}, engine: {is_moe: false}}}
  deploymentOverrides: {name: mine, namespace: other, labels: {a: b}, workersImage: "w:1"}
"""


def test_0_6_takes_the_overrides_of_the_deployment() -> None:
    objects, _ = compiled(FIRST, output(**{"config_with_planner.yaml": GRAPH}), version="0.6")
    [graph] = [item for item in objects if item["kind"] == "DynamoGraphDeployment"]
    assert (graph["metadata"]["name"], graph["metadata"]["namespace"]) == ("mine", "other")
    assert graph["metadata"]["labels"]["a"] == "b"
    assert graph["metadata"]["labels"]["dgdr.nvidia.com/name"] == "qwen"
    [found] = [item for item in objects if item["kind"] == "Job"]
    assert found["metadata"]["labels"]["app"] == "aic-profiler"
    args = found["spec"]["template"]["spec"]["containers"][0]["args"]
    assert args[0] == "--profile-config"
    assert args[1] == (
        "deployment:\n  dgd_image: w:1\n  model: Qwen/Qwen3-32B\n  namespace: ml\n"
        "engine:\n  backend: vllm\n  is_moe: false\noutput_dir: /data\nsweep:\n  use_ai_configurator: true\n"
    )


def test_without_the_operator_the_pods_of_the_graph_are_left_and_no_request(tmp_path: Path) -> None:
    answer = given(tmp_path, DATA + "---\n" + GRAPH)
    assert compiled(REQUEST, profiling_results=answer, standalone=True)[0] == []
    objects, findings = compiled(REQUEST, profiling_results=answer, standalone=True, through="pods")
    found = {item["kind"] for item in objects}
    assert {"Deployment", "Service", "ConfigMap"} <= found
    assert not found & {"Job", "DynamoGraphDeployment", "DynamoGraphDeploymentRequest"}
    assert findings.errors == 0


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "answer.yaml"
    file.write_bytes(b"\xff\xfe")
    objects, findings = compiled(REQUEST, profiling_results={"qwen": str(file)})
    assert objects == []
    assert [item.slug for item in findings.items] == ["request/answer-file"]


def test_an_answer_that_no_config_map_holds_is_reported(tmp_path: Path) -> None:
    large = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: data}}\ndata: {{a: {'x' * (1 << 20)}}}\n"
    _, findings = compiled(REQUEST, profiling_results=given(tmp_path, f"{large}---\n{GRAPH}"))
    assert "warning request/answer-too-large 1" in slugs(findings)
