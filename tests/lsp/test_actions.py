"""What is offered to do about a finding."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from tests.lsp.editor import Editor, applied, talk
from tests.lsp.test_diagnostics import GRAPH


def offered(folder: Path, text: str, name: str = "graph.yaml") -> dict[str, str]:
    """The text after each of the actions on the first finding, by title."""
    results = {}

    async def dialogue(editor: Editor) -> None:
        editor.open(name, text)
        found = await editor.diagnostics(name)
        for action in await editor.actions(name, found[:1]):
            assert action.edit is not None
            results[action.title] = applied(text, list((action.edit.changes or {})[editor.uri(name)]))

    talk(folder, dialogue)
    return results


def left(folder: Path, text: str) -> list[str]:
    found: list[str] = []

    async def dialogue(editor: Editor) -> None:
        editor.open("graph.yaml", text)
        found.extend(str(each.code) for each in await editor.diagnostics("graph.yaml"))

    talk(folder, dialogue)
    return found


CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: ml}\n"
BLOCKS = GRAPH.replace(
    'args: ["--model=Qwen/Qwen3-8B", "--tensor-parallel-size=4"]',
    "args:\n              - |\n                --model=Qwen/Qwen3-8B\n                --tensor-parallel-size=4\n",
)


@pytest.mark.parametrize(
    "text",
    [GRAPH, GRAPH.replace("\n", "\r\n"), f"---\n{GRAPH}", f"# a comment\n{GRAPH}", f"{CONFIG}---\n{GRAPH}", BLOCKS],
    ids=["plain", "CR LF", "marker", "comment", "second", "block"],
)
@pytest.mark.parametrize("where", ["here", "in this document"])
def test_a_comment_leaves_the_finding_out(folder: Path, text: str, where: str) -> None:
    found = offered(folder, text)
    changed = found[f"Ignore check/too-few-gpus {where}, with a reason"]
    assert changed.replace("# dynamoc: ignore check/too-few-gpus: say why", "").split() == text.split()
    assert changed.count("\r\n") in (0, text.count("\r\n") + 1)
    assert "check/too-few-gpus" in left(folder, text)
    assert "check/too-few-gpus" not in left(folder, changed)
    assert "check/useless-comment" not in left(folder, changed)


def test_what_the_operator_rejects_cannot_be_left_out(folder: Path) -> None:
    assert not [
        title for title in offered(folder, GRAPH.replace("type: worker", "type: nonsense")) if "Ignore" in title
    ]


def test_json_has_no_comments(folder: Path) -> None:
    text = (
        '{"apiVersion": "nvidia.com/v1beta1", "kind": "DynamoGraphDeployment", "metadata": {"name": "a"}, "spec": {}}'
    )
    assert not [title for title in offered(folder, text, "graph.json") if "Ignore" in title]


def test_other_kinds_of_actions_are_not_offered(folder: Path) -> None:
    async def dialogue(editor: Editor) -> None:
        editor.open("graph.yaml", GRAPH)
        found = await editor.diagnostics("graph.yaml")
        context = types.CodeActionContext(found, only=[types.CodeActionKind.Refactor])
        params = types.CodeActionParams(editor.file("graph.yaml"), found[0].range, context)
        assert not await editor.client.text_document_code_action_async(params)
        foreign = types.Diagnostic(found[0].range, "other", code="check/too-few-gpus", source="other program")
        assert await editor.actions("graph.yaml", [foreign]) == []

    talk(folder, dialogue)


@pytest.mark.parametrize(
    ("wrong", "right", "slug"),
    [("replicsa: 2", "replicas: 2", "schema/unknown-field"), ("type: Worker", "type: worker", "schema/enum")],
)
@pytest.mark.parametrize("before", ["", "# \U0001f996\u2028\n"])
def test_a_fix_is_the_one_of_the_command_and_keeps_comments(
    folder: Path, wrong: str, right: str, slug: str, before: str
) -> None:
    text = before + GRAPH.replace("=4", "=2").replace("      type: worker", f"      {wrong} # \U0001f996 why", 1)
    found = offered(folder, text)
    assert text.replace(wrong, right) in found.values()
    assert slug in left(folder, text)
    assert slug not in left(folder, text.replace(wrong, right))
