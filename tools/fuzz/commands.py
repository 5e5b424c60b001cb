"""Command lines in this process: exit code, stdout and stderr, and how many steps they may take."""

from __future__ import annotations

import os
import sys
import tempfile
from types import FrameType
from typing import Any, NamedTuple

from dynamoc.interfaces.cli.entry import run

#: calls of functions; the largest golden input takes some 300,000 with the slowest command
STEPS = 20_000_000


class Done(NamedTuple):
    code: int
    out: str
    err: str


class Broken(AssertionError):
    """An oracle failed; the message says which, and with which command line."""


class Endless(BaseException):
    """A command took more steps than any input of this size needs."""


def _writer(number: int) -> Any:
    return open(number, "w", closefd=False, encoding="utf-8")


def command(*argv: str, steps: int = STEPS) -> Done:
    """Runs one command line. Raises Endless."""
    sys.stdout.flush()
    sys.stderr.flush()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        kept = os.dup(1), os.dup(2)
        stdout, stderr = sys.stdout, sys.stderr
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        sys.stdout, sys.stderr = _writer(1), _writer(2)
        left = steps

        def count(_frame: FrameType, _event: str, _argument: Any) -> None:
            nonlocal left
            left -= 1
            if left < 0:
                sys.setprofile(None)
                raise Endless(f"{argv}: more than {steps:,} steps")

        try:
            sys.setprofile(count)
            code = run(list(argv))
        finally:
            sys.setprofile(None)
            sys.stdout.flush()
            sys.stderr.flush()
            sys.stdout, sys.stderr = stdout, stderr
            for number, handle in enumerate(kept, 1):
                os.dup2(handle, number)
                os.close(handle)
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode("utf-8"))
    return Done(code, *texts)
