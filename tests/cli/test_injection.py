"""No text of the input can forge what dynamoc says, or give commands to a CI runner or a terminal."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from dynamoc.documents.findings.text import one_line, whole_lines
from tests.cli.conftest import Run
from tests.compare.conftest import GRAPH

#: what a name or a key may hold, and what must then not be in any output
EVIL = (
    "a\n::set-output name=x::y",
    "a\n  ::stop-commands::z",
    "a\n0 of 12 objects differ",
    "a\x1b[2Jb",
    "a\x9b31mb",
    "a\u202eb",
    "a\u2028::error::b",
    "a\x85##[error]b",
    "a\rb",
)


def quoted(text: str) -> str:
    return json.dumps(text)


def check(output: str) -> None:
    for line in output.split("\n"):
        assert line.replace("\t", " ").isprintable(), ascii(line)
        assert not line.lstrip().startswith(("::", "##[", "##vso[")), line
        assert line != "0 of 12 objects differ"


@pytest.mark.parametrize("evil", EVIL)
@pytest.mark.parametrize("style", ["text", "github"])
def test_findings(dynamoc: Run, evil: str, style: str) -> None:
    for number, text in enumerate(
        (
            GRAPH.replace("replicas: 2", f"replicas: {quoted(evil)}"),
            GRAPH.replace("replicas: 2", f"{quoted(evil)}: 1"),
            GRAPH.replace("name: web", f"name: {quoted(evil)}"),
            GRAPH.replace("kind: DynamoGraphDeployment", f"kind: {quoted(evil)}"),
            GRAPH + f"---\nkind: [{quoted(evil)}\n",
        )
    ):
        Path(f"{number}.yaml").write_text(text)
        result = dynamoc("validate", f"{number}.yaml", "--findings", style)
        assert result.err
        commands = r"^::(error|warning|notice) " if style == "github" else "^never$"
        check(re.sub(commands, "", result.err, flags=re.MULTILINE))


@pytest.mark.parametrize("evil", EVIL)
def test_names_of_files(dynamoc: Run, evil: str) -> None:
    name = evil.replace("/", "") + ".yaml"
    Path(name).write_text(GRAPH.replace("replicas: 2", "replicas: x"))
    check(dynamoc("render", name).err)
    Path(name).write_text(GRAPH)
    result = dynamoc("render", name, "-o", "annotated", "--target", "plain")
    assert result.code == 0
    check(result.out.replace("\t", " "))
    import yaml

    plain = dynamoc("render", name, "--target", "plain").out
    assert list(yaml.safe_load_all(result.out)) == list(yaml.safe_load_all(plain))


@pytest.mark.parametrize("evil", EVIL)
@pytest.mark.parametrize("style", ["text", "markdown", "unified"])
def test_diff(dynamoc: Run, evil: str, style: str) -> None:
    settings = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n"
    Path("old.yaml").write_text(GRAPH + "---\n" + settings + "  k: v\n")
    Path("new.yaml").write_text(GRAPH + "---\n" + settings + f"  {quoted(evil)}: {quoted(evil)}\n")
    result = dynamoc("diff", "old.yaml", "new.yaml", "--output", style, "--target", "plain")
    assert result.code == 1, result.err
    shown = result.out
    if style != "text":
        # The lines of a block of text are the content itself; behind a sign or an indent they are no commands.
        shown = "\n".join(line for line in shown.split("\n") if not line.lstrip("+- ").startswith(("0 of", "::", "\\")))
    check(shown)


@pytest.mark.parametrize("evil", EVIL)
def test_explain(dynamoc: Run, evil: str) -> None:
    labels = f"name: web\n  annotations: {{{quoted('k' + evil)}: {quoted(evil)}}}"
    Path("g.yaml").write_text(GRAPH.replace("name: web", labels))
    check(dynamoc("explain", "g.yaml", "g.yaml:1", "--target", "plain").out)
    settings = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\ndata: {{{quoted(evil)}: {quoted(evil)}}}\n"
    Path("g.yaml").write_text(GRAPH + "---\n" + settings)
    for words in (("configmap/c",), ("configmap/c", "data"), ()):
        check(dynamoc("explain", "g.yaml", *words, "--target", "plain").out)


def test_different_texts_stay_different() -> None:
    texts = [*EVIL, "a\\nb", "a\nb", "plain", "\u202e", "\U000e0001"]
    assert len({one_line(text) for text in texts}) == len(texts) - 1
    assert one_line("a\nb") == "a\\nb"
    assert whole_lines("a\n ::x\n##[y\n z::w") == "a\n \\::x\n\\##[y\n z::w"
