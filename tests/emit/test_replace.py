"""A file is the old one or the new one, whatever ends the run that writes it, and nothing else stays."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from dynamoc.documents.emit.files import replace_file
from tests.emit.test_directory import die_at, in_child


@pytest.mark.parametrize("is_there", [True, False])
def test_the_next_run_removes_what_a_killed_one_left(tmp_path: Path, is_there: bool) -> None:
    seen, number, code = set(), 0, 9
    while code:
        file = tmp_path / str(number) / "graph.yaml"
        file.parent.mkdir()
        if is_there:
            file.write_text("old")

        def run(file: Path = file, number: int = number) -> None:
            die_at(number)
            replace_file(str(file), b"new")

        code = in_child(run)
        seen.add(file.read_text() if file.exists() else None)
        replace_file(str(file), b"newer")
        assert file.read_text() == "newer"
        assert os.listdir(file.parent) == ["graph.yaml"]
        number += 1
    assert seen == {"old" if is_there else None, "new"}


def planted_name(directory: Path) -> str:
    """The name under which content waits."""
    names: list[str] = []
    (directory / "a").write_text("old")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "rename", lambda source, target, **_: names.append(source) or os.unlink(directory / target))
        replace_file(str(directory / "a"), b"new")
    os.unlink(directory / names[0])
    (directory / "a").write_text("old")
    return names[0]


@pytest.mark.parametrize(
    "plant",
    [os.mkfifo, lambda path: path.symlink_to("/etc/passwd"), lambda path: path.write_text("theirs"), None],
)
def test_what_has_the_name_before_is_not_written_through(
    tmp_path: Path, plant: Callable[[Path], object] | None
) -> None:
    name = planted_name(tmp_path)
    other = tmp_path / "other"
    other.write_text("untouched")
    if plant is None:
        os.link(other, tmp_path / name)
    else:
        plant(tmp_path / name)
    replace_file(str(tmp_path / "a"), b"new")
    assert (tmp_path / "a").read_text() == "new"
    assert not (tmp_path / "a").is_symlink()
    assert other.read_text() == "untouched"
    assert sorted(os.listdir(tmp_path)) == ["a", "other"]


def test_runs_at_the_same_time_give_one_of_their_contents(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("old")
    children = []
    for run in range(4):
        child = os.fork()
        if child == 0:
            try:
                for _ in range(100):
                    replace_file(str(file), str(run).encode() * 10_000)
                os._exit(0)
            finally:
                os._exit(1)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
    assert file.read_text() in [str(run) * 10_000 for run in range(4)]
    assert os.listdir(tmp_path) == ["a"]
