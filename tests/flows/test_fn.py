"""`dynamoc plugin kustomize` on ResourceLists as kustomize 5.8.2 sends them; they were recorded in `data/`."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import quick_yaml
from tests.cli.conftest import Result, Run, dynamoc

__all__ = ["dynamoc"]

DATA = Path(__file__).parent / "data"
Tree = dict[str, Any]

GRAPH = """\
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata:
  name: chat
  annotations:
    example.com/team: search
spec:
  components:
    - name: Frontend
      type: frontend
      podTemplate:
        spec:
          containers:
            - name: main
              image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0
              envFrom:
                - configMapRef: {name: settings}
"""


def recorded(name: str) -> Tree:
    found: Tree = quick_yaml.load((DATA / f"{name}.yaml").read_text())
    return found


@pytest.fixture
def fn(dynamoc: Run, monkeypatch: pytest.MonkeyPatch) -> Any:
    """`fn(resource_list)`: the result of the function, and the ResourceList that it writes."""

    def run(value: Tree | str) -> tuple[Result, Tree]:
        text = value if isinstance(value, str) else yaml.safe_dump(value)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        result = dynamoc("plugin", "kustomize")
        return result, quick_yaml.load(result.out) if result.out else {}

    return run


def kinds(written: Tree) -> list[str]:
    return [item["kind"] for item in written["items"]]


def named(written: Tree, kind: str) -> Tree:
    [found] = [item for item in written["items"] if item["kind"] == kind]
    return found


def test_a_transformer_replaces_graphs_and_passes_the_others(fn: Any) -> None:
    result, written = fn(recorded("transformer"))
    assert result.code == 0, result.err
    assert (written["apiVersion"], written["kind"]) == ("config.kubernetes.io/v1", "ResourceList")
    assert "DynamoGraphDeployment" not in kinds(written)
    assert named(written, "Deployment")["metadata"]["name"] == "x-chat-frontend"
    assert named(written, "ConfigMap") == recorded("transformer")["items"][1]
    assert written["functionConfig"] == recorded("transformer")["functionConfig"]


def test_annotations_of_the_tools_are_no_part_of_objects(fn: Any) -> None:
    _, written = fn(recorded("transformer"))
    made = [item for item in written["items"] if item["kind"] != "ConfigMap"]
    assert "config.k" not in yaml.safe_dump(made)
    assert len(made) > 1


def test_a_validator_returns_no_items(fn: Any) -> None:
    result, written = fn(recorded("validator"))
    assert (result.code, written["items"]) == (0, [])


@pytest.mark.parametrize("name", ["transformer", "validator"])
def test_errors_are_on_stderr_and_in_the_results(fn: Any, name: str) -> None:
    given = recorded(name)
    given["items"][0]["spec"]["components"][0]["replcias"] = 2
    result, written = fn(given)
    assert result.code == 1
    assert "DynamoGraphDeployment/x-chat:" in result.err
    assert "did you mean `replicas`?" in result.err
    assert written["items"] == []
    assert written["results"][0] == {
        "message": written["results"][0]["message"],
        "severity": "error",
        "tags": {"slug": "schema/unknown-field"},
        "resourceRef": {
            "apiVersion": "nvidia.com/v1beta1",
            "kind": "DynamoGraphDeployment",
            "name": "x-chat",
            "namespace": "inference",
        },
        "field": {"path": "spec.components[0].replcias"},
    }
    assert "replcias" in written["results"][0]["message"]


def test_places_are_those_of_the_file_that_the_object_comes_from(fn: Any) -> None:
    Path("chat.yaml").write_text(GRAPH.replace("type: frontend", "tpye: frontend"))
    given = recorded("validator")
    component = given["items"][0]["spec"]["components"][0]
    component["tpye"] = component.pop("type")
    result, written = fn(given)
    assert "chat.yaml:10:7: error:" in result.err
    assert [item["file"] for item in written["results"] if item["severity"] == "error"] == [{"path": "chat.yaml"}]


def test_a_patched_object_is_not_looked_up_in_its_file(fn: Any) -> None:
    Path("chat.yaml").write_text(GRAPH)
    given = recorded("validator")
    given["items"][0]["spec"]["components"][0]["replcias"] = 2
    assert "DynamoGraphDeployment/x-chat:" in fn(given)[0].err


def test_an_origin_outside_of_the_kustomization_is_not_read(fn: Any) -> None:
    Path("chat.yaml").write_text(GRAPH.replace("type: frontend", "tpye: frontend"))
    Path("inner").mkdir()
    os.chdir("inner")
    given = recorded("validator")
    given["items"][0]["metadata"]["annotations"]["config.kubernetes.io/origin"] = "path: ../chat.yaml\n"
    component = given["items"][0]["spec"]["components"][0]
    component["tpye"] = component.pop("type")
    assert "../chat.yaml" not in fn(given)[0].err


@pytest.mark.parametrize(
    ("field", "value"),
    [("files", ["/proc/self/environ"]), ("files", ["../chat.yaml"]), ("files", ["link.yaml"]), ("cluster", [".."]),
     ("cluster", ["../chat.yaml"]), ("cluster", ["/etc"]), ("profilingResult", ["chat=../chat.yaml"])],
)  # fmt: skip
def test_paths_of_a_configuration_do_not_lead_out_of_its_folder(fn: Any, field: str, value: object) -> None:
    Path("chat.yaml").write_text("password: xyz\n")
    Path("inner").mkdir()
    os.chdir("inner")
    Path("link.yaml").symlink_to("../chat.yaml")
    given = recorded("generator")
    given["functionConfig"]["spec"][field] = value
    result, _ = fn(given)
    assert result.code == 2
    assert "in the functionConfig is outside of the folder of the kustomization" in result.err
    assert "xyz" not in result.err
    given["functionConfig"]["spec"] = {"files": ["."], "loadRestrictor": "none"}
    assert "has no option loadRestrictor" in fn(given)[0].err


def test_a_generator_reads_files_and_drops_its_own_configuration(fn: Any) -> None:
    Path("chat.yaml").write_text(GRAPH)
    result, written = fn(recorded("generator"))
    assert result.code == 0, result.err
    assert "Deployment" in kinds(written)
    assert "Render" not in kinds(written)


def test_a_generator_needs_files(fn: Any) -> None:
    given = recorded("generator")
    del given["functionConfig"]["spec"]["files"], given["items"][0]["spec"]["files"]
    result, _ = fn(given)
    assert (result.code, result.out) == (2, "")
    assert "`spec.files`" in result.err


def test_two_objects_of_one_name_are_told_apart(fn: Any) -> None:
    given = recorded("validator")
    other = quick_yaml.load(yaml.safe_dump(given["items"][0]))
    other["metadata"]["namespace"] = "staging"
    other["spec"]["components"][0]["replcias"] = 2
    given["items"].append(other)
    assert "DynamoGraphDeployment/x-chat (2):" in fn(given)[0].err


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"operatorVersion": 1.4}, "operatorVersion of the functionConfig must be a string; put it in quotes"),
        ({"operatorVersion": "9.9"}, "9.9 is not known"),
        ({"target": "nomad"}, "target: nomad in the functionConfig is not known; choices: auto, grove, lws, plain"),
        ({"operator-version": "1.4"}, "has no option operator-version; write operatorVersion"),
        ({"outputDir": "x"}, "has no option outputDir; known names: "),
        ({"skipForeign": "yes"}, "skipForeign of the functionConfig must be true or false"),
        ({"cluster": "a.yaml"}, "cluster of the functionConfig must be a list of strings"),
        ({"strictContext": True}, "--strict-context is now --deny context"),
        ({"cluster": ["a.yaml"]}, "a.yaml does not exist"),
        ([], ""),
        ("x", "The spec of the functionConfig must be a mapping"),
    ],
)
def test_fields_of_the_configuration_are_checked(fn: Any, spec: Any, message: str) -> None:
    given = recorded("transformer")
    given["functionConfig"]["spec"] = spec
    result, written = fn(given)
    assert message in result.err
    assert (result.code, bool(written)) == ((2, False) if message else (0, True))


def test_switches_and_parts(fn: Any) -> None:
    given = recorded("transformer")
    given["functionConfig"]["spec"] |= {"omit": ["inputs"], "standalone": "graph", "deny": ["input/no-graph"]}
    assert "ConfigMap" not in kinds(fn(given)[1])
    given["functionConfig"]["spec"] |= {"omit": [], "standalone": False}
    assert "ConfigMap" in kinds(fn(given)[1])


def test_nothing_at_all_can_be_an_error(fn: Any) -> None:
    given = recorded("transformer")
    given["items"] = given["items"][1:]
    given["functionConfig"]["spec"] |= {"omit": ["inputs"], "deny": ["output/empty"]}
    assert fn(given)[0].code == 1


def test_flux_is_kept_from_replacing_variables(fn: Any) -> None:
    given = recorded("transformer")
    given["items"][0]["spec"]["components"][0]["podTemplate"]["spec"]["containers"][0]["args"] = ["${A}"]
    given["functionConfig"]["spec"]["fluxSubstitute"] = "disabled"
    assert "kustomize.toolkit.fluxcd.io/substitute: disabled" in fn(given)[0].out


def test_a_config_map_configures_as_kpt_prefers(fn: Any) -> None:
    given = recorded("transformer")
    data = {"operatorVersion": "1.4", "target": "plain", "omit": "inputs", "exclude": "a\nb"}
    given["functionConfig"] = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "data": data}
    result, written = fn(given)
    assert result.code == 0, result.err
    assert "ConfigMap" not in kinds(written)
    data["kind"] = "Validate"
    assert fn(given)[1]["items"] == []
    data["kind"] = "Rendre"
    assert "write Render, Validate or ConfigMap" in fn(given)[0].err


@pytest.mark.parametrize(
    "text", ["", "a: b\n", "a: [", "kind: ResourceList\nitems: x\n", "kind: ResourceList\nfunctionConfig: x\n"]
)
def test_anything_else_on_stdin_is_wrong_usage(fn: Any, text: str) -> None:
    result, written = fn(text)
    assert (result.code, written) == (2, {})
    assert "dynamoc: error: " in result.err
