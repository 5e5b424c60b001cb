"""What the command prints, and its exit codes."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from dynamoc.analysis.requires.requirements import requirements_of
from dynamoc.compiler.options import Options
from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source.files import read_paths
from dynamoc.reference.releases import CHARTS, MODULES, RELEASES, VALUES, merged
from tests.cli.conftest import Run
from tests.explain.corpora import cases, corpora, needs_corpora
from tests.requires.conftest import GRAPH, Ask

Tree = dict[str, Any]


def test_text_tells_what_nobody_brings_first_and_the_lines(dynamoc: Run) -> None:
    Path("graph.yaml").write_text(GRAPH)
    result = dynamoc("requires", "graph.yaml", "--target", "grove")
    lines = result.out.splitlines()
    assert lines[0] == "needed"
    where = lines.index("  Secret/token (team)")
    assert lines[where + 1].endswith("  graph.yaml:19:22")
    assert (
        "  largest gang: 3 pods, 16 GPUs of PodCliqueSet/chat (team): frontend 1, worker-ldr 1, worker-wkr 1" in lines
    )
    assert lines[-1] == "5 objects and 1 API are needed; 8 pods, 48 GPUs"


@pytest.mark.parametrize(("choice", "coloured"), [("always", True), ("never", False), ("auto", False)])
def test_colour_is_for_terminals(dynamoc: Run, choice: str, coloured: bool) -> None:
    Path("graph.yaml").write_text(GRAPH)
    assert ("\x1b[" in dynamoc("requires", "graph.yaml", "--color", choice).out) == coloured


def test_the_same_bytes_each_time_whatever_the_order(dynamoc: Run) -> None:
    Path("a.yaml").write_text(GRAPH)
    Path("b.yaml").write_text(GRAPH.replace("name: chat", "name: other"))
    for style in ("text", "json", "script"):
        one, two = (
            dynamoc("requires", *paths, "-o", style).out for paths in (("a.yaml", "b.yaml"), ("b.yaml", "a.yaml"))
        )
        assert one == two


def test_what_nobody_brings_is_missing_only_in_a_cluster_that_is_shown(dynamoc: Run) -> None:
    Path("graph.yaml").write_text(GRAPH)
    Path("context.yaml").write_text("apiVersion: v1\nkind: Namespace\nmetadata: {name: somewhere}\n")
    for options, word in (((), "needed"), (("--cluster", "context.yaml"), "missing")):
        result = dynamoc("requires", "graph.yaml", "--target", "grove", *options)
        assert result.out.startswith(f"{word}\n")
        assert f" are {word};" in result.out
        page = dynamoc("report", "graph.yaml", "--target", "grove", *options).out
        assert f'<span class="badge {word}">{word}</span>' in page


@pytest.mark.parametrize("target", ["plain", "lws", "grove"])
def test_components_have_their_types(target: str, dynamoc: Run) -> None:
    Path("graph.yaml").write_text(GRAPH if target != "plain" else re.sub(r"\n +(multinode|nodeCount):.*", "", GRAPH))
    record = json.loads(dynamoc("requires", "graph.yaml", "--target", target, "-o", "json").out)
    assert record["components"]
    assert all(item["type"] for item in record["components"])


def test_the_page_agrees_on_what_the_input_brings(dynamoc: Run) -> None:
    settings = "---\napiVersion: v1\nkind: Secret\nmetadata: {name: token}\n"
    Path("graph.yaml").write_text(re.sub("namespace: [a-z]+", "labels: {}", GRAPH) + settings)
    needed = dynamoc("requires", "graph.yaml", "--target", "grove").out
    page = dynamoc("report", "graph.yaml", "--target", "grove").out
    assert "Secret/token (default)" in needed[needed.index("by the input") :]
    assert re.search(r">provided</span></td><td[^>]*>Secret/token \(default\)", page)


def test_errors_are_told_first(dynamoc: Run) -> None:
    Path("graph.yaml").write_text(GRAPH.replace("replicas: 3", "replcias: 3"))
    Path("good.yaml").write_text(GRAPH.replace("name: chat", "name: good"))
    result = dynamoc("requires", "graph.yaml", "good.yaml", "--target", "grove")
    assert result.code == 1
    assert "PodCliqueSet/good" in result.out
    assert "PodCliqueSet/chat" in result.out
    assert "schema/unknown-field" in result.err
    kept = dynamoc("requires", "graph.yaml", "good.yaml", "--target", "grove", "--keep-going")
    assert kept.code == 1
    assert "PodCliqueSet/good" in kept.out
    assert "PodCliqueSet/chat" not in kept.out
    assert dynamoc("requires", "graph.yaml", "--target", "grove", "--allow=unknown-fields").code == 0
    assert dynamoc("requires", "nowhere.yaml").code == 2
    assert dynamoc("requires", "good.yaml", "--operator-version", "0.1").code == 2


def test_an_unknown_object_is_a_requirement_and_no_finding(dynamoc: Run) -> None:
    Path("graph.yaml").write_text(GRAPH.replace("  services:", "  pvcs: [{name: models}]\n  services:"))
    assert "context/unknown-claim" in dynamoc("validate", "graph.yaml", "--target", "grove").err
    result = dynamoc("requires", "graph.yaml", "--target", "grove")
    assert "context/unknown-claim" not in result.err
    assert "PersistentVolumeClaim/models (team)" in result.out
    strict = dynamoc("requires", "graph.yaml", "--target", "grove", "--deny=context")
    assert (strict.code, "context/unknown-claim" in strict.err) == (1, True)


def test_nothing_compiled_needs_nothing(dynamoc: Run) -> None:
    Path("map.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    result = dynamoc("requires", "map.yaml")
    assert result.code == 0
    assert result.out.endswith("nothing else is needed; 0 pods, 0 GPUs\n")


def test_versions_that_a_release_names(ask: Ask) -> None:
    for release, grove in (("1.0", "v0.1.0-alpha.6"), ("1.4", "v0.1.0-alpha.12-rc1")):
        (api,) = (
            entry
            for entry in ask(GRAPH, "--target", "grove", "--operator-version", release)["apis"]
            if entry["group"] == "grove.io"
        )
        assert (api["version"], api["project"]) == ("v1alpha1", "Grove")
        assert api["chart"] == {"name": "grove-charts", "version": grove, "value": "global.grove.install"}
        assert api["builtWith"] == f"github.com/ai-dynamo/grove/operator/api {grove}"


@needs_corpora
@pytest.mark.parametrize("corpus", corpora("0.6", "1.0", "1.4"))
def test_needs_of_whole_compilations_have_places(corpus: str) -> None:
    """Each need of a rendered object has a line of the input: graphs make all of them."""
    seen = 0
    for path, options in cases(corpus):
        findings = Findings()
        found = requirements_of(read_paths([str(path)], findings), options, findings)
        if findings.errors:
            continue
        assert not [entry for entry in findings.items if "is not in the input or --cluster" in entry.message]
        for entry in found.objects:
            assert entry.needs
            for need in entry.needs:
                seen += 1
                assert need.place is not None, (path.name, entry.identity, need.path)
                assert need.place.file == str(path)
    assert seen


@needs_corpora
@pytest.mark.parametrize("corpus", corpora("1.0", "1.4"))
def test_what_stands_alone_brings_all_that_the_chart_would(corpus: str) -> None:
    """But a queue that the graph names, and the key pair, which is made with an option of `render` only."""
    for path, options in cases(corpus):
        findings = Findings()
        options.standalone = True
        found = requirements_of(read_paths([str(path)], findings), options, findings)
        if findings.errors:
            continue
        for entry in found.objects:
            if entry.kind in ("ClusterRole", "Role", "ServiceAccount") and not _is_of_user(entry.name, path):
                assert entry.by is not None, (path.name, entry.identity)
        dynamo = [api for api in found.apis if api.group == "nvidia.com"]
        assert all(api.by == "render" for api in dynamo), path.name


def _is_of_user(name: str, path: Path) -> bool:
    return name in path.read_text()


def test_many_graphs(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number}.yaml").write_text(GRAPH.replace("namespace: team", f"namespace: team-{number}"))
    findings = Findings()
    paths = [str(tmp_path / f"{number}.yaml") for number in range(20)]
    found = requirements_of(read_paths(paths, findings), Options(target="grove"), findings)
    assert len(found.roles) == 40
    assert not findings.errors
    json.dumps([role.name for role in found.roles])


@pytest.mark.parametrize("table", [MODULES, CHARTS, VALUES])
def test_what_a_release_brought_is_known_of_those_that_follow(table: dict[str, dict[str, object]]) -> None:
    """A table says what changes; of a release without a row, the rows before it hold."""
    assert list(table) == [name for name in RELEASES if name in table]
    known = [merged(table, name).keys() for name in RELEASES]
    assert all(before <= after for before, after in pairwise(known))
    assert "Grove" in known[1]
