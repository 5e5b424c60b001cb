"""Diagnostics while somebody types: the findings of `dynamoc check`, at the same places."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest
from lsprotocol import types

from dynamoc.documents.findings.finding import ASIDES
from tests.lsp.editor import SERVER, SETTINGS, Editor, talk

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
NAMES = {1: "error", 2: "warning", 3: "note"}


def checked(path: Path) -> list[tuple[str, str, int, int]]:
    """Name, severity, line and column of what the command reports, from 0; without a place, the first line.

    Notes that ask for nothing are left out, and those without a place.
    """
    words = [sys.executable, "-m", "dynamoc", "check", str(path), "-o", "json"]
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    found = []
    for each in json.loads(done.stdout)["findings"]:
        place = each["place"]
        if each["slug"] in ASIDES or (each["severity"] == "note" and place is None):
            continue
        line, column = (place["line"] - 1, place["column"] - 1) if place else (0, 0)
        found.append((each["slug"], each["severity"], line, column))
    return found


def shown(diagnostics: list[types.Diagnostic]) -> list[tuple[str, str, int, int]]:
    return [
        (str(each.code), NAMES[each.severity or 0], each.range.start.line, each.range.start.character)
        for each in diagnostics
    ]


def only(folder: Path, text: str, name: str = "graph.yaml", language: str = "yaml") -> list[types.Diagnostic]:
    """What is found in a text that is on no disk."""
    found: list[types.Diagnostic] = []

    async def dialogue(editor: Editor) -> None:
        editor.open(name, text, language)
        found.extend(await editor.diagnostics(name))

    talk(folder, dialogue)
    return found


@pytest.mark.parametrize("release", ["0.6", "1.4", "1.6"])
def test_they_are_those_of_the_command(tmp_path: Path, release: str) -> None:
    (tmp_path / "dynamoc.yaml").write_text(f'operator-version: "{release}"\n')
    for source in (ROOT / "examples" / "vllm-multinode.yaml", ROOT / "examples" / "llama.yaml"):
        (tmp_path / source.name).write_text(source.read_text())
    (tmp_path / "broken.yaml").write_text(GRAPH.replace("    - name", "   - name", 1).replace("type", "typ"))
    (tmp_path / "typo.yaml").write_text(GRAPH.replace("podTemplate", "podTemplates"))
    names = sorted(path.name for path in tmp_path.glob("*.yaml") if path.name != "dynamoc.yaml")
    found = {}

    async def dialogue(editor: Editor) -> None:
        for name in names:
            editor.open(name, (tmp_path / name).read_text())
        for name in names:
            found[name] = shown(await editor.diagnostics(name))

    talk(tmp_path, dialogue)
    assert len(names) == 4
    for name in names:
        assert found[name] == checked(tmp_path / name) != []


def test_each_has_severity_code_page_and_an_exact_range(folder: Path) -> None:
    pages = []

    async def dialogue(editor: Editor) -> None:
        editor.open("graph.yaml", GRAPH)
        (found,) = await editor.diagnostics("graph.yaml")
        assert (found.code, found.severity, found.source) == (
            "check/too-few-gpus",
            types.DiagnosticSeverity.Error,
            "dynamoc",
        )
        line = GRAPH.split("\n")[found.range.start.line]
        assert line[found.range.start.character : found.range.end.character] == '"--tensor-parallel-size=4"'
        assert found.message.endswith("hint: request 4 GPUs for each pod, or use less parallelism")
        assert found.code_description is not None
        pages.append(Path(unquote(urlparse(found.code_description.href).path)))
        assert pages[0].read_text().startswith("## check/too-few-gpus\n")

    talk(folder, dialogue, command=SERVER)
    assert not pages[0].exists()


ODD = "\U0001f996\U0001f9f5"  # two characters of two UTF-16 units each
WIDE = GRAPH.replace('"--model=Qwen/Qwen3-8B"', f'"--model={ODD}é"')


@pytest.mark.parametrize(
    ("encoding", "before"),
    [
        (types.PositionEncodingKind.Utf16, len(ODD) * 2 + 1),
        (types.PositionEncodingKind.Utf32, len(ODD) + 1),
        (types.PositionEncodingKind.Utf8, len(ODD) * 4 + 2),
    ],
)
def test_ranges_count_as_the_editor_does(folder: Path, encoding: types.PositionEncodingKind, before: int) -> None:
    async def dialogue(editor: Editor) -> None:
        assert editor.initialized.capabilities.position_encoding == encoding
        editor.open("graph.yaml", WIDE)
        (found,) = await editor.diagnostics("graph.yaml")
        start = len('              args: ["--model=') + before + len('", ')
        assert found.range.start.character == start
        assert found.range.end.character == start + len('"--tensor-parallel-size=4"')

    talk(folder, dialogue, encodings=[encoding])


def test_lines_end_where_the_protocol_says(folder: Path) -> None:
    """Python ends lines at U+0085 and U+2028 as well."""
    text = GRAPH.replace("metadata:", "# \u2028 \x85\nmetadata:").replace("\n", "\r\n")
    (found,) = only(folder, text)
    assert found.range.start.line == 15


def test_related_places_are_shown(folder: Path) -> None:
    text = GRAPH.replace("      type: worker\n", "      type: worker\n      type: decode\n")
    (found,) = only(folder, text)
    assert (found.code, found.range.start.line) == ("read/duplicate-key", 7)
    assert found.related_information is not None
    (related,) = found.related_information
    assert (related.location.uri, related.location.range.start.line) == ((folder / "graph.yaml").as_uri(), 6)


def test_unsaved_text_counts_and_what_is_fixed_or_closed_is_cleared(folder: Path) -> None:
    (folder / "graph.yaml").write_text(GRAPH.replace("=4", "=8"))

    async def dialogue(editor: Editor) -> None:
        editor.open("graph.yaml", GRAPH)
        (found,) = await editor.diagnostics("graph.yaml")
        assert "needs 4 GPUs" in found.message
        version = editor.write("graph.yaml", GRAPH.replace("=4", "=2"))
        assert await editor.diagnostics("graph.yaml", version) == []
        version = editor.write("graph.yaml", GRAPH)
        assert len(await editor.diagnostics("graph.yaml", version)) == 1
        editor.close("graph.yaml")
        last = await editor.until(lambda: [each for each in editor.published if each.version is None])
        assert not last[-1].diagnostics

    talk(folder, dialogue)


def test_comments_leave_findings_out(folder: Path) -> None:
    comment = "# dynamoc: ignore check/too-few-gpus: the other GPUs are shared"
    assert only(folder, f"{comment}\n{GRAPH}") == []


def test_settings_are_found_upwards_with_their_overrides_and_are_read_again(folder: Path) -> None:
    clusters = folder / "clusters" / "a"
    clusters.mkdir(parents=True)
    (clusters / "graph.yaml").write_text(GRAPH)
    override = 'overrides: [{paths: ["clusters/a/**"], allow: {check: shared}}]\n'
    (folder / "dynamoc.yaml").write_text(SETTINGS + override)
    name = "clusters/a/graph.yaml"

    async def dialogue(editor: Editor) -> None:
        editor.open(name, GRAPH)
        assert await editor.diagnostics(name) == []
        (folder / "dynamoc.yaml").write_text(SETTINGS)
        known = len(editor.published)
        editor.client.text_document_did_save(types.DidSaveTextDocumentParams(editor.file(name)))
        await editor.until(lambda: len(editor.published) > known)
        assert [each.code for each in editor.published[-1].diagnostics] == ["check/too-few-gpus"]

    talk(folder, dialogue)


def test_wrong_settings_are_shown_in_the_text(folder: Path) -> None:
    (folder / "dynamoc.yaml").write_text("colour: red\n")
    (folder / "graph.yaml").write_text(GRAPH)
    (found,) = only(folder, GRAPH)
    assert "dynamoc.yaml: colour is not a setting" in found.message


def test_what_exists_in_the_cluster_is_taken_from_an_open_text(folder: Path) -> None:
    """`cluster` of the settings names a file, which is open with other content than the disk has."""
    (folder / "dynamoc.yaml").write_text(SETTINGS + "cluster: [cluster.yaml]\ndeny: [context]\n")
    claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: models, namespace: ml}\nspec: {}\n"
    (folder / "cluster.yaml").write_text(claim.replace("models", "other"))
    volume = "          volumes: [{name: m, persistentVolumeClaim: {claimName: models}}]\n"
    text = GRAPH.replace("=4", "=2").replace("          containers:\n", volume + "          containers:\n")
    (folder / "graph.yaml").write_text(text)

    async def dialogue(editor: Editor) -> None:
        editor.open("graph.yaml", text)
        before = await editor.diagnostics("graph.yaml")
        editor.open("cluster.yaml", claim)
        after = await editor.diagnostics("graph.yaml", editor.write("graph.yaml", text + "\n"))
        assert [each.code for each in before] != [each.code for each in after]

    talk(folder, dialogue)


TEMPLATES = [
    "metadata: {name: '{{ .Values.name }}', namespace: ml}",
    "{{- if .Values.enabled }}\nmetadata: {name: chat}\n{{- end }}",
    'metadata: {name: chat}\n{{ include "labels" . }}',
    "metadata:\n  name: {{ release }}-chat",
]


@pytest.mark.parametrize("metadata", TEMPLATES)
def test_templates_of_helm_have_none(folder: Path, metadata: str) -> None:
    assert only(folder, GRAPH.replace("metadata: {name: chat, namespace: ml}", metadata)) == []


def test_a_text_of_the_language_helm_has_none(folder: Path) -> None:
    assert only(folder, GRAPH, language="helm") == []


def test_a_template_of_a_chat_is_no_template_of_helm(folder: Path) -> None:
    text = GRAPH.replace('"--model=', '"--custom={{ bos_token }}{% if x %}{{ messages[0][\'content\'] }}", "--model=')
    assert [each.code for each in only(folder, text)] == ["check/too-few-gpus"]


@pytest.mark.parametrize(
    "text",
    ["services:\n  web:\n    image: nginx\n", "on: push\njobs: {}\n", "- 1\n- 2\n", "", "a: [1\n", "just text"],
)
def test_texts_of_other_programs_have_none(folder: Path, text: str) -> None:
    assert only(folder, text, "other.yaml") == []


def test_a_text_in_no_file_is_checked(folder: Path) -> None:
    async def dialogue(editor: Editor) -> None:
        editor.open("untitled:Untitled-1", GRAPH)
        assert "check/too-few-gpus" in [each.code for each in await editor.diagnostics("untitled:Untitled-1")]

    # Its settings are those of the folder that the server was started in.
    talk(folder, dialogue, command=SERVER)


def test_a_folder_with_odd_characters(tmp_path: Path) -> None:
    folder = tmp_path / "a b#c%20é"
    folder.mkdir()
    (folder / "dynamoc.yaml").write_text(SETTINGS)
    (folder / "graph.yaml").write_text(GRAPH)
    assert [each.code for each in only(folder, GRAPH)] == ["check/too-few-gpus"]
