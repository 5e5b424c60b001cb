from pathlib import Path

import pytest

from dynamoc.api import generate
from dynamoc.schema.data import RELEASES


def test_generated_files_are_those_of_the_models(capsys: pytest.CaptureFixture[str]) -> None:
    assert generate.main(["--check"]) == 0, capsys.readouterr().out


def test_check_names_what_drifted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"schemas/1.0/a.yaml": "a: 1\n", "dynamoc/schema/data/1.0.json": "{}\n"}
    monkeypatch.setattr(generate, "ROOT", tmp_path)
    monkeypatch.setattr(generate, "RELEASES", {"1.0": None})
    monkeypatch.setattr(generate, "generated", lambda _: files)

    assert generate.main([]) == 0
    assert generate.main(["--check"]) == 0
    (tmp_path / "schemas/1.0/a.yaml").write_text("a: 2\n")
    (tmp_path / "schemas/1.0/gone.yaml").write_text("")
    capsys.readouterr()
    assert generate.main(["--check"]) == 1
    assert capsys.readouterr().out == "drift: schemas/1.0/a.yaml\ndrift: schemas/1.0/gone.yaml\n"

    assert generate.main([]) == 0
    assert not (tmp_path / "schemas/1.0/gone.yaml").exists()
    assert generate.main(["--check"]) == 0


def test_the_run_time_knows_the_releases_of_the_models() -> None:
    assert tuple(generate.RELEASES) == RELEASES
