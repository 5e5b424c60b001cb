"""Runs over many files: a line of progress on a terminal and nowhere else, and notes that are folded."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from dynamoc.interfaces.cli.compiler_options import MANY
from tests.cli.conftest import Run
from tests.cli.test_inputs import GRAPH, slugs

pytestmark = pytest.mark.usefixtures("as_installed")

ALPHA = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {{name: {name}, namespace: {namespace}}}
spec:
  backendFramework: vllm
  services:
    Worker:
      componentType: worker
      multinode: {{nodeCount: 2}}
      resources: {{limits: {{gpu: "1"}}}}
      extraPodSpec: {{mainContainer: {{image: "vllm-runtime:1.0.1", command: [python3], args: [-m, dynamo.vllm]}}}}
"""


def put(number: int) -> None:
    Path("in").mkdir()
    for index in range(number):
        Path(f"in/{index:04}.yaml").write_text(GRAPH.replace("chat", f"chat{index}"))


def on_terminal(*argv: str) -> tuple[int, str, str]:
    """The exit code, stdout, and what a terminal gets on stderr."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "dynamoc", *argv]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    with open("out.txt", "w") as out, subprocess.Popen(command, stdout=out, stderr=theirs, env=environment) as process:
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 65536):
                shown += piece
        except OSError:
            # Linux: nobody has the other end any more.
            pass
    os.close(ours)
    return process.returncode, Path("out.txt").read_text(), shown.decode()


@pytest.mark.parametrize(
    "command",
    [
        "validate",
        "render",
        "requires",
        "render --output-dir out --layout per-input",
        "upgrade --from 1.4 --to 1.5",
        "diff in",
    ],
)
def test_a_terminal_shows_how_far_many_files_are(dynamoc: Run, command: str) -> None:
    put(MANY)
    line = [*command.split(), "in", "--target", "plain"]
    code, out, shown = on_terminal(*line)
    assert code == 0
    assert f"{MANY}/{MANY}" in shown
    assert shown.rindex("\x1b[?25h") > shown.rindex("\x1b[?25l"), "the cursor is back"
    piped = dynamoc(*line)
    assert (piped.code, piped.out) == (0, out)
    assert "/100" not in piped.err
    assert "\x1b" not in piped.err


def test_few_files_show_nothing(dynamoc: Run) -> None:
    put(3)
    assert (
        on_terminal("validate", "in", "--target", "plain", "--color", "never", "--operator-version", "1.4")[2]
        == "no findings\r\n3 files, 3 graphs\r\n"
    )


def test_the_line_goes_before_what_is_wrong_is_told(dynamoc: Run) -> None:
    put(MANY)
    Path("in/0050.yaml").write_text("kind: [\n")
    code, _, shown = on_terminal("validate", "in", "--target", "plain", "--color", "never")
    assert code == 1
    assert shown.index("in/0050.yaml:") > shown.rindex("\x1b[?25h")


def test_notes_that_differ_in_names_only_are_told_once(dynamoc: Run) -> None:
    text = "---\n".join(ALPHA.format(name=f"chat{index}", namespace=f"team{index % 5}") for index in range(10))
    Path("in.yaml").write_text(text)
    line = ["validate", "in.yaml", "--operator-version", "1.0", "--target", "lws", "--verbose"]
    told = dynamoc(*line).err
    assert told.count("[context/key-pair]") == 1
    assert "  and 4 more\n  5 like this differ in names and numbers only; --findings json prints them all\n" in told
    assert "10 notes\n" in told
    assert slugs(dynamoc(*line, "--findings", "json").err) == ["context/key-pair"] * 10
    assert dynamoc(*line, "--findings", "github").err.count("::notice") == 10


def test_a_few_notes_and_warnings_keep_their_names(dynamoc: Run) -> None:
    documents = [ALPHA.format(name=f"chat{index}", namespace=f"team{index}") for index in range(3)]
    documents = [text + f"      envFromSecret: token{index}\n" for index, text in enumerate(documents)]
    Path("in.yaml").write_text("---\n".join(documents))
    told = dynamoc("validate", "in.yaml", "--operator-version", "1.0", "--target", "lws", "--verbose").err
    assert told.count("[context/key-pair]") == 3
    assert all(f"team{index}/mpi" in told for index in range(3))
    records = json.loads(dynamoc("validate", "in.yaml", "-o", "json", "--operator-version", "1.0").out)
    warnings = [item["message"] for item in records["findings"] if item["severity"] == "warning"]
    assert all(message in told or "orchestrator" in message for message in warnings)


def test_warnings_of_many_graphs_are_told_once_and_errors_of_other_fields_are_not(dynamoc: Run) -> None:
    documents = [
        ALPHA.format(name=f"chat{index}", namespace="team").replace("spec:", f"spec:\n  pvcs: [{{name: c{index}}}]")
        for index in range(9)
    ]
    Path("in.yaml").write_text("---\n".join(documents))
    line = ["validate", "in.yaml", "--operator-version", "1.0", "--target", "lws"]
    told = dynamoc(*line).err
    found = json.loads(dynamoc(*line, "-o", "json").out)["findings"]
    assert len({item["message"] for item in found if item["slug"] == "context/unknown-claim"}) == 9
    assert told.count("[context/unknown-claim]") == 1
    Path("in.yaml").write_text(documents[0] + "".join(f"      unknown{index}: 1\n" for index in range(9)))
    assert dynamoc(*line).err.count("[schema/unknown-field]") == 9
