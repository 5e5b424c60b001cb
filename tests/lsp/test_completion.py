"""What may be typed: fields, values and engine arguments, also where the text does not parse."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from tests.lsp.editor import SETTINGS, Editor, applied, mark, talk
from tests.lsp.test_diagnostics import GRAPH

HEAD = "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nmetadata: {name: chat}\nspec:\n"
ALPHA = "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata: {name: chat}\nspec:\n"
COMPONENT = HEAD + "  components:\n    - name: A\n"
CONTAINER = COMPONENT + "      podTemplate:\n        spec:\n          containers:\n            - name: main\n"
VLLM = CONTAINER + "              command: [python3, -m, dynamo.vllm]\n"


def completed(folder: Path, text: str) -> tuple[str, list[types.CompletionItem]]:
    """The text without its mark, and what is offered there."""
    text, line, character = mark(text)
    found: list[types.CompletionItem] = []

    async def dialogue(editor: Editor) -> None:
        editor.open("graph.yaml", text)
        found.extend(await editor.completions("graph.yaml", line, character))

    talk(folder, dialogue)
    return text, sorted(found, key=lambda each: each.sort_text or each.label)


def labels(folder: Path, text: str) -> list[str]:
    return [each.label for each in completed(folder, text)[1]]


def chosen(folder: Path, text: str, label: str) -> str:
    """The text after one of the items was taken."""
    text, items = completed(folder, text)
    (item,) = [each for each in items if each.label == label]
    assert isinstance(item.text_edit, types.TextEdit)
    return applied(text, [item.text_edit])


def test_fields_are_described_the_required_ones_first_and_none_that_is_there(folder: Path) -> None:
    _, items = completed(folder, HEAD + "  components:\n    - type: worker\n      ‸\n")
    assert items[0].label == "name"
    assert items[0].detail == "string, required"
    assert [each.label for each in items].count("type") == 0
    by_label = {each.label: each for each in items}
    multinode = by_label["multinode"].documentation
    assert isinstance(multinode, types.MarkupContent)
    assert multinode.value == "A replica that spans several nodes."


def test_a_word_that_is_being_typed_is_replaced(folder: Path) -> None:
    text = COMPONENT + "      repl‸\n      type: worker\n"
    assert chosen(folder, text, "replicas") == COMPONENT + "      replicas: \n      type: worker\n"
    assert chosen(folder, text, "multinode") == COMPONENT + "      multinode:\n      type: worker\n"


def test_the_key_of_a_field_keeps_its_colon(folder: Path) -> None:
    assert chosen(folder, COMPONENT + "      repl‸: 2\n", "replicas") == COMPONENT + "      replicas: 2\n"


def test_a_value_behind_its_colon_gets_a_space(folder: Path) -> None:
    assert chosen(folder, COMPONENT + "      type:‸\n", "worker") == COMPONENT + "      type: worker\n"
    assert chosen(folder, COMPONENT + "      type: ‸\n", "worker") == COMPONENT + "      type: worker\n"
    assert chosen(folder, COMPONENT + '      type: "wo‸"\n', "worker") == COMPONENT + '      type: "worker"\n'


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (COMPONENT + "      type: ‸", ["decode", "epp", "frontend", "planner", "prefill", "worker"]),
        (COMPONENT + "      podTemplate: {spec: {hostNetwork: ‸}}", ["false", "true"]),
        (CONTAINER + "              imagePullPolicy: ‸", ["Always", "IfNotPresent", "Never"]),
        (HEAD + "  backendFramework: ‸\n", ["sglang", "trtllm", "vllm"]),
        (ALPHA + "  services:\n    A:\n      componentType: ‸", ["epp", "frontend", "planner", "worker"]),
        (ALPHA + "  services:\n    A:\n      subComponentType: ‸", ["decode", "prefill"]),
        ("apiVersion: ‸\nkind: DynamoGraphDeployment\n", ["nvidia.com/v1alpha1", "nvidia.com/v1beta1"]),
    ],
    ids=["type", "boolean", "Kubernetes", "backend", "v1alpha1", "sub type", "version"],
)
def test_values(folder: Path, text: str, wanted: list[str]) -> None:
    assert labels(folder, text) == wanted


@pytest.mark.parametrize(
    ("text", "some"),
    [
        ("‸\napiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\n", "metadata"),
        (HEAD + "  ‸", "components"),
        (HEAD + "  components:\n    - ‸", "name"),
        (HEAD + "  components:\n    - na‸\n      type: worker\n", "name"),
        (HEAD + "  components:\n  - name: A\n    ‸\n  - name: B\n", "type"),
        (HEAD + "  components: [{name: A, ‸}]", "type"),
        (HEAD + "  components: [{name: A,\n    t‸}]", "type"),
        (COMPONENT + "      podTemplate: {spec: {cont‸\n      type: worker\n", "containers"),
        (COMPONENT + '      podTemplate: {spec: {"cont‸"}}', "containers"),
        (COMPONENT + "      podTemplate:\n        ‸\n      type: worker\n", "spec"),
        (COMPONENT + "      broken\n      also: [broken\n      ‸\n", "type"),
        ("a: 1\n---\n" + COMPONENT + "      ‸\n---\nb: 2\n", "type"),
        (COMPONENT + "      args: |\n        text\n      ‸\n", "type"),
        ("apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nmetadata:\n  ‸", "labels"),
    ],
)
def test_fields_by_indentation_and_brackets(folder: Path, text: str, some: str) -> None:
    assert some in labels(folder, text)


@pytest.mark.parametrize(
    "text",
    [
        "services:\n  ‸",
        "‸",
        "apiVersion: v1\nkind: ConfigMap\ndata:\n  ‸",
        "kind: ‸",
        COMPONENT + "      # ‸",
        COMPONENT + "      type: worker # ‸",
        CONTAINER + "              args:\n                - |\n                  tex‸\n",
        COMPONENT.replace("name: chat", "name: '{{ .Values.name }}'") + "      ‸",
        COMPONENT + "      {{- if .Values.gpu }}\n      ‸\n",
        COMPONENT + "      nonsense:\n        ‸\n",
        CONTAINER + "              args:\n                - --‸\n",
        CONTAINER + "              command: [python3, -m, dynamo.frontend]\n              args: [--‸]\n",
    ],
    ids=[
        "other program", "empty", "other kind", "kind alone", "comment", "comment behind", "text", "template", "action",
        "unknown field", "no engine", "frontend",
    ],
)  # fmt: skip
def test_there_is_nothing(folder: Path, text: str) -> None:
    assert labels(folder, text) == []


def test_fields_are_those_of_the_release(folder: Path) -> None:
    text = COMPONENT + "      ‸"
    assert "roles" not in labels(folder, text)
    (folder / "dynamoc.yaml").write_text(SETTINGS.replace("1.4", "1.6"))
    assert "roles" in labels(folder, text)


def test_component_types_of_v1alpha1_are_those_of_the_release(folder: Path) -> None:
    (folder / "dynamoc.yaml").write_text('operator-version: "0.6"\n')
    text = ALPHA + "  services:\n    A:\n      componentType: ‸"
    assert labels(folder, text) == ["frontend", "planner", "worker"]


def test_arguments_of_the_engine_in_a_block_and_in_brackets(folder: Path) -> None:
    block = VLLM + "              args:\n                - --model\n                - x\n                - --tensor‸\n"
    assert "--tensor-parallel-size" in (found := labels(folder, block))
    assert "--disaggregation-mode" in found
    assert "--model" not in found
    assert chosen(folder, block, "--tensor-parallel-size").endswith("- --tensor-parallel-size\n")
    brackets = VLLM + '              args: ["--model=x", "--max-‸"]\n'
    assert chosen(folder, brackets, "--max-model-len").endswith('args: ["--model=x", "--max-model-len"]\n')


@pytest.mark.parametrize(
    ("command", "flag"),
    [
        ("dynamo.vllm", "--max-num-seqs"),
        ("dynamo.sglang", "--mem-fraction-static"),
        ("dynamo.trtllm", "--extra-engine-args"),
    ],
)
def test_each_engine_has_its_own(folder: Path, command: str, flag: str) -> None:
    others = {"--max-num-seqs", "--mem-fraction-static", "--extra-engine-args"} - {flag}
    text = CONTAINER + f"              command: [python3, -m, {command}]\n              args:\n                - -‸\n"
    found = set(labels(folder, text))
    assert flag in found
    assert not others & found


def test_the_engine_is_known_by_the_graph_or_the_image_too(folder: Path) -> None:
    args = "              args:\n                - --‸\n"
    image = "              image: nvcr.io/nvidia/ai-dynamo/sglang-runtime:1.4.0\n"
    assert "--mem-fraction-static" in labels(folder, CONTAINER + image + args)
    graph = CONTAINER.replace("spec:\n", "spec:\n  backendFramework: trtllm\n", 1)
    assert "--extra-engine-args" in labels(folder, graph + args)


def test_values_of_arguments(folder: Path) -> None:
    inline = VLLM + "              args:\n                - --dtype=‸\n"
    assert "--dtype=bfloat16" in labels(folder, inline)
    behind = VLLM + "              args:\n                - --dtype\n                - ‸\n"
    assert "bfloat16" in labels(folder, behind)


def test_a_whole_graph_that_is_valid_has_completions(folder: Path) -> None:
    """The position is counted in UTF-16, behind a character of two units."""
    text = GRAPH.replace('"--model=Qwen/Qwen3-8B"', '"--model=\U0001f996", "--max-mod‸"')
    assert '"--max-model-len"' in chosen(folder, text, "--max-model-len")
