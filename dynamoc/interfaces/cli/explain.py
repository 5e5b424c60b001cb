"""`dynamoc explain`: where a rendered value comes from, what becomes of a line, and what a name means."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Any

from dynamoc.admission.cluster.config import fields_of
from dynamoc.compiler.cluster import Trace
from dynamoc.compiler.explain.annotated import Describer
from dynamoc.compiler.explain.answer import (
    RULES_VERSION,
    FieldsAnswer,
    ObjectsAnswer,
    RulesAnswer,
    Step,
    all_steps,
    answers_text,
    field_answers,
    table_text,
)
from dynamoc.compiler.explain.answer import VERSION as ANSWER_VERSION
from dynamoc.compiler.explain.input_line import explain_line, line_text
from dynamoc.compiler.explain.running import Part, find_running
from dynamoc.compiler.explain.selection import Unknown, find_field, find_object, object_titles
from dynamoc.compiler.explain.traced_compilation import explain_object
from dynamoc.compiler.options import past_errors
from dynamoc.compiler.run import compile_documents
from dynamoc.documents.emit.yaml import dump_yaml
from dynamoc.documents.findings.answers import answer_text
from dynamoc.documents.findings.finding import Finding, Findings, Path
from dynamoc.documents.findings.text import whole_lines
from dynamoc.documents.source.files import read_inputs, text_again
from dynamoc.interfaces.cli.command_line import GROUPS
from dynamoc.interfaces.cli.compiler_options import compiler_options, input_files
from dynamoc.interfaces.cli.failure import (
    DONE,
    ERRORS,
    UsageError,
    conclude,
    print_table,
    report,
    terminal_width,
    write_stdout,
)
from dynamoc.interfaces.cli.options import LATEST, Values
from dynamoc.kube.merge import Tree
from dynamoc.reference.configuration import OPERATOR
from dynamoc.reference.features import FEATURES, Feature
from dynamoc.reference.findings import VERSION, Entry, entries, text_of
from dynamoc.reference.releases import RELEASES, get_release, merged

#: kind, name, the releases that have it, and one line
Row = tuple[str, str, str, str]


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
        _write(answer, values, line_text)
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
        titles = ObjectsAnswer(ANSWER_VERSION, object_titles(objects))
        _write(titles, values, lambda answer: "".join(f"{title}\n" for title in answer.objects))
        return code
    asked, path = _asked(objects, words[1:], values)
    explained, index = explain_object(objects[asked], documents, options, trace)
    answers = field_answers(explained, index, path, Describer(options))
    found = FieldsAnswer(ANSWER_VERSION, options.release.name, options.target, answers)
    if len(words) > 2:
        _write(found, values, lambda answer: answers_text(answer.fields, answer.release))
    else:
        _write(found, values, lambda answer: table_text(answer.fields, terminal_width(sys.stdout)))
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


def _write(answer: Any, values: Values, text: Callable[[Any], str]) -> None:
    if values["output"] == "json":
        write_stdout(answer_text(answer, ascii_only=True))
    else:
        write_stdout(whole_lines(text(answer)))


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


def is_name(word: str) -> bool:
    """Whether a word that is no file may be meant as a name."""
    word = word.strip("[]")
    return word in _known() or ("/" in word and "." not in word and not word.startswith("/"))


def _known() -> dict[str, Any]:
    """What can be explained, by its name: a step, a finding, a feature, a group, a default or a setting."""
    found: dict[str, Any] = {feature.name: feature for feature in FEATURES}
    for release in RELEASES.values():
        found |= dict.fromkeys(release.constants, _default)
        found |= dict.fromkeys(_settings(release.name), _config)
    for names, text in GROUPS.items():
        found |= dict.fromkeys(names.split("|"), text)
    found |= entries()
    found |= {step.name: step for step in all_steps()}
    return found


def _explained(name: str, item: Any) -> tuple[str, Any]:
    """The text and the record of a name."""
    if isinstance(item, Step):
        unchecked = {"not compared with recorded output": ", ".join(item.source_only)}
        facts = {"releases": ", ".join(item.releases), **unchecked, "operator": item.source or ""}
        return _text(name, item.kind, item.text, facts), RulesAnswer(RULES_VERSION, [item])
    if isinstance(item, Entry):
        return text_of(item), {"apiVersion": VERSION, "findings": [item]}
    if isinstance(item, Feature):
        facts = {"releases": _span(item), "operator": item.source}
        return _text(name, "feature", item.reason, facts), item
    if isinstance(item, str):
        return _text(name, "group of findings", item, {}), {"name": name, "text": item}
    found: tuple[str, Any] = item(name)
    return found


def explain_name(word: str, values: Values) -> int:
    """Prints what a name stands for. Raises UsageError for a name that does not exist."""
    name, known = word.strip("[]"), _known()
    if name not in known:
        near = get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}?" if near else "`dynamoc explain --list` lists the names."
        raise UsageError(f"{name} is neither a file nor a name that dynamoc prints; {hint}")
    text, record = _explained(name, known[name])
    write_stdout(answer_text(record, ascii_only=True) if values["output"] == "json" else text)
    return DONE


def list_names(values: Values) -> int:
    """Prints the names of a kind, or all, of one release if the command line names one."""
    kind = values["list"]
    steps = [step for step in all_steps() if kind in (f"{step.kind}s", "all") and _has(step.releases, values)]
    found = list(entries().values()) if kind in ("findings", "all") else []
    if values["output"] == "json":
        write_stdout(answer_text(_answer(kind, steps, found), ascii_only=True))
        return DONE
    rows: list[Row] = [(step.kind, step.name, ",".join(step.releases), step.summary) for step in steps]
    if kind in ("features", "all"):
        rows += [("feature", each.name, _span(each), each.reason) for each in FEATURES]
    rows += [("finding", entry.slug, ",".join(entry.severities), entry.summary) for entry in found]
    if kind in ("groups", "all"):
        rows += [("group", part, "", text) for name, text in GROUPS.items() for part in name.split("|")]
    print_table(("KIND", "NAME", "RELEASES", "WHAT IT IS"), rows)
    return DONE


def _answer(kind: str, steps: list[Step], found: list[Entry]) -> Any:
    if kind == "findings":
        return {"apiVersion": VERSION, "findings": found}
    if kind in ("rules", "builders"):
        return RulesAnswer(RULES_VERSION, steps)
    return {"groups": GROUPS, "features": FEATURES, "findings": found, "rules": steps}


def _has(releases: Iterable[str], values: Values) -> bool:
    wanted = values["operator_version"]
    try:
        return wanted == LATEST or get_release(wanted).name in releases
    except KeyError:
        raise UsageError(f"--operator-version {wanted} is not known; there are {', '.join(RELEASES)}.") from None


def _text(name: str, kind: str, text: str, facts: dict[str, str]) -> str:
    lines = "".join(f"{label}: {fact}\n" for label, fact in facts.items() if fact)
    return f"{name} ({kind})\n\n{text}\n" + (f"\n{lines}" if lines else "")


def _span(feature: Feature) -> str:
    return f"since {feature.since}" + (f", until {feature.until}" if feature.until else "")


def _default(name: str) -> tuple[str, Any]:
    """The value in each release that changes it."""
    found: dict[str, Any] = {}
    last: Any = None
    for release in RELEASES.values():
        value = release.constants.get(name)
        if value != last:
            found[release.name] = last = value
    texts = [f"since {release}:\n{_yaml(value)}" for release, value in found.items()]
    return f"{name} (default of the operator)\n\n" + "\n".join(texts), {"name": name, "values": found}


def _settings(release: str) -> set[str]:
    """What configures the operator of a release: fields of its file, or what its flags and its chart set."""
    return {*fields_of(release), *merged(OPERATOR, release)}


def _config(name: str) -> tuple[str, Any]:
    releases = [release for release in RELEASES if name in _settings(release)]
    text = "A field of the operator's configuration, which --cluster can give."
    shown = _text(name, "operator configuration", text, {"releases": ", ".join(releases)})
    return shown, {"name": name, "releases": releases}


def _yaml(value: Any) -> str:
    text = "(none)" if value is None else dump_yaml([{"value": value}])
    return "".join(f"  {line}\n" for line in text.splitlines())
