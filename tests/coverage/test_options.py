"""Each option is one that a test or an example of the catalogue gives to a command."""

from __future__ import annotations

import re
from pathlib import Path

from dynamoc.compiler.options import Options
from dynamoc.interfaces.cli.options import COMMANDS
from tests.cli.conftest import Run, dynamoc
from tests.coverage.command_line import options

__all__ = ["dynamoc"]

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
_READ = re.compile(r'"(\w+)"|options\.(\w+)')


def texts() -> str:
    """Of the tests but those here, which may name all options."""
    files = [path for path in (ROOT / "tests").rglob("*.py") if path == Path(__file__) or path.parent != HERE]
    files += [*HERE.glob("rows/*.toml"), *(ROOT / "dynamoc" / "reference" / "catalog").glob("*.toml")]
    return "\n".join(path.read_text() for path in files)


def test_each_option_is_given_by_a_test() -> None:
    given = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", texts()))
    flags = [(command, [flag for flag in option.opts if flag.startswith("-")]) for command, option in options()]
    assert len(flags) > 200
    assert [(command, *names) for command, names in flags if names and not given & {*names}] == []


def test_each_option_is_read() -> None:
    """By its name: as a key of the values of the command line, or as an attribute of the compiler's options."""
    paths = [path for path in (ROOT / "dynamoc").rglob("*.py") if path.name != "options.py"]
    read = {name for path in paths for pair in _READ.findall(path.read_text()) for name in pair}
    assert sorted({option.name for options in COMMANDS.values() for option in options} - read) == []
    fields = {*Options.__slots__} - {"operator_version"}
    assert sorted(fields - read) == []


def test_the_context_of_a_capture(dynamoc: Run) -> None:
    assert "\ncontext=prod\n" in dynamoc("capture", "--kube-context", "prod").out
