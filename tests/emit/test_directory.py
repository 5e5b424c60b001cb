"""The output directory is the old state or the new one, whatever ends the run that writes it."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dynamoc.emit.directory import STAGED, Staged

OLD = {"a.yaml": "old a\n", "deep/b.yaml": "old b\n", "gone.yaml": "old\n", "same.yaml": "same\n"}
NEW: dict[str, str | None] = {
    "a.yaml": "new a\n",
    "deep/b.yaml": "new b\n",
    "gone.yaml": None,
    "same.yaml": "same\n",
    "new/er/c.yaml": "new c\n",
}
#: what changes a file system
CALLS = ("open", "mkdir", "rename", "unlink", "rmdir", "fsync", "sync")


def stage(directory: Path, texts: dict[str, str | None]) -> Staged:
    staged = Staged(str(directory))
    staged.texts = dict(texts)
    return staged


def files_of(directory: Path) -> dict[str, str]:
    found = (path for path in directory.rglob("*") if not path.is_dir())
    return {str(path.relative_to(directory)): path.read_text() for path in found}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    stage(tmp_path / "out", dict(OLD)).commit()
    return tmp_path / "out"


def in_child(action: Callable[[], None]) -> int:
    """How a process ends that does it: its exit code, or the negative number of its signal."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        try:
            action()
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def die_at(number: int) -> None:
    """From now on, the `number`th call that changes the file system is the last one: as SIGKILL ends a process."""
    left = [number]

    def counting(own: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **named: object) -> object:
            left[0] -= 1
            if left[0] < 0:
                os._exit(9)
            return own(*args, **named)

        return call

    for name in CALLS:
        setattr(os, name, counting(getattr(os, name)))


def settled(directory: Path) -> dict[str, str]:
    """The files after the next run, which writes nothing of its own."""
    stage(directory, {}).commit()
    return files_of(directory)


WANTED = {name: text for name, text in NEW.items() if text is not None}


def test_all_or_nothing(directory: Path) -> None:
    assert files_of(directory) == OLD
    stage(directory, NEW).commit()
    assert files_of(directory) == WANTED


def test_a_killed_run_leaves_the_old_state_or_the_new_one(directory: Path, tmp_path: Path) -> None:
    seen = set()
    number = 0
    while True:
        out = tmp_path / f"out-{number}"
        stage(out, dict(OLD)).commit()

        def run(out: Path = out, number: int = number) -> None:
            die_at(number)
            stage(out, NEW).commit()

        code = in_child(run)
        left, found = files_of(out), settled(out)
        assert found in (OLD, WANTED), number
        assert not (out / STAGED).exists()
        if f"{STAGED}/journal" not in left:
            # What waits is hidden, and git does not take it.
            assert {name: text for name, text in left.items() if not name.startswith(STAGED)} in (OLD, WANTED)
        seen.add(found == OLD)
        if code == 0:
            break
        number += 1
    assert seen == {True, False}
    assert number > 15


def test_a_full_disk_leaves_the_old_state(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, left = os.fsync, [0]

    def full(handle: int) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(28, "No space left on device")
        own(handle)

    monkeypatch.setattr(os, "fsync", full)
    for number in range(4):
        left[0] = number
        with pytest.raises(OSError, match="No space left") as caught:
            stage(directory, NEW).commit()
        assert caught.value.filename == str(directory)
        assert files_of(directory) == OLD


def test_runs_at_the_same_time_do_not_mix(directory: Path) -> None:
    states = [{"a.yaml": f"{run}\n", "deep/b.yaml": f"{run}\n", f"{run}.yaml": "x\n"} for run in range(4)]
    children = []
    for state in states:
        child = os.fork()
        if child == 0:
            others: dict[str, str | None] = {f"{run}.yaml": None for run in range(4)}
            for _ in range(20):
                stage(directory, {**others, **state}).commit()
            os._exit(0)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
    found = files_of(directory)
    assert {name: found[name] for name in found if name not in OLD or name in states[0]} in states


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_signals_at_any_time(directory: Path, number: signal.Signals) -> None:
    for _ in range(10):
        child = os.fork()
        if child == 0:
            while True:
                stage(directory, NEW).commit()
                stage(directory, {**dict(OLD), "new/er/c.yaml": None}).commit()
        os.sched_yield()
        os.kill(child, number)
        os.waitpid(child, 0)
        assert settled(directory) in (OLD, WANTED)


def test_nothing_is_written_through_links(directory: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "victim").write_text("untouched")
    for name in ("b.yaml",):
        (directory / "deep" / name).unlink()
    (directory / "deep").rmdir()
    (directory / "deep").symlink_to(outside)
    with pytest.raises(OSError, match="deep is a link or a file"):
        stage(directory, NEW).commit()
    assert files_of(outside) == {"victim": "untouched"}
    assert (directory / "a.yaml").read_text() == "old a\n"


def test_a_link_in_the_place_of_a_file_is_replaced_and_not_followed(directory: Path, tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("untouched")
    for name in ("a.yaml", "gone.yaml"):
        (directory / name).unlink()
        (directory / name).symlink_to(tmp_path / "victim")
    stage(directory, NEW).commit()
    assert files_of(directory) == WANTED
    assert not (directory / "a.yaml").is_symlink()
    assert (tmp_path / "victim").read_text() == "untouched"


def test_a_planted_staging_folder_is_not_followed(directory: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "journal").write_text('[["a.yaml", null]]')
    (directory / STAGED).symlink_to(outside)
    with pytest.raises(OSError, match=f"{STAGED} is not a folder of dynamoc"):
        stage(directory, NEW).commit()
    assert (directory / "a.yaml").read_text() == "old a\n"


@pytest.mark.parametrize(
    "journal",
    ['[["../victim", null]]', '[["/etc/x", "0"]]', '[["a.yaml", "../../victim"]]', "nonsense", '{"a": 1}', "[[1, 2]]"],
)
def test_a_planted_journal_reaches_nothing_outside(directory: Path, tmp_path: Path, journal: str) -> None:
    (tmp_path / "victim").write_text("untouched")
    (directory / STAGED).mkdir()
    (directory / STAGED / "journal").write_text(journal)
    with pytest.raises(OSError, match="the journal in"):
        stage(directory, NEW).commit()
    assert (tmp_path / "victim").read_text() == "untouched"


def test_a_folder_in_the_place_of_a_file_is_an_error_before_anything_changes(directory: Path) -> None:
    (directory / "new").mkdir()
    (directory / "new" / "er").mkdir()
    (directory / "new" / "er" / "c.yaml").mkdir()
    with pytest.raises(OSError, match="a folder is where this file"):
        stage(directory, NEW).commit()
    assert files_of(directory) == OLD


def test_what_stays_the_same_is_not_written(directory: Path) -> None:
    before = (directory / "same.yaml").stat()
    stage(directory, NEW).commit()
    after = (directory / "same.yaml").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
