"""Names without the hash of workers: the same objects for each version of a graph, which still find each other."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from dynamoc.documents.emit.yaml import dump_yaml
from dynamoc.rendering.lower.shared_objects import pod_templates
from tests import quick_yaml
from tests.conformance.corpora import graph_corpora, needs_corpora
from tests.standalone.graphs import EARLY, HASHED, IMAGE, RELEASES, component, graph, worker
from tests.standalone.rendering import Tree, identity, recorded, render

HASH_LABEL = "nvidia.com/dynamo-worker-hash"
SUFFIX = "DYN_NAMESPACE_WORKER_SUFFIX"
_WORKERS = ("worker", "prefill", "decode")


def services(image: str = IMAGE, nodes: int = 1, kinds: tuple[str, ...] = ("prefill", "decode")) -> dict[str, Tree]:
    workers = {kind.title(): worker(image=image, nodes=nodes, kind=kind) for kind in kinds}
    return {"Frontend": component("frontend"), **workers}


def stable(text: str, **options: Any) -> list[Tree]:
    rendered = render(text, stable_names=True, **options)
    assert rendered.findings.errors == 0, rendered.findings.items
    return rendered.objects


def environment(template: Tree) -> dict[str, str]:
    [main] = [item for item in template["spec"]["containers"] if item["name"] == "main"]
    return {item["name"]: item.get("value", "") for item in main["env"]}


cases = st.fixed_dictionaries(
    {"operator_version": st.sampled_from(RELEASES), "target": st.sampled_from(["plain", "lws", "grove"])}
)
tags = st.tuples(st.integers(0, 2), st.integers(0, 20), st.integers(0, 99)).map(lambda parts: ".".join(map(str, parts)))
worker_kinds = st.sets(st.sampled_from(_WORKERS), min_size=1).map(lambda kinds: tuple(sorted(kinds)))


@settings(max_examples=60)
@given(cases, st.integers(1, 3), worker_kinds, tags, tags)
def test_versions_of_a_graph_have_the_same_objects(
    options: dict[str, str], nodes: int, kinds: tuple[str, ...], old: str, new: str
) -> None:
    nodes = 1 if options["target"] == "plain" else nodes
    if options["operator_version"] in EARLY:
        kinds = ("worker",)
    before, after = (stable(graph(services(f"registry/image:{tag}", nodes, kinds)), **options) for tag in (old, new))
    assert [identity(item) for item in before] == [identity(item) for item in after]
    assert [selectors(item) for item in before] == [selectors(item) for item in after]
    assert_no_hash(before, hash_of(graph(services(f"registry/image:{old}", nodes, kinds)), **options))
    assert_found(before)


def hash_of(text: str, **options: str) -> str:
    """The hash that workers carry where names may have one, "" where they carry none."""
    objects = render(text, **options).objects
    found = {(item["metadata"].get("labels") or {}).get(HASH_LABEL, "") for item in objects} - {""}
    return found.pop() if found else ""


def selectors(item: Tree) -> Any:
    return (item.get("spec") or {}).get("selector")


def assert_no_hash(objects: list[Tree], digest: str = "") -> None:
    text = dump_yaml(objects)
    assert HASH_LABEL not in text
    assert SUFFIX not in text
    if digest:
        assert digest not in text


def assert_found(objects: list[Tree]) -> None:
    """Deployments select their own pods, and each Service of a component finds pods."""
    labels = [template["metadata"].get("labels") or {} for _, template in pod_templates(objects)]
    for item in objects:
        wanted = selectors(item)
        if item["kind"] == "Deployment":
            own = item["spec"]["template"]["metadata"]["labels"]
            assert wanted["matchLabels"].items() <= own.items()
            assert wanted["matchLabels"] == {"nvidia.com/selector": item["metadata"]["name"]}
        elif item["kind"] == "Service":
            assert any(wanted.items() <= found.items() for found in labels), item["metadata"]["name"]


@pytest.mark.parametrize("release", HASHED)
@pytest.mark.parametrize("target", ["plain", "lws"])
def test_without_the_option_names_carry_a_hash(release: str, target: str) -> None:
    text = graph(services(nodes=2 if target == "lws" else 1))
    digest = hash_of(text, operator_version=release, target=target)
    assert re.fullmatch("[0-9a-f]{8}", digest)
    named = [item for item in render(text, operator_version=release, target=target).objects if digest in str(item)]
    assert named
    for item, other in zip(
        render(text, operator_version=release, target=target).objects,
        stable(text, operator_version=release, target=target),
        strict=True,
    ):
        assert identity(other) == tuple(part.replace(f"-{digest}", "") for part in identity(item))


@pytest.mark.parametrize("release", HASHED)
def test_workers_are_where_the_frontend_looks(release: str) -> None:
    templates = [template for _, template in pod_templates(stable(graph(services()), operator_version=release))]
    by_type = {template["metadata"]["labels"]["nvidia.com/dynamo-component-type"]: template for template in templates}
    prefix = environment(by_type.pop("frontend"))["DYN_NAMESPACE_PREFIX"]
    assert by_type.keys() == {"prefill", "decode"}
    for template in by_type.values():
        assert environment(template)["DYN_NAMESPACE"] == prefix
        assert template["metadata"]["labels"]["nvidia.com/dynamo-namespace"] == prefix


@pytest.mark.parametrize("release", HASHED)
@pytest.mark.parametrize("nodes", [1, 2])
def test_only_what_holds_the_hash_differs(release: str, nodes: int) -> None:
    options = {"operator_version": release, "target": "lws"}
    text = graph(services(nodes=nodes))
    digest = hash_of(text, **options)
    hashed = quick_yaml.load(yaml.safe_dump(render(text, **options).objects).replace(f"-{digest}", ""))
    assert _without_hash(hashed, digest) == stable(text, **options)


def _without_hash(value: Any, digest: str) -> Any:
    if isinstance(value, dict):
        return {key: _without_hash(item, digest) for key, item in value.items() if key != HASH_LABEL}
    if isinstance(value, list):
        return [_without_hash(item, digest) for item in value if item != {"name": SUFFIX, "value": digest}]
    return value


@needs_corpora
@pytest.mark.parametrize("corpus", graph_corpora())
def test_recorded_inputs_carry_no_hash(corpus: str) -> None:
    seen = 0
    for case, path, objects in recorded(corpus, every=9, stable_names=True):
        seen += 1
        if HASH_LABEL in path.read_text():
            continue
        labelled = [item for item in objects if HASH_LABEL in str(item) or SUFFIX in str(item)]
        assert not labelled, case
    assert seen


@pytest.mark.parametrize("release", HASHED)
@pytest.mark.parametrize("target", ["plain", "grove"])
def test_endpoint_pickers_find_workers(release: str, target: str) -> None:
    picker = component("epp", eppConfig={"config": {"plugins": [], "schedulingProfiles": []}})
    objects = stable(graph({"Epp": picker, "Worker": worker()}), operator_version=release, target=target)
    [pool] = [item for item in objects if item["kind"] == "InferencePool"]
    wanted = pool["spec"]["selector"]["matchLabels"]
    labels = [template["metadata"]["labels"] for _, template in pod_templates(objects)]
    found = [item for item in labels if wanted.items() <= item.items()]
    assert [item["nvidia.com/dynamo-component"] for item in found] == ["Worker"]
