"""From names to what has them, and a component that gets another name with all that refers to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.lsp.editor import Editor, applied, mark, talk
from tests.lsp.test_diagnostics import GRAPH

CLAIM = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata:\n  name: models\n  namespace: ml\nspec: {}\n"
POD = """\
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: ml}
spec:
  restart: {id: a, strategy: {order: [Worker, "Frontend"]}}
  components:
    - name: Frontend
      type: frontend
    - name: Worker
      type: worker
      podTemplate:
        spec:
          imagePullSecrets: [{name: registry}]
          containers:
            - name: main
              volumeMounts: [{name: weights, mountPath: /models}]
              envFrom:
                - secretRef: {name: token}
                - configMapRef:
                    name: engine
          volumes:
            - name: weights
              persistentVolumeClaim:
                claimName: models
"""
ALPHA = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: ml}
spec:
  pvcs: [{name: models, create: false}]
  services:
    Frontend:
      serviceName: Frontend
      componentType: frontend
    Worker:
      envFromSecret: token
      volumeMounts:
        - name: models
"""


def found(folder: Path, text: str, others: dict[str, str], opened: tuple[str, ...] = ()) -> list[tuple[str, int, str]]:
    """File, line and text of the definitions of what is at the mark; others are on disk, or only `opened`."""
    text, line, character = mark(text)
    for name, content in others.items():
        if name not in opened:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content)
    answers: list[tuple[str, int, str]] = []

    async def dialogue(editor: Editor) -> None:
        editor.open("graph.yaml", text)
        for name in opened:
            editor.open(name, others[name])
        contents = {editor.uri(name): content for name, content in {**others, "graph.yaml": text}.items()}
        names = {editor.uri(name): name for name in [*others, "graph.yaml"]}
        for each in await editor.definitions("graph.yaml", line, character):
            shown = contents[each.uri].split("\n")[each.range.start.line]
            word = shown[each.range.start.character : each.range.end.character]
            answers.append((names[each.uri], each.range.start.line, word))

    talk(folder, dialogue)
    return answers


def an_object(kind: str, name: str, namespace: str = "ml") -> str:
    return f"apiVersion: v1\nkind: {kind}\nmetadata: {{name: {name}, namespace: {namespace}}}\n"


@pytest.mark.parametrize(
    ("word", "kind", "name"),
    [
        ("claimName: mod‸els", "PersistentVolumeClaim", "models"),
        ("{name: tok‸en}", "Secret", "token"),
        ("name: eng‸ine", "ConfigMap", "engine"),
        ("{name: regis‸try}", "Secret", "registry"),
    ],
)
def test_from_a_name_to_an_object_of_another_file(folder: Path, word: str, kind: str, name: str) -> None:
    text = POD.replace(word.replace("‸", ""), word)
    others = {
        "deep/other.yaml": an_object(kind, "another") + "---\n" + an_object(kind, name),
        "wrong-kind.yaml": an_object("Service", name),
        "wrong-namespace.yaml": an_object(kind, name, "other"),
    }
    assert found(folder, text, others) == [("deep/other.yaml", 6, name)]


def test_from_a_name_to_an_object_of_the_same_file_and_of_an_open_one(folder: Path) -> None:
    text = POD.replace("claimName: models", "claimName: mod‸els")
    assert found(folder, text + "---\n" + CLAIM, {}) == [("graph.yaml", 28, "models")]
    assert found(folder, text, {"open.yaml": CLAIM}, opened=("open.yaml",)) == [("open.yaml", 3, "models")]


def test_from_a_mount_to_its_volume_and_from_an_order_to_its_component(folder: Path) -> None:
    assert found(folder, POD.replace("[{name: weights", "[{name: wei‸ghts"), {}) == [("graph.yaml", 21, "weights")]
    assert found(folder, POD.replace("[Worker", "[Wor‸ker"), {}) == [("graph.yaml", 8, "Worker")]
    assert found(folder, POD.replace('"Frontend"', '"Fron‸tend"'), {}) == [("graph.yaml", 6, "Frontend")]


def test_in_v1alpha1_from_a_mount_to_the_claim_of_the_graph_and_on_to_the_object(folder: Path) -> None:
    assert found(folder, ALPHA.replace("- name: models", "- name: mod‸els"), {}) == [("graph.yaml", 4, "models")]
    text = ALPHA.replace("[{name: models", "[{name: mod‸els")
    assert found(folder, text, {"claim.yaml": CLAIM}) == [("claim.yaml", 3, "models")]
    text = ALPHA.replace("envFromSecret: token", "envFromSecret: tok‸en")
    assert found(folder, text, {"secret.yaml": an_object("Secret", "token")}) == [("secret.yaml", 2, "token")]


ADAPTER = """\
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeploymentScalingAdapter
metadata: {name: chat-worker, namespace: ml}
spec:
  dgdRef: {name: chat, componentName: Worker}
"""
AUTOSCALER = """\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: chat, namespace: ml}
spec:
  scaleTargetRef: {apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeploymentScalingAdapter, name: chat-worker}
"""


def test_from_adapters_and_autoscalers_to_components_and_graphs(folder: Path) -> None:
    others = {"pod.yaml": POD, "wrong.yaml": POD.replace("namespace: ml", "namespace: other")}
    text = ADAPTER.replace("componentName: Worker", "componentName: Wor‸ker")
    assert found(folder, text, others) == [("pod.yaml", 8, "Worker")]
    text = ADAPTER.replace("dgdRef: {name: chat", "dgdRef: {name: ch‸at")
    assert found(folder, text, others) == [("pod.yaml", 2, "chat")]
    text = AUTOSCALER.replace("name: chat-worker", "name: chat-wor‸ker")
    assert found(folder, text, others) == [("pod.yaml", 8, "Worker")]


@pytest.mark.parametrize(
    "text",
    [
        POD.replace("type: worker", "type: wor‸ker"),
        POD.replace("name: chat", "name: '{{ .x }}'").replace("claimName: models", "claimName: mod‸els"),
    ],
)
def test_from_other_values_and_in_templates_there_is_no_way(folder: Path, text: str) -> None:
    assert found(folder, text, {"claim.yaml": CLAIM}) == []


def renamed(folder: Path, texts: dict[str, str], new: str, opened: tuple[str, ...] = ()) -> dict[str, str]:
    """The texts after the component at the mark, in the first text, got a new name; others are on disk or `opened`."""
    name = next(iter(texts))
    texts[name], line, character = mark(texts[name])
    for other, content in texts.items():
        (folder / other).write_text(content)
    results = dict(texts)

    async def dialogue(editor: Editor) -> None:
        for each in (name, *opened):
            editor.open(each, texts[each])
        at = types.Position(line, character)
        prepared = await editor.client.text_document_prepare_rename_async(
            types.PrepareRenameParams(editor.file(name), at)
        )
        assert isinstance(prepared, types.PrepareRenamePlaceholder)
        answer = await editor.client.text_document_rename_async(types.RenameParams(editor.file(name), at, new))
        assert answer is not None
        for uri, edits in (answer.changes or {}).items():
            (other,) = [each for each in texts if editor.uri(each) == uri]
            results[other] = applied(texts[other], list(edits))

    talk(folder, dialogue)
    return results


def test_a_component_is_renamed_with_all_references(folder: Path) -> None:
    texts = {
        "graph.yaml": POD.replace("- name: Worker", "- name: Wor‸ker"),
        "adapter.yaml": ADAPTER,
        "scaler.yaml": AUTOSCALER,
        "unrelated.yaml": ADAPTER.replace("dgdRef: {name: chat", "dgdRef: {name: other"),
        "elsewhere.yaml": ADAPTER.replace("namespace: ml", "namespace: other"),
    }
    result = renamed(folder, dict(texts), "Decode-1")
    assert result["graph.yaml"] == POD.replace("Worker", "Decode-1")
    assert result["adapter.yaml"] == ADAPTER.replace("componentName: Worker", "componentName: Decode-1")
    assert result["scaler.yaml"] == AUTOSCALER.replace("chat-worker", "chat-decode-1")
    assert result["unrelated.yaml"] == texts["unrelated.yaml"]
    assert result["elsewhere.yaml"] == texts["elsewhere.yaml"]


def test_in_v1alpha1_the_key_is_renamed_and_the_name_beside_it(folder: Path) -> None:
    result = renamed(folder, {"graph.yaml": ALPHA.replace("    Frontend:", "    Fron‸tend:")}, "Entry")
    assert result["graph.yaml"] == ALPHA.replace("Frontend", "Entry")


def test_a_quoted_name_stays_quoted_and_a_reference_renames_as_well(folder: Path) -> None:
    result = renamed(folder, {"graph.yaml": POD.replace('"Frontend"', '"Fron‸tend"')}, "Entry")
    assert result["graph.yaml"] == POD.replace("Frontend", "Entry")
    assert '"Entry"' in result["graph.yaml"]


def test_graphs_of_the_same_name_in_other_files_stay_as_they_are(folder: Path) -> None:
    texts = {"graph.yaml": POD.replace("- name: Worker", "- name: Wor‸ker"), "other.yaml": POD, "adapter.yaml": ADAPTER}
    result = renamed(folder, texts, "Decode")
    assert (result["other.yaml"], result["adapter.yaml"]) == (POD, ADAPTER)
    assert result["graph.yaml"] == POD.replace("Worker", "Decode")


@pytest.mark.parametrize("new", ["", "a b", "-a", "a: b", "x" * 64, "Frontend"])
def test_a_name_that_a_component_cannot_have_is_refused(folder: Path, new: str) -> None:
    with pytest.raises(JsonRpcException, match=r"name|component"):
        renamed(folder, {"graph.yaml": POD.replace("- name: Worker", "- name: Wor‸ker")}, new)


def test_nothing_else_can_be_renamed(folder: Path) -> None:
    answers: list[Any] = []

    async def dialogue(editor: Editor) -> None:
        editor.open("graph.yaml", GRAPH)
        for line, column in ((1, 8), (6, 13), (2, 18), (14, 20)):
            params = types.PrepareRenameParams(editor.file("graph.yaml"), types.Position(line, column))
            answers.append(await editor.client.text_document_prepare_rename_async(params))

    talk(folder, dialogue)
    assert answers == [None] * 4


def test_symbols_are_objects_with_their_components(folder: Path) -> None:
    names: list[Any] = []

    async def dialogue(editor: Editor) -> None:
        editor.open("graph.yaml", POD + "---\n" + CLAIM)
        params = types.DocumentSymbolParams(editor.file("graph.yaml"))
        for each in await editor.client.text_document_document_symbol_async(params) or []:
            assert isinstance(each, types.DocumentSymbol)
            names.append((each.name, [child.name for child in each.children or []]))

    talk(folder, dialogue)
    assert names == [
        ("DynamoGraphDeployment/chat", ["Frontend", "Worker"]),
        ("PersistentVolumeClaim/models", []),
    ]


def test_what_is_rendered_leads_back_to_the_input(folder: Path) -> None:
    async def dialogue(editor: Editor) -> None:
        editor.open("graph.yaml", GRAPH.replace("=4", "=2"))
        params = types.ExecuteCommandParams("dynamoc.render", [editor.uri("graph.yaml")])
        answer: Any = await editor.client.workspace_execute_command_async(params)
        lines = answer["text"].split("\n")
        (line,) = [number for number, text in enumerate(lines) if "image: nvcr.io" in text]
        file = types.TextDocumentIdentifier(answer["uri"])
        params = types.DefinitionParams(file, types.Position(line, 30))
        (place,) = await editor.client.text_document_definition_async(params)
        assert (place.uri, place.range.start) == (editor.uri("graph.yaml"), types.Position(11, 21))
        params = types.DefinitionParams(file, types.Position(0, 0))
        assert not await editor.client.text_document_definition_async(params)

    talk(folder, dialogue)


def test_what_cannot_be_rendered_says_why(folder: Path) -> None:
    async def dialogue(editor: Editor) -> None:
        editor.open("graph.yaml", GRAPH.replace("type: worker", "type: nonsense"))
        params = types.ExecuteCommandParams("dynamoc.render", [editor.uri("graph.yaml")])
        answer: Any = await editor.client.workspace_execute_command_async(params)
        assert answer["errors"] == 1
        assert answer["text"].startswith("# ")
        assert "nonsense" in answer["text"]

    talk(folder, dialogue)
