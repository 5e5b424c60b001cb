"""`convert --write` puts a new content in the place of a file's, and nothing else."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from dynamoc.documents.emit.files import replace_file


def test_name_and_mode_stay(tmp_path: Path) -> None:
    file = tmp_path / "g.yaml"
    file.write_text("old")
    file.chmod(0o640)
    replace_file(str(file), b"new")
    assert file.read_text() == "new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["g.yaml"]


def test_a_link_keeps_pointing_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "g.yaml").write_text("old")
    (tmp_path / "link.yaml").symlink_to("g.yaml")
    replace_file(str(tmp_path / "link.yaml"), b"new")
    assert (tmp_path / "link.yaml").is_symlink()
    assert (tmp_path / "g.yaml").read_text() == "new"


def test_a_planted_temporary_file_is_not_written(tmp_path: Path) -> None:
    (tmp_path / "g.yaml").write_text("old")
    (tmp_path / "victim").write_text("untouched")
    (tmp_path / f".g.yaml.{os.getpid()}.tmp").symlink_to("victim")
    replace_file(str(tmp_path / "g.yaml"), b"new")
    assert (tmp_path / "victim").read_text() == "untouched"


def test_a_file_with_several_names_is_refused(tmp_path: Path) -> None:
    (tmp_path / "g.yaml").write_text("old")
    (tmp_path / "same.yaml").hardlink_to(tmp_path / "g.yaml")
    with pytest.raises(OSError, match="2 names"):
        replace_file(str(tmp_path / "g.yaml"), b"new")
    assert (tmp_path / "same.yaml").read_text() == "old"


def test_the_owner_stays_or_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "g.yaml"
    file.write_text("old")
    own = os.stat

    class Foreign:
        """The file as somebody else's."""

        def __init__(self, found: os.stat_result) -> None:
            self.st_nlink, self.st_mode = found.st_nlink, found.st_mode
            self.st_uid, self.st_gid = found.st_uid + 1, found.st_gid

    def refused(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    def foreign(path: str, **named: object) -> object:
        found = own(path, **named)  # type: ignore[arg-type]
        return Foreign(found) if path == "g.yaml" else found

    monkeypatch.setattr(os, "stat", foreign)
    monkeypatch.setattr(os, "fchown", refused)
    with pytest.raises(PermissionError) as caught:
        replace_file(str(file), b"new")
    assert caught.value.filename == str(file)
    monkeypatch.undo()
    assert file.read_text() == "old"
    assert os.listdir(tmp_path) == ["g.yaml"]
