"""Which findings of a run count: by name, by comments in the files, and by a baseline of those that are known.

A comment `# dynamoc: ignore check/idle-gpus: reserved for the next model` counts for its line where it is behind a
value; on a separate line, for what is below it: the key or item that begins on the next line, with all that is
indented more than that, or the whole document where it is above its first line.
"""

from __future__ import annotations

import json
import os
import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import yaml

from dynamoc.documents.findings.answers import OneOf, answer_text
from dynamoc.documents.findings.edits import Change
from dynamoc.documents.findings.finding import ERROR, Finding, Findings, Place
from dynamoc.documents.findings.text import Excerpts, ReadText, arrange, fingerprints
from dynamoc.documents.source.files import refuse_special
from dynamoc.reference.slugs import SEVERITY_OF


def is_named(slug: str, names: list[str]) -> bool:
    """Whether a finding is one of those that names stand for: its own, or the part before the slash."""
    return slug in names or slug.partition("/")[0] in names


def may_be_ignored(finding: Finding) -> bool:
    """What the operator or the API server rejects is no matter of taste."""
    return finding.severity != ERROR or finding.slug.startswith("check/")


def split_reason(text: str) -> tuple[str, str]:
    """Name and reason of `NAME: reason`; the reason is empty without one."""
    name, _, reason = text.partition(":")
    return name.strip(), reason.strip()


def selected(findings: list[Finding], select: list[str], ignore: list[str]) -> tuple[list[Finding], list[str]]:
    """The findings that are left, and a line for each reason why others are not.

    Errors that are no matter of taste stay. An item of `ignore` is a name, or `NAME: reason`.
    """
    reasons = dict(map(split_reason, ignore))
    kept, left_out = [], dict.fromkeys(reasons, 0)
    for finding in findings:
        name = next((name for name in reasons if is_named(finding.slug, [name])), None)
        if (name is None and (not select or is_named(finding.slug, select))) or not may_be_ignored(finding):
            kept.append(finding)
        elif name is not None:
            left_out[name] += 1
    said = [
        f"ignored {name} {number} time{'s' * (number != 1)}" + f": {reasons[name]}" * bool(reasons[name])
        for name, number in left_out.items()
        if number
    ]
    return kept, said


def is_known(name: str) -> bool:
    """Whether a name, or the part before a slash, stands for a finding."""
    return any(is_named(slug, [name]) for slug in SEVERITY_OF)


FORMAT, VERSION = "dynamoc-baseline", 1


@dataclass(slots=True)
class KnownFinding:
    """A finding that was there when the baseline was written."""

    fingerprint: str | None
    name: str
    file: str | None


@dataclass(slots=True)
class Baseline:
    """The file of `dynamoc check --baseline`

    version  rises when a key changes its meaning or is removed
    """

    format: Annotated[str, OneOf(FORMAT)]
    version: Annotated[int, OneOf(VERSION)]
    findings: list[KnownFinding]


class BadBaseline(Exception):
    """The file is no baseline; the message says why."""


def read_baseline(path: str) -> set[str]:
    """Fingerprints. Raises BadBaseline; OSError where it cannot be read."""
    refuse_special(path)
    with open(path, encoding="utf-8") as file:
        try:
            data = json.load(file)
        except (ValueError, RecursionError) as error:
            raise BadBaseline(f"it is not JSON: {error}") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT or data.get("version") != VERSION:
        raise BadBaseline(f'it does not begin with "format": "{FORMAT}", "version": {VERSION}')
    return {entry["fingerprint"] for entry in data.get("findings", ()) if isinstance(entry, dict)}


def baseline_text(path: str, findings: list[Finding], excerpts: Excerpts) -> str:
    """The file `path` for these findings: sorted, without lines, so that it changes only when findings do."""
    arranged, named = arrange(findings), _beside(path)
    prints = fingerprints(arranged, excerpts, named)
    known = [
        KnownFinding(fingerprint, finding.slug, named(finding.place.file) if finding.place else None)
        for finding, fingerprint in zip(arranged, prints, strict=True)
    ]
    known.sort(key=lambda each: (each.file or "", each.name, each.fingerprint or ""))
    return answer_text(Baseline(FORMAT, VERSION, known), ascii_only=True)


def unknown(path: str, findings: list[Finding], known: set[str], excerpts: Excerpts) -> list[Finding]:
    """The findings that the baseline `path`, which has the fingerprints `known`, lacks, or may not leave out."""
    arranged = arrange(findings)
    prints = fingerprints(arranged, excerpts, _beside(path))
    pairs = zip(arranged, prints, strict=True)
    return [finding for finding, print_ in pairs if print_ not in known or not may_be_ignored(finding)]


def _beside(baseline: str) -> Callable[[str], str]:
    """What files are called from the directory of a baseline, wherever a command runs, and however they are named."""
    folder = os.path.dirname(os.path.abspath(baseline))

    def named(file: str) -> str:
        try:
            return os.path.relpath(file, folder).replace(os.sep, "/") if os.path.exists(file) else file
        except ValueError:
            # Another drive.
            return file

    return named


_COMMENT = re.compile(r"#\s*dynamoc:\s*ignore\b(?P<names>[^:]*)(?::(?P<reason>.*))?$")


@dataclass(eq=False, slots=True)
class Ignore:
    """One comment.

    names   of the findings, without those that do not exist
    reason  "" where it gives none, and so has no effect
    first, last  lines that it counts for, from 1
    used    whether it left a finding out
    """

    place: Place
    names: list[str]
    reason: str
    first: int
    last: int
    used: bool = False


def ignores_in(file: str, text: str) -> list[Ignore]:
    """The comments of a file, in their order; none where it is no YAML."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    texts = _Texts(text)
    found = []
    for number, line in enumerate(lines):
        match = _COMMENT.search(line)
        if match is None or texts.hold(number, match.start()):
            continue
        names = [name for name in re.split(r"[,\s]+", match["names"].strip()) if name]
        alone = not line[: match.start()].strip()
        first, last = _block(lines, number) if alone else (number, number)
        place = Place(file, number + 1, match.start() + 1)
        found.append(Ignore(place, names, (match["reason"] or "").strip(), first + 1, last + 1))
    return found


def _block(lines: list[str], comment: int) -> tuple[int, int]:
    """The first and last line, from 0, of what a comment on a separate line is above."""
    start = comment + 1
    while start < len(lines) and (not lines[start].strip() or lines[start].lstrip().startswith("#")):
        start += 1
    if start >= len(lines):
        return comment, comment
    end_of_document = next((at for at in range(start + 1, len(lines)) if _ends(lines[at])), len(lines)) - 1
    if _ends(lines[start]) or _is_first(lines, comment):
        return start, end_of_document
    depth = _depth(lines[start])
    last = start
    for number in range(start + 1, end_of_document + 1):
        line = lines[number]
        if line.strip() and not line.lstrip().startswith("#"):
            # Items of a list may be as deep as the key that they belong to.
            belongs = _depth(line) == depth and _is_item(line) and not _is_item(lines[start])
            if _depth(line) <= depth and not belongs:
                break
        last = number
    return start, last


def _is_first(lines: list[str], comment: int) -> bool:
    """Whether nothing of the document is above a comment."""
    for line in reversed(lines[:comment]):
        if _ends(line):
            return True
        if line.strip() and not line.lstrip().startswith(("#", "%")):
            return False
    return True


def _ends(line: str) -> bool:
    return line.startswith(("---", "...")) and (len(line) == 3 or line[3].isspace())


def _is_item(line: str) -> bool:
    return line.lstrip().startswith("- ")


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


class _Texts:
    """Where the scalars of a file are, in which `#` begins no comment."""

    def __init__(self, text: str) -> None:
        self._spans: list[tuple[tuple[int, int], tuple[int, int]]] = []
        try:
            for token in yaml.scan(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
                if isinstance(token, yaml.ScalarToken):
                    start, end = token.start_mark, token.end_mark
                    self._spans.append(((start.line, start.column), (end.line, end.column)))
        except yaml.YAMLError:
            # What was read until then counts; the error is a separate finding.
            pass

    def hold(self, line: int, column: int) -> bool:
        index = bisect_right(self._spans, ((line, column), (1 << 60, 0))) - 1
        return index >= 0 and (line, column) < self._spans[index][1]


_MARKER = "dynamoc:"


def apply_comments(findings: Findings, files: list[str], text_of: ReadText) -> list[str]:
    """Leaves out what comments switch off, and reports comments that do nothing; a line for each that did."""
    by_file = {file: found for file in files if (found := _comments(file, text_of))}
    findings.items = [finding for finding in findings.items if not _is_ignored(finding, by_file)]
    said = []
    for ignore in (each for file in sorted(by_file) for each in by_file[file]):
        if ignore.used:
            said.append(f"{ignore.place}: ignored {', '.join(ignore.names)}: {ignore.reason}")
        else:
            findings.add(_useless(ignore))
    return said


def _comments(file: str, text_of: ReadText) -> list[Ignore]:
    text = text_of(file) or ""
    if _MARKER not in text:
        return []
    # Loads the whole of PyYAML, which few files are worth.

    return ignores_in(file, text)


def _is_ignored(finding: Finding, by_file: dict[str, list[Ignore]]) -> bool:
    place = finding.place
    if place is None or not may_be_ignored(finding):
        return False
    for ignore in by_file.get(place.file, ()):
        if ignore.reason and ignore.first <= place.line <= ignore.last and is_named(finding.slug, ignore.names):
            ignore.used = True
            return True
    return False


def _useless(ignore: Ignore) -> Finding:
    unknown = [name for name in ignore.names if not is_known(name)]
    if not ignore.names or unknown:
        what = f"`{unknown[0]}` is not the name of a finding" if unknown else "it names no finding"
        message = f"The comment switches nothing off: {what}."
        hint = "write `# dynamoc: ignore NAME: reason`; `dynamoc explain` lists the names"
    elif not ignore.reason:
        message = "The comment switches nothing off: it gives no reason."
        hint = f"write `# dynamoc: ignore {', '.join(ignore.names)}: reason`"
    else:
        message = f"The comment switches nothing off: there is no {' or '.join(ignore.names)} here."
        return Finding("check/useless-comment", message, place=ignore.place, hint="remove it", change=Change("comment"))
    return Finding("check/useless-comment", message, place=ignore.place, hint=hint)
