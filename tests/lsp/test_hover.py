"""What a field means, what its default is, and what the operator makes of its value."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lsp.editor import SETTINGS, Editor, mark, talk
from tests.lsp.test_diagnostics import GRAPH, WIDE

NODES = GRAPH.replace("=4", "=2").replace(
    "      type: worker\n", "      type: worker\n      multinode: {nodeCount: 2}\n"
)


def hovered(folder: Path, text: str) -> str:
    """The text over the mark."""
    text, line, character = mark(text)
    found = []

    async def dialogue(editor: Editor) -> None:
        editor.open("graph.yaml", text)
        found.append(await editor.hover("graph.yaml", line, character))

    talk(folder, dialogue)
    return found[0]


def test_a_field_has_meaning_type_bounds_and_default(folder: Path) -> None:
    text = hovered(folder, NODES.replace("nodeCount: 2", "node‸Count: 2"))
    assert text.startswith("**nodeCount** (integer)\n\n")
    assert "At least 2." in text
    assert "Default: `2`." in text


def test_what_the_operator_makes_of_a_value_is_that_of_explain(folder: Path) -> None:
    text = hovered(folder, NODES.replace("nodeCount: 2", "nodeCount: ‸2"))
    assert "In release 1.4, this value" in text
    assert "podcliqueset/chat" in text
    assert "spec.replicas" in text


def test_a_value_of_an_enum_lists_the_others(folder: Path) -> None:
    text = hovered(folder, NODES.replace("type: worker", "type: wor‸ker"))
    assert "One of `frontend`, `worker`, `prefill`, `decode`, `planner`, `epp`." in text
    assert "goes to " in text


def test_a_type_of_v1alpha1_may_be_another_than_those_that_are_known(folder: Path) -> None:
    text = (
        "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata: {name: chat}\n"
        "spec: {services: {A: {component‸Type: main}}}\n"
    )
    assert "The operator knows `frontend`, `worker`, `planner`, `epp`." in hovered(folder, text)


def test_the_release_of_the_settings_decides(folder: Path) -> None:
    (folder / "dynamoc.yaml").write_text(SETTINGS.replace("1.4", "1.6"))
    assert "`lpx`" in hovered(folder, NODES.replace("type: worker", "type: wor‸ker"))


def test_a_field_without_effect_says_so(folder: Path) -> None:
    text = NODES.replace(
        "metadata: {name: chat, namespace: ml}", "metadata: {name: chat, namespace: ml, labels: {a: b}}"
    )
    text = text.replace("apiVersion: nvidia.com/v1beta1", "apiVersion: nvidia.com/v1beta1", 1)
    found = hovered(folder, text.replace("labels: {a: b}", "labels: {a: ‸b}"))
    assert "has no effect." in found


def test_a_mapping_has_its_meaning_alone(folder: Path) -> None:
    text = hovered(folder, NODES.replace("multinode:", "multi‸node:"))
    assert text == "**multinode** (object)\n\nA replica that spans several nodes."


@pytest.mark.parametrize(
    "text",
    [
        NODES.replace("metadata: {name: chat", "metadata: {name: '{{ .Values.name }}'").replace("type:", "ty‸pe:"),
        NODES.replace("type: worker", "nonsense‸: worker"),
        NODES.replace("spec:\n", "# a comm‸ent\nspec:\n", 1),
        "apiVersion: apps/v1\nkind: Deployment\nspec: {repli‸cas: 1}\n",
        "ser‸vices: {}\n",
        "‸",
    ],
    ids=["template", "unknown field", "comment", "other kind", "other program", "empty"],
)
def test_there_is_none(folder: Path, text: str) -> None:
    assert hovered(folder, text) == ""


def test_the_schema_is_known_where_the_text_has_errors(folder: Path) -> None:
    text = hovered(folder, NODES.replace("type: worker", "ty‸pe: nonsense"))
    assert text.startswith("**type** (string)")
    assert "In release" not in text


def test_a_second_document_is_explained_too(folder: Path) -> None:
    second = NODES.replace("name: chat", "name: other").replace("nodeCount: 2", "nodeCount: ‸2")
    assert "podcliqueset/other" in hovered(folder, f"{NODES}---\n{second}")


def test_wide_characters_in_front_of_a_value(folder: Path) -> None:
    text = hovered(folder, WIDE.replace('parallel-size=4"', 'parallel-size=‸4"').replace("=4", "=2"))
    assert text.startswith("**args** (string)")
