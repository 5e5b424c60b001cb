"""One option as words of the command line, and its names in files and in the environment."""

from __future__ import annotations

from dynamoc.cli.failure import UsageError
from dynamoc.cli.option_table import CHOICE, MANY, PART, SWITCH, Option

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


def words_for(option: Option, value: object, where: str) -> list[str]:
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
        return "", text
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
    from dynamoc.cli.command_options import options_of
    from dynamoc.cli.option_table import COMMANDS, ELSEWHERE, WITHOUT_SETTINGS

    commands = [command for command in (*COMMANDS, *ELSEWHERE) if command not in WITHOUT_SETTINGS]
    return [option for command in commands for option in options_of(command) or () if key(option) == name]


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
