"""`--against`: where the objects that are updated come from, and what the page about it shows."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
import yaml

from tests.cli.conftest import Run

PAGE = (Path(__file__).parents[2] / "docs" / "updates.md").read_text()
LIVE, CHAT = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def inputs(dynamoc: Run) -> Path:
    """`live.yaml` and `chat.yaml`; the path of the former."""
    Path("chat.yaml").write_text(CHAT)
    path = Path("live.yaml")
    path.write_text(LIVE)
    return path


def slugs(text: str) -> set[str]:
    return set(re.findall(r"\[((?:update|read|schema|cel|input)/[\w-]+)\]", text))


def test_the_page_shows_what_is_printed(dynamoc: Run, inputs: Path) -> None:
    [(command, shown)] = re.findall(r"```console\n\$ (.*?)\n(.*?)```", PAGE, re.DOTALL)
    result = dynamoc(*shlex.split(command)[1:])
    assert (result.code, result.out, result.err) == (1, "", shown)


def test_without_it_the_document_is_new(dynamoc: Run, inputs: Path) -> None:
    assert slugs(dynamoc("validate", "chat.yaml", "--operator-version", "1.0").err) == set()


def test_every_rule_of_updates_has_its_row() -> None:
    source = Path(__file__).parents[2] / "dynamoc"
    known = set()
    others = (source / "admission" / "cluster" / "previous.py", source / "compiler" / "compile.py")
    for path in (*source.glob("admission/webhooks/*.py"), *others):
        known |= set(re.findall(r'"(update/[\w-]+)"', path.read_text()))
    assert known - {"update/duplicate", "update/last-applied", "update/no-pair"} <= set(
        re.findall(r"update/[\w-]+", PAGE)
    )


@pytest.mark.parametrize("shape", ["directory", "list", "json", "documents", "several"])
def test_old_objects_come_as_inputs_do(dynamoc: Run, inputs: Path, shape: str) -> None:
    other = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: chat, namespace: inference}\n"
    paths = ["live.yaml"]
    if shape == "directory":
        Path("cluster/team").mkdir(parents=True)
        inputs.rename("cluster/team/graphs.yaml")
        Path("cluster/other.yml").write_text(other)
        paths = ["cluster"]
    elif shape == "list":
        inputs.write_text(yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": [yaml.safe_load(LIVE)]}))
    elif shape == "json":
        Path("live.json").write_text(json.dumps(yaml.safe_load(LIVE)))
        paths = ["live.json"]
    elif shape == "documents":
        inputs.write_text(f"{other}---\n{LIVE}")
    else:
        Path("other.yaml").write_text(other)
        paths = ["other.yaml", "live.yaml"]
    against = [word for path in paths for word in ("--against", path)]
    result = dynamoc("validate", "chat.yaml", *against, "--operator-version", "1.0")
    assert slugs(result.err) == {"update/kept", "update/restart-while-rolling", "update/multinode"}


def test_the_namespace_of_the_command_line_counts(dynamoc: Run, inputs: Path) -> None:
    Path("chat.yaml").write_text(CHAT.replace(", namespace: inference", ""))
    result = dynamoc("validate", "chat.yaml", "--against", "live.yaml", "--operator-version", "1.0")
    assert slugs(result.err) == {"update/no-pair"}
    assert "DynamoGraphDeployment/chat in inference" in result.err
    result = dynamoc("validate", "chat.yaml", "--against", "live.yaml", "--operator-version", "1.0", "-n", "inference")
    assert "update/multinode" in slugs(result.err)


def test_a_path_that_is_not_there_is_wrong_usage(dynamoc: Run, inputs: Path) -> None:
    result = dynamoc("validate", "chat.yaml", "--against", "dead.yaml")
    assert (result.code, result.out) == (2, "")
    assert "dead.yaml" in result.err


def test_old_objects_that_cannot_be_read(dynamoc: Run, inputs: Path) -> None:
    inputs.write_text("a: [")
    result = dynamoc("render", "chat.yaml", "--against", "live.yaml")
    assert (result.code, result.out) == (1, "")
    assert re.search(r"^live.yaml:\d+:\d+: error: ", result.err, re.MULTILINE)
    assert "update/no-pair" not in result.err


def test_each_input_on_its_own(dynamoc: Run, inputs: Path) -> None:
    Path("other.yaml").write_text(
        CHAT.replace("name: chat", "name: other").replace("      multinode: {nodeCount: 2}\n", "")
    )
    options = ("--operator-version", "1.0", "--target", "lws", "--output-dir", "out", "--layout", "per-input")
    result = dynamoc("render", "chat.yaml", "other.yaml", "--against", "live.yaml", *options, "--keep-going")
    assert result.code == 1
    assert slugs(result.err) >= {"update/multinode"}
    assert [path.name for path in Path("out").glob("*.yaml")] == ["other.yaml"]


def test_values_that_stay_name_their_line(dynamoc: Run, inputs: Path) -> None:
    inputs.write_text(LIVE.replace("InProgress", "Completed"))
    Path("chat.yaml").write_text(CHAT.replace("      multinode: {nodeCount: 2}\n", ""))
    options = ("--against", "live.yaml", "--operator-version", "1.0", "-o", "annotated")
    result = dynamoc("render", "chat.yaml", *options)
    assert result.code == 0
    assert re.search(r"replicas: 5 +# live.yaml:19:17", result.out)


def test_it_is_not_for_renderings_without_the_operator(dynamoc: Run, inputs: Path) -> None:
    result = dynamoc("render", "chat.yaml", "--against", "live.yaml", "--standalone")
    assert result.code == 2
    assert "--against cannot be combined with --standalone" in result.err
