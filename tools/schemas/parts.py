"""Documents without repetition: the form that `dynamoc.documents.schema.schemas` reads."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

Schema = dict[str, Any]


def stored_text(documents: dict[str, Schema]) -> str:
    """The content of `crds.json`: documents by `release/name`."""
    parts = _Parts()
    numbers = {name: parts.number(document) for name, document in documents.items()}
    lines = ",\n".join(parts.texts)
    return f'{{"documents":{json.dumps(numbers, indent=1)},\n"parts":[\n{lines}\n]}}\n'


@dataclass(eq=False)
class _Parts:
    """Different dicts and lists, each with its number."""

    texts: dict[str, int] = field(default_factory=dict, init=False)

    def number(self, value: Any) -> int:
        text = json.dumps(self._items(value), separators=(",", ":"))
        return self.texts.setdefault(text, len(self.texts))

    def _items(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._reference(item) for key, item in value.items()}
        return [self._reference(item) for item in value]

    def _reference(self, item: Any) -> Any:
        return [self.number(item)] if isinstance(item, dict | list) else item
