"""Work on files in several processes: forks of this one, which know all that it knows and hand back their answers.

The answers come in the order of the tasks, whichever process is first. A task that fails in a fork is left to the
caller, in whose process it fails again, or does not; a process that ends before its work is done is an error.
"""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Callable
from pickle import dumps, loads
from typing import Any

Task = Callable[[int], Any]
"""From the number of a task to its answer, which `pickle` takes."""

#: the number of jobs that stands for as many as there are processors
AUTO = 0
#: with fewer tasks for each process than this, starting them takes longer than they save
_WORTHWHILE = 8
_HEAD = 8
_CHUNK = 1 << 20


class WorkerDied(Exception):
    """A process ended before it had done its work."""


def can_fork() -> bool:
    """Whether the system has forks. Windows has none."""
    return hasattr(os, "fork")


def processes(jobs: int, tasks: int) -> int:
    """How many processes to use for so many tasks; 1 is this one alone."""
    if not can_fork():
        return 1
    if jobs != AUTO:
        return max(1, min(jobs, tasks))
    return max(1, min(processors(), tasks // _WORTHWHILE))


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Forks:
    """Processes that do numbered tasks in turn; they end with the `with` block, whatever happens in it."""

    def __init__(self, task: Task, tasks: int, jobs: int) -> None:
        self._task = task
        self._tasks = tasks
        self._jobs = jobs
        self._forks: list[_Fork] = []

    def __enter__(self) -> Forks:
        try:
            # Ctrl-C waits until all are known.
            with _Undisturbed() as undisturbed:
                for first in range(self._jobs):
                    self._forks.append(_Fork(self._task, range(first, self._tasks, self._jobs), undisturbed))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        with _Undisturbed():
            for fork in self._forks:
                fork.end()

    def result(self, number: int) -> Any:
        """What task `number` answered, None where it failed. To be asked in order. Raises WorkerDied."""
        wanted = self._forks[number % self._jobs]
        while not wanted.answers:
            self._wait(wanted, number)
        answer = wanted.answers.pop(0)
        return loads(answer) if answer else None

    def _wait(self, wanted: _Fork, number: int) -> None:
        """Takes what any of the processes has to say, so that none waits until its pipe is read."""
        if not wanted.is_open:
            raise wanted.fate(number + 1, self._tasks)
        waiting = select.poll()
        by_pipe = {fork.pipe: fork for fork in self._forks if fork.is_open}
        for pipe in by_pipe:
            waiting.register(pipe)
        for pipe, _ in waiting.poll():
            by_pipe[pipe].receive()


class _Fork:
    """One process, and what it has answered so far."""

    def __init__(self, task: Task, numbers: range, undisturbed: _Undisturbed) -> None:
        self.answers: list[bytes] = []
        self.is_open = True
        self._buffer = bytearray()
        self.pipe, writing = os.pipe()
        self._status: int | None = None
        try:
            self.pid = os.fork()
            if not self.pid:
                os.close(self.pipe)
                _work(task, numbers, writing, undisturbed)
        except OSError:
            os.close(self.pipe)
            raise
        finally:
            os.close(writing)

    def receive(self) -> None:
        data = os.read(self.pipe, _CHUNK)
        if not data:
            self._close()
            return
        self._buffer += data
        while len(self._buffer) >= _HEAD:
            end = _HEAD + int.from_bytes(self._buffer[:_HEAD], "little")
            if len(self._buffer) < end:
                break
            self.answers.append(bytes(self._buffer[_HEAD:end]))
            del self._buffer[:end]

    def fate(self, task: int, tasks: int) -> BaseException:
        """What to raise for how it ended. Ctrl-C reaches all processes, this one perhaps last."""
        code = os.waitstatus_to_exitcode(self._reaped())
        if code == -2:
            return KeyboardInterrupt()
        how = f"signal {-code} ended" if code < 0 else f"exit code {code} ended"
        hint = "where memory runs out, the system does that: try fewer --jobs" if code == -9 else "try without --jobs"
        return WorkerDied(f"{how} a process of --jobs at input {task} of {tasks}; {hint}")

    def end(self) -> None:
        """Nothing of the process is left."""
        if self._status is None:
            os.kill(self.pid, signal.SIGKILL)
            self._reaped()
        self._close()

    def _reaped(self) -> int:
        if self._status is None:
            self._status = os.waitpid(self.pid, 0)[1]
        return self._status

    def _close(self) -> None:
        if self.is_open:
            self.is_open = False
            os.close(self.pipe)


class _Undisturbed:
    """Ctrl-C waits as long as this lasts, and in a forked process until that knows that it is one."""

    def __enter__(self) -> _Undisturbed:
        self._before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        return self

    def __exit__(self, *_: object) -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, self._before)


def _work(task: Task, numbers: range, pipe: int, undisturbed: _Undisturbed) -> None:
    """What a forked process does; it never returns. Ctrl-C ends it without a word, as does a reader that is gone."""
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        undisturbed.__exit__()
        for number in numbers:
            try:
                answer = dumps(task(number))
            except Exception:
                # The caller does it again, and fails as it would have without us.
                answer = b""
            _send(pipe, len(answer).to_bytes(_HEAD, "little") + answer)
        code = 0
    finally:
        os._exit(code)


def _send(pipe: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(pipe, view) :]
