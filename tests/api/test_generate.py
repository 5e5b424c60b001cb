from pathlib import Path

import pytest

from dynamoc.api import generate, releases
from dynamoc.documents.schema import schemas


def test_generated_files_are_those_of_the_models(capsys: pytest.CaptureFixture[str]) -> None:
    assert generate.main(["--check"]) == 0, capsys.readouterr().out


def test_check_names_what_drifted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"dynamoc/documents/schema/data/1.0.json": "{}\n", "dynamoc/documents/schema/data/crds.json": "{}\n"}
    monkeypatch.setattr(generate, "ROOT", tmp_path)
    monkeypatch.setattr(generate, "generated", lambda: files)

    assert generate.main([]) == 0
    assert generate.main(["--check"]) == 0
    (tmp_path / "dynamoc/documents/schema/data/1.0.json").write_text("[]\n")
    (tmp_path / "dynamoc/documents/schema/data/gone.json").write_text("")
    capsys.readouterr()
    assert generate.main(["--check"]) == 1
    assert (
        capsys.readouterr().out
        == "drift: dynamoc/documents/schema/data/1.0.json\ndrift: dynamoc/documents/schema/data/gone.json\n"
    )

    assert generate.main([]) == 0
    assert not (tmp_path / "dynamoc/documents/schema/data/gone.json").exists()
    assert generate.main(["--check"]) == 0


def test_what_is_stored_without_repetition_is_the_same() -> None:
    for release in generate.RELEASES.values():
        wanted = [generate.without_go(crd) for crd in generate.definitions(release)]
        assert (schemas.configuration_schema(release.name) is None) == (release.configuration is None)
        assert schemas.definitions(release.name) == sorted(wanted, key=lambda crd: crd["spec"]["names"]["plural"])


def test_a_release_without_models_of_its_own_has_those_of_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(releases, "ORDER", (*releases.ORDER, "9.9"))
    known = releases._releases()
    assert list(known)[-1] == known["9.9"].name == "9.9"
    assert known["9.9"].kinds == known[list(known)[-2]].kinds
