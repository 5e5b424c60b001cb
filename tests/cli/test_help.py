"""`--help` and completion: whole in 80 columns, with examples that work, the same words for the same things."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from dynamoc.interfaces.cli import help as pages
from dynamoc.interfaces.cli.app import app
from dynamoc.interfaces.cli.command_line import OLD_COMMANDS, OLD_FLAGS, parse
from dynamoc.interfaces.cli.help import EXAMPLES
from dynamoc.interfaces.cli.options import COMMANDS, SWITCH
from dynamoc.reference.releases import RELEASES
from tests.cli.conftest import Run
from tests.cli.test_inputs import CONFIG_MAP, GRAPH

SECTIONS = pages._SECTIONS
EXAMPLE_GRAPH = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: prod}
spec:
  services:
    Frontend:
      componentType: frontend
      replicas: 2
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0
    Worker:
      componentType: worker
      replicas: 1
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0
"""
METAVARS = {
    *(
        "DIR",
        "DRAFT",
        "FILE",
        "FORMAT",
        "GLOB",
        "KIND",
        "NAME",
        "NAMESPACE",
        "PART",
        "PATH",
        "PATTERN",
        "SHELL",
        "VERSION",
    ),
    "WHAT",
}


@pytest.fixture(params=sorted(EXAMPLES), ids=lambda name: name or "dynamoc")
def page(request: pytest.FixtureRequest, dynamoc: Run, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """A command and its help, on a narrow terminal."""
    monkeypatch.setenv("COLUMNS", "80")
    result = dynamoc(*request.param.split(), "--help")
    assert (result.code, result.err) == (0, "")
    return request.param, result.out


def test_twelve_commands_are_shown_each_with_an_example() -> None:
    named = {command.name for command in app.registered_commands if not command.hidden} | {"plugin"}
    shown = [name for names in SECTIONS.values() for name in names]
    assert (len(shown), set(shown)) == (12, named)
    assert set(COMMANDS) <= set(EXAMPLES)
    assert {"schema", "capture"} <= set(EXAMPLES)


def test_help_is_short(dynamoc: Run) -> None:
    pages = [dynamoc(*name.split(), "--help").out for name in ["", *COMMANDS, *_OTHERS]]
    assert sum(len(page.split()) for page in pages) < 5000
    assert dynamoc("render", "--help").out.count("\n") <= 100


_OTHERS = (
    *("schema", "capture", "lsp", "plugin", "plugin kustomize", "plugin argocd"),
    *("plugin argocd discover", "plugin argocd generate", "plugin argocd parameters"),
)


@pytest.mark.parametrize("name", ["plugin", "plugin argocd"])
def test_a_group_alone_prints_its_help(dynamoc: Run, name: str) -> None:
    alone = dynamoc(*name.split())
    assert (alone.code, alone.err) == (0, "")
    assert alone.out == dynamoc(*name.split(), "--help").out


def test_rare_options_are_shown_on_request(dynamoc: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "shows_all", False)
    short = dynamoc("render", "--help").out
    assert "--flux-substitute" not in short
    assert "`dynamoc render --help --all` shows " in short
    assert "--flux-substitute" in dynamoc("render", "--help", "--all").out


@pytest.mark.parametrize("name", OLD_COMMANDS)
def test_an_old_command_names_the_new_one(dynamoc: Run, name: str) -> None:
    result = dynamoc(name, "x")
    assert (result.code, result.out) == (2, "")
    assert result.err == f"dynamoc: error: `dynamoc {name}` is now `dynamoc {OLD_COMMANDS[name]}`.\n"


@pytest.mark.parametrize("flag", OLD_FLAGS)
def test_an_old_option_names_the_new_one(dynamoc: Run, flag: str) -> None:
    result = dynamoc("check" if flag == "--jobs" else "render", "a.yaml", flag, "x")
    assert (result.code, result.out) == (2, "")
    assert result.err == f"dynamoc: error: {flag} is now {OLD_FLAGS[flag]}.\n"


def test_nothing_is_cut_or_wider_than_80_columns(page: tuple[str, str]) -> None:
    assert [line for line in page[1].splitlines() if len(line) > 80 or "…" in line] == []


def test_it_shows_the_examples_and_all_of_every_option(page: tuple[str, str]) -> None:
    command, text = page
    for example in EXAMPLES[command]:
        assert f"  {example}\n" in text
    packed = " ".join(text.split())
    for option in COMMANDS.get(command, ()):
        if option.rare or option.hidden:
            continue
        head = ", ".join(sorted(option.flags, key=len))
        metavar = "" if option.kind == SWITCH else f" {option.metavar or '|'.join(option.choices)}"
        assert f"{head}{metavar} {option.help}" in packed


def test_the_same_thing_has_the_same_name(page: tuple[str, str]) -> None:
    named = re.findall(r"^  -\S+(?:, --\S+)? \[?([A-Z]+)\]?$", page[1], re.MULTILINE)
    assert set(named) <= METAVARS


def test_the_examples_are_command_lines_of_their_commands() -> None:
    for command, lines in EXAMPLES.items():
        for line in lines:
            words = shlex.split(line[line.index("dynamoc") :].partition(" | ")[0])
            assert words[1 : 1 + len(command.split())] == command.split()
            if command in COMMANDS:
                assert parse(words[1:]) is not None, line


def test_alone_it_prints_its_help(dynamoc: Run) -> None:
    alone, asked = dynamoc(), dynamoc("--help")
    assert (alone.code, alone.out, alone.err) == (0, asked.out, "")
    assert "Usage: dynamoc" in alone.out


def write_graphs(folder: Path) -> None:
    for path in ("graph.yaml", "old.yaml", "graphs/graph.yaml", "clusters/a/graph.yaml"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(EXAMPLE_GRAPH)


@pytest.fixture(scope="module")
def surroundings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the examples name: graphs in a repository, a captured cluster, and programs that the output goes to."""
    folder = tmp_path_factory.mktemp("examples")
    write_graphs(folder)
    (folder / "new.yaml").write_text(EXAMPLE_GRAPH.replace("replicas: 2", "replicas: 3"))
    (folder / "secrets.yaml").write_text(CONFIG_MAP)
    (folder / "known.json").write_text('{"format": "dynamoc-baseline", "version": 1, "findings": []}')
    items = f"- {json.dumps(yaml.safe_load(EXAMPLE_GRAPH))}"
    (folder / "resources.yaml").write_text(
        f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n{items}\n"
    )
    (folder / "bin").mkdir()
    empty = """echo '{"apiVersion": "v1", "kind": "List", "items": []}'"""
    for name, script in (("helm", "cat graph.yaml"), ("jq", "cat"), ("kubectl", empty)):
        (folder / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / "bin" / name).chmod(0o755)
    (folder / "bin" / "dynamoc").write_text(f'#!/bin/sh\nexec {sys.executable} -m dynamoc "$@"\n')
    (folder / "bin" / "dynamoc").chmod(0o755)
    git = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@example.com"]
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "a"]):
        subprocess.run([*git, *words], check=True)
    capture = [sys.executable, "-m", "dynamoc", "capture", "--run", "--output-dir", "prod"]
    environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    subprocess.run(capture, check=True, cwd=folder, env=environment, capture_output=True)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("example", sorted({line for lines in EXAMPLES.values() for line in lines}))
def test_every_example_works(example: str, surroundings: Path) -> None:
    environment = {**os.environ, "PATH": f"{surroundings / 'bin'}:{os.environ['PATH']}"}
    # An example before this one may have converted them.
    write_graphs(surroundings)
    given = {"cwd": surroundings, "env": environment, "capture_output": True, "text": True, "input": ""}
    done = subprocess.run(["sh", "-c", example], check=False, **given)
    # 1 is a finding, or a difference.
    assert done.returncode in (0, 1), done.stderr
    assert "dynamoc: error" not in done.stderr


@pytest.mark.parametrize(
    "command", ["render", "validate -o json", "requires", "convert", "upgrade --from 1.3", "explain"]
)
def test_a_file_is_given_as_to_kubectl(dynamoc: Run, command: str) -> None:
    Path("a.yaml").write_text(GRAPH)
    assert dynamoc(*command.split(), "-f", "a.yaml").out == dynamoc(*command.split(), "a.yaml").out != ""
    assert dynamoc(*command.split(), "--filename=a.yaml").code == 0


def test_files_and_paths_go_together(dynamoc: Run) -> None:
    Path("a.yaml").write_text(GRAPH)
    Path("b.yaml").write_text(CONFIG_MAP)
    for words in (["-f", "a.yaml", "b.yaml"], ["b.yaml", "-f", "a.yaml"], ["-f", "a.yaml", "-f", "b.yaml"]):
        kinds = [item["kind"] for item in yaml.safe_load_all(dynamoc("render", *words, "--target", "plain").out)]
        assert {"Deployment", "ConfigMap"} <= set(kinds)


@pytest.mark.parametrize("command", ["render", "validate", "convert", "diff", "explain", "check", "report", "requires"])
def test_without_a_path_it_says_what_is_missing(dynamoc: Run, command: str) -> None:
    result = dynamoc(command)
    assert result.code == 2
    assert "dynamoc: error:" in result.err


def test_validate_reports_as_json_on_stdout(dynamoc: Run) -> None:
    Path("a.yaml").write_text(GRAPH.replace("type: frontend", "tpye: frontend"))
    result = dynamoc("validate", "a.yaml", "-o", "json")
    assert (result.code, result.err) == (1, "")
    report = json.loads(result.out)
    assert report["format"] == "dynamoc-findings"
    assert report["inputs"]["graphs"] == 1
    assert json.loads(dynamoc("validate", "a.yaml", "--findings", "json").err) == report
    both = dynamoc("validate", "a.yaml", "-o", "json", "--findings", "github")
    assert json.loads(both.out) == report
    assert both.err.startswith("::error file=a.yaml")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_the_completion_script_is_that_of_the_shell_that_is_named(dynamoc: Run, shell: str) -> None:
    result = dynamoc("--show-completion", shell)
    assert (result.code, result.err) == (0, "")
    assert f"complete_{shell}" in result.out
    assert dynamoc(f"--show-completion={shell}").out == result.out
    if shutil.which(shell):
        assert subprocess.run([shell, "-n"], input=result.out, text=True, check=False).returncode == 0


def test_an_unknown_shell_is_wrong_usage(dynamoc: Run) -> None:
    result = dynamoc("--show-completion", "tcl")
    assert (result.code, result.out) == (2, "")
    assert "--show-completion tcl is not supported; use one of bash, zsh" in result.err


def test_the_completion_is_installed_for_the_shell_that_is_named(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "dynamoc", "--install-completion", "fish"]
    environment = {**os.environ, "HOME": str(tmp_path)}
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    [script] = tmp_path.rglob("dynamoc.fish")
    assert str(script) in result.stdout
    assert "complete_fish" in script.read_text()


def completed(line: str) -> list[str]:
    environment = {
        **os.environ,
        "_DYNAMOC_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(line.count(" ")),
    }
    command = [sys.executable, "-m", "dynamoc"]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()


def test_releases_kinds_and_objects_are_completed(dynamoc: Run) -> None:
    Path("a.yaml").write_text(GRAPH)
    newer = [name for name in RELEASES if name.startswith("1.")]
    for line in (
        "render --operator-version",
        "upgrade --from",
        "upgrade --to",
        "explain --operator-version",
    ):
        assert completed(f"dynamoc {line} 1.") == newer, line
    assert completed("dynamoc schema DynamoG") == [
        "DynamoGraphDeployment", "DynamoGraphDeploymentRequest", "DynamoGraphDeploymentScalingAdapter",
    ]  # fmt: skip
    assert completed("dynamoc explain a.yaml dep") == ["deployment/chat-frontend"]
    assert "spec.replicas" in completed("dynamoc explain a.yaml deployment/chat-frontend spec.rep")


@pytest.mark.parametrize(
    ("command", "titles"), [("--version --verbose", "RELEASE\tOPERATOR"), ("explain --list", "KIND\tNAME")]
)
def test_lists_have_headers(dynamoc: Run, command: str, titles: str) -> None:
    assert dynamoc(*command.split()).out.startswith(titles + "\t")
