"""Options from the environment and from `dynamoc.yaml`, as words of the command line in front of the user's own.

What is typed counts before `DYNAMOC_*` variables, and these before the file; repeatable options add up. This module
only looks whether there is anything; `settings_file.py` reads it.
"""

from __future__ import annotations

import os
import stat

from dynamoc.cli.command_options import options_of
from dynamoc.cli.option_table import MANY, WITHOUT_SETTINGS, Option
from dynamoc.cli.setting_words import PREFIX, is_meant, split_inputs, variable, words_for

FILE, PROJECT = "dynamoc.yaml", "pyproject.toml"
#: not options
_OTHERS = ("DYNAMOC_DEBUG", "DYNAMOC_CRDS", "DYNAMOC_SETTINGS")
_ROOTS = (".git", ".hg")


def with_settings(argv: list[str]) -> list[list[str]]:
    """The command line with what the surroundings add to it; several, where parts of the input have their own settings.

    Raises UsageError for settings that are wrong.
    """
    table = options_of(argv[0]) if argv and argv[0] not in WITHOUT_SETTINGS else None
    if table is None or "--help" in argv or "-h" in argv or _has_its_own(argv):
        return [argv]
    words = from_environment(table) if any(name.startswith(PREFIX) for name in os.environ) else []
    if os.environ.get("DYNAMOC_SETTINGS") != "none":
        found = nearest(start_of(split_inputs(argv[1:], table)[0]))
        if found is not None:
            from dynamoc.cli.settings_file import lines_of

            return [[argv[0], *own, *words, *rest] for own, rest in lines_of(found, table, argv)]
    return [[argv[0], *words, *argv[1:]]]


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
    for option in table:
        value = os.environ.get(variable(option))
        if value is not None and variable(option) not in _OTHERS:
            given = value.split(os.pathsep) if option.kind == MANY else value
            words += words_for(option, given, variable(option)) if is_meant(option, given) else []
    return words
