"""The output directory is the old state or the new one, whatever ends the run that writes it."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dynamoc.documents.emit.directory import SET_ASIDE, STAGED, Staged

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
    found = (path for path in directory.rglob("*") if path.is_file())
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


def plant(directory: Path, journal: str, others: dict[str, str]) -> None:
    """A staging folder as it could be committed to a repository, with all that a program can write."""
    folder = directory / STAGED
    folder.mkdir()
    for name, text in {".gitignore": "*\n", "journal": journal, **others}.items():
        (folder / name).write_text(text)
        found = (folder / name).stat()
        # What a copy of a real one says, from another moment.
        (folder / f"{name}.own").write_text(f"{found.st_ino} {found.st_ctime_ns - 1_000_000}\n")
        if text.startswith("#!"):
            (folder / name).chmod(0o755)


def interrupt(directory: Path, texts: dict[str, str | None], moves: int = 0) -> None:
    """Leaves the directory as a run that is killed does, after its commit counts and so many files are in place."""

    def run() -> None:
        own, left = os.rename, [moves]

        def rename(source: str, target: str, **named: int) -> None:
            if source.isdigit():
                left[0] -= 1
                if left[0] < 0:
                    os._exit(9)
            own(source, target, **named)

        os.rename = rename  # type: ignore[assignment]
        stage(directory, texts).commit()

    assert in_child(run) == 9


def is_set_aside(directory: Path) -> bool:
    """Whether a run that asks for OLD renames the staging folder, and makes the directory what is asked for."""
    staged = stage(directory, dict(OLD))
    staged.commit()
    assert not (directory / STAGED).exists()
    assert {name: text for name, text in files_of(directory).items() if not name.startswith(SET_ASIDE)} == OLD
    assert all(os.path.lexists(directory / name) for name in staged.set_aside)
    return bool(staged.set_aside)


@pytest.mark.parametrize("moves", range(3))
def test_a_run_killed_while_files_move_is_finished(directory: Path, moves: int) -> None:
    interrupt(directory, NEW, moves)
    assert files_of(directory) not in (OLD, WANTED)
    assert settled(directory) == WANTED


def test_a_file_that_changed_since_a_run_was_killed_stays(directory: Path) -> None:
    interrupt(directory, NEW)
    (directory / "a.yaml").write_text("mine\n")
    (directory / "gone.yaml").write_text("mine\n")
    assert settled(directory) == {**WANTED, "a.yaml": "mine\n", "gone.yaml": "mine\n"}


@pytest.mark.parametrize(
    "tamper",
    [
        lambda folder: (folder / "journal").write_text('[["a.yaml", null, null, null]]'),
        lambda folder: os.replace(shutil.copy2(folder / "journal", folder / "copy"), folder / "journal"),
        lambda folder: (folder / "0").write_text("other\n"),
        lambda folder: (folder / "0").chmod(0o755),
        lambda folder: ((folder / "0").unlink(), (folder / "0").symlink_to("/etc/passwd")),
        lambda folder: (folder / "journal.own").unlink() or (folder / "folder").mkdir(),
        lambda folder: shutil.move(shutil.copytree(folder, folder.with_name("copy")), shutil.rmtree(folder) or folder),
    ],
)
def test_a_journal_that_changed_since_is_not_believed(directory: Path, tamper: Callable[[Path], object]) -> None:
    interrupt(directory, {"a.yaml": "new a\n"})
    tamper(directory / STAGED)
    assert is_set_aside(directory)


JOURNALS = [
    '[["../victim", null]]', '[["/etc/x", "0"]]', '[["a.yaml", "../../victim"]]', '[["a.yaml", null, null, null]]',
    '[[".git/hooks/pre-commit", "0", null, null]]', "nonsense", '{"a": 1}', "[[1, 2]]", "[" * 200_000, "\0\x01", "",
]  # fmt: skip


@pytest.mark.parametrize("journal", JOURNALS)
def test_a_planted_journal_is_set_aside(directory: Path, tmp_path: Path, journal: str) -> None:
    (tmp_path / "victim").write_text("untouched")
    plant(directory, journal, {"0": "#!/bin/sh\n"})
    assert is_set_aside(directory)
    assert (tmp_path / "victim").read_text() == "untouched"
    assert not (directory / ".git").exists()


@pytest.mark.parametrize("journal", JOURNALS)
def test_a_journal_that_is_vouched_for_is_still_judged(directory: Path, tmp_path: Path, journal: str) -> None:
    """As if somebody had found a way to vouch for it."""
    (tmp_path / "victim").write_text("untouched")
    plant(directory, journal, {"0": "#!/bin/sh\n"})
    for name in (".gitignore", "journal"):
        found = (directory / STAGED / name).stat()
        (directory / STAGED / f"{name}.own").write_text(f"{found.st_ino} {found.st_ctime_ns}\n")
    assert is_set_aside(directory)
    assert (tmp_path / "victim").read_text() == "untouched"
    assert not (directory / ".git").exists()


def make_fifo(folder: Path) -> None:
    folder.mkdir()
    for name in ("journal", "journal.own", ".gitignore", ".gitignore.own"):
        os.mkfifo(folder / name)


def make_folder(folder: Path) -> None:
    for name in ("journal", "journal.own"):
        (folder / name).mkdir(parents=True)


def make_link(folder: Path) -> None:
    outside = folder.parent.parent / "outside"
    outside.mkdir()
    (outside / "journal").write_text('[["a.yaml", null, null, null]]')
    folder.symlink_to(outside)


@pytest.mark.parametrize("make", [make_fifo, make_folder, make_link, os.mkfifo, Path.touch])
def test_whatever_has_the_name_of_the_staging_folder_is_set_aside(
    directory: Path, make: Callable[[Path], object]
) -> None:
    make(directory / STAGED)
    assert is_set_aside(directory)


@pytest.mark.parametrize(
    "name", [".git/hooks/pre-commit", "deep/.GIT/config", ".gitmodules", ".github/workflows/x.yaml"]
)
def test_nothing_is_written_where_git_looks(directory: Path, name: str) -> None:
    with pytest.raises(OSError, match="a part that starts with"):
        stage(directory, {name: "text\n"}).commit()
    assert files_of(directory) == OLD


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
