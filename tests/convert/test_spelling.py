"""Documents are written as ruamel.yaml writes them, whichever way they are written."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
import yaml
from ruamel.yaml import YAML

from dynamoc.admission.convert import round_trip, spelling
from dynamoc.admission.convert.plain import Conversion
from dynamoc.admission.convert.rewrite import _respelled, _value, needs_conversion, rewrite
from dynamoc.admission.convert.specs import V1ALPHA1, V1BETA1
from dynamoc.documents.findings.finding import Findings, Refusal
from tests import quick_yaml

GOLDEN = sorted((Path(__file__).parents[2] / "golden").glob("*/*/input*.yaml"))
STYLES: dict[str, dict[str, Any]] = {
    "double quotes": {"default_style": '"'},
    "single quotes": {"default_style": "'"},
    "narrow": {"width": 30},
    "deep": {"indent": 4},
    "brackets around leaves": {"default_flow_style": None},
    "all brackets": {"default_flow_style": True},
    "literal blocks": {"default_style": "|"},
    "folded blocks": {"default_style": ">", "width": 30},
}
ODD = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: odd, labels: {"a": 'b', c: d.e/f}}

spec:
    services:
        Worker:   # behind
            componentType: worker
            # above
            replicas:   2
            envs:
              - {name: A, value: "x # y"}
              - name: B
                value: 'it''s'

              - name: C
                value: |-
                    one
                      two # no comment
              - name: D
                value: "say \\"a\\\\b\\""
              - name: E
                value: >-
                    folded
                    text
              - name: F
                value: two
                  lines
            extraPodSpec:
                tolerations: []
                nodeSelector: {}
                mainContainer:
                    args: [--model, "x", 'y', -a, http//b]
                    command:
                      - sh
                      -   -c
                      - {value}
"""


def _outcome(text: str, to: str, way: Any) -> str | None:
    """What is written in a way; None where it is not written so."""
    value = _value(text)
    if not needs_conversion(value, to):
        return None
    try:
        return _respelled(text, Conversion(value, to), way)
    except (spelling.Unusual, Refusal):
        return None


def _styled(value: Any) -> list[str]:
    texts = [yaml.safe_dump(value, sort_keys=False, **style) for style in STYLES.values()]
    for mapping, sequence, offset in ((2, 4, 2), (4, 4, 2), (3, 3, 1), (2, 6, 4)):
        writer, stream = YAML(), io.StringIO()
        writer.indent(mapping=mapping, sequence=sequence, offset=offset)
        writer.dump(value, stream)
        texts.append(stream.getvalue())
    return [*texts, *map(_commented, texts[:3] + texts[-4:])]


def _commented(text: str) -> str:
    lines = text.split("\n")
    lines[1:1] = ["# above", ""]
    found = "\n".join(line + "  # behind" * line.endswith((": {}", ": []", '":', "s:", "e:", "c:")) for line in lines)
    return found if _value(found) == _value(text) else text


@pytest.mark.parametrize("number", range(4))
def test_golden_documents_are_written_as_ruamel_writes_them(number: int) -> None:
    written = 0
    for path in GOLDEN[number::24]:
        for value in filter(None, quick_yaml.load_all(path.read_text())):
            for text in _styled(value):
                for to in (V1ALPHA1, V1BETA1):
                    quick = _outcome(text, to, spelling)
                    if quick is not None:
                        assert quick == _outcome(text, to, round_trip), path
                        written += 1
    assert written > 20


@pytest.mark.parametrize("value", ["x", "'{a: b}'", "- x", "[--a, [b, {c: d, e: []}]]", "{a: {b: c}}", "-", '"-"'])
def test_odd_documents_are_written_as_ruamel_writes_them(value: str) -> None:
    text = ODD.replace("{value}", value)
    quick = _outcome(text, V1BETA1, spelling)
    if quick is not None:
        assert quick == _outcome(text, V1BETA1, round_trip)
    else:
        assert value not in ("x", "'{a: b}'")


@pytest.mark.parametrize("value", ["&a x", "!!str x", "é", '"a\\tb"', '"a\\n"', ">-\n  a\n\n  b"])
def test_what_is_rare_is_left_to_ruamel(value: str) -> None:
    text = ODD.replace("{value}", value.replace("\n", "\n" + " " * 24))
    assert _outcome(text, V1BETA1, spelling) is None
    made = rewrite(text.encode(), "odd.yaml", V1BETA1, Findings())
    assert made.converted == 1
    assert made.data.decode() == _outcome(text, V1BETA1, round_trip)


def test_a_usual_document_is_written_without_ruamel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(round_trip, "compose", None)
    made = rewrite(ODD.replace("{value}", "x").encode(), "odd.yaml", V1BETA1, Findings())
    assert b"# behind" in made.data
    assert b"v1beta1" in made.data
