"""Documents made of golden inputs: parts replaced, removed, repeated, renamed, and taken from other inputs."""

from __future__ import annotations

import copy
import functools
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import yaml

GOLDEN = Path(__file__).parents[2] / "golden"
Step = str | int
Place = tuple[Any, Step]
"""A mapping or list, and one of its keys."""

_WORDS = "1e9 0x1F 0777 1_000 yes null ~ 2020-01-01 12:30:45 .inf = << 8Gi 1e9999999 500m -5 a.b/c:d ::error::x"
ODD: list[Any] = [
    *(None, True, False, 0, -1, 1, 2**31, 2**63, 2**64, 1.5, 1e300, -0.0),
    *_WORDS.split(),
    *("", " ", "x" * 300, "\x00", "\t", "\r\n", "a\nb", "\n", " a", "a ", "- a", "9" * 400, "{{ .Values.x }}"),
    *("\u2028", "\x85", "\ufeff", "\u202e", "\U0001f600", "\x1b[31m", "$(POD_NAME)"),
    *([], {}, [None], [{}], {"": ""}, [[]], {"name": "x"}, [{"name": "x"}, {"name": "x"}], ["python3 -m x"]),
]
_SCRAPS = (
    "",
    "\n",
    "---\n",
    "...\n",
    "- ",
    ": ",
    "# ",
    "\t",
    "&a ",
    "*a",
    "<<: ",
    "!!str ",
    "|\n",
    "? ",
    "{",
    "]",
    '"',
)


@functools.cache
def seeds() -> tuple[tuple[dict[str, Any], ...], ...]:
    """The documents of each golden input."""
    found = []
    for path in sorted(GOLDEN.rglob("input*.yaml")):
        documents = tuple(item for item in yaml.safe_load_all(path.read_text()) if isinstance(item, dict))
        if documents:
            found.append(documents)
    return tuple(found)


@functools.cache
def parts() -> dict[Step, list[Any]]:
    """What golden inputs have below each key."""
    found: dict[Step, list[Any]] = {}
    for documents in seeds():
        for document in documents:
            for holder, step in places(document):
                found.setdefault(step if isinstance(step, str) else 0, []).append(holder[step])
    return found


def places(value: Any) -> Iterator[Place]:
    steps: Any = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for step in steps:
        yield value, step
        yield from places(value[step])


def documents(random: Random) -> list[Any]:
    """The documents of one input, changed in up to four places."""
    made: list[Any] = copy.deepcopy(list(random.choice(seeds())))
    if random.random() < 0.1:
        made += copy.deepcopy(list(random.choice(seeds())))
    for _ in range(random.randrange(5)):
        change(random, made)
    return made


def change(random: Random, made: list[Any]) -> None:
    """Changes documents in one place."""
    found = list(places(made))
    if not found:
        return
    holder, step = random.choice(found)
    one = random.choice((_replace, _replace, _graft, _graft, _remove, _repeat, _rename, _add))
    one(random, holder, step)


def _replace(random: Random, holder: Any, step: Step) -> None:
    holder[step] = copy.deepcopy(random.choice(ODD))


def _graft(random: Random, holder: Any, step: Step) -> None:
    holder[step] = copy.deepcopy(random.choice(parts().get(step if isinstance(step, str) else 0, ODD)))


def _remove(random: Random, holder: Any, step: Step) -> None:
    del holder[step]


def _repeat(random: Random, holder: Any, step: Step) -> None:
    item = copy.deepcopy(holder[step])
    if isinstance(step, int):
        holder[step:step] = [item] * random.choice((1, 2, 30))
    else:
        holder[f"{step}{random.randrange(3)}"] = item


def _rename(random: Random, holder: Any, step: Step) -> None:
    if isinstance(holder, dict):
        names = [step.upper() if isinstance(step, str) else "x", f"{step}s", "", random.choice(list(parts()))]
        holder[str(random.choice(names))] = holder.pop(step)


def _add(random: Random, holder: Any, step: Step) -> None:
    """A field that another input has, beside this one or below it."""
    place = holder[step] if isinstance(holder[step], dict) else holder
    if isinstance(place, dict):
        key = random.choice([key for key in parts() if isinstance(key, str)])
        place[key] = copy.deepcopy(random.choice(parts()[key]))


def text_of(random: Random, made: list[Any]) -> str:
    """The documents as YAML or JSON, now and then with a scratch in the text."""
    if random.random() < 0.5:
        text = yaml.safe_dump_all(made, sort_keys=random.random() < 0.5, allow_unicode=True)
    else:
        indent = random.choice((None, 2))
        text = "\n---\n".join(json.dumps(item, ensure_ascii=False, indent=indent) for item in made) + "\n"
    while random.random() < 0.2:
        start = random.randrange(len(text) + 1)
        end = min(len(text), start + random.choice((0, 0, 1, 5, 50)))
        text = text[:start] + random.choice(_SCRAPS) + text[end:]
    return text
