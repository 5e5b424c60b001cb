"""Arguments of the inference engines, for the lists `command` and `args` of a container that runs one.

`check/engines.json` has names and listed values as the engines' argument parsers declare them, by the versions that
Dynamo 1.4 installs. Which arguments a component takes: those of its engine, of its wrapper and of Dynamo's runtime.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cache
from typing import Any

from dynamoc import check
from dynamoc.check.arguments import Arguments
from dynamoc.lsp.outline import Part
from dynamoc.lsp.spans import Path

_FILE = os.path.join(os.path.dirname(check.__file__), "engines.json")
_GROUPS = {
    "vllm": ("vllm", "dynamo.vllm", "runtime"),
    "sglang": ("sglang", "dynamo.sglang", "runtime"),
    "trtllm": ("dynamo.trtllm", "runtime"),
}
_LISTS = ("command", "args")
#: the images of Dynamo's runtimes, for components that leave the command to theirs
_IMAGES = {"vllm-runtime": "vllm", "sglang-runtime": "sglang", "tensorrtllm-runtime": "trtllm"}


@dataclass(frozen=True)
class Argument:
    """A name, or a value of one, as it is written in a list; `detail` says whose it is."""

    text: str
    detail: str
    documentation: str = ""


@cache
def _groups() -> dict[str, Any]:
    with open(_FILE, encoding="utf-8") as file:
        loaded: dict[str, Any] = json.load(file)
    return loaded


def arguments_for(part: Part, path: Path, word: str) -> list[Argument]:
    """What an item of `command` or `args` may be: values behind a name that lists them, names otherwise.

    None for a container that runs no engine that is known.
    """
    if len(path) < 2 or path[-2] not in _LISTS or not isinstance(path[-1], int):
        return []
    engine = engine_of(part, path[:-2])
    if engine is None:
        return []
    before = _text(part, (*path[:-1], path[-1] - 1))
    name, equals, _ = word.partition("=")
    if equals:
        return [Argument(f"{name}={each}", f"value of {name}") for each in _values(engine, name)]
    if before and not word.startswith("-") and (values := _values(engine, before)):
        return [Argument(each, f"value of {before}") for each in values]
    if word and not word.startswith("-"):
        return []
    there = {text.partition("=")[0] for text in _texts(part, path[:-2])}
    return [each for each in _names(engine) if each.text not in there]


def engine_of(part: Part, container: Path) -> str | None:
    """`vllm`, `sglang` or `trtllm`: by the command, by the graph, or by the image."""
    found = Arguments({name: _texts(part, container, (name,)) for name in _LISTS}).engine
    if found is not None:
        return found
    if any(text.startswith("dynamo.") for text in _texts(part, container)):
        # A frontend, a router or a planner.
        return None
    framework = part.value("spec", "backendFramework")
    if framework in _GROUPS:
        return framework
    image = _text(part, (*container, "image")).rpartition("/")[2]
    return next((engine for name, engine in _IMAGES.items() if image.startswith(name)), None)


def _names(engine: str) -> list[Argument]:
    found: dict[str, Argument] = {}
    for group in (_groups()[name] for name in _GROUPS[engine]):
        whose = f"{group['source']} {group['version']}"
        for name, about in group["arguments"].items():
            values = about.get("values")
            text = "A switch, without a value." if about.get("switch") else ""
            text = "One of " + ", ".join(f"`{each}`" for each in values) + "." if values else text
            found.setdefault(name, Argument(name, whose, text))
    return [found[name] for name in sorted(found)]


def _values(engine: str, name: str) -> list[str]:
    for group in (_groups()[each] for each in _GROUPS[engine]):
        about = group["arguments"].get(name)
        if about is not None:
            return list(about.get("values", ()))
    return []


def _text(part: Part, path: Path) -> str:
    return part.value(*path) or ""


def _texts(part: Part, container: Path, lists: tuple[str, ...] = _LISTS) -> list[str]:
    return [each.value.text for name in lists for each in part.children((*container, name)) if each.value]
