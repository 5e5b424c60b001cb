"""The options of `render` as fields of other tools' configuration: a functionConfig, parameters of Argo CD.

A field is the long option in camel case: `operatorVersion`, `target`, `context`, `strictContext`.
"""

from __future__ import annotations

from dynamoc.cli.option_table import COMMANDS, MANY, PART, SWITCH, Option, defaults
from dynamoc.cli.setting_words import split_file
from dynamoc.source.links import is_inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.cli.option_table import Values

FILES = "files"
#: what is about streams and files, which such tools have not
_ABSENT = (
    "check", "color", "explain", "filenames", "findings", "from_index", "keep_going", "layout", "output", "output_dir",
    "passthrough_per_input", "stdin_filename",
)  # fmt: skip


def fields(without: tuple[str, ...] = ()) -> dict[str, Option]:
    """The options by the names of their fields; `files` are the paths. `without` names options to leave out."""
    what = "Files, directories or patterns to render."
    found = {FILES: Option("paths", f"--{FILES}", kind=MANY, metavar="PATH", group="Input", help=what)}
    for option in COMMANDS["render"]:
        if option.name not in (*_ABSENT, *without):
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
            # A switch such as --no-passthrough turns off what is on.
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
