"""What must not be shown to everybody: the content of Secrets, and variables whose names say that they are secret."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]
    Path = tuple[Any, ...]

HIDDEN = "(hidden)"
_CONTENT = ("data", "stringData")
#: what kubectl keeps there is the whole object
_APPLIED = ("metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration")
#: what stands in names of variables that hold secrets; `TOKENS` and `TOKENIZER` count and name something else
_WORDS = ("SECRET", "PASSW", "CREDENTIAL", "APIKEY", "ACCESSKEY", "PRIVATEKEY", "AUTHKEY", "TOKEN")
_NO_SECRETS = ("TOKENIZ", "TOKENS")


def is_confidential(kind: str, path: Path) -> bool:
    """Whether the value at a path of an object, or a part of it, is content of a Secret."""
    return kind == "Secret" and (path[:1] in ((name,) for name in _CONTENT) or path[:3] == _APPLIED)


def masked(value: Tree) -> Tree:
    """An object whose content may be shown."""
    if value.get("kind") != "Secret":
        return value
    shown = {**value, **{field: _masked(value[field]) for field in _CONTENT if value.get(field) is not None}}
    metadata = value.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    if isinstance(annotations, dict) and _APPLIED[2] in annotations:
        shown["metadata"] = {**value["metadata"], "annotations": {**annotations, _APPLIED[2]: HIDDEN}}
    return shown


def _masked(content: Any) -> Any:
    return dict.fromkeys(content, HIDDEN) if isinstance(content, dict) else HIDDEN


def names_a_secret(name: str) -> bool:
    """Whether a variable of this name holds a secret, as far as names tell."""
    letters = _letters(name)
    return any(word in letters for word in _WORDS)


def lines_with_secrets(lines: list[str]) -> list[str]:
    """The lines that name a secret, escape something, or have a tag."""
    letters = _letters("\n".join(lines))
    words = [word for word in (*_WORDS, "\\", "!") if word in letters]
    if not words:
        return []
    return [line for line, text in zip(lines, letters.split("\n"), strict=True) if any(word in text for word in words)]


def _letters(text: str) -> str:
    letters = text.upper().replace("_", "").replace("-", "").replace(".", "")
    for word in _NO_SECRETS:
        letters = letters.replace(word, "")
    return letters


def confidential_texts(value: Tree) -> set[str]:
    """The texts in a document that no message may repeat: what a Secret holds, and values of secret variables."""
    found: set[str] = set()
    if value.get("kind") == "Secret":
        for field, content in value.items():
            if field not in ("apiVersion", "kind", "metadata", "type", "immutable"):
                _collect(content, found)
        metadata = value.get("metadata")
        if isinstance(metadata, dict):
            _collect((metadata.get("annotations") or {}), found)
    else:
        _collect_variables(value, found)
    return found


def _collect_variables(value: Any, found: set[str]) -> None:
    if isinstance(value, dict):
        name = value.get("name")
        if isinstance(name, str) and "value" in value and names_a_secret(name):
            _collect(value["value"], found)
        if value.get("kind") == "Secret":
            found |= confidential_texts(value)
        for item in value.values():
            _collect_variables(item, found)
    elif isinstance(value, list):
        for item in value:
            _collect_variables(item, found)


def _collect(value: Any, found: set[str]) -> None:
    if isinstance(value, dict):
        for item in value.values():
            _collect(item, found)
    elif isinstance(value, list):
        for item in value:
            _collect(item, found)
    elif value is not None and not isinstance(value, bool):
        found.update(line.strip() for line in str(value).split("\n"))
