from pathlib import Path

import pytest

from dynamoc.api import generate, releases


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


def test_a_release_without_models_of_its_own_has_those_of_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(releases, "ORDER", (*releases.ORDER, "9.9"))
    known = releases._releases()
    assert list(known)[-1] == known["9.9"].name == "9.9"
    assert known["9.9"].kinds == known[list(known)[-2]].kinds
