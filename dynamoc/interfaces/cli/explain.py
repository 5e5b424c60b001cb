"""`dynamoc explain`: where a rendered value comes from, and what became of a line of the input.

`dynamoc finding`: what a finding means, why it matters, and what to write instead.

`dynamoc rules` and `dynamoc rule`: what shapes the output, why, and how to override it.
"""

from __future__ import annotations

import json
import os
import sys
from difflib import get_close_matches
from typing import Annotated, Any, Literal

import typer

from dynamoc.compiler.explain.annotated import Describer, answers_text, table_text
from dynamoc.compiler.explain.answer import VERSION as ANSWER_VERSION
from dynamoc.compiler.explain.answer import Step, all_steps, field_answers, find_step
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
from dynamoc.interfaces.cli.failure import DONE, ERRORS, UsageError, conclude, report, write_stdout
from dynamoc.interfaces.cli.help import releases
from dynamoc.interfaces.cli.option_table import Values
from dynamoc.reference.findings import entries, record_of, text_of
from dynamoc.reference.releases import RELEASES, get_release

Tree = dict[str, Any]


def explain(values: Values) -> int:
    """The exit code; the explanation is on stdout, findings of the input on stderr."""
    words = values["paths"]
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
    return table_text(data["fields"])


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


def _names() -> list[str]:
    return list(entries())


def finding(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="The name in brackets behind a finding.", autocompletion=_names),
    ] = None,
    output: Annotated[Literal["text", "json"], typer.Option("-o", "--output", help="Format of the answer.")] = "text",
) -> None:
    """Explain a finding, with an example; without NAME, list all findings."""
    from dynamoc.reference.findings import VERSION

    known = entries()
    if name is not None:
        name = name.strip("[]")
        if name not in known:
            raise UsageError(f"The finding {name} does not exist{_near(name, list(known))}")
    found = list(known.values()) if name is None else [known[name]]
    if output == "json":
        report = {"apiVersion": VERSION, "findings": [record_of(entry) for entry in found]}
        write_stdout(json.dumps(report, indent=2) + "\n")
    elif name is not None:
        write_stdout(text_of(found[0]))
    else:
        _list([(entry.slug, ",".join(entry.severities), entry.summary) for entry in found])


def _list(rows: list[tuple[str, ...]]) -> None:
    titles = ("FINDING", "SEVERITY", "SUMMARY")
    if not sys.stdout.isatty():
        write_stdout("".join("\t".join(row) + "\n" for row in (titles, *rows)))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="bold")
    for title in titles:
        table.add_column(title, overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)


def _near(name: str, known: list[str]) -> str:
    near = get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]}?" if near else "; `dynamoc finding` lists them."


VERSION = "dynamoc.rules/v1"
_Format = Annotated[Literal["text", "json"], typer.Option("-o", "--output", help="Format of the answer.")]


def _rule_names() -> list[str]:
    return [step.name for step in all_steps()]


def rules(
    output: _Format = "text",
    operator_version: Annotated[
        str | None,
        typer.Option(
            metavar="VERSION", help="List only what this release of the operator has.", autocompletion=releases
        ),
    ] = None,
    builders: Annotated[
        bool, typer.Option(help="Also list the functions that build the objects around the pods.")
    ] = True,
) -> None:
    """List the rules that shape pods, in their order, and what builds the objects around them."""
    found = [step for step in all_steps() if builders or step.kind == "rule"]
    if operator_version is not None:
        try:
            release = get_release(operator_version).name
        except KeyError:
            known = ", ".join(RELEASES)
            raise UsageError(f"--operator-version {operator_version} is not known; known releases: {known}.") from None
        found = [step for step in found if release in step.releases]
    if output == "json":
        _write_rules({"apiVersion": VERSION, "rules": [step_json(step) for step in found]})
    elif sys.stdout.isatty():
        _print_table(found)
    else:
        rows = [("RULE", "RELEASES", "WHAT IT DOES"), *((s.name, ",".join(s.releases), s.summary) for s in found)]
        write_stdout("".join("\t".join(row) + "\n" for row in rows))


def rule(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="As `dynamoc rules` lists it.", autocompletion=_rule_names)
    ],
    output: _Format = "text",
) -> None:
    """Tell what a rule sets, why, and how to override it."""
    step = find_step(name)
    if step is None:
        near = get_close_matches(name, _rule_names(), n=1)
        hint = f"; did you mean {near[0]}?" if near else "; `dynamoc rules` lists them."
        raise UsageError(f"The rule {name} does not exist{hint}")
    if output == "json":
        _write_rules({"apiVersion": VERSION, "rules": [step_json(step)]})
    else:
        write_stdout(_text(step))


def step_json(step: Step) -> dict[str, Any]:
    return {
        "name": step.name,
        "kind": step.kind,
        "text": step.text,
        "source": step.source,
        "releases": list(step.releases),
        "withoutRecords": step.source_only,
    }


def _text(step: Step) -> str:
    lines = [f"{step.name} ({step.kind})", "", step.text, ""]
    lines.append(f"releases: {', '.join(step.releases)}")
    if step.source_only:
        lines.append(f"not compared with recorded output: {', '.join(step.source_only)}")
    if step.source:
        lines.append(f"operator: {step.source}")
    return "\n".join(lines) + "\n"


def _write_rules(data: dict[str, Any]) -> None:
    write_stdout(json.dumps(data, indent=2) + "\n")


def _print_table(steps: list[Step]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="bold")
    for title in ("RULE", "RELEASES", "WHAT IT DOES"):
        table.add_column(title, overflow="fold")
    for step in steps:
        table.add_row(*map(Text, (step.name, ", ".join(step.releases), step.summary)))
    Console().print(table)
