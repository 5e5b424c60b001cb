"""`--deny=context` and `requires --deny=missing`: what is missing is a gate."""

from __future__ import annotations

import io
import json
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from tests.cli.conftest import Run
from tests.requires.conftest import GRAPH

COMMANDS = ("render", "validate", "requires")
OPTIONS = ("--target", "grove", "--operator-version", "1.4")
OBJECTS = {
    "Secret/token": "apiVersion: v1\nkind: Secret\nmetadata: {name: token, namespace: team}\n",
    "Secret/registry": "apiVersion: v1\nkind: Secret\nmetadata: {name: registry, namespace: team}\n",
    "PersistentVolumeClaim/models": "apiVersion: v1\nkind: PersistentVolumeClaim\n"
    "metadata: {name: models, namespace: team}\nspec: {accessModes: [ReadWriteOnce], resources: {}}\n",
    "PriorityClass/high": "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 1\n",
}
CLAIM = "context/unknown-claim"
PLAIN = GRAPH[: GRAPH.index("    Worker:")].replace("name: chat", "name: plain")


def missing(dynamoc: Run, command: str, *options: str) -> tuple[int, list[str]]:
    result = dynamoc(command, *options, *OPTIONS, "--deny=context", "--findings", "json")
    # What the operator looks up itself has findings of its own.
    found = [item for item in json.loads(result.err)["findings"] if item["slug"] in ("context/missing", CLAIM)]
    assert {item["severity"] for item in found} <= {"error"}
    return result.code, sorted(item["message"].partition(" is not in")[0].replace("`", "") for item in found)


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_nowhere_is_an_error(dynamoc: Run, command: str) -> None:
    Path("chat.yaml").write_text(GRAPH)
    assert missing(dynamoc, command, "chat.yaml") == (
        1, ["PersistentVolumeClaim team/models", "PriorityClass high", "Secret team/registry", "Secret team/token"],
    )  # fmt: skip
    assert dynamoc(command, "chat.yaml", *OPTIONS).code == 0
    assert dynamoc(command, "chat.yaml", *OPTIONS, "--deny=context").out == "" or command == "requires"


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("beside", [False, True])
def test_what_is_shown_is_there(dynamoc: Run, command: str, beside: bool) -> None:
    Path("chat.yaml").write_text(GRAPH)
    Path("objects.yaml").write_text("---\n".join(OBJECTS.values()))
    paths = ("chat.yaml", "objects.yaml") if beside else ("chat.yaml", "--cluster", "objects.yaml")
    assert missing(dynamoc, command, *paths) == (0, [])
    for name, text in OBJECTS.items():
        Path("objects.yaml").write_text("---\n".join(item for item in OBJECTS.values() if item != text))
        code, found = missing(dynamoc, command, *paths)
        assert (code, [item.replace(" team/", "/").replace(" ", "/") for item in found]) == (1, [name])


def test_a_finding_has_its_line(dynamoc: Run) -> None:
    Path("chat.yaml").write_text(GRAPH)
    line = GRAPH[: GRAPH.index("envFromSecret")].count("\n") + 1
    result = dynamoc("validate", "chat.yaml", *OPTIONS, "--deny=context")
    assert f"chat.yaml:{line}:" in result.err
    assert "Secret `team/token` is not in the input or --cluster; it is named in Worker: " in result.err
    assert "envFrom[0].secretRef.name of PodCliqueSet/chat" in result.err


def test_objects_of_the_input_without_a_namespace_are_where_the_graph_is(dynamoc: Run) -> None:
    Path("chat.yaml").write_text(GRAPH.replace("  namespace: team\n", ""))
    Path("objects.yaml").write_text("---\n".join(OBJECTS.values()).replace(", namespace: team", ""))
    for options in ((), ("-n", "prod"), ("--namespace", "prod")):
        assert missing(dynamoc, "render", "chat.yaml", "objects.yaml", *options) == (0, [])
        assert missing(dynamoc, "render", "chat.yaml", "--cluster", "objects.yaml", *options) == (0, [])


def test_optional_references_may_lead_nowhere(dynamoc: Run) -> None:
    env = "env: [{name: A, valueFrom: {secretKeyRef: {name: wandb, key: k, optional: true}}}]"
    Path("plain.yaml").write_text(PLAIN.replace("image: ", f"{env}\n          image: "))
    assert missing(dynamoc, "render", "plain.yaml") == (0, [])
    Path("plain.yaml").write_text(Path("plain.yaml").read_text().replace(", optional: true", ""))
    assert missing(dynamoc, "render", "plain.yaml") == (1, ["Secret team/wandb"])


@pytest.mark.parametrize(
    "options", [(), ("--operator-version", "0.6"), ("--operator-version", "1.0"), ("--standalone",)]
)
def test_what_the_operator_creates_is_there(dynamoc: Run, options: tuple[str, ...]) -> None:
    Path("plain.yaml").write_text(PLAIN)
    result = dynamoc("validate", "plain.yaml", "--target", "plain", "--deny=context", *options)
    assert (result.code, "context/missing" in result.err) == (0, False)


def test_those_that_refer_to_nothing_missing_are_rendered(dynamoc: Run) -> None:
    Path("in").mkdir()
    Path("in/chat.yaml").write_text(GRAPH)
    Path("in/plain.yaml").write_text(PLAIN)
    result = dynamoc("render", "in", *OPTIONS, "--deny=context", "--keep-going")
    assert result.code == 1
    assert result.out == dynamoc("render", "in/plain.yaml", *OPTIONS).out
    per_input = ("--output-dir", "out", "--layout", "per-input", "--keep-going")
    assert dynamoc("render", "in", *OPTIONS, *per_input).code == 0
    assert dynamoc("render", "in", *OPTIONS, *per_input, "--deny=context").code == 1
    assert [path.name for path in Path("out").glob("*.yaml")] == ["plain.yaml"]


def test_stdin_is_read_once(dynamoc: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for command in COMMANDS:
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(GRAPH.encode())))
        code, found = missing(dynamoc, command, "-")
        assert (code, len(found)) == (1, len(OBJECTS))


def test_missing_things_fail_where_that_is_asked_for(dynamoc: Run) -> None:
    Path("chat.yaml").write_text(GRAPH)
    namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: team}\n"
    crds = "".join(
        "---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
        f"metadata: {{name: x.{group}}}\n"
        f"spec: {{group: {group}, names: {{kind: {kind}}}, versions: [{{name: {version}, served: true}}]}}\n"
        for group, kind, version in (("grove.io", "PodCliqueSet", "v1alpha1"),)
    )
    command = ("requires", "chat.yaml", *OPTIONS, "--cluster", "objects.yaml")
    Path("objects.yaml").write_text("---\n".join([*OBJECTS.values(), namespace]) + crds)
    whole = dynamoc(*command, "--deny=missing")
    assert "nothing is missing" in whole.out, whole.out
    assert whole.code == 0
    Path("objects.yaml").write_text("---\n".join(list(OBJECTS.values())[1:]) + f"---\n{namespace}{crds}")
    for style in ("text", "json", "script"):
        lacking = dynamoc(*command, "--deny=missing", "-o", style)
        assert lacking.code == 1
        assert lacking.out == dynamoc(*command, "-o", style).out != ""
    assert dynamoc(*command).code == dynamoc(*command, "--allow=refused").code == 0
    # An API is missing too.
    Path("objects.yaml").write_text("---\n".join([*OBJECTS.values(), namespace]))
    assert dynamoc(*command, "--deny=missing").code == 1
    assert dynamoc(*command, "--deny=missing", "--cluster", "grove.io/v1alpha1").code == 0
    assert yaml.safe_load(dynamoc(*command, "-o", "json").out)["summary"]["missing"] == 1
