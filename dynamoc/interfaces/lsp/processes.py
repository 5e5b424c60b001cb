"""The worker that compiles for the server: one question at a time, and a new process where one dies."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from dynamoc.interfaces.cli.compiler_options import operator_version
from dynamoc.interfaces.cli.failure import UsageError
from dynamoc.reference.releases import DEFAULT_RELEASE, get_release

Report = Callable[[str], None]
#: answers are one line; a text of the limit `file-bytes` may be in one
_LONGEST = 1 << 28
#: seconds that a run may go on while a newer question waits
PATIENCE = 2.0


def command() -> list[str]:
    """Starts a worker with this very dynamoc, and with no module of the directory that the editor is in."""
    return [sys.executable, "-P", "-m", "dynamoc.interfaces.lsp.worker"]


class Unanswered(Exception):
    """The worker failed; why is in the log."""


class Worker:
    """A process that answers questions of `dynamoc.interfaces.lsp.questions`, started with the first one.

    report    takes what the user should see of a failure
    patience  seconds that a run may go on after its answer is no longer wanted, and another question waits
    """

    def __init__(self, report: Report, words: Sequence[str] = (), patience: float = PATIENCE) -> None:
        self._patience = patience
        self._report = report
        self._words = list(words) or command()
        self._process: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()
        self._under_way: asyncio.Future[Any] | None = None
        self._interrupted = False

    async def ask(self, question: dict[str, Any]) -> Any:
        """The answer. Raises Unanswered. Who is cancelled leaves the worker ready for the next question."""
        async with self._turn:
            await self._end_abandoned()
            self._under_way = asyncio.ensure_future(self._answer(question))
            self._under_way.add_done_callback(lambda run: run.cancelled() or run.exception())
            return await asyncio.shield(self._under_way)

    async def _end_abandoned(self) -> None:
        """Waits for a run whose answer is no longer wanted, but not for long."""
        if self._under_way is None or self._under_way.done():
            return
        await asyncio.wait([self._under_way], timeout=self._patience)
        if not self._under_way.done():
            self._interrupt()
            await asyncio.wait([self._under_way])

    async def _answer(self, question: dict[str, Any]) -> Any:
        line = b""
        # A pipe that breaks is a process that died.
        with contextlib.suppress(OSError):
            process = await self._started()
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps(question).encode() + b"\n")
            await process.stdin.drain()
            line = await process.stdout.readline()
        if not line:
            await self._bury(question)
            raise Unanswered
        answer = json.loads(line)
        if "bug" in answer:
            self._report(f"dynamoc: bug while looking at {question['path']}, please report it:\n{answer['bug']}")
            raise Unanswered
        return answer["answer"]

    async def _started(self) -> asyncio.subprocess.Process:
        if self._process is None:
            self._process = await asyncio.create_subprocess_exec(
                *self._words,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=_LONGEST,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        return self._process

    async def _bury(self, question: dict[str, Any]) -> None:
        process, self._process = self._process, None
        was_interrupted, self._interrupted = self._interrupted, False
        if process is None:
            self._report(f"dynamoc: no process can be started to look at {question['path']}.")
            return
        # A signal to a process that is dead already would take its exit code away.
        assert process.stdin is not None
        process.stdin.close()
        code = await process.wait()
        if not was_interrupted:
            self._report(f"dynamoc: the process that looked at {question['path']} ended with exit code {code}.")

    def _interrupt(self) -> None:
        """Ends the run that is under way; its question gets no answer."""
        if self._process is not None:
            self._interrupted = True
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()


class Releases:
    """Remembers the release of each file until files change. `report` takes what is wrong with the settings."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self._known: dict[str, str] = {}

    def of(self, path: str) -> str:
        """The name of the release; the default one where the settings are wrong, which the diagnostics say."""
        if path not in self._known:
            try:
                self._known[path] = _release(path)
            except (UsageError, KeyError, OSError) as problem:
                self._report(f"dynamoc: the settings for {path} choose no release: {problem}")
                self._known[path] = DEFAULT_RELEASE
        return self._known[path]

    def forget(self) -> None:
        self._known.clear()


def _release(path: str) -> str:
    from dynamoc.interfaces.lsp.questions import values_of

    values = values_of("check", path)
    version = values["operator_version"]
    if version == "auto":
        version, _ = operator_version(values["context"], values["paths"])
    return get_release(version).name
