"""`dynamoc explain`: where a rendered value comes from, what becomes of a line, and what a name means."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from dynamoc.compiler.explain.annotated import Describer, answers_text, table_text
from dynamoc.compiler.explain.answer import VERSION as ANSWER_VERSION
from dynamoc.compiler.explain.answer import field_answers
from dynamoc.compiler.explain.focus import focus_on
from dynamoc.compiler.explain.input_line import explain_line, line_text
from dynamoc.compiler.explain.running import Part
from dynamoc.compiler.explain.selection import Unknown, find_field, find_object, object_titles
from dynamoc.compiler.explain.texts import settle
from dynamoc.compiler.explain.traced_compilation import trace_documents
from dynamoc.compiler.options import past_errors
from dynamoc.compiler.run import compile_documents
from dynamoc.compiler.state import Trace
from dynamoc.documents.findings.finding import Finding, Findings, Path
from dynamoc.documents.findings.text import whole_lines
from dynamoc.documents.source.files import read_inputs, text_again
from dynamoc.interfaces.cli.compiler_options import compiler_options, input_files
from dynamoc.interfaces.cli.failure import DONE, ERRORS, UsageError, conclude, report, terminal_width, write_stdout
from dynamoc.interfaces.cli.names import explain_name, is_name, list_names
from dynamoc.interfaces.cli.option_table import Values

Tree = dict[str, Any]


def explain(values: Values) -> int:
    """The exit code; the explanation is on stdout, findings of the input on stderr."""
    words = values["paths"]
    if values["list"]:
        return list_names(values)
    if len(words) == 1 and ":" not in words[0] and not os.path.lexists(words[0]) and is_name(words[0]):
        return explain_name(words[0], values)
    if len(words) > 3:
        raise UsageError("explain accepts PATH, OBJECT and FIELD, or PATH:LINE.")
    path, line = _line_of(words[0]) if len(words) == 1 else (words[0], None)
    values = {**values, "paths": [path], "passthrough": True}
    findings = Findings()
    options = compiler_options(values)
    files = input_files(values, findings)
    if line is not None:
        _check_line(path, line)

        answer = explain_line(files, path, line, options, findings)
        report(findings, values)
        _write(answer, values, _line_text)
        return ERRORS if findings.errors else DONE

    documents = read_inputs(files, findings)
    trace = Trace()
    objects = compile_documents(documents, options, findings, trace)
    if not findings.inputs.graphs:
        conclude(findings, {**values, "require_graphs": False})
        report(findings, values)
    elif findings.errors:
        report(findings, values)
    code = DONE
    if findings.errors:
        code, trace = ERRORS, Trace()
        objects = compile_documents(documents, options, past_errors(findings, options), trace)
        if not objects:
            return code
    if len(words) == 1:
        _write_titles(objects, values)
        return code
    asked = _asked(objects, words[1:], values)
    focus = focus_on(objects, trace, *asked)
    # The compilation has judged the objects.
    explained = trace_documents(documents, options, focus)
    settle(explained, focus)
    answers = field_answers(explained, *asked, Describer(options))
    data = {"apiVersion": ANSWER_VERSION, "release": options.release.name, "target": options.target, "fields": answers}
    _write(data, values, _fields_text if len(words) > 2 else _table)
    return code


def _asked(objects: list[Tree], words: list[str], values: Values) -> tuple[int, Path]:
    """The index of the object that the words ask for, and the path in it."""
    field = words[1] if len(words) > 1 else ""
    try:
        found = _object(objects, words[0])
        if isinstance(found, int):
            return found, find_field(objects[found], field)
        path = found.find(objects[found.index], field)
    except Unknown as unknown:
        raise UsageError(str(unknown)) from None
    if found.hash:
        _tell_version(words[0], found.hash, values)
    return found.index, path


def _object(objects: list[Tree], wanted: str) -> int | Part:
    """The index of an object, or what an object of a cluster is made from."""
    try:
        return find_object(objects, wanted)
    except Unknown:
        from dynamoc.compiler.explain.running import find_running

        part = find_running(objects, wanted)
        if part is None:
            raise
        return part


def _tell_version(wanted: str, known: str, values: Values) -> None:
    findings = Findings()
    message = (
        f"{wanted} has another worker hash than the input leads to, {known}: it runs another version of its graph."
    )
    hint = "use the files and the release that it was applied with"
    findings.add(Finding("explain/other-version", message, hint=hint))
    report(findings, values)


def _write_titles(objects: list[Tree], values: Values) -> None:
    data = {"apiVersion": ANSWER_VERSION, "objects": object_titles(objects)}
    _write(data, values, lambda data: "".join(f"{title}\n" for title in data["objects"]))


def _fields_text(data: dict[str, Any]) -> str:
    return answers_text(data["fields"], data["release"])


def _table(data: dict[str, Any]) -> str:
    return table_text(data["fields"], terminal_width(sys.stdout))


def _line_text(data: dict[str, Any]) -> str:
    return line_text(data)


def _write(data: dict[str, Any], values: Values, text: Any) -> None:
    if values["output"] == "json":
        write_stdout(json.dumps(data, indent=2) + "\n")
    else:
        write_stdout(whole_lines(text(data)))


def _check_line(path: str, line: int) -> None:
    """UsageError for a line that no file has."""
    if os.path.isdir(path):
        raise UsageError(f"{path} is a directory; give the file that contains line {line}.")

    text = text_again(path)
    if text is None:
        return
    lines = text.removesuffix("\n").count("\n") + 1
    if not 0 < line <= lines:
        raise UsageError(f"{path} has {lines} lines, so line {line} does not exist.")


def _line_of(word: str) -> tuple[str, int | None]:
    """`graph.yaml:12` is line 12 of a file, unless there is a file of that name."""
    path, colon, line = word.rpartition(":")
    if colon and line.isdigit() and not os.path.exists(word):
        return path, int(line)
    return word, None
