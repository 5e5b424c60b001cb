"""The post-renderer: what Helm pipes into it, and the real helm where there is one."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.conftest import Result, Run, dynamoc
from tests.docs.pages import ROOT
from tests.flows.graphs import GRAPH
from tests.flows.page_run import assert_page, environment

__all__ = ["dynamoc"]

Tree = dict[str, Any]
MARK = "postrenderer.helm.sh/postrender-filename"
PLUGIN = ROOT / "deploy" / "helm" / "dynamoc"
SETTINGS = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n"
HELM_3 = f"---\n# Source: chat/templates/settings.yaml\n{SETTINGS}---\n# Source: chat/templates/graph.yaml\n{GRAPH}"
HELM_4 = HELM_3.replace("# Source: chat/templates/settings.yaml\n", "").replace(
    "# Source: chat/templates/graph.yaml\n", ""
)
HELM_4 = HELM_4.replace("{name: chat}", f"{{name: chat, annotations: {{{MARK}: chat/templates/graph.yaml}}}}")
HELM_4 = HELM_4.replace("{name: settings}", f"{{name: settings, annotations: {{{MARK}: 'chat/templates/s.yaml'}}}}")
OPTIONS = ("--operator-version", "1.4", "--target", "plain")


@pytest.fixture
def post_render(dynamoc: Run, monkeypatch: pytest.MonkeyPatch) -> Any:
    """`post_render(text, option…)`: the result, and the objects by kind."""

    def run(text: str, *options: str) -> tuple[Result, dict[str, Tree]]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        result = dynamoc("plugin", "helm", *OPTIONS, *options)
        return result, {item["kind"]: item for item in yaml.safe_load_all(result.out) if item}

    return run


@pytest.mark.parametrize("text", [HELM_3, HELM_4], ids=["helm 3", "helm 4"])
def test_graphs_get_the_namespace_and_others_pass_as_they_are(post_render: Any, text: str) -> None:
    result, objects = post_render(text, "--namespace", "prod")
    assert result.code == 0
    assert objects["Deployment"]["metadata"]["namespace"] == "prod"
    assert "namespace" not in objects["ConfigMap"]["metadata"]


def test_the_marks_of_helm_4_stay_on_what_passes_and_only_there(post_render: Any) -> None:
    _, objects = post_render(HELM_4)
    assert objects["ConfigMap"]["metadata"]["annotations"] == {MARK: "chat/templates/s.yaml"}
    assert MARK not in yaml.safe_dump([item for kind, item in objects.items() if kind != "ConfigMap"])


@pytest.mark.parametrize("text", [HELM_3, HELM_4], ids=["helm 3", "helm 4"])
def test_errors_name_the_template(post_render: Any, text: str) -> None:
    result, objects = post_render(text.replace("type: frontend", "tpye: frontend"))
    assert (result.code, objects) == (1, {})
    assert "chat/templates/graph.yaml (-:" in result.err
    assert "did you mean `type`?" in result.err


def test_nothing_at_all_can_be_an_error(post_render: Any) -> None:
    assert post_render(SETTINGS, "--omit=inputs")[0].code == 0
    assert post_render(SETTINGS, "--omit=inputs", "--deny=output/empty")[0].code == 1


def test_an_option_that_does_not_exist_is_wrong_usage(post_render: Any) -> None:
    assert post_render(SETTINGS, "--output-dir", "x")[0].code == 2


def test_the_page(tmp_path: Path) -> None:
    assert_page("how-to/helm.md", tmp_path, environment())


RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: dynamo, namespace: ops}
spec:
  chart: {spec: {chart: dynamo-platform}}
  values: {global: {grove: {enabled: true}, nats: {install: true}}}
"""
REPOSITORY = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: {name: nvidia}\n---\n"


def rendered(dynamoc: Run, config: str) -> Result:
    Path("graph.yaml").write_text(GRAPH)
    Path("operator.yaml").write_text(config)
    return dynamoc("render", "graph.yaml", "--operator-version", "1.4", "--operator-config", "operator.yaml")


@pytest.mark.parametrize(
    ("config", "address"),
    [
        (RELEASE, "nats://dynamo-nats.ops.svc"),
        (REPOSITORY + RELEASE, "nats://dynamo-nats.ops.svc"),
        (RELEASE.replace("spec:\n", "spec:\n  releaseName: d\n", 1), "nats://d-nats.ops.svc"),
        (RELEASE.replace("spec:\n", "spec:\n  targetNamespace: t\n", 1), "nats://t-dynamo-nats.t.svc"),
        ("global: {grove: {enabled: true}, nats: {install: true}}", "nats://dynamo-platform-nats.dynamo-system.svc"),
    ],
)
def test_values_come_from_a_helm_release_too(dynamoc: Run, config: str, address: str) -> None:
    result = rendered(dynamoc, config)
    assert result.code == 0, result.err
    assert "kind: PodCliqueSet" in result.out
    assert address in result.out


def test_findings_have_the_place_in_the_helm_release(dynamoc: Run) -> None:
    result = rendered(dynamoc, RELEASE.replace("grove:", "grvoe:"))
    assert "operator.yaml:6:" in result.err
    assert "has no value `global.grvoe" in result.err


def test_another_chart_in_the_file_is_not_the_operator(dynamoc: Run) -> None:
    other = RELEASE.replace("dynamo-platform", "postgres").replace("enabled: true", "enabled: false")
    assert "kind: PodCliqueSet" in rendered(dynamoc, f"{other}---\n{RELEASE}").out


HELM = shutil.which("helm")
needs_helm = pytest.mark.skipif(HELM is None, reason="NO HELM HERE: the post-renderer was not run by it")


def is_helm_4() -> bool:
    return ".v4" in str(HELM) or subprocess.run(
        ["helm", "version", "--short"], check=True, capture_output=True, text=True
    ).stdout.startswith("v4")


@needs_helm
def test_the_real_helm(tmp_path: Path) -> None:
    chart = tmp_path / "chat"
    (chart / "templates").mkdir(parents=True)
    (chart / "Chart.yaml").write_text("apiVersion: v2\nname: chat\nversion: 0.1.0\n")
    (chart / "templates" / "graph.yaml").write_text(GRAPH)
    (chart / "templates" / "settings.yaml").write_text(SETTINGS)
    env = environment(HELM_PLUGINS=str(tmp_path / "plugins"), HOME=str(tmp_path))
    options = ["--namespace=prod", "--operator-version=1.4", "--target=plain"]
    if is_helm_4():
        shutil.copytree(PLUGIN, tmp_path / "plugins" / "dynamoc")
    else:
        options = ["plugin", "helm", *options]
    arguments = [word for option in options for word in ("--post-renderer-args", option)]
    command = ["helm", "template", "chat", str(chart), "-n", "prod", "--post-renderer", "dynamoc", *arguments]

    def run() -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, check=False, env={**os.environ, **env}, capture_output=True, text=True)

    done = run()
    assert done.returncode == 0, done.stderr
    objects = {item["kind"]: item for item in yaml.safe_load_all(done.stdout) if item}
    assert objects["Deployment"]["metadata"]["namespace"] == "prod"
    assert "ConfigMap" in objects
    assert MARK not in done.stdout
    (chart / "templates" / "graph.yaml").write_text(GRAPH.replace("type: frontend", "tpye: frontend"))
    failed = run()
    assert failed.returncode == 1
    # Helm 4.3 says that the plugin failed, and nothing of what it wrote.
    said = ('plugin "dynamoc" exited with error',) if is_helm_4() else ("did you mean `type`?", "templates/graph.yaml")
    assert [text for text in said if text not in failed.stderr] == []
