"""Documents of the input that are not compiled may have any shape, and go through as they are."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamoc.analysis.blocks import plain_text
from dynamoc.analysis.requires.text import requirement_blocks, requires_answer, script
from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_documents
from dynamoc.documents.findings.answers import answer_text
from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source.files import read_paths
from dynamoc.reference.releases import get_release
from tests.cli.conftest import Run
from tests.requires.conftest import GRAPH, item, needs_of, pod

Tree = dict[str, Any]
Path_ = tuple[str | int, ...]


def rendered(target: str, release: str, folder: str) -> list[Tree]:
    findings = Findings()
    Path(folder, "graph.yaml").write_text(GRAPH)
    documents = read_paths([str(Path(folder, "graph.yaml"))], findings)
    return compile_documents(documents, Options(target=target, operator_version=release), findings)


def bases() -> list[Tree]:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        objects = rendered("grove", "1.4", folder) + rendered("lws", "1.0", folder)
    env = [{"name": "NATS_SERVER", "value": "nats://n"}, {"name": "A", "valueFrom": {"secretKeyRef": {"name": "s"}}}]
    volumes = [{"name": "v", "projected": {"sources": [{"secret": {"name": "a", "items": [{"key": "k"}]}}]}}]
    device = {"requests": [{"exactly": {"deviceClassName": "gpu.nvidia.com", "count": 1}}]}
    claim = {"name": "c", "templateSpec": {"spec": {"devices": device}}}
    group = {
        "name": "g",
        "cliqueNames": ["a"],
        "resourceSharing": [{"name": "c", "filter": {"childCliqueNames": ["a"]}}],
    }
    outline = {
        "cliques": [{"name": "a", "spec": {}}],
        "podCliqueScalingGroups": [group],
        "resourceClaimTemplates": [claim],
    }
    return [
        *objects,
        pod(containers=[{"name": "m", "image": "x", "env": env}], volumes=volumes),
        item("PodCliqueSet", version="grove.io/v1alpha1", spec={"template": outline}),
        item("ResourceClaimTemplate", version="resource.k8s.io/v1", spec={"spec": {"devices": device}}),
        item("HorizontalPodAutoscaler", version="autoscaling/v2", spec={"metrics": [{"type": "Resource"}]}),
        item("CustomResourceDefinition", version="apiextensions.k8s.io/v1", spec={
            "group": "a", "names": {"kind": "B"}, "versions": [{"name": "v1"}]}),
        item("Ingress", version="networking.k8s.io/v1", spec={"tls": [{"secretName": "t"}], "rules": [
            {"http": {"paths": [{"backend": {"service": {"name": "d"}}}]}}]}),
        item("VirtualService", version="networking.istio.io/v1", spec={"gateways": ["a/b"], "http": [
            {"route": [{"destination": {"host": "c"}}]}]}),
        item("RoleBinding", version="rbac.authorization.k8s.io/v1", roleRef={"kind": "Role", "name": "a"},
             subjects=[{"kind": "ServiceAccount", "name": "b"}]),
    ]  # fmt: skip


BASES = bases()
JUNK = st.sampled_from([None, [], {}, "x", "", 7, -1, True, 1.5, [None], ["x"], [[]], [{}], {"name": None}, {"a": 1}])


def paths_of(value: Any, path: Path_ = ()) -> list[Path_]:
    found = [path] if path and path[0] not in ("apiVersion", "kind") else []
    steps: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, below in steps:
        found += paths_of(below, (*path, step))
    return found


@st.composite
def broken(draw: st.DrawFn) -> Tree:
    value: Any = deepcopy(draw(st.sampled_from(BASES)))
    for _ in range(draw(st.integers(1, 3))):
        paths = paths_of(value)
        path = draw(st.sampled_from(paths))
        holder = value
        for step in path[:-1]:
            holder = holder[step]
        holder[path[-1]] = deepcopy(draw(JUNK))
    value["metadata"] = value["metadata"] if isinstance(value.get("metadata"), dict) else {"name": "a"}
    return value  # type: ignore[no-any-return]


@given(st.lists(broken(), min_size=1, max_size=3))
def test_no_shape_of_an_object_is_a_bug(objects: list[Tree]) -> None:
    found = needs_of(objects)
    answer_text(requires_answer(found, "1.4", "auto"))
    plain_text(requirement_blocks(found))
    script(found, get_release("1.4"))


def test_a_document_with_junk_is_no_bug(dynamoc: Run) -> None:
    junk = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: a, labels: {tier: web}}
spec: {template: {spec: {containers: [{name: 3, env: {}}]}}}
"""
    Path("a.yaml").write_text(junk)
    for style in ("text", "json", "script"):
        assert dynamoc("requires", "a.yaml", "-o", style).code == 0


@pytest.mark.parametrize("spec", ["text", "3", "null", "[a, [b]]", "{}", "{'': {name: ''}}"])
def test_an_object_whose_spec_is_no_mapping_is_no_bug(dynamoc: Run, spec: str) -> None:
    head = "kind: Widget\nmetadata: {name: a}\n"
    Path("a.yaml").write_text(f"apiVersion: example.com/v1\n{head}spec: {spec}\n---\n{GRAPH}")
    for target in ("grove", "lws"):
        assert dynamoc("requires", "a.yaml", "--target", target, "--operator-version", "1.4").code == 0
