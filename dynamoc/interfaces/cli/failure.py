"""Exit codes, and what is said when a command cannot do its work.

0 done; 1 errors in the input; 2 wrong usage, no such file, or output that cannot be written; 3 a bug of dynamoc.
Commands that compare say 1 for a difference, and 2 for errors that keep them from comparing.
A closed pipe and Ctrl-C end it quietly with what a shell reports for the signal: 141 and 130.

Writing to stdout.

Styled lines on stdout, and how long a Markdown comment may be.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Iterator

from dynamoc import __version__
from dynamoc.analysis.compare.markdown import GITHUB_LIMIT, GITLAB_LIMIT
from dynamoc.analysis.compare.text import STYLES, Line, plain_text
from dynamoc.documents.findings.text import one_line
from dynamoc.interfaces.cli.option_table import Values

DONE = 0
ERRORS = 1
USAGE = 2
IMPOSSIBLE = 2
BUG = 3
INTERRUPTED = 130
BROKEN_PIPE = 141


#: packages that the light install lacks; `render` and `validate` need none of them
OPTIONAL = ("click", "jsonschema", "pydantic", "rich", "ruamel", "typer")
#: packages of the language server, which only the extras `lsp` and `all` have
EDITORS = ("lsprotocol", "pygls")


class UsageError(Exception):
    """The command line asks for something that cannot be done; the message is a full sentence for the user."""


class Stop(Exception):
    """All has been said, and the command ends with this code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def guarded(action: Callable[[], int]) -> int:
    """The exit code of `action`, which never ends in a traceback."""
    try:
        return action()
    except Stop as stop:
        return stop.code
    except UsageError as error:
        _say(f"dynamoc: error: {error}")
        return USAGE
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _abandon_output()
        return BROKEN_PIPE
    except OSError as error:
        subject = f"{error.filename}: " if error.filename else ""
        _say(f"dynamoc: error: {subject}{error.strerror or error}")
        return USAGE
    except Exception as error:
        package = error.name.partition(".")[0] if isinstance(error, ModuleNotFoundError) and error.name else ""
        if package in (*OPTIONAL, *EDITORS):
            _say(f"dynamoc: error: {_needs(package)}")
            return USAGE
        report_bug(error)
        return BUG


def _needs(package: str) -> str:
    if package in EDITORS:
        return "dynamoc lsp needs the package pygls, which is not installed. Install it: pip install 'dynamoc[lsp]'"
    what = "What you asked for needs"
    if package in ("click", "typer"):
        what = "Help, messages about wrong options, and most commands besides render, validate and diff need"
    return f"{what} the package {package}, which is not installed. Install it: pip install 'dynamoc[all]'"


def report_bug(error: Exception, subject: str | None = None) -> None:
    """Say that dynamoc itself is wrong, and what a report needs; the traceback only where it is asked for."""
    if os.environ.get("DYNAMOC_DEBUG") == "1":
        traceback.print_exception(error)

    about = f" while compiling {subject}" if subject else ""
    _say(
        f"dynamoc: bug: {type(error).__name__} in {_origin(error)}{about}: {error}\n"
        "  This is a fault of dynamoc, not of your input. Please report it to its maintainers with the input,\n"
        "  the command line, and the output of the same command with DYNAMOC_DEBUG=1 set.\n"
        f"  dynamoc {__version__}, Python {'.'.join(map(str, sys.version_info[:3]))}, {sys.platform}"
    )


def _origin(error: Exception) -> str:
    """`rules/env.py:12`: the innermost line of dynamoc that the error came through."""
    package = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    found = "dynamoc"
    step = error.__traceback__
    while step is not None:
        file = step.tb_frame.f_code.co_filename
        if file.startswith(package):
            found = f"{os.path.relpath(file, package)}:{step.tb_lineno}"
        step = step.tb_next
    return found


def _say(text: str) -> None:
    try:
        print(text, file=sys.stderr)
    except BrokenPipeError:
        _abandon_output()


def _abandon_output() -> None:
    """Nobody reads any more: let the interpreter's last flush go nowhere instead of complaining."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def write_stdout(*texts: str) -> None:
    """UTF-8 whatever the locale says; bytes of file names that are no text are escaped.

    Raises BrokenPipeError where the reader has gone, OSError on a full disk.
    """
    try:
        with open(1, "wb", closefd=False) as stdout:
            stdout.writelines(text.encode(errors="backslashreplace") for text in texts)
    except OSError as error:
        if error.errno is None or isinstance(error, BrokenPipeError):
            raise
        raise OSError(error.errno, error.strerror, "stdout") from None


def print_lines(lines: Iterator[Line], choice: str) -> None:
    """With rich on a terminal, or where colour is asked for; bare text elsewhere."""
    if not _wants_colour(choice):
        write_stdout(plain_text(lines))
        return
    from rich.console import Console
    from rich.text import Text

    # A fixed width: long lines are the terminal's to wrap, as those of other diffs are.
    console = Console(force_terminal=True, no_color=False, width=100_000, highlight=False, legacy_windows=False)
    with console.capture() as captured:
        for line in lines:
            console.print(
                Text.assemble(*((one_line(text), STYLES.get(style, "")) for style, text in line)), soft_wrap=True
            )
    write_stdout(captured.get())


def limit_of(values: Values) -> int:
    """The value of --max-chars. Raises UsageError for anything that is no length."""

    named = {"github": GITHUB_LIMIT, "gitlab": GITLAB_LIMIT}
    choice = values["max_chars"]
    if choice in named:
        return named[choice]
    if not choice.isdecimal() or int(choice) < 1000:
        raise UsageError(
            f"--max-chars {choice} is not valid: give github, gitlab, or a number of characters, at least 1000."
        )
    return int(choice)


def _wants_colour(choice: str) -> bool:
    """https://no-color.org: NO_COLOR counts where it is not empty, and an explicit option is stronger."""
    if choice != "auto":
        return choice == "always"
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
