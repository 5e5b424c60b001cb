"""Flux leaves rendered objects as they are, and the example repository does what its page says."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_paths
from dynamoc.documents.findings.finding import Findings
from dynamoc.reference.releases import RELEASES
from tests import quick_yaml
from tests.cli.conftest import Run
from tests.cli.test_inputs import CONFIG_MAP

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "flux"
ANNOTATION = "kustomize.toolkit.fluxcd.io/substitute"
#: what the shell of a multinode graph is to replace, and what its user wants Flux to replace
GRAPH = (EXAMPLE / "graphs" / "llm-large.yaml").read_text()
OWN = CONFIG_MAP + "data: {cluster: '${cluster}'}\n"
RENDER = ("render", "graphs", "--target", "grove", "--operator-version", "1.4", "--namespace", "inference",
          "--output-dir", "rendered")  # fmt: skip

Tree = dict[str, Any]


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)


def is_kept(item: Tree) -> bool:
    return bool((item["metadata"].get("annotations") or {}).get(ANNOTATION) == "disabled")


def holds_variable(item: Tree) -> bool:
    return any("${" in text for text in texts(item))


def applied(objects: list[Tree]) -> list[Tree]:
    """What `postBuild.substitute` makes of objects, as far as it replaces what it does not know."""
    return [
        item if is_kept(item) else quick_yaml.load(re.sub(r"\$\{\w+\}", "", yaml.safe_dump(item))) for item in objects
    ]


def read(folder: str) -> list[Tree]:
    return [item for path in sorted(Path(folder).glob("*.yaml")) for item in quick_yaml.load_all(path.read_text())]


@pytest.fixture
def repository(dynamoc: Run) -> Path:
    """The example repository in the current directory, rendered."""
    shutil.copytree(EXAMPLE, ".", dirs_exist_ok=True)
    assert dynamoc(*RENDER).code == 0
    return Path.cwd()


def test_files_are_annotated_and_stdout_is_not(dynamoc: Run) -> None:
    Path("graph.yaml").write_text(f"{GRAPH}---\n{OWN}")
    command = ("render", "graph.yaml", "--target", "grove", "--operator-version", "1.4")
    plain = list(quick_yaml.load_all(dynamoc(*command).out))
    assert not any(map(is_kept, plain))
    result = dynamoc(*command, "--output-dir", "out")
    assert "[output/flux-substitute]" in result.err
    for objects in (read("out"), list(quick_yaml.load_all(dynamoc(*command, "--flux-substitute", "disabled").out))):
        kept = [item for item in objects if is_kept(item)]
        assert [item["kind"] for item in kept] == ["PodCliqueSet"]
        # What passes through is the user's, who may want Flux to replace it.
        [own] = [item for item in objects if item["metadata"]["name"] == "settings"]
        assert own == quick_yaml.load(OWN)
        assert [item for item in objects if holds_variable(item) and not is_kept(item)] == [own]
    assert dynamoc(*command, "--output-dir", "enabled", "--flux-substitute", "enabled").code == 0
    key = lambda item: (item["kind"], item["metadata"]["name"])  # noqa: E731
    assert sorted(read("enabled"), key=key) == sorted(plain, key=key)


def test_a_file_an_input_is_what_the_operator_creates_and_no_more(dynamoc: Run) -> None:
    Path("graph.yaml").write_text(GRAPH)
    command = ("render", "graph.yaml", "--target", "grove", "--operator-version", "1.4")
    per_input = ("--output-dir", "out", "--layout", "per-input")
    result = dynamoc(*command, *per_input)
    assert "flux-substitute" not in result.err
    assert Path("out/graph.yaml").read_text() == dynamoc(*command).out
    assert dynamoc(*command, *per_input, "--flux-substitute", "disabled").code == 0
    assert any(map(is_kept, read("out")))


def test_without_the_annotation_flux_destroys_what_it_does_not_know(dynamoc: Run) -> None:
    Path("graph.yaml").write_text(GRAPH)
    command = ("render", "graph.yaml", "--target", "grove", "--operator-version", "1.4")
    plain = list(quick_yaml.load_all(dynamoc(*command).out))
    assert applied(plain) != plain
    kept = list(quick_yaml.load_all(dynamoc(*command, "--flux-substitute", "disabled").out))
    assert applied(kept) == kept


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("target", ["grove", "lws"])
def test_each_release_keeps_its_variables(release: str, target: str) -> None:
    seen = 0
    for path in sorted((ROOT / "golden").glob("*/*/input.yaml"))[::3]:
        findings = Findings()
        options = Options(operator_version=release, target=target, keeps_variables=True, passthrough=False)
        kept = compile_paths([str(path)], options, findings)
        if findings.errors:
            continue
        seen += 1
        bare = Options(operator_version=release, target=target, passthrough=False)
        plain = compile_paths([str(path)], bare, Findings())
        assert [holds_variable(item) for item in plain] == [is_kept(item) for item in kept], path
        for item in kept:
            annotations = item["metadata"].get("annotations") or {}
            if annotations.pop(ANNOTATION, None) and not annotations:
                del item["metadata"]["annotations"]
        assert kept == plain, path
    assert seen


def test_an_answer_for_a_user_stays(dynamoc: Run) -> None:
    Path("graph.yaml").write_text(GRAPH)
    Path("out").mkdir()
    assert dynamoc("render", "graph.yaml", "--target", "grove", "--output-dir", "out", "-o", "annotated").code == 0
    [file] = Path("out").glob("*podcliqueset*")
    [line] = [line for line in file.read_text().splitlines() if ANNOTATION in line]
    assert line.endswith("# builder lower/flux/keep-variables")


def test_the_annotation_is_no_difference(dynamoc: Run) -> None:
    Path("graph.yaml").write_text(GRAPH)
    command = ("--target", "grove", "--operator-version", "1.4")
    assert dynamoc("render", "graph.yaml", *command, "--output-dir", "out").code == 0
    for sides in (("out", "graph.yaml"), ("graph.yaml", "out")):
        assert dynamoc("diff", *sides, *command).code == 0


def test_the_index_remembers_the_choice(dynamoc: Run) -> None:
    Path("graph.yaml").write_text(GRAPH)
    command = ("render", "graph.yaml", "--target", "grove", "--output-dir", "out", "--flux-substitute", "enabled")
    assert dynamoc(*command).code == 0
    assert dynamoc("render", "--from-index", "out", "--check").code == 0
    assert not any(map(is_kept, read("out")))


# --- the example repository


def test_the_page_renders_the_graphs_of_the_example() -> None:
    page = (ROOT / "docs" / "how-to" / "flux.md").read_text()
    for path in (EXAMPLE / "graphs").glob("*.yaml"):
        assert f"<!-- file: graphs/{path.name} = {path.relative_to(ROOT)} -->" in page
    assert {quick_yaml.load(path.read_text())["apiVersion"] for path in (EXAMPLE / "graphs").glob("*.yaml")} == {
        "nvidia.com/v1alpha1",
        "nvidia.com/v1beta1",
    }


def test_another_image_reaches_the_objects_of_both_versions(dynamoc: Run, repository: Path) -> None:
    steps = quick_yaml.load(Path(".github/workflows/image.yaml").read_text())["jobs"]["update"]["steps"]
    [script] = [step["run"] for step in steps if "sed -i" in step.get("run", "")]
    sed, render = script.splitlines()[:2]
    subprocess.run(sed, shell=True, check=True, env={"TAG": "1.4.2", "PATH": "/usr/bin:/bin"})
    assert dynamoc(*re.sub(r"^dynamoc ", "", render).split(), "--check").code == 1
    assert dynamoc(*re.sub(r"^dynamoc ", "", render).split()).code == 0
    images = {text for item in read("rendered") for text in texts(item) if "vllm-runtime:" in text}
    assert images == {"nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.2"}
    names = {item["metadata"]["name"] for item in read("rendered") if item["kind"] == "PodCliqueSet"}
    assert names == {"llm-agg", "llm-large"}


def test_the_checks_of_the_workflow_fail_on_drift(dynamoc: Run, repository: Path) -> None:
    jobs = quick_yaml.load(Path(".github/workflows/render.yaml").read_text())["jobs"]
    commands = [
        step["run"] for job in jobs.values() for step in job["steps"] if step.get("run", "").startswith("dynamoc ")
    ]
    assert len(commands) == 2
    for command in commands:
        assert dynamoc(*command.split()[1:]).code == 0
    [file] = Path("rendered").glob("*_service_llm-agg-frontend.yaml")
    file.write_text(file.read_text().replace("8000", "8001"))
    for command in commands:
        assert dynamoc(*command.split()[1:]).code == 1


def test_flux_takes_the_path_that_is_rendered(repository: Path) -> None:
    kustomization = quick_yaml.load(Path("clusters/prod/dynamo.yaml").read_text())
    assert Path(kustomization["spec"]["path"]) == Path("rendered")
    assert "targetNamespace" not in kustomization["spec"]
    assert (
        list(quick_yaml.load_all(Path("clusters/prod/dynamo-oci.yaml.example").read_text()))[1]["spec"]["path"] == "./"
    )


def needs(tool: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(
        shutil.which(tool) is None, reason=f"{tool} is not on PATH: docs/how-to/flux.md is not tried"
    )


@needs("kustomize")
def test_kustomize_builds_what_is_rendered(repository: Path) -> None:
    """The kustomize-controller writes a kustomization of all files where there is none, and builds it."""
    before = read("rendered")
    subprocess.run(["kustomize", "create", "--autodetect"], cwd="rendered", check=True)
    built = subprocess.run(["kustomize", "build", "rendered"], check=True, capture_output=True, text=True).stdout
    key = lambda item: (item["apiVersion"], item["kind"], item["metadata"]["name"])  # noqa: E731
    objects = sorted(quick_yaml.load_all(built), key=key)
    assert objects == sorted(before, key=key)
    assert applied(objects) == objects


@needs("kustomize")
def test_a_kustomization_beside_the_files_stays(dynamoc: Run, repository: Path) -> None:
    subprocess.run(["kustomize", "create", "--autodetect"], cwd="rendered", check=True)
    assert dynamoc("render", "--from-index", "rendered").code == 0
    assert dynamoc("render", "--from-index", "rendered", "--check").code == 0
    assert Path("rendered/kustomization.yaml").exists()


@needs("actionlint")
def test_the_workflows_are_what_github_accepts(repository: Path) -> None:
    files = sorted(map(str, Path(".github/workflows").glob("*.yaml")))
    subprocess.run(["actionlint", "-shellcheck=", *files], check=True)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@needs("crane")
def test_an_oci_artifact_holds_what_is_rendered(repository: Path) -> None:
    port = free_port()
    registry = subprocess.Popen(["crane", "registry", "serve", "--address", f"127.0.0.1:{port}"])
    try:
        digests = []
        for number in range(2):
            layer = f"layer-{number}.tar"
            command = [
                "tar",
                "--sort=name",
                "--mtime=@0",
                "--owner=0",
                "--group=0",
                "-cf",
                layer,
                "-C",
                "rendered",
                ".",
            ]
            subprocess.run(command, check=True)
            name = f"127.0.0.1:{port}/dynamo-rendered:prod"
            pushed = _push(["crane", "append", "--insecure", "--new_layer", layer, "--new_tag", name])
            digests.append(pushed.rpartition("@")[2])
        assert digests[0] == digests[1]
        assert digests[0].startswith("sha256:")
        Path("pulled").mkdir()
        exported = subprocess.run(["crane", "export", "--insecure", name, "-"], check=True, capture_output=True).stdout
        subprocess.run(["tar", "-xf", "-", "-C", "pulled"], input=exported, check=True)
        assert read("pulled") == read("rendered")
        assert Path("pulled/.dynamoc-index").read_bytes() == Path("rendered/.dynamoc-index").read_bytes()
    finally:
        registry.kill()
        registry.wait()


def _push(command: list[str]) -> str:
    """What the command prints once the registry listens."""
    for _ in range(200):
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode == 0:
            return done.stdout.strip()
        assert "connection refused" in done.stderr, done.stderr
    raise AssertionError(done.stderr)
