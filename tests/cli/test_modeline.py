"""The comment that leads yaml-language-server to a schema."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from dynamoc.interfaces.cli.entry import run
from tests.cli.conftest import Run

ALPHA = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: chat}
spec:
  services:
    Worker: {componentType: worker}  # why
"""
BETA = "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nmetadata: {name: chat}\nspec:\n  components: []\n"
CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"


def schema_of(text: str, folder: Path) -> str:
    """The kind of the schema that the line of a text leads to."""
    found = re.match(r"# yaml-language-server: \$schema=(\S+)\n", text)
    assert found is not None, text
    loaded: str = json.loads((folder / found[1]).read_text())["properties"]["apiVersion"]["const"]
    return loaded


@pytest.fixture(scope="module")
def schemas(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("written") / "schemas"
    assert run(["schema", "--output-dir", str(target)]) == 0
    return target


@pytest.fixture
def folder(tmp_path: Path, dynamoc: Run, schemas: Path) -> Path:
    """The current directory, with schemas, and graphs in a folder."""
    (tmp_path / "schemas").symlink_to(schemas)
    (tmp_path / "graphs").mkdir()
    return tmp_path


def test_it_leads_from_a_file_to_the_schema_of_its_version(folder: Path, dynamoc: Run) -> None:
    (folder / "graphs" / "a.yaml").write_text(f"{CONFIG}---\n{ALPHA}")
    done = dynamoc("schema", "graphs/a.yaml", "--modeline", "schemas")
    assert done.out == "# yaml-language-server: $schema=../schemas/dynamographdeployment_v1alpha1.json\n"
    assert schema_of(done.out, folder / "graphs") == "nvidia.com/v1alpha1"


def test_it_leads_from_here_for_a_kind_and_to_a_server(folder: Path, dynamoc: Run) -> None:
    done = dynamoc("schema", "dynamographdeployment", "--modeline", "schemas")
    assert schema_of(done.out, folder) == "nvidia.com/v1beta1"
    done = dynamoc("schema", "DynamoGraphDeployment", "--modeline", "https://schemas.example.com/1.4/")
    wanted = "https://schemas.example.com/1.4/dynamographdeployment_v1beta1.json"
    assert done.out == f"# yaml-language-server: $schema={wanted}\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--modeline", "schemas"), "needs a KIND or a file"),
        (("Nope", "--modeline", "schemas"), "has no kind Nope"),
        (("DynamoGraphDeployment", "--modeline", "my schemas"), "has a space"),
        (("config.yaml", "--modeline", "schemas"), "config.yaml has no document of a kind"),
        (("DynamoGraphDeployment", "--modeline", "schemas", "--output-dir", "x"), "neither --output-dir"),
    ],
)
def test_what_it_cannot_be_printed_for(folder: Path, dynamoc: Run, words: tuple[str, ...], message: str) -> None:
    (folder / "config.yaml").write_text(CONFIG)
    done = dynamoc("schema", *words)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


@pytest.mark.parametrize("head", ["", "---\n", "# a comment\n", "# yaml-language-server: $schema=old.json\n"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_convert_writes_it(folder: Path, dynamoc: Run, head: str, end: str) -> None:
    path = folder / "graphs" / "a.yaml"
    path.write_bytes((head + ALPHA).replace("\n", end).encode())
    assert dynamoc("convert", "--write", "--modeline", "schemas", "graphs").code == 0
    text = path.read_bytes().decode()
    assert text.count("\n") == text.count(end)
    text = text.replace("\r\n", "\n")
    assert schema_of(text.removeprefix("---\n"), folder / "graphs") == "nvidia.com/v1beta1"
    assert text.count("$schema=") == 1
    assert "# why" in text
    assert ("# a comment" in text) == ("# a comment" in head)
    before = path.read_bytes()
    assert dynamoc("convert", "--write", "--modeline", "schemas", "graphs").code == 0
    assert path.read_bytes() == before


def test_convert_writes_it_into_graphs_of_the_version_and_nothing_else(folder: Path, dynamoc: Run) -> None:
    texts = {"b.yaml": f"{CONFIG}---\n{BETA}---\n{BETA}", "c.yaml": CONFIG, "d.json": json.dumps({"a": 1})}
    texts["e.yaml"] = "{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: {name: x}, spec: {}}\n"
    for name, text in texts.items():
        (folder / "graphs" / name).write_text(text)
    assert dynamoc("convert", "--write", "--modeline", "schemas", "graphs").code == 0
    line = "# yaml-language-server: $schema=../schemas/dynamographdeployment_v1beta1.json\n"
    assert (folder / "graphs" / "b.yaml").read_text() == f"{CONFIG}---\n{line}{BETA}---\n{line}{BETA}"
    for name in ("c.yaml", "d.json", "e.yaml"):
        assert (folder / "graphs" / name).read_text() == texts[name]


def test_without_the_option_nothing_is_written(folder: Path, dynamoc: Run) -> None:
    (folder / "graphs" / "a.yaml").write_text(BETA)
    assert dynamoc("convert", "--write", "graphs").code == 0
    assert (folder / "graphs" / "a.yaml").read_text() == BETA


def test_it_is_a_comment_of_yaml_alone(folder: Path, dynamoc: Run) -> None:
    (folder / "graphs" / "a.yaml").write_text(ALPHA)
    for words in (("--check",), ("-o", "json")):
        done = dynamoc("convert", "--modeline", "schemas", "graphs", *words)
        assert (done.code, "cannot be combined" in " ".join(done.err.split())) == (2, True)
