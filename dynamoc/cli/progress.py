"""A line on the terminal that says how far a run over many files is. Loaded only where there are many, for rich."""

from __future__ import annotations

import atexit

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar


class Progress:
    """A bar on stderr from the first step on, which `stop` takes away without a trace."""

    def __init__(self) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        self._bar = Bar(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False)
        self._task = self._bar.add_task("", total=None)
        # However the run ends, the terminal gets its cursor back.
        atexit.register(self.stop)
        self._bar.start()

    def step(self, what: str, done: int, total: int) -> None:
        """`done` of `total` steps of one stage are over; stages follow each other."""
        self._bar.update(self._task, description=what, completed=done, total=total)

    def stop(self) -> None:
        self._bar.stop()
