from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from dynamoc.interfaces.cli.entry import run
from dynamoc.interfaces.cli.failure import UsageError
from dynamoc.interfaces.cli.render import input_name, object_name, refuse_feedback
from tests.cli.test_limits import graph


@pytest.mark.parametrize(
    ("path", "roots", "name"),
    [
        ("in/a.yaml", ["in"], "a.json"),
        ("in/a.yaml", ["in/"], "a.json"),
        ("in/a.yaml", ["./in"], "a.json"),
        ("in/deep/a.yml", ["in"], "deep/a.json"),
        ("in/deep/a.yml", ["in", "in/deep"], "a.json"),
        ("in/deep/a.yml", ["in", "in/deep/a.yml"], "a.json"),
        ("/abs/in/a.yaml", ["/abs/in"], "a.json"),
        ("a.b.yaml", ["a.b.yaml"], "a.b.json"),
        ("./a.yaml", ["."], "a.json"),
        ("deep/a.yaml", ["."], "deep/a.json"),
        ("../in/a.yaml", ["../in"], "a.json"),
        ("-", ["-"], "stdin.json"),
    ],
)
def test_an_input_keeps_its_name_below_the_directory_that_was_given(path: str, roots: list[str], name: str) -> None:
    assert input_name(path, roots, "json") == name


@pytest.mark.parametrize(
    ("api_version", "kind", "namespace", "name", "expected"),
    [
        ("v1", "Service", "default", "front", "default_service_front.yaml"),
        ("apps/v1", "Deployment", "ml", "front", "ml_deployment.apps_front.yaml"),
        ("grove.io/v1alpha1", "PodCliqueSet", None, "g", "podcliqueset.grove.io_g.yaml"),
        ("rbac.authorization.k8s.io/v1", "Role", None, "a:B/c", "role.rbac.authorization.k8s.io_a%3A%42%2Fc.yaml"),
    ],
)
def test_an_object_is_named_by_all_that_identifies_it(
    api_version: str, kind: str, namespace: str | None, name: str, expected: str
) -> None:
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    assert object_name({"apiVersion": api_version, "kind": kind, "metadata": metadata}, "yaml") == expected


def test_output_inside_the_input_is_refused(tmp_path: Path) -> None:
    inside, beside = tmp_path / "in" / "out", tmp_path / "in-out"
    inside.mkdir(parents=True)
    link = tmp_path / "link"
    link.symlink_to(inside)
    for directory in (inside, link, tmp_path / "in", inside / "deeper"):
        with pytest.raises(UsageError, match="next run"):
            refuse_feedback(str(directory), [str(tmp_path / "in")])
    refuse_feedback(str(beside), [str(tmp_path / "in")])
    refuse_feedback(str(inside), ["-", str(tmp_path / "in" / "a.yaml")])


def test_an_output_directory_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(UsageError, match="is a file"):
        refuse_feedback(str(tmp_path / "out"), ["-"])


@pytest.mark.parametrize("name", ["n" * 253, "n" * 251 + ".x", "é" * 127])
def test_names_that_no_file_system_takes_are_shortened_and_stay_apart(name: str, tmp_path: Path) -> None:
    items = [
        {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"namespace": "n" * 63, "name": name + last}}
        for last in ("", "a")
    ]
    names = {object_name(item, "yaml") for item in items} | {input_name(f"in/{name}.yml", ["in"], "yaml")}
    assert len(names) == 3
    for found in names:
        (tmp_path / found).write_text("")
        assert found.endswith(".yaml")


@pytest.mark.parametrize(
    "command",
    ["report FILE", "report FILE --output-file page.html", "requires FILE -o json", "upgrade FILE --from 1.3 -o json",
     "diff FILE other.yaml -o json", "explain FILE -o json", "check FILE --findings sarif", "report FILE -o svg",
     "render FILE --output-dir out", "render FILE --layout per-input --output-dir out"],
)  # fmt: skip
def test_a_name_that_is_no_text_is_escaped(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    name = os.fsdecode(b"n\xff.json")
    if sys.platform == "darwin":
        pytest.skip("its file systems take no such names")
    for file in (name, "other.yaml"):
        Path(file).write_text(json.dumps(graph()))
    version = [] if command.startswith("upgrade") else ["--operator-version", "1.4"]
    # Its worker has no command, which `check` and the page call an error.
    assert run([*command.replace("FILE", name).split(), *version]) == int(
        command.startswith("check") or ("report FILE" in command and "svg" not in command)
    )
    out = capfd.readouterr().out
    if "json" in command:
        json.loads(out)
    if "--output-dir" in command:
        assert run(["render", "--from-index", "out", "--check"]) == 0
