"""Options from dynamoc.yaml, pyproject.toml and the environment."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from dynamoc.interfaces.cli.settings import matches, nearest
from tests.check.graphs import graph, worker
from tests.cli.conftest import Run
from tests.docs.pages import ROOT
from tools.reports import settings_schema

GRAPH = graph(worker(gpus=1))
#: the kinds that tell a target
KINDS = {"grove": "PodCliqueSet", "plain": "Deployment", "lws": "Deployment"}


@pytest.fixture(autouse=True)
def repository(dynamoc: Run) -> None:
    for folder in ("a", "b"):
        Path("graphs", folder).mkdir(parents=True)
        Path("graphs", folder, "graph.yaml").write_text(GRAPH.replace("chat", folder))
    Path(".git").mkdir()


def settings(text: str, path: str = "dynamoc.yaml") -> None:
    Path(path).write_text(text)


def target(dynamoc: Run, *words: str) -> str:
    """The target that a rendering is for."""
    result = dynamoc("render", *(words or ("graphs/a/graph.yaml",)))
    assert result.code == 0, result.err
    return "grove" if "kind: PodCliqueSet" in result.out else "plain"


def test_the_nearest_file_counts_up_to_the_root_of_the_repository(dynamoc: Run) -> None:
    assert target(dynamoc) == "plain"
    settings("target: grove\n")
    assert target(dynamoc) == "grove"
    settings("target: plain\n", "graphs/dynamoc.yaml")
    assert target(dynamoc) == "plain"
    Path("graphs/dynamoc.yaml").unlink()
    Path("graphs/.git").write_text("gitdir: elsewhere\n")
    assert nearest("graphs/a") is None


def test_what_is_typed_counts_before_variables_and_these_before_the_file(
    dynamoc: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings("target: grove\n")
    monkeypatch.setenv("DYNAMOC_TARGET", "plain")
    assert target(dynamoc) == "plain"
    assert target(dynamoc, "graphs/a/graph.yaml", "--target", "grove") == "grove"
    monkeypatch.delenv("DYNAMOC_TARGET")
    monkeypatch.setenv("DYNAMOC_SETTINGS", "none")
    assert target(dynamoc) == "plain"


def test_pyproject(dynamoc: Run) -> None:
    settings('[project]\nname = "x"\n', "pyproject.toml")
    assert target(dynamoc) == "plain"
    settings('[tool.dynamoc]\ntarget = "grove"\noperator-version = "1.4"\n', "pyproject.toml")
    assert target(dynamoc) == "grove"


def test_parts_of_a_repository(dynamoc: Run) -> None:
    settings("target: plain\noverrides:\n- paths: [graphs/a/**]\n  target: grove\n")
    assert target(dynamoc, "graphs/a") == "grove"
    assert target(dynamoc, "graphs/b") == "plain"
    both = dynamoc("render", "graphs")
    assert (both.code, both.out) == (2, "")
    assert "have different settings in dynamoc.yaml" in both.err


@pytest.mark.parametrize("command", ["validate", "check"])
def test_reports_go_through_the_parts_one_after_the_other(command: str, dynamoc: Run) -> None:
    ignored = "allow: {check/no-frontend: one worker, check/no-model: nothing to serve}"
    settings(f"operator-version: '1.4'\n{ignored}\noverrides:\n- paths: ['**/b/*.yaml']\n  operator-version: '0.6'\n")
    result = dynamoc(command, "graphs", "--target", "grove")
    # 0.6 has no v1beta1
    assert result.code == 1
    assert "graphs/b/graph.yaml" in result.err
    assert "graphs/a/graph.yaml" not in result.err
    assert result.err.count("1 file, 1 graph") == 2
    assert dynamoc(command, "graphs", "-o", "json").code == 2


def test_reasons_of_what_is_ignored_are_shown(dynamoc: Run) -> None:
    settings("allow: {check/idle-gpus: the others are reserved}\n")
    Path("graphs/a/graph.yaml").write_text(graph(worker(gpus=8)))
    result = dynamoc("check", "graphs/a", "--deny=warnings", "--target", "grove")
    assert "ignored check/idle-gpus 1 time: the others are reserved" in result.err
    assert "[check/idle-gpus]" not in result.err


def test_paths_are_those_of_the_file(dynamoc: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("operator.yaml").write_text("global: {grove: {install: true}}\n")
    settings("cluster: [operator.yaml]\n")
    monkeypatch.chdir("graphs/a")
    assert target(dynamoc, "graph.yaml") == "grove"
    Path("../../operator.yaml").unlink()
    assert "operator.yaml" in dynamoc("validate", "graph.yaml").err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("targt: grove\n", "targt is not a setting; there are"),
        ("target: groove\n", "dynamoc.yaml: target must be one of auto, grove, lws, plain, not 'groove'"),
        ("operator-version: 1.4\n", 'put it in quotes: "1.4"'),
        ("skip-foreign: 1\n", "dynamoc.yaml: skip-foreign must be true or false"),
        ("strict: true\n", "dynamoc.yaml: strict is now deny context,pods."),
        ("- a\n", "dynamoc.yaml must be one mapping of settings"),
        ("a: [\n", "dynamoc.yaml:"),
        ("allow: [check]\n", "must be a mapping of names to reasons"),
        ("allow: {check: ''}\n", "must be a mapping of names to reasons"),
        ("overrides: {}\n", "overrides must be a list"),
        ("overrides: [{target: plain}]\n", "overrides[0] needs `paths`"),
        ("overrides: [{paths: [a], targt: plain}]\n", "targt is not a setting"),
        ("cluster: [../secret.yaml]\n", "must be a path inside of the directory of dynamoc.yaml"),
        ("cluster: [/etc/passwd]\n", "must be a path inside of the directory of dynamoc.yaml"),
        ("profiling-result: [chat=../secret.yaml]\n", "../secret.yaml must be a path inside of the directory of"),
        ("profiling-result: [chat=/etc/passwd]\n", "/etc/passwd must be a path inside of the directory of"),
        # what a stranger's file must not decide
        ("load-restrictor: none\n", "load-restrictor is not a setting"),
        ("limit: [file-bytes=1Ti]\n", "limit is not a setting"),
        ("output-dir: /etc\n", "output-dir is not a setting"),
    ],
)
def test_what_is_wrong_is_said(text: str, says: str, dynamoc: Run) -> None:
    settings(text)
    result = dynamoc("check", "graphs/a/graph.yaml")
    assert (result.code, result.out) == (2, "")
    assert says in result.err


def test_links_lead_nowhere_else(dynamoc: Run, tmp_path: Path) -> None:
    (tmp_path.parent / "secret.yaml").write_text("a: b\n")
    Path("link.yaml").symlink_to(tmp_path.parent / "secret.yaml")
    settings("cluster: [link.yaml]\n")
    assert "must be a path inside" in dynamoc("validate", "graphs/a").err


def test_a_graph_of_that_name_is_a_graph(dynamoc: Run) -> None:
    settings(GRAPH)
    assert dynamoc("validate", "dynamoc.yaml", "--target", "plain").code == 0


def test_what_holds_is_shown(dynamoc: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert dynamoc("check", "--show-settings").out == "no settings\n"
    settings("target: grove\nskip-foreign: true\noverrides: [{paths: [graphs/a/**], target: plain}]\n")
    monkeypatch.setenv("DYNAMOC_OPERATOR_VERSION", "1.4")
    assert dynamoc("check", "--show-settings", "graphs/a/graph.yaml").out.splitlines() == [
        "operator-version: 1.4  ($DYNAMOC_OPERATOR_VERSION)",
        "skip-foreign: true  (dynamoc.yaml)",
        "target: plain  (dynamoc.yaml)",
    ]
    assert json.loads(dynamoc("check", "--show-settings", "graphs/b", "-o", "json").out)[2] == {
        "name": "target",
        "value": "grove",
        "from": "dynamoc.yaml",
    }


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("target: grove\nexclude: [drafts/]\nallow: {check: why not}\n", True),
        ("overrides: [{paths: ['a/**'], operator-version: '1.4', standalone: true}]\n", True),
        ("target: groove\n", False),
        ("overrides: [{target: grove}]\n", False),
        ("load-restrictor: none\n", False),
    ],
)
def test_the_schema_of_the_file(text: str, valid: bool, dynamoc: Run) -> None:
    schema = json.loads(dynamoc("schema", "--report", "settings").out)
    assert schema == settings_schema()
    errors = list(jsonschema.Draft202012Validator(schema).iter_errors(yaml.safe_load(text)))
    assert (errors == []) == valid


def test_the_page_has_a_valid_example() -> None:
    page = (ROOT / "docs" / "settings.md").read_text()
    example = yaml.safe_load(page.split("```yaml\n")[1].split("```")[0])
    assert list(jsonschema.Draft202012Validator(settings_schema()).iter_errors(example)) == []


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("clusters/a/**", "clusters/a/x/y.yaml", True),
        ("clusters/a/**", "clusters/ab/y.yaml", False),
        ("clusters/*/y.yaml", "clusters/a/y.yaml", True),
        ("clusters/*/y.yaml", "clusters/a/b/y.yaml", False),
        ("**/prod-?.yaml", "prod-1.yaml", True),
        ("**/prod-?.yaml", "a/b/prod-1.yaml", True),
        ("./a.yaml", "a.yaml", True),
        ("a.yaml", "aXyaml", False),
    ],
)
def test_patterns(pattern: str, path: str, fits: bool) -> None:
    assert matches(path, pattern) == fits


def test_values_of_options_are_no_inputs(dynamoc: Run) -> None:
    settings("overrides: [{paths: [graphs/a/**], target: grove}]\n")
    Path("context.yaml").write_text("apiVersion: v1\nkind: Secret\nmetadata: {name: x}\n")
    assert target(dynamoc, "--cluster", "context.yaml", "graphs/a") == "grove"
    assert target(dynamoc, "-f", "graphs/a", "--cluster=context.yaml") == "grove"
    assert target(dynamoc, "--cluster", "graphs/a", "--", "graphs/b") == "plain"


def test_a_directory_that_everybody_can_write_to_has_no_settings(dynamoc: Run) -> None:
    settings("target: grove\n")
    assert target(dynamoc) == "grove"
    Path().chmod(0o777)
    assert target(dynamoc) == "plain"


@pytest.mark.parametrize("source", ["file", "environment"])
@pytest.mark.parametrize(
    ("value", "codes"),
    [
        ("warnings", {"check": 1, "requires": 0, "upgrade": 0}),
        ("missing", {"check": 0, "requires": 1, "upgrade": 0}),
        ("in-place", {"check": 0, "requires": 0, "upgrade": 1}),
        ("nothing", {"check": 2, "requires": 2, "upgrade": 2}),
    ],
)
def test_an_option_that_several_commands_have_is_for_those_that_take_its_value(
    source: str, value: str, codes: dict[str, int], dynamoc: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    if source == "file":
        settings(f"deny: [{value}]\n")
    else:
        monkeypatch.setenv("DYNAMOC_DENY", value)
    Path("graph.yaml").write_text(graph(worker(gpus=2)))
    more = {"upgrade": ("--from", "1.3", "--to", "1.4"), "check": (), "requires": ()}
    for command, code in codes.items():
        assert dynamoc(command, "graph.yaml", "--target", "grove", *more[command]).code == code, command


@pytest.mark.parametrize("command", ["diff", "upgrade"])
def test_findings_that_are_ignored_are_no_fields_to_ignore(command: str, dynamoc: Run) -> None:
    words = {"diff": ("diff", "graphs/a", "graphs/b"), "upgrade": ("upgrade", "graphs", "--from=1.3", "--to=1.4")}
    before = dynamoc(*words[command], "-o", "json", "--target", "grove")
    settings('allow: {check/idle-gpus: "we know [1"}\n')
    after = dynamoc(*words[command], "-o", "json", "--target", "grove")
    assert after.out
    assert (after.code, after.out) == (before.code, before.out)


def test_parts_do_not_replace_the_baseline_of_each_other(dynamoc: Run) -> None:
    for folder in ("a", "b"):
        Path("graphs", folder, "graph.yaml").write_text(graph(worker(gpus=8), name=folder))
    text = "target: grove\nbaseline: known.json\noverrides:\n- paths: [graphs/b/**]\n  operator-version: '1.4'\n"
    settings(text)
    result = dynamoc("check", "graphs", "--update-baseline")
    assert (result.code, Path("known.json").exists()) == (2, False)
    assert "Name a `baseline` for each part there." in result.err
    settings(text + "  baseline: other.json\n")
    assert dynamoc("check", "graphs", "--update-baseline").code == 0
    assert dynamoc("check", "graphs", "--deny=warnings").code == 0


def test_a_variable_of_an_old_option_names_the_new_one(dynamoc: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DYNAMOC_STRICT_CONTEXT", "true")
    result = dynamoc("render", "graphs/a/graph.yaml")
    assert (result.code, result.out) == (2, "")
    assert "DYNAMOC_STRICT_CONTEXT is for --strict-context, which is now --deny context." in result.err
