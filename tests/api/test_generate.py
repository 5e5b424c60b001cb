from pathlib import Path

import pytest

from dynamoc.documents.schema import schemas
from dynamoc.reference.releases import ORDER
from tools.schemas import __main__ as generate


def test_generated_files_are_those_of_the_schemas(capsys: pytest.CaptureFixture[str]) -> None:
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
    folder = "dynamoc/documents/schema/data"
    assert capsys.readouterr().out == f"drift: {folder}/1.0.json\ndrift: {folder}/gone.json\n"

    assert generate.main([]) == 0
    assert not (tmp_path / "dynamoc/documents/schema/data/gone.json").exists()
    assert generate.main(["--check"]) == 0


@pytest.mark.parametrize("release", ORDER)
def test_what_is_stored_without_repetition_is_the_same(release: str) -> None:
    """Whatever the generator does: the run-time files give back the documents of the folder, in full."""
    documents = {path.name: generate.load(path) for path in (generate.SCHEMAS / release).glob("*.yaml")}
    del documents["go-fields.yaml"]
    assert schemas.configuration_schema(release) == documents.pop("operatorconfiguration.yaml", None)
    stored = {f"nvidia.com_{crd['spec']['names']['plural']}.yaml": crd for crd in schemas.definitions(release)}
    assert stored == documents


def test_a_release_without_a_folder_has_that_of_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generate, "ORDER", (*ORDER, "9.9"))
    files = generate.generated()
    assert files["dynamoc/documents/schema/data/9.9.json"] == files[f"dynamoc/documents/schema/data/{ORDER[-1]}.json"]
    assert '"9.9/dynamographdeployments"' in files["dynamoc/documents/schema/data/crds.json"]
