"""The catalogue of findings: its entries, their texts, JSON and Markdown, and their examples."""

from __future__ import annotations

import os
import re
import shlex
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import ndiff
from functools import cache
from pathlib import Path
from textwrap import fill
from typing import Any

GRAPH = "graph.yaml"
#: the options that give the files of these names to the command
_OPTIONS = {"old.yaml": "--against", "context.yaml": "--cluster", "operator.yaml": "--cluster"}
#: the frame of a text that is a whole file
_WHOLE = "@"
_KEYS = ("frame", "file", "wrong", "right", "command", "right-command", "options", "right-options", "files")


@dataclass(frozen=True)
class Run:
    """A command line, without the program's name, and the files in the directory where it runs, by name."""

    KEYS = "command=whole_command files"
    command: str
    files: dict[str, str]

    @property
    def whole_command(self) -> str:
        return f"dynamoc {self.command}"

    @property
    def words(self) -> list[str]:
        return shlex.split(self.command)


@dataclass(frozen=True)
class Example:
    """`file` is the one that differs between `wrong` and `right`, where their commands are the same."""

    KEYS = "wrong right"
    file: str
    wrong: Run
    right: Run


def example_of(slug: str, data: dict[str, Any]) -> Example:
    """An example from the table of an entry. Raises ValueError for keys that mean nothing.

    frame      a text of frames.toml around `wrong`, `right` and `old.yaml`, which replace its line `@`
    file       which file `wrong` and `right` are, `graph.yaml` by default
    wrong, right  its content; both can be missing where the command differs
    files      further files; `old.yaml`, `context.yaml` and `operator.yaml` are given to the command by their options
    command    instead of `validate graph.yaml`, or `check graph.yaml`, with these options; `options` are added,
               `right-...` where they differ
    """
    unknown = set(data) - set(_KEYS)
    if unknown:
        raise ValueError(f"{slug}: unknown keys {', '.join(sorted(unknown))}; known are {', '.join(_KEYS)}.")
    file = data.get("file", GRAPH)
    frame = frames()[data["frame"]] if "frame" in data else _WHOLE
    others = {GRAPH: frames()["graph"]}
    for name, text in data.get("files", {}).items():
        others[name] = _in_frame(text, frame if name == "old.yaml" else _WHOLE)
    wrong, right = ({**others, **_main(data, key, file, frame)} for key in ("wrong", "right"))
    commands = [data.get("command"), data.get("right-command", data.get("command"))]
    options = [data.get("options", ""), data.get("right-options", data.get("options", ""))]
    verb = "check" if slug.startswith("check/") else "validate"
    runs = [_run(verb, *each) for each in zip(commands, options, (wrong, right), strict=True)]
    return Example(file, *runs)


def _main(data: dict[str, Any], key: str, file: str, frame: str) -> dict[str, str]:
    return {file: _in_frame(data[key], frame)} if key in data else {}


def _in_frame(text: str, frame: str) -> str:
    """The frame with a text instead of its line `@`, indented as that is; a whole document stays as it is."""
    if frame == _WHOLE or text.startswith("apiVersion:"):
        return text.strip("\n") + "\n" * (not text.endswith("\r"))
    lines = []
    for line in frame.strip("\n").split("\n"):
        if line.strip() == "@":
            indent = line[: line.index("@")]
            lines += [indent + inner if inner else inner for inner in text.strip("\n").split("\n") if text.strip()]
        else:
            lines.append(line)
    return "\n".join(lines) + "\n"


def _run(verb: str, command: str | None, options: str, files: dict[str, str]) -> Run:
    words = [command or f"{verb} {GRAPH}"]
    words += [f"{option} {name}" for name, option in _OPTIONS.items() if name in files and command is None]
    used = " ".join([*words, options]).strip()
    return Run(used, {name: text for name, text in files.items() if name != GRAPH or GRAPH in used})


@cache
def frames() -> dict[str, Any]:
    """Texts that surround examples: name to the text, in which a line `@` is replaced; and `decisions`."""
    return tomllib.loads((Path(__file__).parent / "catalog" / "frames.toml").read_text(encoding="utf-8"))


DIRECTORY = Path(__file__).parent / "catalog"
SEVERITIES = ("error", "warning", "note")
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*")
_TEXTS = ("decides", "summary", "why", "remedy", "fix", "since", "releases", "targets", "test")
_REQUIRED = ("severity", "summary", "why", "remedy", "since")


class Malformed(Exception):
    """An entry of the catalogue is not what it has to be; the message names it and says what to write."""


@dataclass(frozen=True)
class Entry:
    """One finding.

    page        name of the file that declares it, without its suffix: `admission-pods`
    severities  that it can have, the usual one first
    decides     what decides between several severities
    summary     one sentence: what is wrong, or what happens
    why         what the operator or the API server does with it, and why that matters
    remedy      what to write or do instead
    fix         what `dynamoc check --fix` does, empty where no remedy is certain
    since       the version of dynamoc that reported it first
    releases    of the operator that it is limited to; empty for all
    targets     that it is limited to; empty for all
    example     None where it needs circumstances that no small example has; `test` names a test that raises it then
    """

    KEYS = "slug severities decides? summary why remedy fix? since releases? targets? example"
    slug: str
    page: str
    severities: tuple[str, ...]
    decides: str
    summary: str
    why: str
    remedy: str
    fix: str
    since: str
    releases: str
    targets: str
    test: str
    example: Example | None


@cache
def entries() -> dict[str, Entry]:
    """All entries by slug, in alphabetical order. Raises Malformed."""
    found: dict[str, Entry] = {}
    # Not `glob`, which looks at the file system: the executable has these files in itself.
    for path in (DIRECTORY / name for name in sorted(os.listdir(DIRECTORY)) if name.endswith(".toml")):
        if path.name == "frames.toml":
            continue
        for slug, data in tomllib.loads(path.read_text(encoding="utf-8")).items():
            if slug in found:
                raise Malformed(f"{slug} is declared in {found[slug].page}.toml and in {path.name}; delete one.")
            found[slug] = entry_of(slug, path.stem, data)
    return dict(sorted(found.items()))


def entry_of(slug: str, page: str, data: dict[str, Any]) -> Entry:
    """An entry from its table. Raises Malformed."""
    topic = slug.partition("/")[0]
    if not _SLUG.fullmatch(slug) or not (page == topic or page.startswith(topic + "-")):
        raise Malformed(f"{slug} in {page}.toml: write `TOPIC/NAME`, in TOPIC.toml or TOPIC-PART.toml.")
    missing = [key for key in _REQUIRED if not data.get(key)]
    if missing:
        raise Malformed(f"{slug}: add {', '.join(missing)}.")
    severities = (data["severity"],) if isinstance(data["severity"], str) else tuple(data["severity"])
    if not set(severities) <= set(SEVERITIES) or (len(severities) > 1) != ("decides" in data):
        raise Malformed(f"{slug}: severity is one of {', '.join(SEVERITIES)}, or a list of them with `decides`.")
    texts = {key: " ".join(_shared(data.get(key, "")).split()) for key in _TEXTS}
    rest = {key: value for key, value in data.items() if key not in _TEXTS and key != "severity"}
    if bool(rest) == bool(texts["test"]):
        raise Malformed(f"{slug}: give either an example or the test that raises it.")
    example = example_of(slug, rest) if rest else None
    return Entry(slug=slug, page=page, severities=severities, example=example, **texts)


def _shared(text: str) -> str:
    """What `@NAME` stands for; any other text is itself."""
    return str(frames()["decisions"][text[1:]]) if text.startswith("@") else text


VERSION = "dynamoc.findings/v1"
#: how many lines the pages show around a difference
CONTEXT = 3


def text_of(entry: Entry) -> str:
    """What `dynamoc explain SLUG` prints."""
    lines = [f"{entry.slug} ({' or '.join(entry.severities)})", ""]
    for label, words in parts(entry):
        lines += [fill(f"{label}: {words}" if label else words, 100, break_on_hyphens=False), ""]
    for title, shown in blocks(entry.example):
        lines += [f"{title}:", "", *(f"  {line}".rstrip() for line in shown), ""]
    return "\n".join(lines).rstrip() + "\n"


def markdown_of(entry: Entry) -> str:
    """The section of an entry on the site."""
    severity = " or ".join(entry.severities).capitalize()
    lines = [f"## {entry.slug}", "", f"{severity}, since dynamoc {entry.since}.", ""]
    for label, words in parts(entry):
        if label != "Since":
            lines += [fill(f"**{label}**: {words}" if label else words, 120, break_on_hyphens=False), ""]
    for title, shown in blocks(entry.example, context=CONTEXT):
        if title == "Example":
            lines += [f"**Example**: `{shown[0]}`", ""]
        else:
            lines += [f"{title}:", "", "```diff" if title.startswith("Wrong") else "```", *shown, "```", ""]
    return "\n".join(lines)


def parts(entry: Entry) -> Iterator[tuple[str, str]]:
    """The texts of an entry, each with its label."""
    yield "", entry.summary
    yield "Why", entry.why
    yield "What to do", entry.remedy
    if entry.fix:
        yield "`dynamoc check --fix`", entry.fix
    if entry.decides:
        yield "Severity", entry.decides
    if entry.releases:
        yield "Releases of the operator", entry.releases
    if entry.targets:
        yield "Targets", entry.targets
    yield "Since", f"dynamoc {entry.since}"


def blocks(example: Example | None, context: int | None = None) -> Iterator[tuple[str, list[str]]]:
    """Title and lines of what shows an example: the commands, the file that differs as a diff, and the other files.

    `context` limits the lines around a difference.
    """
    if example is None:
        return
    wrong, right = example.wrong, example.right
    commands = [f"dynamoc {run.command}" for run in (wrong, right)]
    if commands[0] == commands[1]:
        yield "Example", commands[:1]
    else:
        yield "Wrong (`-`) and right (`+`) command", [f"- {commands[0]}", f"+ {commands[1]}"]
    for name in sorted(set(wrong.files) | set(right.files)):
        old, new = wrong.files.get(name, ""), right.files.get(name, "")
        if old != new:
            yield f"Wrong (`-`) and right (`+`) `{name}`", _near_changes(list(_difference(old, new)), context)
        elif name != "graph.yaml" or example.file == name:
            yield f"`{name}`", old.splitlines()


def _difference(old: str, new: str) -> Iterator[str]:
    lines: Iterable[str] = ndiff(old.splitlines(), new.splitlines())
    return (line.rstrip() for line in lines if not line.startswith("?"))


def _near_changes(lines: list[str], context: int | None) -> list[str]:
    """The changed lines and those around them; `...` stands for what is left out."""
    if context is None:
        return lines
    changed = [index for index, line in enumerate(lines) if line[:1] in ("-", "+")]
    kept = [index for index in range(len(lines)) if any(abs(index - other) <= context for other in changed)]
    found: list[str] = []
    for index, before in zip(kept, [-1, *kept], strict=False):
        found += ["  ..."] * (index > before + 1) + [lines[index]]
    return found + ["  ..."] * bool(kept and kept[-1] + 1 < len(lines))
