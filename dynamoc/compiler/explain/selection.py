"""Objects by `kind/name` as kubectl takes them, and fields by path with names instead of indices."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from dynamoc.compiler.explain.traced import leaves
from dynamoc.documents.findings.finding import Path
from dynamoc.kube.merge import Tree
from dynamoc.reference.features import read_rows

#: kubectl's short names
SHORT_NAMES: dict[str, str] = {row[0]: row[1] for row in read_rows("short-names.txt")}
#: more names than these are counted only
_LISTED = 20
#: what names the items of a list, the first that all have
_NAMES = ("name", "mountPath", "key", "topologyKey")


class Unknown(Exception):
    """There is no such object or field; the message is a full sentence for the user."""


def object_title(item: Tree) -> str:
    """`deployment/web-frontend`"""
    return f"{item['kind'].lower()}/{item['metadata'].get('name', '')}"


def object_titles(objects: list[Tree]) -> list[str]:
    """A title for each object, with its namespace where another one has its name."""
    titles = [object_title(item) for item in objects]
    return [full_title(item) if titles.count(title) > 1 else title for item, title in zip(objects, titles, strict=True)]


def words_of(wanted: str) -> tuple[str, str, str]:
    """Kind, namespace and name of an object."""
    kind, _, rest = wanted.partition("/")
    namespace, _, name = rest.rpartition("/")
    return kind, namespace, name


def kinds_of(word: str) -> set[str]:
    """What a word for a kind may mean, in lower case: it is the kind, its plural, or a short name."""
    kinds = {word.lower(), SHORT_NAMES.get(word.lower(), word.lower())}
    return kinds | {item.removesuffix("es") for item in kinds} | {item.removesuffix("s") for item in kinds}


def find_object(objects: list[Tree], wanted: str) -> int:
    """The index of the object called `kind/name` or `kind/namespace/name`, or of the only one of a kind.

    Raises `Unknown`.
    """
    kind, namespace, name = words_of(wanted)
    kinds = kinds_of(kind)
    of_kind = [index for index, item in enumerate(objects) if item["kind"].lower() in kinds]
    found = [index for index in of_kind if not name or objects[index]["metadata"].get("name") == name]
    if namespace:
        found = [index for index in found if objects[index]["metadata"].get("namespace") == namespace]
    if len(found) == 1:
        return found[0]
    if found:
        titles = object_titles([objects[index] for index in found])
        raise Unknown(f"{wanted} matches more than one object: {listed(titles)}.")
    titles = [object_title(objects[index]) for index in of_kind or range(len(objects))]
    short = f"{min(kinds & {item['kind'].lower() for item in objects}, default=kind.lower())}/{name}"
    raise Unknown(f"{wanted} is not among the objects{_near(short, titles)}; the objects are {listed(titles)}.")


def full_title(item: Tree) -> str:
    """`deployment/inference/web-frontend`"""
    return f"{item['kind'].lower()}/{item['metadata'].get('namespace', '')}/{item['metadata'].get('name', '')}"


def listed(names: list[str]) -> str:
    """Names in a sentence, not too many of them."""
    names = sorted(set(names))
    more = len(names) - _LISTED
    return ", ".join(names[:_LISTED]) + (f" and {more} more" if more > 0 else "")


def _near(word: str, names: list[str]) -> str:
    """`, did you mean x?` where a name is like the word; the sentence goes on behind it."""
    near = get_close_matches(word, sorted(set(names)), 1)
    return f" (did you mean {near[0]}?)" if near else ""


def find_field(item: Tree, wanted: str) -> Path:
    """The path of `spec.containers[main].env[PORT]` or `metadata.labels[a.b/c]`; "" is all. Raises `Unknown`."""
    path = _find(item, wanted.lstrip("."))
    if path is None:
        reached, rest = _longest(item, wanted.lstrip("."))
        names = _steps_of(reached)
        step = rest[1:].partition("]")[0] if rest[0] == "[" else rest.partition(".")[0].partition("[")[0]
        hint = _near(step, names)
        there = f"`{rest}` can be {listed(names)}" if names else f"the value before `{rest}` has no fields"
        raise Unknown(f"{object_title(item)} has no field {wanted}: {there}{hint}.")
    return path


def _find(value: Any, text: str) -> Path | None:
    if not text:
        return ()
    for step, key, rest in _next_steps(value, text):
        found = _find(value[step], rest)
        if found is not None:
            return (key, *found)
    return None


def _next_steps(value: Any, text: str) -> list[tuple[Any, Any, str]]:
    """Index, path step and remaining text of each way to read the first step of a text."""
    if text[0] == "[":
        name, _, rest = text[1:].partition("]")
        name, rest = name.strip("'\""), rest.removeprefix(".")
        if isinstance(value, dict):
            return [(name, name, rest)] if name in value else []
        if isinstance(value, list):
            return [(index, index, rest) for index in _indices(value, name)]
        return []
    if not isinstance(value, dict):
        return []
    steps = []
    # Keys hold dots themselves, so that the longest goes first.
    for key in sorted(value, key=len, reverse=True):
        rest = text[len(key) :]
        if text.startswith(key) and (not rest or rest[0] in ".["):
            steps.append((key, key, rest.removeprefix(".")))
    return steps


def _indices(items: list[Any], name: str) -> list[int]:
    """What may be meant in a list, the likeliest first: an entry of the name, one at the place, a text that says so."""
    named = [index for index, item in enumerate(items) if name_of(item) == name]
    placed = [int(name)] if name.isdecimal() and str(int(name)) == name and int(name) < len(items) else []
    return list(dict.fromkeys((*(index for index in named if isinstance(items[index], dict)), *placed, *named)))


def _longest(value: Any, text: str) -> tuple[Any, str]:
    """How far the path can be followed: the value there, and the text that is left."""
    while text:
        steps = _next_steps(value, text)
        if not steps:
            break
        value, text = value[steps[0][0]], steps[0][2]
    return value, text


def _steps_of(value: Any) -> list[str]:
    if isinstance(value, dict):
        return list(value)
    if isinstance(value, list):
        return [name_of(item) or str(index) for index, item in enumerate(value)]
    return []


def name_of(item: Any) -> str | None:
    """What a list knows the item by; a text by itself."""
    if isinstance(item, dict):
        return next((str(item[field]) for field in _NAMES if isinstance(item.get(field), str)), None)
    return str(item) if isinstance(item, str) else None


def field_text(item: Any, path: Path) -> str:
    """The path as `find_field` takes it, with names where they are unique: `spec.containers[main].env[PORT].value`."""
    text, value = "", item
    for step in path:
        text = step_text(text, value, step)
        value = value[step]
    return text


def step_text(text: str, value: Any, step: str | int) -> str:
    """The text of a path that goes one step on, in the value that the path has led to."""
    if isinstance(step, int):
        return f"{text}[{_unique_name(value, step)}]"
    if "." in step or "/" in step:
        return f"{text}[{step}]"
    return f"{text}.{step}" if text else step


def _unique_name(items: Any, index: int) -> str:
    if not isinstance(items[index], dict):
        return str(index)
    name = name_of(items[index])
    names = [name_of(item) for item in items]
    return name if name is not None and "]" not in name and names.count(name) == 1 else str(index)


def field_completions(item: Any, typed: str) -> list[str]:
    """Fields that go one step on from what was typed."""
    found: dict[str, None] = {}
    head = max(typed.rfind("."), typed.rfind("["))
    for path in [found for found, _ in leaves(item, ())]:
        text = field_text(item, path)
        if text.startswith(typed) and text != typed:
            ends = [end for mark in ".]" if (end := text.find(mark, max(len(typed), head + 1))) >= 0]
            end = min(ends) if ends else len(text)
            found[text[: end + 1] if text[end : end + 1] == "]" else text[:end]] = None
    return list(found)
