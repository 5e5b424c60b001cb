"""Options from the environment and from `dynamoc.yaml`, as words of the command line in front of the user's own.

`dynamoc.yaml`, or `[tool.dynamoc]` of a pyproject.toml, has options of a repository, and others for parts of it. What
is typed counts before `DYNAMOC_*` variables, and these before the file; repeatable options add up.
"""

from __future__ import annotations

import json
import os
import re
import stat
import tomllib
from typing import Any

from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source.files import expand, is_inside
from dynamoc.documents.source.reader import read_text
from dynamoc.interfaces.cli.command_line import OLD_FLAGS, split_command
from dynamoc.interfaces.cli.failure import DONE, UsageError, write_stdout
from dynamoc.interfaces.cli.options import COMMANDS, MANY, WITHOUT_SETTINGS, Option, Values
from dynamoc.interfaces.cli.setting_flags import PREFIX, flags_for, is_meant, key, split_file, split_inputs, variable
from dynamoc.kube.limits import limit
from dynamoc.kube.merge import Tree

SCHEMA = "https://json-schema.org/draft/2020-12/schema"

FILE, PROJECT = "dynamoc.yaml", "pyproject.toml"
#: not options
_OTHERS = ("DYNAMOC_DEBUG", "DYNAMOC_CRDS", "DYNAMOC_SETTINGS")
_ROOTS = (".git", ".hg")


def with_settings(argv: list[str]) -> list[list[str]]:
    """The command line with what the surroundings add to it; several, where parts of the input have their own settings.

    Raises UsageError for settings that are wrong.
    """
    command, rest = split_command(argv)
    table = None if command in WITHOUT_SETTINGS else COMMANDS.get(command)
    if table is None or "--help" in argv or "-h" in argv or _has_its_own(argv):
        return [argv]
    words = from_environment(table) if any(name.startswith(PREFIX) for name in os.environ) else []
    if os.environ.get("DYNAMOC_SETTINGS") != "none":
        found = nearest(start_of(split_inputs(rest, table)[0]))
        if found is not None:
            return [[*command.split(), *own, *words, *others] for own, others in lines_of(found, table, command, rest)]
    return [[*command.split(), *words, *rest]]


def _has_its_own(argv: list[str]) -> bool:
    """Whether the index of a directory says all: what it was rendered with, settings of that time included."""
    return any(word == "--from-index" or word.startswith("--from-index=") for word in argv)


def start_of(inputs: list[str]) -> str:
    """The directory that the first input is in; the current one where none is a file or directory."""
    for word in inputs:
        # `explain FILE:LINE`
        path = word.rpartition(":")[0] if not os.path.exists(word) and ":" in word else word
        if os.path.isdir(path):
            return path
        if os.path.isfile(path):
            return os.path.dirname(path) or "."
    return "."


def nearest(directory: str) -> str | None:
    """The settings file of a directory, or of the nearest one above it, up to the root of the repository.

    None from directories that everybody can write to, such as /tmp.
    """
    directory = os.path.abspath(directory)
    while True:
        for name in () if os.stat(directory).st_mode & stat.S_IWOTH else (FILE, PROJECT):
            path = os.path.join(directory, name)
            if os.path.isfile(path) and (name == FILE or _has_section(path)):
                return path
        above = os.path.dirname(directory)
        if above == directory or any(os.path.exists(os.path.join(directory, name)) for name in _ROOTS):
            return None
        directory = above


def _has_section(path: str) -> bool:
    with open(path, "rb") as file:
        return b"[tool.dynamoc" in file.read()


def from_environment(table: tuple[Option, ...]) -> list[str]:
    """Words for the variables that name options of a command: `DYNAMOC_OPERATOR_VERSION=1.4`."""
    words: list[str] = []
    for flag, new in OLD_FLAGS.items():
        old = PREFIX + flag.lstrip("-").upper().replace("-", "_")
        if flag.startswith("--") and os.environ.get(old):
            raise UsageError(f"The variable {old} is for {flag}, which is now {new}.")
    for option in table:
        value = os.environ.get(variable(option))
        if value is not None and variable(option) not in _OTHERS:
            given = value.split(os.pathsep) if option.kind == MANY else value
            words += flags_for(option, given, variable(option)) if is_meant(option, given) else []
    return words


#: options that decide what is written where, protect the machine, or belong to one run: no file of a pull request
#: may set them
NEVER = frozenset((
    "against", "check", "color", "diff", "filename", "findings", "fix", "from-index", "ignore", "list",
    "show-settings", "jobs", "limit", "load-restrictor", "max-chars", "output", "output-dir", "output-file",
    "stdin-filename", "update-baseline",
))  # fmt: skip
#: commands that print nothing but findings, and so can do one part of the input after the other
REPORTS = ("validate", "check")
OVERRIDES, ALLOW = "overrides", "allow"


class Settings:
    """The content of a settings file. Raises UsageError where it is wrong.

    base      its directory
    overrides pairs of patterns and options, in their order
    """

    def __init__(self, path: str) -> None:
        self.path = os.path.relpath(path)
        self.base = os.path.dirname(os.path.abspath(path))
        tree = _read(path, self.path)
        self.overrides: list[tuple[list[str], Tree]] = []
        for number, part in enumerate(_list(tree.pop(OVERRIDES, []), self.path)):
            where = f"{self.path}: {OVERRIDES}[{number}]"
            if not isinstance(part, dict) or not _texts(part.get("paths")):
                raise UsageError(f"{where} needs `paths`, a list of patterns such as `clusters/a/**`.")
            self.overrides.append((part["paths"], {name: item for name, item in part.items() if name != "paths"}))
        self.options: Tree = tree
        for options, where in ((tree, self.path), *((part, f"{self.path}: {OVERRIDES}") for _, part in self.overrides)):
            for name in options:
                if name not in known():
                    raise UsageError(f"{where}: {_unknown(name)}")

    def groups(self, inputs: list[str]) -> list[tuple[list[str], Tree]]:
        """Inputs that have the same settings, with these, in the order of their first ones."""
        found: list[tuple[list[str], Tree]] = []
        for path in inputs:
            options = self.of(path)
            known = next((paths for paths, other in found if other == options), None)
            if known is None:
                found.append(([path], options))
            else:
                known.append(path)
        return found

    def of(self, path: str) -> Tree:
        """What holds for an input."""
        inside = os.path.relpath(os.path.abspath(path), self.base).replace(os.sep, "/")
        options = dict(self.options)
        for patterns, part in self.overrides:
            if any(matches(inside, pattern) for pattern in patterns):
                options |= part
        return options


def _unknown(name: str) -> str:
    """What is wrong with the name of a setting."""
    if name == "ignore":
        return "ignore is now allow."
    if f"--{name}" in OLD_FLAGS:
        return f"{name} is now {OLD_FLAGS[f'--{name}'].removeprefix('--')}."
    return f"{name} is not a setting; there are {', '.join(sorted(known()))}."


def known() -> dict[str, Option]:
    """The options that a file may set, by name."""
    found: dict[str, Option] = {}
    for command, options in COMMANDS.items():
        for option in () if command in WITHOUT_SETTINGS else options:
            if key(option) not in NEVER and not option.hidden:
                found.setdefault(key(option), option)
    return found


def lines_of(path: str, table: tuple[Option, ...], command: str, words: list[str]) -> list[tuple[list[str], list[str]]]:
    """What a settings file adds to a command line, and the words behind the command; several for `REPORTS`.

    Raises UsageError, also where inputs of another command have different settings.
    """
    settings = Settings(path)
    inputs, others = split_inputs(words, table)
    inputs = [word for word in inputs if os.path.exists(word)]
    groups = settings.groups(_files(inputs) if settings.overrides else inputs[:1])
    if len(groups) < 2:
        return [(_words(groups[0][1] if groups else settings.options, settings, table), words)]
    if command not in REPORTS or any(word.startswith(("-o", "--output", "--findings")) for word in others):
        first, other = groups[0][0][0], groups[1][0][0]
        message = f"{first} and {other} have different settings in {settings.path}. Give them one after the other."
        raise UsageError(message)
    if "--update-baseline" in others and _share_baseline(groups, others):
        message = (
            f"--update-baseline: the inputs have different settings in {settings.path}, each with its own findings."
        )
        raise UsageError(f"{message} Name a `baseline` for each part there.")
    return [(_words(options, settings, table), [*others, *files]) for files, options in groups]


def _share_baseline(groups: list[tuple[list[str], Tree]], others: list[str]) -> bool:
    """Whether what one part writes would be replaced by the next one."""
    files = [options.get("baseline") for _, options in groups]
    return len(set(files)) < len(files) or any(word.partition("=")[0] == "--baseline" for word in others)


def _words(options: Tree, settings: Settings, table: tuple[Option, ...]) -> list[str]:
    by_key = {key(option): option for option in table}
    found: list[str] = []
    for name, value in options.items():
        option = by_key.get(name)
        where = f"{settings.path}: {name}"
        if option is None or not is_meant(option, value):
            continue
        if name == ALLOW:
            found += flags_for(option, _ignored(value, where), where)
        else:
            found += flags_for(option, _inside(option, value, settings, where), where)
    return found


def _files(inputs: list[str]) -> list[str]:
    """Files that overrides decide about; a directory stands for those in it."""
    return expand(inputs, Findings())


def _ignored(value: object, where: str) -> list[str]:
    """Names with their reasons, as `--allow` takes them."""
    if not isinstance(value, dict) or not all(isinstance(text, str) and text.strip() for text in value.values()):
        raise UsageError(f"{where} must be a mapping of names to reasons: `check/floating-image: the mirror pins it`.")
    return [f"{name}: {reason.strip()}" for name, reason in value.items()]


def _inside(option: Option, value: object, settings: Settings, where: str) -> object:
    """The value; paths in it, which are relative to the settings, must not lead out of their directory."""
    if isinstance(value, list):
        return [_inside(option, item, settings, where) for item in value]
    split = split_file(option, value) if isinstance(value, str) else None
    if split is None:
        return value
    prefix, file = split
    path = os.path.join(settings.base, file)
    if not file or not is_inside(path, settings.base):
        raise UsageError(f"{where}: {file or value} must be a path inside of the directory of {settings.path}.")
    return prefix + os.path.relpath(path)


def matches(path: str, pattern: str) -> bool:
    """Whether a path fits a pattern: `*` stays in one directory, `**` does not."""
    expression = ""
    for part in re.split(r"(\*\*/|\*\*|\*|\?)", pattern.removeprefix("./")):
        expression += {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}.get(part, re.escape(part))
    return re.fullmatch(expression, path) is not None


def _read(path: str, shown: str) -> Tree:
    if path.endswith(".toml"):
        try:
            with open(path, "rb") as file:
                found = tomllib.load(file).get("tool", {}).get("dynamoc", {})
        except (OSError, tomllib.TOMLDecodeError) as problem:
            raise UsageError(f"{shown}: {problem}.") from None
        return dict(found)

    findings = Findings()
    with open(path, "rb") as file:
        documents = read_text(file.read(limit("file-bytes") + 1), shown, findings, objects=False)
    if findings.errors:
        first = next(item for item in findings.items if item.severity == "error")
        raise UsageError(f"{first.place or shown}: {first.message}")
    if not documents:
        return {}
    value = documents[0].value
    if len(documents) > 1 or not isinstance(value, dict):
        raise UsageError(f"{shown} must be one mapping of settings.")
    # A graph may be in a file of this name.
    return {} if "apiVersion" in value and "kind" in value else dict(value)


def _list(value: object, shown: str) -> list[Any]:
    if not isinstance(value, list):
        raise UsageError(f"{shown}: {OVERRIDES} must be a list.")
    return value


def _texts(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, str) for item in value)


def show_settings(values: Values) -> int:
    """The exit code; what is set for the first path is on stdout, from dynamoc.yaml and `DYNAMOC_*` variables."""
    found = _found(values["paths"][0])
    if values["output"] == "json":
        write_stdout(
            json.dumps([{"name": name, "value": value, "from": source} for name, value, source in found]) + "\n"
        )
        return DONE
    lines = [f"{name}: {_shown(value)}  ({source})" for name, value, source in found]
    write_stdout("".join(f"{line}\n" for line in lines) or "no settings\n")
    return DONE


def _found(path: str) -> list[tuple[str, Any, str]]:
    """Name, value and source of what is set; of a name that both set, the variable counts."""
    found: dict[str, tuple[Any, str]] = {}
    file = None if os.environ.get("DYNAMOC_SETTINGS") == "none" else nearest(start_of([path]))
    if file is not None:
        settings = Settings(file)
        for name, value in settings.of(path).items():
            found[name] = (value, settings.path)
    for name, option in known().items():
        if variable(option) in os.environ:
            found[name] = (os.environ[variable(option)], f"${variable(option)}")
    return [(name, *found[name]) for name in sorted(found)]


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
