"""The options on the command line, and what docs/standalone.md shows of them."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from dynamoc.admission.operator import LOSSES
from dynamoc.interfaces.cli.options import COMMANDS, STANDALONE
from tests.cli.conftest import Run
from tests.standalone.graphs import graph, worker

PAGE = Path(__file__).parents[2] / "docs" / "standalone.md"


@pytest.fixture
def chat() -> str:
    return graph()


@pytest.mark.parametrize("command", ["render", "validate", "explain", "diff"])
def test_stable_names_are_for_standalone(dynamoc: Run, command: str, chat: str) -> None:
    Path("chat.yaml").write_text(chat)
    result = dynamoc(command, "chat.yaml", *(["chat.yaml"] if command == "diff" else []), "--omit=worker-hash")
    assert (result.code, result.out) == (2, "")
    assert "--omit worker-hash requires --standalone" in result.err


@pytest.mark.parametrize("command", ["render", "explain"])
def test_intermediate_objects_are_not_for_standalone(dynamoc: Run, command: str, chat: str) -> None:
    Path("chat.yaml").write_text(chat)
    result = dynamoc(command, "chat.yaml", "--standalone", "--include=intermediate")
    assert (result.code, result.out) == (2, "")
    assert "--include intermediate cannot be combined with --standalone" in result.err


@pytest.mark.parametrize("command", ["render", "validate", "explain", "diff"])
def test_the_options_are_listed(dynamoc: Run, command: str) -> None:
    assert STANDALONE in COMMANDS[command]
    help_text = dynamoc(command, "--help").out
    assert "--standalone" in help_text
    assert "worker-hash" in help_text


def test_validate_finds_what_render_finds(dynamoc: Run, chat: str) -> None:
    Path("chat.yaml").write_text(chat)
    options = ("chat.yaml", "--standalone", "--omit=worker-hash")
    assert dynamoc("validate", *options).err == dynamoc("render", *options).err + "1 file, 1 graph\n"
    assert "standalone/without-operator" in dynamoc("validate", *options).err


def test_each_input_is_whole_in_a_file_of_its_own(dynamoc: Run) -> None:
    for name in ("a", "b"):
        Path(f"{name}.yaml").write_text(graph(name=name))
    result = dynamoc("render", "a.yaml", "b.yaml", "--standalone", "--output-dir", "out", "--layout", "per-input")
    assert result.code == 0
    assert result.err.count("Without the operator") == 1
    for name in ("a", "b"):
        kinds = [item["kind"] for item in yaml.safe_load_all(Path(f"out/{name}.yaml").read_text())]
        assert {"CustomResourceDefinition", "ClusterRole"} <= set(kinds)


def test_losses_are_reported_also_where_a_file_is_refused(dynamoc: Run, chat: str) -> None:
    Path("a.yaml").write_text(chat)
    Path("b.yaml").write_text(chat.replace("services:", "service:"))
    result = dynamoc("render", "a.yaml", "b.yaml", "--standalone", "--output-dir", "out", "--layout", "per-input")
    assert "nothing was written" in result.err
    assert result.err.count("[standalone/without-operator]") == 1


@pytest.mark.parametrize(
    ("subject", "builder"),
    [
        ("crd/dynamoworkermetadatas.nvidia.com", "worker-metadata-definition"),
        ("clusterrole/dynamo-platform-dynamo-operator-planner", "chart-roles"),
    ],
)
def test_added_objects_are_explained(dynamoc: Run, chat: str, subject: str, builder: str) -> None:
    Path("chat.yaml").write_text(chat)
    result = dynamoc("explain", "chat.yaml", subject, "kind", "--standalone")
    assert f"builder lower/standalone/additions/{builder}" in result.out
    assert dynamoc("explain", f"lower/standalone/additions/{builder}").code == 0
    assert dynamoc("explain", "chat.yaml", subject, "kind").code == 2


def test_a_line_that_only_the_operator_heeds_is_explained(dynamoc: Run, tmp_path: Path) -> None:
    identity = {"model": "named", "backendFramework": "vllm"}
    text = graph({"Worker": worker(checkpoint={"enabled": True, "mode": "Auto", "identity": identity})})
    Path("chat.yaml").write_text(text)
    Path("values.yaml").write_text("dynamo-operator: {checkpoint: {enabled: true}}\n")
    line = next(number for number, words in enumerate(text.splitlines(), 1) if "model: named" in words)
    options = ("--operator-version", "1.1", "--operator-config", "values.yaml")
    out = dynamoc("explain", f"chat.yaml:{line}", *options, "--standalone").out
    assert "It has an effect only in a cluster with the operator, not here." in out
    assert "goes to" in dynamoc("explain", f"chat.yaml:{line}", *options).out


def test_every_value_of_an_added_object_is_explained(dynamoc: Run, chat: str) -> None:
    Path("chat.yaml").write_text(chat)
    plain = dynamoc("render", "chat.yaml", "--standalone", "--omit=worker-hash").out
    commented = dynamoc("render", "chat.yaml", "--standalone", "--omit=worker-hash", "-o", "annotated").out
    assert list(yaml.safe_load_all(commented)) == list(yaml.safe_load_all(plain))
    [definition] = [text for text in commented.split("---\n") if "kind: CustomResourceDefinition" in text]
    values = [line for line in definition.splitlines() if not line.partition("#")[0].rstrip().endswith(":")]
    assert [line for line in values if "# builder lower/standalone/" not in line] == []


def test_the_page_tells_of_every_loss() -> None:
    text = PAGE.read_text()
    words = {
        "upkeep": "report status",
        "generations": "old generation",
        "rollouts": "old and new workers",
        "restarts": "one after the other",
        "grove-scaling": "podcliquescalinggroup",
        "lws-scaling": "each replica has its own",
        "scaling-adapters": "scaling adapters",
        "planners": "planners look for",
        "checkpoints": "start cold",
        "topology": "topology labels",
        "failover": "failover group",
        "models": "DynamoModels",
        "requests": "DynamoGraphDeploymentRequests",
        "services": "dynamo-operator.enabled=false",
    }
    assert words.keys() == LOSSES.keys()
    assert [loss for loss, word in words.items() if word not in text] == []


def test_the_list_of_pages_leads_to_the_page() -> None:
    assert "(standalone.md)" in (PAGE.parent / "README.md").read_text()
