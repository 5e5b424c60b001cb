"""What sigs.k8s.io/yaml makes of 3,193 texts.

`data/go-yaml.json` holds the project's reference table, `data/go-yaml-more.json` further texts put through
sigs.k8s.io/yaml 1.6.0 (go.yaml.in/yaml/v2 2.4.2). A row is [text, JSON value], or [text] where it is refused.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dynamoc.documents.findings.finding import ERROR
from tests.source.reading import read, same

DATA = Path(__file__).parent / "data"
REFERENCE = Path(__file__).parents[2].parent / "shared/reference/go-tables/go-yaml.json"

REPEATED = "A repeated key would drop what stands before it; the library's strict mode refuses it, too."
SEPARATOR = "kubectl refuses text behind `---`, before this library sees it."
DIRECTIVE = "kubectl cuts the stream at `---` and gives this library the directive alone, which it refuses."
TRAILING = "The library ignores what follows the value, even where it is no YAML."
STRICTER = {
    "{a: 1, a: 2}": REPEATED,
    "k: {a: 1, a: 2}": REPEATED,
    "a: 1\na: 2": REPEATED,
    "a:\n  b: 1\n  b: 2": REPEATED,
    "--- a": SEPARATOR,
    "%YAML 1.1\n---\na: 1": DIRECTIVE,
    "%TAG ! !x\n---\na: ! b": DIRECTIVE,
    "[]: a": TRAILING,
}
#: kubectl drops what follows `...`; a second document is not what these rows are about.
FIRST_OF_SEVERAL = {"---\na: 1\n---\nb: 2", "a: 1\n---\nb: 2"}


def rows(name: str) -> list[list[Any]]:
    found: list[list[Any]] = json.loads((DATA / name).read_text())
    return found


@pytest.mark.parametrize("name", ["go-yaml.json", "go-yaml-more.json"])
def test_every_text_is_read_as_kubernetes_reads_it(name: str) -> None:
    differences = {}
    for text, *wanted in rows(name):
        if text in STRICTER:
            continue
        documents, findings = read(text, objects=False)
        assert len(documents) == 1 or not documents or text in FIRST_OF_SEVERAL, text
        refused = any(item.severity == ERROR for item in findings)
        if refused or not wanted:
            if not (refused and not wanted):
                differences[text] = (wanted, findings)
        elif not same(documents[0].value if documents else None, wanted[0]):
            differences[text] = (wanted, documents)
    assert differences == {}


@pytest.mark.parametrize("text", STRICTER)
def test_stricter_refusals_are_located_and_taken_by_the_library(text: str) -> None:
    assert any(row[0] == text and len(row) == 2 for name in ("go-yaml.json", "go-yaml-more.json") for row in rows(name))
    _, findings = read(text, objects=False)
    assert [item.severity for item in findings] == [ERROR]
    assert findings[0].place is not None
    assert findings[0].hint


@pytest.mark.skipif(not REFERENCE.exists(), reason=f"no reference table at {REFERENCE}")
def test_the_copy_of_the_table_is_the_reference() -> None:
    reference = [
        [row["in"], row["json"]] if "json" in row else [row["in"]] for row in json.loads(REFERENCE.read_text())
    ]
    assert rows("go-yaml.json") == reference
    assert len(reference) == 2896
