"""Options as words of the command line, by their names in files, in the environment and in other tools' configuration.

A field of a functionConfig or of Argo CD is the long option in camel case: `operatorVersion`, `target`, `deny`.
"""

from __future__ import annotations

from typing import Any

from dynamoc.documents.source.files import is_inside
from dynamoc.interfaces.cli.command_line import OLD_FLAGS, is_path
from dynamoc.interfaces.cli.failure import UsageError
from dynamoc.interfaces.cli.options import (
    CHOICE,
    COMMANDS,
    MANY,
    PART,
    SWITCH,
    WITHOUT_SETTINGS,
    Option,
    Values,
    defaults,
)

PREFIX = "DYNAMOC_"
_YES, _NO = ("1", "true"), ("0", "false", "")


def flag(option: Option) -> str:
    """The long spelling of an option."""
    return next(flag for flag in option.flags if flag.startswith("--"))


def key(option: Option) -> str:
    """What an option is called in `dynamoc.yaml`."""
    return flag(option).removeprefix("--")


def variable(option: Option) -> str:
    return PREFIX + key(option).upper().replace("-", "_")


def flags_for(option: Option, value: object, where: str) -> list[str]:
    """The words that set an option. Raises UsageError for a value that it does not take; `where` is for the message."""
    spelled = flag(option)
    if option.kind == SWITCH:
        if value is True or value in _YES:
            return [spelled]
        if value is False or value in _NO:
            return []
        raise UsageError(f"{where} must be true or false, not {value!r}.")
    if option.kind == MANY:
        listed = value if isinstance(value, list) else [value]
        return [f"{spelled}={_text(item, where)}" for item in listed]
    if option.kind == PART and (value is True or value in _YES):
        return [spelled]
    text = _text(value, where)
    if option.kind in (CHOICE, PART) and text not in option.choices:
        raise UsageError(f"{where} must be one of {', '.join(option.choices)}, not {text!r}.")
    return [f"{spelled}={text}"]


def split_file(option: Option, text: str) -> tuple[str, str] | None:
    """What stands in front of the path in a value of an option, and the path; None where the option names no files."""
    if option.metavar in ("FILE", "DIR", "PATH"):
        return ("", text) if option.name != "cluster" or is_path(text) else None
    if option.metavar in ("NAME=FILE", "[NAME=]FILE"):
        name, equals, file = text.rpartition("=")
        return name + equals, file
    return None


def is_meant(option: Option, value: object) -> bool:
    """Whether a value of a setting is for this command, where others have an option of the same name as well.

    `fail-on: warning` is for `check`, and `fail-on: rolls` for `upgrade`. What is for none is for all, which say so.
    """
    listed = value if isinstance(value, list) else [value]
    if not option.choices or all(item in option.choices for item in listed):
        return True
    return not any(all(item in other.choices for item in listed) for other in named(key(option)))


def named(name: str) -> list[Option]:
    """The options of all commands that have a name in `dynamoc.yaml`."""
    tables = [options for command, options in COMMANDS.items() if command not in WITHOUT_SETTINGS]
    return [option for options in tables for option in options if key(option) == name]


def _text(value: object, where: str) -> str:
    if isinstance(value, str) and value:
        return value
    raise UsageError(f'{where} must be text, not {value!r}; put it in quotes: "{value}".')


def split_inputs(words: list[str], table: tuple[Option, ...]) -> tuple[list[str], list[str]]:
    """The words of a command line that name inputs, and all others."""
    by_flag = {flag: option for option in table for flag in option.flags}
    inputs: list[str] = []
    others: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            inputs += rest
        elif not word.startswith("-") or word == "-":
            inputs.append(word)
        else:
            name, equals, value = word.partition("=")
            option = by_flag.get(name)
            takes_next = option is not None and option.kind not in (SWITCH, PART) and not equals
            following = [given] if takes_next and (given := next(rest, None)) is not None else []
            if option is not None and option.name == "filenames":
                inputs += [value] if equals else following
            else:
                others += [word, *following]
    return inputs, others


FILES = "files"
#: what is about streams and files, which such tools have not
_ABSENT = (
    "check", "color", "filenames", "findings", "from_index", "jobs", "keep_going", "layout", "output", "output_dir",
    "stdin_filename",
)  # fmt: skip


def fields(without: tuple[str, ...] = ()) -> dict[str, Option]:
    """The options by the names of their fields; `files` are the paths. `without` names options to leave out."""
    what = "Files, directories or patterns to render."
    found = {FILES: Option("paths", (f"--{FILES}",), "Input", what, kind=MANY, metavar="PATH")}
    for option in COMMANDS["render"]:
        if option.name not in (*_ABSENT, *without) and not option.hidden:
            found[_field_name(option)] = option
    return found


def _field_name(option: Option) -> str:
    """`--operator-version` as `operatorVersion`."""
    flag = next(flag for flag in option.flags if flag.startswith("--"))
    first, *others = flag.removeprefix("--").split("-")
    return first + "".join(word.capitalize() for word in others)


def command_values(
    given: dict[str, Any], where: str, *, as_text: bool = False, without: tuple[str, ...] = ()
) -> Values:
    """The values of a command line `dynamoc render` with these fields. Raises ValueError for what is wrong in them.

    `where` names the configuration in messages. With `as_text`, values are texts: `true`, and a line an item of a list.
    """
    known = fields(without)
    values = defaults(COMMANDS["render"])
    for name, value in given.items():
        option = known.get(name) or _unknown(name, known, where)
        found = _from_text(value, option) if as_text else value
        values[option.name] = _checked(name, found, option, where)
    return values


def refuse_outside(values: Values, root: str, where: str, what: str) -> None:
    """ValueError for a path that leads out of a directory, which is `what`: files of others are beside it."""
    for option in fields().values():
        value = values[option.name]
        for text in value if isinstance(value, list) else [value] if value else []:
            split = split_file(option, str(text))
            if split is not None and not is_inside(split[1], root):
                raise ValueError(f"{split[1]} in {where} is outside of {what}.")


def _unknown(name: str, known: dict[str, Option], where: str) -> Option:
    flag = "--" + "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in str(name))
    if flag in OLD_FLAGS:
        raise ValueError(f"{where} has no option {name}: {flag} is now {OLD_FLAGS[flag]}.")
    near = [field for field in known if field.lower() == str(name).lower().replace("-", "").replace("_", "")]
    hint = f"write {near[0]}" if near else f"known names: {', '.join(sorted(known))}"
    raise ValueError(f"{where} has no option {name}; {hint}.")


def _checked(name: str, value: Any, option: Option, where: str) -> Any:
    if option.kind == MANY:
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return value
        raise ValueError(f"{name} of {where} must be a list of strings.")
    if option.kind == SWITCH:
        if isinstance(value, bool):
            # A switch such as --no-ignore turns off what is on.
            return value != option.default
        raise ValueError(f"{name} of {where} must be true or false.")
    if option.kind == PART and isinstance(value, bool):
        return option.choices[-1] if value else None
    if not isinstance(value, str):
        raise ValueError(f"{name} of {where} must be a string; put it in quotes.")
    if option.choices and value not in option.choices:
        raise ValueError(f"{name}: {value} in {where} is not known; choices: {', '.join(option.choices)}.")
    return value


def _from_text(value: Any, option: Option) -> Any:
    if isinstance(value, str):
        if option.kind == MANY:
            return value.split("\n") if value.strip() else []
        if option.kind in (SWITCH, PART) and value in ("true", "false"):
            return value == "true"
    return value
