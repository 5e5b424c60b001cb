"""What must not be shown to everybody: the content of Secrets, and what is secret in other objects.

That is the value of a variable or of an argument whose name says so, the password in a URL, and what looks like the
token of a well-known service, wherever it is in a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from dynamoc.kube.merge import Tree

Path = tuple[Any, ...]

Known = dict[Path, list[Any]]
"""Earlier secrets, by where they are."""

HIDDEN = "(hidden)"
#: what is hidden, and was something else before
HIDDEN_CHANGE = "(hidden, changed)"
_CONTENT = ("data", "stringData")
#: what kubectl keeps there is the whole object
_APPLIED = ("metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration")
#: what is in names of variables that hold secrets; `TOKENS` and `TOKENIZER` count and name something else
_WORDS = ("SECRET", "PASSW", "CREDENTIAL", "APIKEY", "ACCESSKEY", "PRIVATEKEY", "AUTHKEY", "TOKEN")
_NO_SECRETS = ("TOKENIZ", "TOKENS")
#: what ends names of secrets, after another word that does not say that it is public, or the key of something else
_ENDS = frozenset(("KEY", "PAT", "PASS", "PASSPHRASE", "PWD", "PSK", "JWT"))
_ENDINGS = tuple(f"{gap}{end}" for end in sorted(_ENDS) for gap in "-_")
_KEYS_OF_OTHERS = frozenset(
    ("PUBLIC", "PARTITION", "ROUTING", "SORT", "CACHE", "PRIMARY", "HASH", "CONFIG", "KV", "LABEL", "TOPOLOGY", "NODE",
     "MAP", "GROUP", "INDEX", "OBJECT", "DATA", "ANNOTATION", "TAINT", "TOLERATION", "LOOKUP")
)  # fmt: skip
#: what ends names that say where a secret is, or how it is called
_WHERE = ("FILE", "PATH", "DIR", "NAME", "REF")
#: what people write where a program asks for a secret and needs none, or where one belongs
_PLACEHOLDERS = frozenset(("EMPTY", "NONE", "NULL", "DUMMY", "FAKE", "CHANGEME", "REDACTED", "HIDDEN"))
#: digits of a time, a size or a count; longer numbers may be passwords
_LONGEST_NUMBER = 5
#: characters of a token with what marks it
_SHORTEST_TOKEN = 9
#: a text without one of these holds no token
_MARKS = ("hf_", "sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "nvapi-", "xox", "AKIA",
          "AIza", "PRIVATE KEY")  # fmt: skip
#: Tokens of Hugging Face, OpenAI and the like, GitHub, GitLab, NVIDIA, Slack, AWS and Google; private keys.
_TOKENS = r"""
    (?<![\w-])(?:
      hf_(?=[a-z]*[A-Z0-9]|\w{10})[A-Za-z0-9]{6,} | sk-(?=[a-z-]*[A-Z0-9]|\w{16})[\w-]{6,}
      | (?:gh[pousr]_|github_pat_|glpat-|nvapi-|xox[abeoprs]-)[\w-]{6,} | AKIA[0-9A-Z]{12,} | AIza[\w-]{30,}
    )(?![\w-])
    | -----BEGIN[ ][A-Z ]*PRIVATE[ ]KEY-----[\s\S]*
    | (?<=://)[^\s/:@'"]*:(?P<password>[^\s/@'"]+)(?=@)
"""
#: a flag or a variable, and its value behind it in the same text
_GIVEN = (
    r"""(?<![\w.-])(?P<name>--?[A-Za-z][\w.-]*|[A-Za-z_]\w*(?==))(?P<gap>=|\s+)(?P<value>'[^']*'|"[^"]*"|[^\s;&|'"]+)"""
)


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
    if not path or (path[-1] == "value" and is_secret_variable(holder)):
        return bool(path)
    value = holder[path[-1]]
    if isinstance(holder, list) and path[-1] and _follows_flag(holder[path[-1] - 1], value):
        return True
    return isinstance(value, str) and bool(secret_parts(value))


def is_secret_variable(value: Any) -> bool:
    """Whether a value is a variable whose name says that it holds a secret."""
    return isinstance(value, dict) and isinstance(value.get("name"), str) and names_a_secret(value["name"])


def without_secrets(value: Any) -> Any:
    """A part of an object, but for the content of Secrets, without what is secret in it."""
    return _without_secrets(value, None)


def masked(value: Tree, before: Tree | None = None) -> Tree:
    """An object that may be shown: the same one where nothing is secret in it.

    `before` is the same object earlier; what is secret and new since says so.
    """
    known = None if before is None else _known(before)
    if value.get("kind") != "Secret":
        shown: Tree = _without_secrets(value, known)
        return shown
    return _without_content(value, known)


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


def _without_secrets(value: Any, known: Known | None, path: Path = ()) -> Any:
    """The same value where nothing is secret in it."""
    if isinstance(value, str):
        for part in secret_parts(value):
            value = value.replace(part, _sign(known, path, part))
        return value
    if isinstance(value, list):
        items = [
            _sign(known, path, item)
            if at and _follows_flag(value[at - 1], item)
            else _without_secrets(item, known, _below(path, item))
            for at, item in enumerate(value)
        ]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items
    if not isinstance(value, dict):
        return value
    shown = {key: _without_secrets(item, known, (*path, key)) for key, item in value.items()}
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
    if isinstance(value, str):
        for part in secret_parts(value):
            yield path, part
    elif isinstance(value, list):
        for at, item in enumerate(value):
            if at and _follows_flag(value[at - 1], item):
                yield path, item
            yield from _secrets(item, _below(path, item))
    elif isinstance(value, dict):
        for field in _CONTENT if value.get("kind") == "Secret" else ():
            content = value.get(field)
            if isinstance(content, dict):
                yield from (((*path, field, key), item) for key, item in content.items())
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


@lru_cache(1024)
def names_a_secret(name: str) -> bool:
    """Whether a variable or an argument of this name holds a secret, as far as names show it."""
    if _has_one(_letters(name), _WORDS):
        return True
    words = name.strip("-_").upper().replace("-", "_").replace(".", "_").split("_")
    return len(words) > 1 and words[-1] in _ENDS and words[-2] not in _KEYS_OF_OTHERS


def is_plain_secret(name: str, value: str) -> bool:
    """Whether the value of a variable or an argument is a secret, and no reference, place, name, number or switch."""
    if not value or "$(" in value or value.startswith(("$", "<", "{{", "/", "./", "~/")) or not names_a_secret(name):
        return False
    letters = _letters(value).upper()
    is_switch = value.lower() in ("true", "false", "yes", "no", "on", "off")
    is_number = value.isdecimal() and len(value) <= _LONGEST_NUMBER
    is_stand_in = letters in _PLACEHOLDERS or letters.startswith("YOUR") or set(letters) <= {"X"} or set(value) <= {"*"}
    return not (_letters(name).endswith(_WHERE) or is_switch or is_number or is_stand_in)


def secret_parts(text: str) -> list[str]:
    """What is secret in a text, whatever it is the value of: tokens, passwords, values of secret arguments."""
    has_marks = ("@" in text and "://" in text) or (len(text) >= _SHORTEST_TOKEN and _has_one(text, _MARKS))
    # The name of a flag or a variable, and something behind it.
    has_flag = " -" in text or (text.startswith("-") and " " in text)
    has_names = (has_flag or "=" in text) and names_a_secret_at_all(text)
    if not has_marks and not has_names:
        return []

    parts = [found["password"] or found[0] for found in re.finditer(_TOKENS, text, re.VERBOSE)] if has_marks else []
    for found in re.finditer(_GIVEN, text) if has_names else ():
        value = found["value"].strip("'\"")
        if not value.startswith("-") and is_plain_secret(found["name"], value):
            parts.append(value)
    return [part for part in parts if not part.startswith("$")]


def _follows_flag(flag: Any, value: Any) -> bool:
    """Whether an element of a list is the secret that the argument in front of it asks for."""
    if not isinstance(flag, str) or not isinstance(value, str) or not flag.startswith("-") or value.startswith("-"):
        return False
    return flag.replace("-", "").replace("_", "").isalnum() and is_plain_secret(flag, value)


def secret_arguments(items: list[Any]) -> Iterator[tuple[int, str]]:
    """The positions of arguments that hold a secret, and the names that say so, "" where their looks do."""
    for at, item in enumerate(items):
        if at and _follows_flag(items[at - 1], item):
            yield at, items[at - 1]
        elif isinstance(item, str) and secret_parts(item):
            name = item.partition("=")[0]
            yield at, name if name.startswith("-") and " " not in name else ""


def names_a_secret_at_all(text: str) -> bool:
    """Whether a text may have the name of a secret in it."""
    upper = text.upper().replace("_PATH", "").replace("-PATH", "")
    return _has_one(upper, _ENDINGS) or _has_one(_letters(upper), _WORDS)


def lines_with_secrets(lines: list[str]) -> list[str]:
    """The lines that may name a secret, escape something, have a tag, or hold a secret by its looks."""
    text = "\n".join(lines)
    if not (names_a_secret_at_all(text) or any(mark in text for mark in (*_MARKS, "://", "\\", "!"))):
        return []
    # Many graphs have most of their lines in common.
    found = {
        line for line in {*lines} if "\\" in line or "!" in line or names_a_secret_at_all(line) or secret_parts(line)
    }
    return [line for line in lines if line in found]


def _has_one(text: str, parts: tuple[str, ...]) -> bool:
    for part in parts:  # noqa: SIM110 - a third of the time that any() takes, for each text that is shown
        if part in text:
            return True
    return False


def _letters(text: str) -> str:
    letters = text.upper().replace("_", "").replace("-", "").replace(".", "")
    for word in _NO_SECRETS:
        letters = letters.replace(word, "")
    return letters


def confidential_texts(value: Tree) -> set[str]:
    """The texts in a document that no message may repeat: what a Secret holds, and what is secret in other objects."""
    found: set[str] = set()
    if value.get("kind") == "Secret":
        for field, content in value.items():
            if field not in ("apiVersion", "kind", "metadata", "type", "immutable"):
                _collect(content, found)
        metadata = value.get("metadata")
        if isinstance(metadata, dict):
            _collect((metadata.get("annotations") or {}), found)
        return found
    for _, secret in _secrets(value, ()):
        _collect(secret, found)
    for item in value.values():
        _collect_nested(item, found)
    return found


def _collect_nested(value: Any, found: set[str]) -> None:
    """What Secrets within an object hold, such as those of a List."""
    if isinstance(value, dict):
        if value.get("kind") == "Secret":
            found |= confidential_texts(value)
        else:
            _collect_nested([*value.values()], found)
    elif isinstance(value, list):
        for item in value:
            _collect_nested(item, found)


def _collect(value: Any, found: set[str]) -> None:
    if isinstance(value, dict):
        for item in value.values():
            _collect(item, found)
    elif isinstance(value, list):
        for item in value:
            _collect(item, found)
    elif value is not None and not isinstance(value, bool):
        found.update(line.strip() for line in str(value).split("\n"))
