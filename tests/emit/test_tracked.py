"""The index of an output directory belongs to the same transaction as its files, and nothing is touched without it."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from dynamoc.documents.emit.directory import STAGED
from dynamoc.documents.emit.files import (
    ABANDONED,
    EDITED,
    FOREIGN,
    INDEX,
    INTERRUPTED,
    LEFT_OVER,
    MISSING,
    OUTDATED,
    BadIndex,
    InTheWay,
    Tracked,
    digest,
    format_index,
    parse_index,
    read_index,
)
from tests.emit.test_directory import die_at, files_of, in_child

OLD = {"a.yaml": "old a\n", "deep/b.yaml": "old b\n", "gone.yaml": "old\n", "same.yaml": "same\n"}
NEW = {"a.yaml": "new a\n", "deep/b.yaml": "new b\n", "same.yaml": "same\n", "new/er/c.yaml": "new c\n"}


def tracked(directory: Path, texts: dict[str, str], **record: str) -> Tracked:
    found = Tracked(str(directory))
    found.texts = dict(texts)
    found.record = dict(record)
    return found


def shown(directory: Path) -> dict[str, str]:
    return {name: text for name, text in files_of(directory).items() if name != INDEX}


def good(directory: Path) -> list[str]:
    """Which of the two states `--check` takes the directory for."""
    states = {"old": OLD, "new": NEW}
    return [name for name, texts in states.items() if not tracked(directory, texts, state=name).drift()]


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    tracked(tmp_path / "out", OLD, state="old").commit()
    return tmp_path / "out"


def test_files_of_objects_that_are_gone_are_removed(directory: Path) -> None:
    (directory / "README.md").write_text("mine")
    (directory / "kustomization.yaml").write_text("resources: []\n")
    run = tracked(directory, NEW, state="new")
    run.commit()
    assert run.removed == ["gone.yaml"]
    assert shown(directory) == {**NEW, "README.md": "mine", "kustomization.yaml": "resources: []\n"}
    assert json.loads((directory / INDEX).read_text())["written"] == {
        name: digest(text.encode()) for name, text in NEW.items()
    }
    assert good(directory) == ["new"]


def test_the_same_again_writes_nothing(directory: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in directory.rglob("*")}
    tracked(directory, OLD, state="old").commit()
    assert {path: path.stat().st_mtime_ns for path in directory.rglob("*")} == before


def test_what_others_wrote_is_never_touched(directory: Path) -> None:
    (directory / "new").mkdir()
    (directory / "new" / "er").mkdir()
    (directory / "new/er/c.yaml").write_text("mine")
    before = files_of(directory)
    with pytest.raises(InTheWay) as caught:
        tracked(directory, NEW).commit()
    assert caught.value.faults == [("new/er/c.yaml", FOREIGN)]
    assert files_of(directory) == before
    # The same content is nobody's loss, and is known from then on.
    (directory / "new/er/c.yaml").write_text(NEW["new/er/c.yaml"])
    tracked(directory, NEW, state="new").commit()
    assert good(directory) == ["new"]


def test_what_was_edited_is_never_touched(directory: Path) -> None:
    (directory / "a.yaml").write_text("edited")
    (directory / "gone.yaml").write_text("edited")
    before = files_of(directory)
    with pytest.raises(InTheWay) as caught:
        tracked(directory, NEW).commit()
    assert caught.value.faults == [("a.yaml", EDITED)]
    assert files_of(directory) == before
    (directory / "a.yaml").unlink()
    run = tracked(directory, NEW, state="new")
    run.commit()
    assert (run.removed, run.left) == ([], [("gone.yaml", ABANDONED)])
    assert shown(directory) == {**NEW, "gone.yaml": "edited"}
    # It is not forgotten, as it would be applied with the rest.
    assert tracked(directory, NEW, state="new").drift() == [("gone.yaml", ABANDONED)]
    (directory / "gone.yaml").unlink()
    tracked(directory, NEW, state="new").commit()
    assert good(directory) == ["new"]


def test_what_was_removed_by_hand_is_written_again(directory: Path) -> None:
    (directory / "a.yaml").unlink()
    (directory / "gone.yaml").unlink()
    run = tracked(directory, NEW, state="new")
    run.commit()
    assert (run.removed, run.left) == ([], [])
    assert shown(directory) == NEW


def test_drift_names_each_fault_and_writes_nothing(directory: Path, tmp_path: Path) -> None:
    (directory / "deep/b.yaml").write_text("edited")
    (directory / "new").write_text("mine")
    before = files_of(directory)
    assert tracked(directory, NEW).drift() == [
        ("a.yaml", OUTDATED), ("deep/b.yaml", EDITED), ("gone.yaml", LEFT_OVER), ("new/er/c.yaml", FOREIGN),
    ]  # fmt: skip
    assert files_of(directory) == before
    assert tracked(tmp_path / "none", {"a.yaml": "a"}).drift() == [(INDEX, MISSING), ("a.yaml", MISSING)]
    assert not (tmp_path / "none").exists()
    (directory / "deep/b.yaml").write_text(OLD["deep/b.yaml"])
    assert tracked(directory, OLD, state="other").drift() == [(INDEX, OUTDATED)]
    (directory / INDEX).unlink()
    assert tracked(directory, OLD, state="old").drift() == [(INDEX, MISSING)]


def test_another_dynamoc_that_writes_the_same_is_no_drift(directory: Path) -> None:
    tracked(directory, OLD, state="old", dynamoc="1").commit()
    assert tracked(directory, OLD, state="old", dynamoc="2").drift() == []


def test_a_killed_run_leaves_nothing_that_drift_takes_for_good_and_is_not(tmp_path: Path) -> None:
    seen = set()
    number = 0
    while True:
        out = tmp_path / f"out-{number}"
        tracked(out, OLD, state="old").commit()

        def run(out: Path = out, number: int = number) -> None:
            die_at(number)
            tracked(out, NEW, state="new").commit()

        code = in_child(run)
        left = {name: text for name, text in shown(out).items() if not name.startswith(STAGED)}
        states = [name for name, texts in (("old", OLD), ("new", NEW)) if left == texts]
        taken = good(out)
        assert taken in (states, []), number
        if not taken and code:
            assert tracked(out, OLD, state="old").drift() == [(STAGED, INTERRUPTED)]
        tracked(out, NEW, state="new").settle()
        settled = good(out)
        assert settled in (["old"], ["new"]), number
        tracked(out, NEW, state="new").commit()
        assert shown(out) == NEW
        assert good(out) == ["new"]
        seen.add((code == 0, *taken, *settled))
        if code == 0:
            break
        number += 1
    assert seen == {(False, "old", "old"), (False, "new"), (False, "new", "new"), (True, "new", "new")}


def test_a_full_disk_leaves_the_old_state_and_its_index(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, left, before = os.fsync, [0], files_of(directory)

    def full(handle: int) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(28, "No space left on device")
        own(handle)

    monkeypatch.setattr(os, "fsync", full)
    for number in range(5):
        left[0] = number
        with pytest.raises(OSError, match="No space left"):
            tracked(directory, NEW, state="new").commit()
        assert files_of(directory) == before
        assert good(directory) == ["old"]


def test_runs_at_the_same_time_leave_the_files_of_one_and_its_index(directory: Path) -> None:
    states = [{"a.yaml": f"{run}\n", "deep/b.yaml": f"{run}\n", f"{run}.yaml": "x\n"} for run in range(4)]
    children = []
    for number, state in enumerate(states):
        child = os.fork()
        if child == 0:
            for _ in range(20):
                tracked(directory, state, state=str(number)).commit()
            os._exit(0)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
    assert shown(directory) in states
    good = [number for number, state in enumerate(states) if not tracked(directory, state, state=str(number)).drift()]
    assert good == [states.index(shown(directory))]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_signals_at_any_time(directory: Path, number: signal.Signals) -> None:
    for _ in range(10):
        child = os.fork()
        if child == 0:
            while True:
                tracked(directory, NEW, state="new").commit()
                tracked(directory, OLD, state="old").commit()
        os.sched_yield()
        os.kill(child, number)
        os.waitpid(child, 0)
        Tracked(str(directory)).settle()
        [state] = good(directory)
        assert shown(directory) == {"old": OLD, "new": NEW}[state]


def test_links_are_foreign(directory: Path, tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("untouched")
    for name in ("a.yaml", "gone.yaml"):
        (directory / name).unlink()
        (directory / name).symlink_to(tmp_path / "victim")
    with pytest.raises(InTheWay) as caught:
        tracked(directory, NEW).commit()
    assert caught.value.faults == [("a.yaml", EDITED)]
    (directory / "a.yaml").unlink()
    run = tracked(directory, NEW)
    run.commit()
    assert run.left == [("gone.yaml", ABANDONED)]
    assert (tmp_path / "victim").read_text() == "untouched"


@pytest.mark.parametrize(
    "name", ["../victim", "/etc/passwd", "a/../../victim", ".dynamoc-staged/journal", "a//b", "", ".git/config"]
)
def test_a_planted_index_reaches_nothing_outside(tmp_path: Path, name: str) -> None:
    (tmp_path / "victim").write_text("untouched")
    out = tmp_path / "out"
    out.mkdir()
    (out / INDEX).write_text(format_index({}, {name: digest(b"untouched")}))
    with pytest.raises(OSError, match="`written` names something else than files of the directory"):
        tracked(out, NEW).commit()
    assert (tmp_path / "victim").read_text() == "untouched"
    assert shown(out) == {}


@pytest.mark.parametrize(
    "text",
    ["", "nonsense", "[]", "[" * 100_000, '{"format": "other"}', '{"format": "dynamoc-index", "version": 2}',
     '{"format": "dynamoc-index", "version": 1}', '{"format": "dynamoc-index", "version": 1, "written": {"a": 1}}',
     "<<<<<<< HEAD\n"],
)  # fmt: skip
def test_an_index_that_is_none_is_an_error_and_no_reason_to_write(directory: Path, text: str) -> None:
    (directory / INDEX).write_text(text)
    before = files_of(directory)
    with pytest.raises(BadIndex):
        parse_index(text.encode())
    for action in (tracked(directory, NEW).commit, tracked(directory, NEW).drift, lambda: read_index(str(directory))):
        with pytest.raises(OSError, match="remove it, and render into an empty directory"):
            action()
    assert files_of(directory) == before


def test_an_index_without_end_is_not_read(directory: Path) -> None:
    os.truncate(directory / INDEX, 1 << 40)
    with pytest.raises(OSError, match="the limit `file-bytes`"):
        tracked(directory, NEW).commit()


def test_an_index_that_is_a_link_is_not_followed(directory: Path, tmp_path: Path) -> None:
    (directory / INDEX).rename(tmp_path / "index")
    (directory / INDEX).symlink_to(tmp_path / "index")
    with pytest.raises(OSError, match="not a plain file"):
        tracked(directory, NEW).commit()


def test_no_tool_reads_the_index(directory: Path) -> None:
    assert not INDEX.endswith((".yaml", ".yml", ".json"))
