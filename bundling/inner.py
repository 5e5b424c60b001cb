"""Takes names from the modules of C that Python's own modules take them from, where the rest of those is not needed.

`functools` imports `collections`, `hashlib` imports OpenSSL, and both take longer than a document takes to render. What
is taken is the same object, or one that does the same (in loader.py).
"""

from __future__ import annotations

import ast

from bundling.sources import Source, walk

#: module and name in it, where it is, and its name there
_INNER = {
    ("collections", "deque"): ("_collections", "deque"),
    ("functools", "cache"): ("dynamoc._bundle", "cache"),
    ("functools", "lru_cache"): ("dynamoc._bundle", "lru_cache"),
    ("functools", "cmp_to_key"): ("_functools", "cmp_to_key"),
    ("functools", "partial"): ("_functools", "partial"),
    ("hashlib", "sha256"): ("dynamoc._bundle", "sha256"),
    ("threading", "local"): ("_thread", "_local"),
}


def take(source: Source) -> None:
    """Change the imports of a module, in place."""
    for node in list(walk(source.tree)):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [new for each in body for new in _taken(each)]  # type: ignore[attr-defined]


def _taken(node: ast.stmt) -> list[ast.stmt]:
    if not isinstance(node, ast.ImportFrom):
        return [node]
    found: list[ast.stmt] = []
    left = []
    for alias in node.names:
        inner = _INNER.get((node.module or "", alias.name))
        if inner is None:
            left.append(alias)
            continue
        module, name = inner
        bound = alias.asname or alias.name
        found.append(ast.ImportFrom(module, [ast.alias(name, None if name == bound else bound)], 0))
    node.names = left
    return [ast.copy_location(each, node) for each in found] + ([node] if left else [])
