"""What holds of the conversion of each input of the corpora: there and back, what is lost, and what is written."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from dynamoc.admission.convert.command import VERSIONS, convert_paths
from dynamoc.admission.convert.correspondence import get, leaves
from dynamoc.admission.convert.plain import Conversion
from dynamoc.admission.convert.specs import V1ALPHA1, V1BETA1
from dynamoc.documents.findings.finding import Findings, Refusal
from dynamoc.kube.merge import at
from tests.convert.corpora import SHARED, Tree, convertible, inputs, needs_corpora
from tests.convert.test_operator import differences
from tests.convert.test_properties import as_printed, in_one_order, other, there_and_back, without

# They render whole corpora several times.
pytestmark = [needs_corpora, pytest.mark.slow]


@cache
def each_document() -> list[tuple[str, Tree, Conversion]]:
    """Each document of the corpora that the operator can convert, converted; those that several corpora share once."""
    found: list[tuple[str, Tree, Conversion]] = []
    seen: set[bytes] = set()
    for path in inputs("*"):
        data = path.read_bytes()
        if data in seen:
            continue
        seen.add(data)
        for document in convertible(data, path.name):
            try:
                conversion = Conversion(document, other(document))
            except Refusal:
                continue
            found.append((f"{path.parent.parent.name}/{path.stem}", document, conversion))
    return found


def comes_back_otherwise(path: tuple[Any, ...], document: Tree) -> bool:
    """What the operator's own round trip changes (docs/converting.md, What is lost)."""
    spec: Any = document["spec"]
    if document["kind"] == "DynamoGraphDeploymentRequest":
        return of_request_comes_back_otherwise(path, spec)
    if path[-1] == "mode":
        # The schema refuses other words; conversion knows these alone.
        return at(document, path) not in ("intraPod", "interPod")
    service: Tree = spec[path[1]][path[2]] if path[1] in ("services", "components") else spec
    if path[-1] in ("componentType", "subComponentType"):
        return service["componentType"] in ("prefill", "decode")
    if path[-1] == "containers":
        # The schema refuses two containers of one name.
        names = [container.get("name") for container in service["podTemplate"]["spec"]["containers"]]
        return len(names) > len(set(names))
    mounts = service.get("volumeMounts") or []
    return path[-1] == "volumeMounts" and any(mounts.count(mount) > 1 for mount in mounts)


def of_request_comes_back_otherwise(path: tuple[Any, ...], spec: Tree) -> bool:
    """v1alpha1 always says whether the graph is applied, and has one place for targets and for the workload.

    Empty parts go, and so does what the schema refuses.
    """
    if path == ("spec", "features"):
        return not isinstance(spec["features"]["planner"], dict) or not spec["features"]["planner"]
    if path == ("spec", "sla", "optimizationType"):
        return spec["sla"]["optimizationType"] not in ("latency", "throughput")
    return path[1] in ("autoApply", "backend", "sla", "workload") and not spec.get(path[1])


def test_there_and_back_is_the_same() -> None:
    seen = {V1ALPHA1: 0, V1BETA1: 0}
    wrong = {}
    for name, document, _ in each_document():
        seen[document["apiVersion"]] += 1
        back, given = there_and_back(document), as_printed(document)
        own = given["metadata"].get("annotations", {})
        for metadata in (back["metadata"], given["metadata"]):
            # Those of the conversion itself; what the user wrote stays.
            annotations = metadata.pop("annotations", {})
            assert {key: annotations.get(key) for key in own} == own
        paths = differences(in_one_order(back), in_one_order(given))
        unexpected = [path for path in paths if not comes_back_otherwise(path, document)]
        if unexpected:
            wrong[name] = unexpected
    assert wrong == {}
    assert seen[V1ALPHA1] > 900
    assert seen[V1BETA1] > 300


def test_what_is_lost_makes_no_difference() -> None:
    losing = 0
    for name, _, conversion in each_document():
        # An annotation that kept what the other version could not say is taken in.
        lost = [path for path in conversion.lost() if path[:2] != ("metadata", "annotations")]
        losing += bool(lost)
        rest = conversion.before
        for path in reversed(lost):
            rest = without(rest, path)
        assert in_one_order(Conversion(rest, conversion.to).after) == in_one_order(conversion.after), name
    assert losing > 300


def test_what_is_not_lost_makes_a_difference() -> None:
    """One field of each document: all of them would take minutes."""
    choice = random.Random(1)
    seen = 0
    for name, _, conversion in each_document():
        lost = set(conversion.lost())
        kept = [
            path
            for path in leaves(conversion.before)
            # What stands in a list has no name that it could be missed by, and what is said twice is not missed. A
            # request without a backend means auto.
            if path[0] == "spec"
            and get(conversion.before, path) != "auto"
            and isinstance(path[-1], str)
            and len(conversion.origins(conversion.home(path) or ())) == 1
            and not any(path[:depth] in lost for depth in range(len(path) + 1))
        ]
        for path in choice.sample(kept, min(1, len(kept))):
            seen += 1
            changed = Conversion(without(conversion.before, path), conversion.to).after
            assert changed != conversion.after, (name, path)
    assert seen > 1000


def documents_of(data: bytes) -> list[bytes]:
    """The documents of a file, by the lines that part them."""
    out = [b""]
    for line in data.splitlines(keepends=True):
        if line.startswith(b"---"):
            out.append(b"")
        out[-1] += line
    return out


def is_other_document(document: bytes) -> bool:
    return b"kind:" in document and b"kind: Dynamo" not in document


@pytest.mark.parametrize("to", sorted(VERSIONS))
def test_writing_touches_no_other_document(to: str, tmp_path: Path) -> None:
    sources: dict[Path, bytes] = {}
    for path in inputs("*"):
        data = path.read_bytes()
        has_others = other_version(to) in data and any(map(is_other_document, documents_of(data)))
        if has_others and data not in sources.values() and len(data) < 6000:
            sources[tmp_path / f"{path.parent.parent.name}-{path.name}"] = data
    for path, data in sources.items():
        path.write_bytes(data)
    written = convert_paths([str(tmp_path)], to, Findings(), write=True).files
    untouched = 0
    for path, before in sources.items():
        old, new = documents_of(before), documents_of(path.read_bytes())
        assert len(old) == len(new)
        for one, two in zip(old, new, strict=True):
            if is_other_document(one) or str(path) not in written:
                assert one == two, path
                untouched += 1
    assert untouched >= len(written) > 10


def other_version(to: str) -> bytes:
    return (V1BETA1 if VERSIONS[to] == V1ALPHA1 else V1ALPHA1).encode()


@pytest.mark.parametrize(("corpus", "to", "some"), [("1.4-mix", "v1beta1", 100), ("1.4-beta-mix", "v1alpha1", 100)])
def test_check_names_each_document_of_the_other_version(corpus: str, to: str, some: int) -> None:
    findings = Findings()
    folder = SHARED / corpus / "inputs"
    named = convert_paths([str(folder)], to, findings, check=True).files
    places = [item.place.line for item in findings.items if item.slug == "convert/other-version" and item.place]
    expected = {
        str(path): sum(VERSIONS[to] != document["apiVersion"] for document in convertible(path.read_bytes(), path.name))
        for path in sorted(folder.glob("*.yaml"))
    }
    assert named == [file for file, count in expected.items() if count]
    assert len(places) == sum(expected.values()) > some
    assert convert_paths([str(folder)], "v1alpha1" if to == "v1beta1" else "v1beta1", Findings(), check=True).files == [
        path for path in expected if expected[path] == 0
    ]
