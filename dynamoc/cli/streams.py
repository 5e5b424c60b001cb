"""Standard streams that are closed when dynamoc starts.

The next file to be opened would take the place of one, and get what is meant for it.
"""

from __future__ import annotations

import os
import sys


def replace_closed_streams() -> None:
    """Nothing can be read from a closed stdin or written to a closed stdout; what goes to a closed stderr is lost."""
    _keep_place(0, os.O_WRONLY)
    _keep_place(1, os.O_RDONLY)
    _keep_place(2, os.O_WRONLY)
    if sys.stdin is None:
        sys.stdin = open(0, closefd=False)  # noqa: SIM115 - for as long as the process runs
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115


def _keep_place(number: int, mode: int) -> None:
    try:
        os.fstat(number)
    except OSError:
        # The lowest number that is free, which is this one.
        os.open(os.devnull, mode)
