"""Styled lines on stdout, and how long a Markdown comment may be."""

from __future__ import annotations

import os
import sys

from dynamoc.cli.failure import UsageError
from dynamoc.cli.output import write_stdout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynamoc.cli.option_table import Values
    from dynamoc.compare.text import Line


def print_lines(lines: Iterator[Line], choice: str) -> None:
    """With rich on a terminal, or where colour is asked for; bare text elsewhere."""
    if not _wants_colour(choice):
        from dynamoc.compare.text import plain_text

        write_stdout(plain_text(lines))
        return
    from rich.console import Console
    from rich.text import Text

    from dynamoc.compare.text import STYLES
    from dynamoc.diagnostics.printable import one_line

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
    from dynamoc.compare.markdown import GITHUB_LIMIT, GITLAB_LIMIT

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
