"""What the page asks dynamoc: plain functions from JSON to JSON, over the code of the commands and the language server.

The files of a question lie in one folder: `graph.yaml` is the editor's, `before.yaml` what it is compared with,
`cluster.yaml` what the cluster holds, and `dynamoc.yaml` the choices of the bar, as settings of dynamoc.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import traceback
from typing import Any

FOLDER = "/w"
GRAPH = f"{FOLDER}/graph.yaml"
Data = dict[str, Any]


def answer(question: str) -> str:
    """`{"ok": ...}`, or `{"bug": traceback}` where dynamoc itself fails."""
    try:
        asked = json.loads(question)
        return json.dumps({"ok": _ANSWERS[asked.pop("what")](**asked)})
    except Exception as error:
        return json.dumps({"bug": "".join(traceback.format_exception(error))})


def prepare(text: str, before: str = "", cluster: str = "", settings: Data | None = None) -> None:
    """Writes the files that all other questions are about."""
    os.makedirs(FOLDER, exist_ok=True)
    # dynamoc takes no settings from a folder that everyone can write to.
    os.chmod(FOLDER, 0o755)
    os.chdir(FOLDER)
    files = {"graph.yaml": text, "before.yaml": before, "cluster.yaml": cluster}
    for name, content in files.items():
        if content.strip() or name == "graph.yaml":
            with open(f"{FOLDER}/{name}", "w", encoding="utf-8", errors="surrogatepass") as file:
                file.write(content)
        elif os.path.exists(f"{FOLDER}/{name}"):
            os.remove(f"{FOLDER}/{name}")
    chosen = {**(settings or {}), **({"cluster": ["cluster.yaml"]} if cluster.strip() else {})}
    # JSON is YAML.
    with open(f"{FOLDER}/dynamoc.yaml", "w", encoding="utf-8") as file:
        file.write(json.dumps(chosen))
    _State.text = text


class _State:
    """The text of the editor."""

    text = ""


def check() -> Data:
    """Findings with ranges and fixes, and the YAML of the objects where there is no error: one compilation."""
    from dynamoc.analysis.fixes import attach
    from dynamoc.compiler.run import compile_paths
    from dynamoc.documents.emit.yaml import dump_yaml
    from dynamoc.documents.findings.edits import arrange, cut
    from dynamoc.interfaces.cli.check import findings_of
    from dynamoc.interfaces.cli.failure import Stop, UsageError, without_secrets
    from dynamoc.interfaces.lsp.questions import values_of

    kept: list[list[Data]] = []

    def run(*words: Any) -> None:
        kept.append(compile_paths(*words))

    try:
        findings, _, _ = findings_of(
            values_of("check", GRAPH), {GRAPH: _State.text.encode("utf-8", "surrogatepass")}, run
        )
    except (UsageError, Stop) as error:
        said = [{"severity": "error", "slug": "", "message": str(error) or "The input cannot be read.", "hint": None}]
        return {"findings": said, "yaml": None, "counts": {}}
    rejected = any(each.severity == "error" and not each.slug.startswith("check/") for each in findings.items)
    arranged = arrange([each for each in findings.items if not each.aside])
    attach([each for each in arranged if each.place and each.place.file == GRAPH], without_secrets(findings)[0])
    shown = [_finding(each) for each in cut(arranged, lambda finding: finding.severity)]
    return {"findings": shown, "yaml": None if rejected else dump_yaml(kept[0]), "counts": findings.inputs.record()}


def _finding(finding: Any) -> Data:
    """Lines and columns count from 0, columns in UTF-16 as the editor counts them."""
    from dynamoc.interfaces.lsp.diagnostics import diagnostics_of
    from dynamoc.interfaces.lsp.questions import _data

    data = _data(finding, GRAPH)
    [shown] = diagnostics_of([data], _document(), _NoPages())  # type: ignore[arg-type]
    at = shown.range
    data["range"] = [at.start.line, at.start.character, at.end.line, at.end.character]
    data["hasPlace"] = "line" in data
    return data


class _NoPages:
    def link(self, _slug: str) -> None:
        return None


def _document() -> Any:
    from dynamoc.interfaces.lsp.documents import Document

    return Document(f"file://{GRAPH}", _State.text, 0, "yaml")


def actions(line: int, slug: str) -> list[Data]:
    """The comments that leave a finding out, as the language server offers them."""
    from lsprotocol import types

    from dynamoc.interfaces.lsp.diagnostics import _comments

    document = _document()
    diagnostic = types.Diagnostic(code=slug, range=types.Range(types.Position(line, 0), types.Position(line, 0)))
    found = []
    for action in _comments(document, diagnostic):
        [edit] = action.edit.changes[document.uri]
        found.append({"title": action.title, "line": edit.range.start.line, "text": edit.new_text})
    return found


def trace() -> Data:
    """The objects with origins, and the lines of the input that the values of a line come from."""
    from dynamoc.interfaces.lsp.questions import ask

    found = ask({"what": "render", "path": GRAPH, "texts": {GRAPH: _State.text}})
    places = [[line, place["line"]] for line, place in found["places"] if place["file"] in (GRAPH, "graph.yaml")]
    return {"text": found["text"], "places": places, "errors": found["errors"]}


def hover(line: int, character: int) -> str | None:
    """What a field means, and what the operator makes of its value, in Markdown."""
    from lsprotocol.types import Position

    from dynamoc.interfaces.lsp.completion import hover_of, subject_at
    from dynamoc.interfaces.lsp.questions import ask

    document, release = _document(), _release()
    subject = subject_at(document, Position(line, character), release)
    if subject is None:
        return None
    fate: list[str] = []
    if subject.is_leaf:
        key = [hash(_State.text), _settings()]
        question = {"what": "fate", "path": GRAPH, "texts": {GRAPH: _State.text}, "key": key}
        fate = ask({**question, "field": subject.path, "line": subject.line})
    return str(hover_of(subject, fate, release).contents.value)


def complete(line: int, character: int) -> list[Data]:
    """What may be typed at a position."""
    from lsprotocol.types import Position

    from dynamoc.interfaces.lsp.completion import completions

    found = []
    for item in completions(_document(), Position(line, character), _release()).items:
        edit = item.text_edit
        entry = {"label": item.label, "kind": item.kind, "detail": item.detail, "text": edit.new_text}
        entry["info"] = item.documentation.value if item.documentation else None
        entry["from"] = [edit.range.start.line, edit.range.start.character]
        found.append(entry)
    return found


def _settings() -> str:
    with open(f"{FOLDER}/dynamoc.yaml", encoding="utf-8") as file:
        return file.read()


def _release() -> str:
    from dynamoc.reference.releases import DEFAULT_RELEASE, RELEASES

    name = json.loads(_settings()).get("operator-version") or DEFAULT_RELEASE
    return name if name in RELEASES else DEFAULT_RELEASE


def command(words: list[str]) -> Data:
    """A command of dynamoc on the files: exit code, stdout and stderr."""
    from dynamoc.interfaces.cli.entry import run

    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        saved = os.dup(1), os.dup(2)
        sys.stdout.flush()
        sys.stderr.flush()
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        try:
            code = run(words)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            for at, handle in enumerate(saved, 1):
                os.dup2(handle, at)
                os.close(handle)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    return {"code": code, "out": texts[0], "err": texts[1]}


def about() -> Data:
    """What the page offers to choose."""
    from dynamoc import __version__
    from dynamoc.reference.releases import DEFAULT_RELEASE, RELEASES

    return {"version": __version__, "releases": list(RELEASES), "latest": DEFAULT_RELEASE}


_ANSWERS = {each.__name__: each for each in (prepare, check, actions, trace, hover, complete, command, about)}
