"""`--from-index`: the command line that a directory was rendered with.

The index may come from somebody else, with the repository: it can ask for what options of `render` do, and for no file
outside of the current directory.
"""

from __future__ import annotations

import os

from dynamoc.cli.failure import UsageError
from dynamoc.cli.option_table import CHOICE, COMMANDS, MANY, PART, SWITCH, defaults
from dynamoc.cli.tracking import ANSWERS, NOT_RECORDED, PATHS
from dynamoc.emit.index import INDEX
from dynamoc.emit.tracked import read_index
from dynamoc.source.files import STDIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.cli.option_table import Option, Values

    Tree = dict[str, Any]

#: what may be given beside it
_BESIDE = frozenset(
    ("check", "color", "fail_on_empty", "findings", "from_index", "jobs", "limit", "load_restrictor", "require_graphs")
)


def values_of_index(values: Values) -> tuple[Values, Tree]:
    """The values of the command line that wrote the index, and the index. UsageError where it asks for too much."""
    directory = values["from_index"]
    table = {option.flags[-1].removeprefix("--"): option for option in COMMANDS["render"]}
    unset = defaults(COMMANDS["render"])
    given = [
        flag
        for flag, option in table.items()
        if option.name not in _BESIDE and values[option.name] != unset[option.name]
    ]
    if given or values["paths"]:
        what = f"--{given[0]}" if given else "PATH"
        raise UsageError(f"--from-index takes {what} from the index of {directory}; leave it out.")
    index = read_index(directory)
    restored = {**unset, **{name: values[name] for name in _BESIDE & values.keys()}}
    free = values["load_restrictor"] == "none"
    try:
        for name, value in index["options"].items():
            option = table.get(name)
            if option is None or option.name in NOT_RECORDED or not _fits(option, value):
                raise ValueError(f"the option --{name}")
            restored[option.name] = _placed(option, value, directory, free=free)
        restored["operator_version"] = str(index["release"])
        restored["paths"] = [_path(path, directory, free=free) for path in index["paths"]]
        base = _path(index["from"], directory, free=True) if "from" in index else os.curdir
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        reason = f"{error} is not what this dynamoc writes" if str(error) else "it is damaged"
        raise UsageError(f"{os.path.join(directory, INDEX)} cannot be used: {reason}.") from None
    restored["output_dir"] = directory
    return (_moved(restored, base) if base != os.curdir else restored), index


def _fits(option: Option, value: Any) -> bool:
    """Whether an option takes a value."""
    if option.kind == SWITCH:
        return isinstance(value, bool)
    if option.kind == MANY:
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    return isinstance(value, str) and (option.kind not in (CHOICE, PART) or value in option.choices)


def _placed(option: Option, value: Any, directory: str, *, free: bool) -> Any:
    if option.name in PATHS:
        if isinstance(value, list):
            return [_path(item, directory, free=free) for item in value]
        return _path(value, directory, free=free)
    if option.name == ANSWERS:
        pairs = (item.partition("=") for item in value)
        return [f"{name}={_path(file, directory, free=free)}" for name, _, file in pairs]
    return value


def _path(path: str, directory: str, *, free: bool) -> str:
    """A path of the index, from the current directory."""
    if path == STDIN:
        return path
    found = os.path.relpath(os.path.join(directory, path))
    if not free and not f"{os.path.realpath(found)}/".startswith(f"{os.getcwd().rstrip('/')}/"):
        raise UsageError(
            f"The index of {directory} names {found}, which is outside of the current directory. Run the command from "
            "a directory above it, or read it all the same with --load-restrictor none."
        )
    return found


def _moved(values: Values, base: str) -> Values:
    """The values as they are from the directory in which the command ran, which becomes the current one."""
    target = os.path.abspath(base)
    moved = dict(values)
    for name in (*PATHS, "paths", "output_dir"):
        value = values[name]
        moved[name] = (
            [_from(item, target) for item in value] if isinstance(value, list) else value and _from(value, target)
        )
    pairs = (item.partition("=") for item in values[ANSWERS])
    moved[ANSWERS] = [f"{name}={_from(file, target)}" for name, _, file in pairs]
    os.chdir(target)
    return moved


def _from(path: str, target: str) -> str:
    return path if path == STDIN else os.path.relpath(path, target)
