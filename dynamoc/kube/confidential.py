"""What must not be shown to everybody: the content of Secrets, and variables whose names say that they are secret."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Tree = dict[str, Any]
    Path = tuple[Any, ...]
    Known = dict[Path, list[Any]]
    """Earlier secrets, by where they are."""

HIDDEN = "(hidden)"
#: what is hidden, and was something else before
HIDDEN_CHANGE = "(hidden, changed)"
_CONTENT = ("data", "stringData")
#: what kubectl keeps there is the whole object
_APPLIED = ("metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration")
#: what stands in names of variables that hold secrets; `TOKENS` and `TOKENIZER` count and name something else
_WORDS = ("SECRET", "PASSW", "CREDENTIAL", "APIKEY", "ACCESSKEY", "PRIVATEKEY", "AUTHKEY", "TOKEN")
_NO_SECRETS = ("TOKENIZ", "TOKENS")


def is_confidential(kind: str, path: Path) -> bool:
    """Whether the value at a path of an object, or a part of it, is content of a Secret."""
    return kind == "Secret" and (path[:1] in ((name,) for name in _CONTENT) or path[:3] == _APPLIED)


def is_hidden(item: Tree, path: Path) -> bool:
    """Whether what is at a path of an object is content of a Secret, or the value of a secret variable."""
    if is_confidential(str(item.get("kind")), path):
        return True
    holder: Any = item
    for step in path[:-1]:
        holder = holder[step]
    return path[-1:] == ("value",) and is_secret_variable(holder)


def is_secret_variable(value: Any) -> bool:
    """Whether a value is a variable whose name says that it holds a secret."""
    return isinstance(value, dict) and isinstance(value.get("name"), str) and names_a_secret(value["name"])


def masked(value: Tree, before: Tree | None = None) -> Tree:
    """An object that may be shown. `before` is the same object earlier; what is secret and new since says so."""
    known = None if before is None else _known(before)
    if value.get("kind") != "Secret":
        shown: Tree = _without_variables(value, known)
        return shown
    return _without_content(value, known)


def without_variables(value: Any) -> Any:
    """A part of an object without the values of secret variables."""
    return _without_variables(value, None)


def _without_content(value: Tree, known: Known | None) -> Tree:
    shown = {**value, **{field: _content(value, field, known) for field in _CONTENT if value.get(field) is not None}}
    metadata = value.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    if isinstance(annotations, dict) and _APPLIED[2] in annotations:
        shown["metadata"] = {**value["metadata"], "annotations": {**annotations, _APPLIED[2]: HIDDEN}}
    return shown


def _content(value: Tree, field: str, known: Known | None) -> Any:
    content = value[field]
    if not isinstance(content, dict):
        return HIDDEN
    return {key: _sign(known, (field, key), item) for key, item in content.items()}


def _without_variables(value: Any, known: Known | None, path: Path = ()) -> Any:
    """The same value where nothing is secret in it."""
    if isinstance(value, list):
        items = [_without_variables(item, known, _below(path, item)) for item in value]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items
    if not isinstance(value, dict):
        return value
    shown = {key: _without_variables(item, known, (*path, key)) for key, item in value.items()}
    if value.get("value") is not None and is_secret_variable(value):
        shown["value"] = _sign(known, path, value["value"])
    return value if all(shown[key] is value[key] for key in value) else shown


def _known(before: Tree) -> Known:
    found: Known = {}
    for path, value in _secrets(before, ()):
        found.setdefault(path, []).append(value)
    return found


def _secrets(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """What is secret in an object, and where: elements of lists by their names."""
    if isinstance(value, list):
        for item in value:
            yield from _secrets(item, _below(path, item))
    elif isinstance(value, dict):
        for field in _CONTENT if not path and value.get("kind") == "Secret" else ():
            content = value.get(field)
            if isinstance(content, dict):
                yield from (((field, key), item) for key, item in content.items())
        if "value" in value and is_secret_variable(value):
            yield path, value["value"]
        for key, item in value.items():
            yield from _secrets(item, (*path, key))


def _below(path: Path, item: Any) -> Path:
    name = item.get("name") if isinstance(item, dict) else None
    return (*path, ("name", name)) if isinstance(name, str) else path


def _sign(known: Known | None, path: Path, value: Any) -> str:
    before = [value] if known is None else known.get(path, [value])
    return HIDDEN if value in before else HIDDEN_CHANGE


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
