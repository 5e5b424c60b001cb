"""The command line, and documents of Dynamo 0.1 to 0.3."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from tests.cli.conftest import Run, dynamoc

__all__ = ["dynamoc"]

Tree = dict[str, Any]
Convert = Callable[..., "Converted"]
IMAGE = "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0"


class Converted(NamedTuple):
    """What `dynamoc convert` printed: objects, and findings as `slug line message`."""

    code: int
    objects: list[Tree]
    findings: list[Tree]

    def slugs(self) -> list[str]:
        return [item["slug"] for item in self.findings]

    def about(self, slug: str) -> list[tuple[int, str]]:
        """Line and message of the findings of a slug."""
        return [(item["place"]["line"], item["message"]) for item in self.findings if item["slug"] == slug]

    @property
    def component(self) -> Tree:
        """The last component of the first object."""
        found: Tree = self.objects[0]["spec"]["components"][-1]
        return found

    @property
    def main(self) -> Tree:
        found: Tree = self.component["podTemplate"]["spec"]["containers"][0]
        return found


@pytest.fixture
def convert(dynamoc: Run) -> Convert:
    """`convert(text, "--image", "x")`: what becomes of a file with that text."""

    def command(text: str, *options: str) -> Converted:
        Path("in.yaml").write_text(text)
        result = dynamoc("convert", "in.yaml", "--findings", "json", *options)
        objects = [item for item in yaml.safe_load_all(result.out) if item]
        return Converted(result.code, objects, json.loads(result.err)["findings"] if result.err else [])

    return command


def graph(services: str, head: str = "") -> str:
    """A graph of 0.2 with services, which are indented by 4."""
    lines = "".join(f"  {line}\n" for line in services.strip("\n").splitlines())
    return (
        "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata: {name: chat, namespace: team}\n"
        f"spec:\n  dynamoGraph: frontend:abc\n{head}  services:\n{lines}"
    )
