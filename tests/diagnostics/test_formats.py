"""Findings for other programs: valid by the format's schema, whatever is in them, and known again in the next run."""

from __future__ import annotations

import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest
from jsonschema import Draft4Validator, Draft202012Validator

from tests.cli.conftest import Run

SCHEMAS = Path(__file__).with_name("schemas")
FORMATS = ("sarif", "junit", "gitlab", "checkstyle", "json", "github")
#: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format, in words of JSON Schema
GITLAB = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "minLength": 1},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "pattern": "^(?!\\./)."},
                    "lines": {"type": "object", "required": ["begin"], "properties": {"begin": {"minimum": 1}}},
                },
            },
        },
    },
}
BAD = """\
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: ml}
spec:
  components:
    - name: Frontend
      type: frontend
      replicas: two
      nonsense: 1
      podTemplate: {spec: {containers: [{name: main, image: "x/vllm-runtime:1.4.0"}]}}
"""
GOOD = BAD.replace("      replicas: two\n      nonsense: 1\n", "")
EVIL = BAD.replace("two", '"\\0\\u2028::error::<&\\"]]>\\e[31m"').replace("chat", "ch\u202eat")
BROKEN = "a: [\n"
SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {token: plain text here}\n"
INPUTS = {"bad": BAD, "good": GOOD, "evil": EVIL, "broken": BROKEN, "secret": SECRET, "many": BAD + "---\n" + BAD}
OPTIONS = ("--operator-version", "1.4", "--target", "plain")


def report(dynamoc: Run, style: str, text: str, *words: str) -> str:
    Path("graph.yaml").write_text(text)
    printed = dynamoc("validate", "graph.yaml", *words, "-o", style, *OPTIONS)
    told = dynamoc("render", "graph.yaml", *words, "--findings", style, *OPTIONS)
    assert printed.code == told.code
    assert printed.err == ""
    if style not in ("json", "github"):
        assert told.err == printed.out, "the same of all commands"
    out: str = printed.out
    return out


@pytest.mark.parametrize("text", INPUTS.values(), ids=INPUTS)
def test_sarif_is_valid(dynamoc: Run, text: str) -> None:
    document = json.loads(report(dynamoc, "sarif", text))
    schema = json.loads((SCHEMAS / "sarif-2.1.0.json").read_text())
    errors = sorted(Draft4Validator(schema).iter_errors(document), key=str)
    assert [error.message for error in errors] == []
    [run] = document["runs"]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    prints = [result["partialFingerprints"]["dynamoc/v1"] for result in run["results"]]
    assert len(set(prints)) == len(prints)


def test_sarif_has_true_lines_and_the_help_of_the_catalogue(dynamoc: Run) -> None:
    [run] = json.loads(report(dynamoc, "sarif", BAD))["runs"]
    regions = {}
    for result in run["results"]:
        if "locations" in result:
            place = result["locations"][0]["physicalLocation"]
            region = place["region"]
            line = BAD.split("\n")[region["startLine"] - 1]
            regions[result["ruleId"]] = line[region["startColumn"] - 1 : region["endColumn"] - 1]
            assert place["artifactLocation"] == {"uri": "graph.yaml"}
            assert result["level"] == "error"
    assert regions == {"schema/type": "two", "schema/unknown-field": "nonsense"}
    rules = {rule["id"]: rule for rule in run["tool"]["driver"]["rules"]}
    assert "quotes" in rules["schema/type"]["help"]["text"]
    assert "```diff" in rules["schema/type"]["help"]["markdown"]


def test_files_outside_of_the_directory_and_odd_names_are_uris(dynamoc: Run, tmp_path: Path) -> None:
    outside = tmp_path.parent / "a b#c.yaml"
    outside.write_text(BAD)
    uris = set()
    for name in (str(outside), "a b%.yaml"):
        Path("a b%.yaml").write_text(BAD)
        [run] = json.loads(dynamoc("validate", name, "-o", "sarif", *OPTIONS).out)["runs"]
        locations = [result["locations"][0] for result in run["results"] if "locations" in result]
        uris |= {location["physicalLocation"]["artifactLocation"]["uri"] for location in locations}
    assert uris == {f"file://{str(outside).replace(' ', '%20').replace('#', '%23')}", "a%20b%25.yaml"}


@pytest.mark.parametrize("text", INPUTS.values(), ids=INPUTS)
def test_gitlab_is_valid(dynamoc: Run, text: str) -> None:
    document = json.loads(report(dynamoc, "gitlab", text))
    assert [error.message for error in Draft202012Validator(GITLAB).iter_errors(document)] == []
    assert len({entry["fingerprint"] for entry in document}) == len(document)


@pytest.mark.parametrize("text", INPUTS.values(), ids=INPUTS)
def test_junit_counts_its_failures(dynamoc: Run, text: str) -> None:
    root = ElementTree.fromstring(report(dynamoc, "junit", text))
    assert root.tag == "testsuites"
    errors = json.loads(report(dynamoc, "json", text))["counts"]["error"]
    assert len(root.findall("testsuite/testcase/failure")) == errors
    for suite in root:
        assert int(suite.attrib["tests"]) == len(suite.findall("testcase")) > 0
        assert int(suite.attrib["failures"]) == len(suite.findall("testcase/failure"))
        assert {child.tag for case in suite for child in case} <= {"failure", "system-out"}


@pytest.mark.parametrize("text", INPUTS.values(), ids=INPUTS)
def test_checkstyle_has_an_error_element_a_finding(dynamoc: Run, text: str) -> None:
    root = ElementTree.fromstring(report(dynamoc, "checkstyle", text))
    found = root.findall("file/error")
    counts = json.loads(report(dynamoc, "json", text))["counts"]
    shown = [element.attrib["severity"] for element in found]
    assert {name: shown.count(name) for name in ("error", "warning", "info")} == dict(
        zip(("error", "warning", "info"), counts.values(), strict=True)
    )
    for element in found:
        assert element.attrib["message"]
        assert int(element.get("line", 1)) >= 1


def fingerprints(dynamoc: Run, text: str) -> dict[str, str]:
    found: list[dict[str, Any]] = json.loads(report(dynamoc, "json", text))["findings"]
    return {finding["slug"]: finding["fingerprint"] for finding in found if finding["place"]}


def test_fingerprints_survive_lines_and_components_that_are_added_above(dynamoc: Run) -> None:
    before = fingerprints(dynamoc, BAD)
    other = '    - {name: A, type: worker, podTemplate: {spec: {containers: [{name: main, image: "x:1"}]}}}\n'
    moved = "# a\n# b\n" + BAD.replace("  components:\n", f"  components:\n{other}")
    assert fingerprints(dynamoc, moved) == before
    other_value = fingerprints(dynamoc, BAD.replace("two", "three"))
    assert {slug for slug in before if other_value[slug] != before[slug]} == {"schema/type"}
    assert fingerprints(dynamoc, BAD.replace("chat", "talk")).keys() == before.keys()
    assert not set(fingerprints(dynamoc, BAD.replace("chat", "talk")).values()) & set(before.values())


@pytest.mark.parametrize("style", FORMATS)
def test_piped_documents_are_placed_in_their_templates(
    style: str, dynamoc: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"---\n# Source: chat/templates/graph.yaml\n{BAD}"
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))
    assert "chat/templates/graph.yaml" in dynamoc("validate", "-", "-o", style, *OPTIONS).out


@pytest.mark.parametrize("style", FORMATS)
def test_the_limit_of_findings_holds(style: str, dynamoc: Run) -> None:
    lines = "".join(f"      field{at}: 1\n" for at in range(50))
    text = BAD.replace("      nonsense: 1\n", lines)
    assert report(dynamoc, style, text, "--limit", "findings=10").count("schema/unknown-field") < 20 * 3


def test_the_report_of_nothing(dynamoc: Run) -> None:
    text = GOOD.replace("metadata:", "metadata:").replace("x/vllm", "nvcr.io/nvidia/ai-dynamo/vllm")
    assert json.loads(report(dynamoc, "gitlab", text)) == []
    assert json.loads(report(dynamoc, "sarif", text))["runs"][0]["results"] == []
    assert 'name="no findings"' in report(dynamoc, "junit", text)
