"""Files rewritten in another version: comments, other documents, layout, and what a reader makes of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import yaml

from dynamoc.admission.convert.operator import to_v1beta1
from dynamoc.admission.convert.rewrite import Rewritten, rewrite
from dynamoc.admission.convert.specs import V1ALPHA1, V1BETA1
from dynamoc.documents.findings.finding import Findings
from tests.convert.corpora import convertible, inputs, needs_corpora

WRITTEN = Path(__file__).parent / "written"
HEAD = "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata:\n  name: x\nspec:\n  services:\n"


def rewritten(text: str, to: str = V1BETA1, *, lossless: bool = False) -> Rewritten:
    findings = Findings()
    result = rewrite(text.encode(), "graph.yaml", to, findings, lossless=lossless)
    assert not findings.errors, findings.items
    return result


def comments(data: bytes) -> Counter[str]:
    """All comments, found by another scanner than the one that rewriting uses."""
    text = data.decode().removeprefix("\ufeff").replace("\r\n", "\n")
    inside = bytearray(len(text) + 1)
    for token in yaml.scan(text):
        if isinstance(token, yaml.ScalarToken):
            start, end = token.start_mark.index, token.end_mark.index
            if token.style in ("|", ">"):
                start = text.index("\n", start)
            inside[start:end] = b"\1" * (end - start)
    found: Counter[str] = Counter()
    place = text.find("#")
    while place >= 0:
        is_comment = not inside[place] and (place == 0 or text[place - 1] in " \t\n")
        end = text.find("\n", place) if is_comment else place + 1
        if is_comment:
            found[text[place : end if end >= 0 else None].rstrip()] += 1
        place = text.find("#", end) if end >= 0 else -1
    return found


@pytest.mark.parametrize("name", sorted(path.name.split(".")[0] for path in WRITTEN.glob("*.before.yaml")))
def test_written(name: str) -> None:
    before, after = ((WRITTEN / f"{name}.{when}.yaml").read_text() for when in ("before", "after"))
    assert rewritten(before).data.decode() == after


@needs_corpora
def test_every_comment_of_a_file_survives() -> None:
    """Of every fifth file with comments; all of them take a minute."""
    seen: set[bytes] = set()
    total = 0
    for path in list(inputs("*"))[::5]:
        data = path.read_bytes()
        if b"#" not in data or data in seen:
            continue
        seen.add(data)
        to = V1ALPHA1 if V1BETA1.encode() in data else V1BETA1
        result = rewrite(data, path.name, to, Findings())
        if result.converted:
            found = comments(data)
            assert comments(result.data) == found, path
            total += found.total()
    assert total > 400


@needs_corpora
@pytest.mark.parametrize("corpus", ["1.4-features", "1.4-beta-features", "1.0-features"])
def test_a_rewritten_file_stays_as_it_is(corpus: str) -> None:
    seen = 0
    for path in list(inputs(corpus))[::4]:
        for to in (V1ALPHA1, V1BETA1):
            once = rewrite(path.read_bytes(), path.name, to, Findings())
            again = rewrite(once.data, path.name, to, Findings())
            assert again.data == once.data
            assert again.converted == 0
            seen += once.converted
    assert seen > 10


def test_it_says_what_the_operator_makes_of_it() -> None:
    text = HEAD + "    b:\n      replicas: 1e0\n      resources: {limits: {gpu: 1}}\n".replace("gpu: 1", "gpu: '1'")
    [source] = convertible(text.encode(), "graph.yaml")
    [result] = convertible(rewritten(text, lossless=True).data, "graph.yaml")
    exact = to_v1beta1(source)
    assert result["metadata"] == exact["metadata"]
    assert result["spec"] == exact["spec"]


def test_other_documents_keep_every_byte() -> None:
    other = 'kind:   ConfigMap\napiVersion: "v1"\nmetadata: {name: a,}\n\n\n'
    middle = HEAD + "    a:\n      replicas: 1\n"
    text = f"# head\n---\n{other}--- # marker\n{middle}...\n---\n{other}"
    before, marker, rest = rewritten(text).data.decode().partition("--- # marker\n")
    assert before + marker == f"# head\n---\n{other}--- # marker\n"
    assert rest.endswith(f"...\n---\n{other}")
    assert rest.startswith("apiVersion: nvidia.com/v1beta1\n")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# only a comment\n",
        "kind: ConfigMap\napiVersion: v1\n",
        HEAD.replace("v1alpha1", "v1beta1").replace("services", "components") + "  - name:   a\n",
        HEAD + "    a:\n      replicas: two\n",
        HEAD + "    a: [\n",
        "apiVersion: v1\nkind: List\nitems: ["
        + f"{{apiVersion: {V1ALPHA1}, kind: DynamoGraphDeployment, metadata: {{name: a}}}}]\n",
    ],
    ids=["empty", "comment", "other kind", "right version", "refused", "no YAML", "in a flow List"],
)
def test_nothing_changes(text: str) -> None:
    result = rewrite(text.encode(), "graph.yaml", V1BETA1, Findings())
    assert result.data == text.encode()
    assert result.converted == 0


def test_lines_end_as_they_did() -> None:
    text = (HEAD + "    a: # c\n      replicas: 1\n").replace("\n", "\r\n")
    data = rewritten(text).data
    assert data.count(b"\r\n") == data.count(b"\n") > 5


def test_a_byte_order_mark_stays() -> None:
    assert rewritten("\ufeff" + HEAD + "    a: {replicas: 1}").data.startswith(b"\xef\xbb\xbfapiVersion")


@pytest.mark.parametrize(
    ("service", "expected"),
    [
        ("a:\n      envs:\n      - name: x # c\n", "env:\n          - name: x # c\n"),
        ("a:\n      envs:\n        - name: x\n", "env:\n                - name: x\n"),
        ("a:\n      envs: [{name: x}]  # c\n", "env: [{name: x}]  # c\n"),
        ("a: # c\n      replicas: 1\n", "- name: a # c\n    replicas: 1\n"),
        ("y:\n      replicas: 1\n", '- name: "true"\n'),
        ("'a':\n      sharedMemory:\n        # c\n        size: 1024Mi\n", "# c\n    sharedMemorySize: 1024Mi\n"),
        ("a:\n      envFromSecret: s # c\n", "name: s # c\n"),
        ("a:\n      ingress: # c\n        enabled: true\n      replicas: 1\n", "# c\n    replicas: 1\n"),
        ("a:\n      replicas: 1\n      ingress: # c\n        enabled: true\n", "# c\n  - name: a\n    replicas: 1\n"),
        ("a:\n      livenessProbe: &p {periodSeconds: 1}\n      readinessProbe: *p\n", "readinessProbe: *p\n"),
    ],
)
def test_a_field_is_written_as_it_was(service: str, expected: str) -> None:
    assert expected in rewritten(f"{HEAD}    {service}").data.decode()


def test_merged_maps_are_spelled_out() -> None:
    text = HEAD + "    a: &a\n      replicas: 1\n      envs: [{name: x}]\n    b:\n      <<: *a\n      replicas: 2\n"
    first, second = rewritten(text).documents[0]["spec"]["components"]
    assert (first["replicas"], second["replicas"]) == (1, 2)
    assert first["podTemplate"] == second["podTemplate"]


def test_json_stays_json() -> None:
    text = '{"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment", "spec": {"services": {"a": {}}}}'
    assert rewritten(text).data.decode().startswith('{\n  "apiVersion": "nvidia.com/v1beta1",\n')


def test_losses_have_lines() -> None:
    findings = Findings()
    text = HEAD + "    a:\n      ingress:\n        enabled: true\n      autoscaling: {enabled: true}\n      bogus: 1\n"
    rewrite(text.encode(), "graph.yaml", V1BETA1, findings)
    found = [(item.severity, str(item.place), ".".join(map(str, item.path[3:]))) for item in findings.items]
    assert found == [
        ("warning", "graph.yaml:8:7", "ingress"),
        ("note", "graph.yaml:10:7", "autoscaling"),
        ("warning", "graph.yaml:11:7", "bogus"),
    ]
    findings = Findings()
    rewrite(text.encode(), "graph.yaml", V1BETA1, findings, lossless=True)
    assert [item.path[-1] for item in findings.items] == ["bogus"]


def test_a_refused_document_says_where() -> None:
    findings = Findings()
    rewrite((HEAD + "    a:\n      replicas: two\n").encode(), "graph.yaml", V1BETA1, findings)
    [item] = findings.items
    assert (item.slug, item.severity, str(item.place)) == ("convert/wrong-type", "error", "graph.yaml:8:7")


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("apiVersion: v1\nkind: List\nitems:\n-\n  " + (HEAD + "    a: {}").replace("\n", "\n  "), "convert/in-list"),
    ],
)
def test_what_stays_although_it_has_another_version_is_named(text: str, slug: str) -> None:
    findings = Findings()
    rewrite(text.encode(), "graph.yaml", V1BETA1, findings)
    assert [(item.slug, item.severity) for item in findings.items] == [(slug, "warning")]


def test_what_the_writer_cannot_read_is_told() -> None:
    """A tab in a key is a blank to Kubernetes' reader, and an error to the one that keeps comments."""
    text = (HEAD + "    a: {}\n").replace("  name: x\n", "  name: x\n  fo\to: c\n")
    findings = Findings()
    result = rewrite(text.encode(), "graph.yaml", V1BETA1, findings)
    assert [item.slug for item in findings.items if item.severity == "error"] == ["convert/unwritable"]
    assert result.data == text.encode()


def test_lines_may_end_as_on_old_machines() -> None:
    text = HEAD + "    a: # c\n      replicas: 1\n"
    result = rewritten(text.replace("\n", "\r")).data
    assert result.replace(b"\r\n", b"\n") == rewritten(text).data


def test_the_page_shows_what_happens() -> None:
    page = (Path(__file__).parents[2] / "docs" / "converting.md").read_text()
    before, after = [block.partition("```")[0] for block in page.split("```yaml\n")[1:]]
    assert rewritten(before).data.decode() == after
