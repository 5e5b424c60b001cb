"""Each command prints each of its formats, and each is the format of its name."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import jsonschema
import pytest

from tests import quick_yaml
from tests.cli.conftest import Run, dynamoc
from tests.coverage.command_line import options

__all__ = ["dynamoc"]

OPTIONS = ("--output", "--findings", "--format")
GRAPH = """\
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: ml}
spec:
  components:
  - name: Frontend
    type: frontend
    podTemplate: {spec: {containers: [{name: main, image: "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0"}]}}
"""
#: the words of a command line before its format; a new command with formats is added here
LINES = {
    "render": "good.yaml",
    "validate": "wrong.yaml",
    "check": "wrong.yaml",
    "explain": "good.yaml deployment/chat-frontend spec.replicas",
    "diff": "good.yaml other.yaml",
    "upgrade": "good.yaml --from 1.2 --to 1.4",
    "requires": "good.yaml",
    "convert": "good.yaml --to v1alpha1",
    "report": "good.yaml",
    "plugin helm": "",
    "schema": "DynamoGraphDeployment",
}


def formats() -> Iterator[tuple[str, str, str]]:
    """Command, option and format."""
    for command, option in options():
        for flag in {*option.opts} & {*OPTIONS}:
            yield from ((command, flag, choice) for choice in getattr(option.type, "choices", ()))


ALL = sorted(formats())


def is_json(text: str) -> bool:
    return isinstance(json.loads(text), dict | list)


def is_text(text: str) -> bool:
    return bool(text.strip()) and text[0] not in "{[<:"


def are_objects(text: str) -> bool:
    return all({"apiVersion", "kind"} <= set(item) for item in quick_yaml.load_all(text)) and text[0] != "{"


def is_schema(text: str) -> bool:
    jsonschema.Draft202012Validator.check_schema(json.loads(text))
    return "properties" in json.loads(text)


#: what a text in a format is; a new format is added here
FORMATS: dict[str, Callable[[str], bool]] = {
    "text": is_text,
    "json": is_json,
    "jsonl": lambda text: all("list" in json.loads(line) for line in text.splitlines()),
    "yaml": are_objects,
    "annotated": lambda text: are_objects(text) and " # " in text,
    "crd": are_objects,
    "jsonschema": is_schema,
    "kustomize": lambda text: "definitions" in json.loads(text),
    "github": lambda text: text.startswith("::"),
    "sarif": lambda text: bool(json.loads(text)["runs"]),
    "gitlab": lambda text: "check_name" in json.loads(text)[0],
    "junit": lambda text: ElementTree.fromstring(text).tag == "testsuites",
    "checkstyle": lambda text: ElementTree.fromstring(text).tag == "checkstyle",
    "unified": lambda text: text.startswith("--- "),
    "markdown": lambda text: "**" in text or text.startswith("#"),
    "html": lambda text: text.lower().startswith("<!doctype html>"),
    "svg": lambda text: ElementTree.fromstring(text).tag.endswith("svg"),
    "mermaid": lambda text: "flowchart" in text,
    "dot": lambda text: text.startswith("digraph"),
    "script": lambda text: text.startswith("#!/bin/sh"),
}


@pytest.fixture
def inputs(dynamoc: Run) -> None:
    Path("good.yaml").write_text(GRAPH)
    Path("other.yaml").write_text(GRAPH.replace("1.4.0", "1.4.1"))
    Path("wrong.yaml").write_text(GRAPH.replace("type: frontend", "typo: frontend"))


@pytest.mark.parametrize(("command", "flag", "name"), ALL, ids=map(" ".join, ALL))
def test_a_format_is_printed(
    command: str, flag: str, name: str, dynamoc: Run, inputs: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = LINES[command].split()
    if flag == "--findings":
        words = [word.replace("good", "wrong") for word in words]
    if name == "kustomize":
        # Two files, which one stream cannot hold.
        words = ["--output-dir", "written"]
    if command == "plugin helm":
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(Path("wrong.yaml").read_bytes())))
    result = dynamoc(*command.split(), *words, flag, name)
    assert result.code in (0, 1, 2 if flag == "--findings" else 1), result.err
    text = result.err if flag == "--findings" or (command in ("validate", "check") and name == "text") else result.out
    for path in Path().glob("written/*.json"):
        text = path.read_text()
    assert FORMATS[name](text), text[:2000]


def test_all_commands_are_looked_at() -> None:
    assert {command for command, _, _ in ALL} == set(LINES)
    assert {name for _, _, name in ALL} == set(FORMATS)
