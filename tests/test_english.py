"""Messages, docstrings and comments use the everyday words of docs/glossary.md."""

from __future__ import annotations

import ast
import io
import re
import tokenize
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
#: the same, where programmers read it
AVOIDED_IN_SOURCE = AVOIDED | {
    r"\b(tells?|told|telling)\b": "says, reports, shows; distinguish",
    r"\b(no|some)body\b": "nothing, a user; by default, not given, unknown",
    r"\bof (its|their) own\b": "separate, or leave it out",
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


def _prose(path: Path) -> list[tuple[int, str]]:
    """Line and text of docstrings and comments, without code and the names of attributes that they explain.

    Docstrings of rules and builders are output, of `dynamoc explain`, and those of models the schemas' descriptions.
    """
    source = path.read_text()
    comments = [
        (token.start[0], token.string)
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    ]
    tree = ast.parse(source)
    printed = {id(node.body[0]) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and _is_step(node)}
    docstrings = [
        (node.lineno, node.value.value)
        for node in (() if path.parent.name == "models" else ast.walk(tree))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and id(node) not in printed
    ]
    found = []
    for line, text in comments + docstrings:
        words = re.sub(r"^ *[\w, ]*\w  +", "", str(text), flags=re.MULTILINE)
        found.append((line, " ".join(re.sub(r"`[^`]*`", "…", words).split())))
    return found


def _is_step(function: ast.FunctionDef) -> bool:
    """Builders, and rules of pods, which are decorated with the operator's source."""
    calls = [each for each in function.decorator_list if isinstance(each, ast.Call)]
    builds = any(isinstance(call.func, ast.Name) and call.func.id == "builder" for call in calls)
    return builds or any(keyword.arg == "source" for call in calls for keyword in call.keywords)


def test_docstrings_and_comments_use_everyday_words() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {words[0]!r} (write: {better})"
        for path in sorted((ROOT / "dynamoc").rglob("*.py"))
        for line, text in _prose(path)
        for pattern, better in AVOIDED_IN_SOURCE.items()
        if (words := re.search(pattern, text))
    ]
    assert found == []


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


def test_prose_is_docstrings_and_comments_without_code(tmp_path: Path) -> None:
    source = tmp_path / "module.py"
    attributes = '"""It is\ntold.\n\n    told  how many `told` there are\n"""\n'
    source.write_text(attributes + 'x = "told"  # anew\n@rule("a/b", source="c")\ndef f():\n    """Printed."""\n')
    assert _prose(source) == [(6, "# anew"), (1, "It is told. how many … there are")]
