"""Diagnostics while somebody types: the findings of `dynamoc check`, at the same places."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlparse

from lsprotocol import types

from tests.lsp.editor import Editor, talk

ROOT = Path(__file__).parents[2]
GRAPH = """\
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: ml}
spec:
  components:
    - name: Worker
      type: worker
      podTemplate:
        spec:
          containers:
            - name: main
              image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0
              resources: {limits: {nvidia.com/gpu: "2"}}
              command: [python3, -m, dynamo.vllm]
              args: ["--model=Qwen/Qwen3-8B", "--tensor-parallel-size=4"]
"""
SETTINGS = 'operator-version: "1.4"\ntarget: grove\n'


def checked(path: Path) -> list[tuple[str, str, int, int]]:
    """Slug, severity, line and column of what the command reports, from 0."""
    words = [sys.executable, "-m", "dynamoc", "check", str(path), "-o", "json"]
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    found = []
    for each in json.loads(done.stdout)["findings"]:
        line, column = (each["line"] - 1, each["column"] - 1) if each.get("line") else (0, 0)
        found.append((each["name"], each["severity"], line, column))
    return found


def shown(diagnostics: list[types.Diagnostic]) -> list[tuple[str, str, int, int]]:
    names = {1: "error", 2: "warning", 3: "note"}
    return [
        (str(each.code), names[each.severity or 0], each.range.start.line, each.range.start.character)
        for each in diagnostics
    ]


def test_debug(tmp_path: Path) -> None:
    (tmp_path / "dynamoc.yaml").write_text(SETTINGS)
    path = tmp_path / "graph.yaml"
    path.write_text(GRAPH)

    async def dialogue(editor: Editor) -> None:
        editor.open("graph.yaml", GRAPH)
        print(await editor.diagnostics("graph.yaml"))
        print(await editor.hover("graph.yaml", 6, 14))
        print([each.label for each in await editor.completions("graph.yaml", 6, 14)])

    editor = talk(tmp_path, dialogue)
    print(editor.logged)
    print(checked(path))
    assert 0
