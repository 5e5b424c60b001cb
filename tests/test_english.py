"""Messages use the everyday words of docs/glossary.md, and prose stays within a readable width."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: words of translated English, each with the everyday one
AVOIDED = {
    r"\banew\b": "again",
    r"\b(is|are|was|were) told\b": "reported",
    r"\bstands? (in|at|here|above|below|beside|before)\b": "is",
    r"\bshould stand\b": "is missing",
    r"\bstood\b": "was",
    r"\bthere is no such\b": "does not exist",
    r"\bgoes with\b|\bdoes not go with\b": "applies only with, cannot be combined with",
    r"\b(not|be|is|are) brought\b|\bbrings? (it|along)\b": "provided, missing",
    r"\b(is|are) no (claim|quantity|number|object|container|service|component|resource|kind|part|path)\b": "is not a",
    r"\b(is|are) none\b": "is not one",
    r"\bexists is unknown\b": "is not in the input or --cluster",
    r"\breads over\b": "ignores",
    r"\bwhere not given\b": "by default",
    r"\b(is|are) to (be made|become|run)\b": "would be",
    r"\bnobody makes\b|\bmade anew\b|\bof its own account\b": "nothing creates",
}


def _literals(path: Path) -> list[tuple[int, str]]:
    """Line and text of the strings that are sentences, docstrings apart; what is formatted in is left out."""
    tree = ast.parse(path.read_text())
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    inside |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "…" for part in node.values]
            found.append((node.lineno, "".join(map(str, parts))))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
            found.append((node.lineno, node.value))
    return [(line, text) for line, text in found if " " in text]


def test_messages_use_everyday_words() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {words[0]!r} (write: {better})"
        for path in sorted((ROOT / "dynamoc").rglob("*.py"))
        for line, text in _literals(path)
        for pattern, better in AVOIDED.items()
        if (words := re.search(pattern, text))
    ]
    assert found == []


def test_the_search_finds_what_is_formatted_and_what_is_joined(tmp_path: Path) -> None:
    source = tmp_path / "message.py"
    source.write_text('"""A docstring."""\nreport(f"Apply {name} " "anew.")\n')
    assert _literals(source) == [(2, "Apply … anew.")]
