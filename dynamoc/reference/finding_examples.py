"""The example of a finding: a command line and its files, once as they raise it and once as they do not."""

from __future__ import annotations

import shlex
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

GRAPH = "graph.yaml"
#: the options that give the files of these names to the command
_OPTIONS = {"old.yaml": "--against", "context.yaml": "--context", "operator.yaml": "--operator-config"}
#: the frame of a text that is a whole file
_WHOLE = "@"
_KEYS = ("frame", "file", "wrong", "right", "command", "right-command", "options", "right-options", "files")


@dataclass(frozen=True)
class Run:
    """A command line, without the program's name, and the files in the directory where it runs, by name."""

    command: str
    files: dict[str, str]

    @property
    def words(self) -> list[str]:
        return shlex.split(self.command)


@dataclass(frozen=True)
class Example:
    """`file` is the one that differs between `wrong` and `right`, where their commands are the same."""

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
