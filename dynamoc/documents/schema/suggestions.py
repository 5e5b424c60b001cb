"""Which known field an unknown one was meant to be."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from dynamoc.documents.schema.schemas import Node, Nodes
from dynamoc.reference.features import beta_names

# Fields that have another name in the other API version; read in both directions.
_MOVED = (
    *beta_names("status").items(),
    *((alpha, beta) for alpha, beta in beta_names("renamed").items() if "." not in alpha),
    ("subComponentType", "type"),
    ("serviceName", "name"),
    ("sharedMemory", "sharedMemorySize"),
    ("pvc", "persistentVolumeClaim"),
    ("pvc", "volumeMounts"),
    ("role", "type"),
    *beta_names("mount").items(),
)
# What most misplaced fields are meant for: the main container, then its pod.
_LIKELY = ("extraPodSpec.mainContainer.", "extraPodSpec.", "podTemplate.spec.containers[].", "podTemplate.")
#: fields that other schemas have where they are written, and where they are here
_ELSEWHERE = (
    ("envs", "podTemplate.spec.containers[].env"),
    ("envs", "extraPodSpec.mainContainer.env"),
    ("mainContainer", "podTemplate.spec.containers[]"),
    ("extraPodSpec", "podTemplate.spec"),
)
_DEPTH = 3
#: known fields are listed where they are no more
_FEW = 20
#: words of so many letters are one letter off from too many others
_SHORT = 3


def best_hint(key: str, node: Node, nodes: Nodes | list[Node]) -> str | None:
    """What to write instead of an unknown field.

    In this order: the same name in other letters, the name in this API version, a name one letter off, the same name
    further down, the nearest name, all names if they are few.
    """
    known = node.get("props", {})
    for name in known:
        if name.lower() == key.lower():
            return f"write `{name}`: the case of letters matters"
    found = (
        _moved(key, known)
        or nearest(key, known, 2)
        or min(_places(key, node, nodes, "", _DEPTH), key=_unlikelihood, default=None)
        or _resource(key, node, nodes)
        or _part(key, known, node.get("required", ()))
        or nearest(key, known)
    )
    if found:
        return f"did you mean `{found}`?"
    if 0 < len(known) <= _FEW:
        return f"known fields are {', '.join(sorted(known))}"
    return None


def certain_name(key: str, known: Iterable[str]) -> str | None:
    """The one field that an unknown one can only be meant for; None where there may be others.

    It is the same in other letters, has another name in this API version, or is one letter off.
    """
    names = list(known)
    same = [name for name in names if name.lower() == key.lower()]
    if same:
        return same[0] if len(same) == 1 else None
    moved = _moved(key, dict.fromkeys(names, 0))
    if moved is not None:
        return moved if moved in names else None
    return one_letter_off(key, names)


def one_letter_off(word: str, known: Iterable[str]) -> str | None:
    """The only known word that differs in one letter, or in two neighbours; None for words of few letters."""
    found = [name for name in known if len(word) > _SHORT and edits(word.lower(), name.lower(), 2) < 2]
    return found[0] if len(found) == 1 else None


def _moved(key: str, known: dict[str, int]) -> str | None:
    for pair in _MOVED:
        for old, new in (pair, pair[::-1]):
            if key == old.partition(".")[0] and new.partition(".")[0] in known:
                return new
    found = [new for old, new in _ELSEWHERE if key == old and new.partition(".")[0] in known and old not in known]
    return found[0] if found else None


def _resource(key: str, node: Node, nodes: Nodes | list[Node]) -> str | None:
    """Where a resource belongs that is written beside `limits` and `requests`, or under its full name."""
    known = node.get("props", {})
    if "limits" in known and ("/" in key or key in ("cpu", "memory", "gpu", "ephemeral-storage")):
        name = key if "extra" in nodes[known["limits"]] or "/" not in key else key.rpartition("/")[2]
        name = "nvidia.com/gpu" if name == "gpu" and "extra" in nodes[known["limits"]] else name
        return f"limits[{name}]" if "/" in name else f"limits.{name}"
    return key.rpartition("/")[2] if "/" in key and key.rpartition("/")[2] in known else None


def _part(key: str, known: Iterable[str], required: Iterable[str]) -> str | None:
    """The one field whose name begins or ends with an unknown one: `claimName` for `name`, `value` for `val`."""
    if len(key) < _SHORT:
        return None
    ends = [name for name in known if name.endswith(key[0].upper() + key[1:])]
    found = [name for name in ends if name in required] or ends
    if not found:
        found = sorted((name for name in known if name.startswith(key)), key=len)[:1]
    return found[0] if len(found) == 1 else None


def _unlikelihood(place: str) -> tuple[int, int, int]:
    rank = next((rank for rank, prefix in enumerate(_LIKELY) if place.startswith(prefix)), len(_LIKELY))
    return (rank, place.count("."), len(place))


def _places(key: str, node: Node, nodes: Nodes | list[Node], prefix: str, depth: int) -> Iterator[str]:
    for name, index in node.get("props", {}).items():
        child, step = nodes[index], f"{prefix}{name}."
        if "items" in child:
            child, step = nodes[child["items"]], f"{prefix}{name}[]."
        if prefix or name not in ("metadata", "status"):
            if key in child.get("props", {}):
                yield step + key
            if depth > 1:
                yield from _places(key, child, nodes, step, depth - 1)


def nearest(word: str, known: Iterable[Any], limit: int | None = None) -> str | None:
    """The known word with the fewest edits, of less than `limit`: a third of the word, if not given."""
    best, least = None, limit or max(1, len(word) // 3) + 1
    for candidate in sorted(known):
        distance = edits(word.lower(), candidate.lower(), least)
        if distance < least:
            best, least = candidate, distance
    return best


def edits(one: str, two: str, limit: int) -> int:
    """Insertions, deletions, replacements and swaps of neighbours between two words, or at least `limit`."""
    if abs(len(one) - len(two)) >= limit:
        return limit
    before: list[int] = []
    last = list(range(len(two) + 1))
    for row, letter in enumerate(one, 1):
        current = [row]
        for column, other in enumerate(two, 1):
            cost = min(last[column] + 1, current[-1] + 1, last[column - 1] + (letter != other))
            if row > 1 and column > 1 and letter == two[column - 2] and other == one[row - 2]:
                cost = min(cost, before[column - 2] + 1)
            current.append(cost)
        before, last = last, current
    return last[-1]


_UNITS = {"k": "k", "m": "M", "g": "G", "t": "T", "p": "P", "e": "E"}
_ENVSUBST = "fill in `{part}` first: `envsubst < FILE | dynamoc check -`; in the cluster, postBuild of Flux can do it"
_PLACEHOLDERS = (
    ("${", "}", _ENVSUBST),
    ("{{", "}}", "render the template first: `helm template CHART | dynamoc check -`"),
    ("$(", ")", "fill in `{part}` first: `kustomize build DIRECTORY | dynamoc check -`"),
    ("<", ">", "write your own value instead of `{part}`"),
)


def value_hint(text: str) -> str | None:
    """For a text where a number, a switch or a quantity is wanted."""
    return placeholder_hint(text) or quantity_hint(text)


def placeholder_hint(text: str) -> str | None:
    """For a text that a tool should have replaced before."""
    found = placeholder(text)
    return None if found is None else found[1]


def placeholder(text: str) -> tuple[str, str] | None:
    """The part of a text that a tool should have filled in, and which tool does it."""
    for opening, closing, hint in _PLACEHOLDERS:
        start = text.find(opening)
        end = text.find(closing, start)
        if 0 <= start < end:
            part = text[start : end + len(closing)]
            return part, hint.format(part=part)
    if text.startswith("$") and text[1:].replace("_", "").isalnum():
        return text, _ENVSUBST.format(part=text)
    return None


def version_hint(image: str) -> str:
    """For an image whose tag is not a version of the Dynamo runtime."""
    hint = placeholder_hint(image)
    if hint is not None:
        return hint
    found = re.search(r"(?<![\d.])(\d{1,4}\.\d{1,4})(\.\d{1,4})?(?![\d.])", image.partition("@")[0].rpartition("/")[2])
    if found is None:
        return "add `runtimeVersionOverride` to the component: the version of Dynamo in the image, such as `1.4.0`"
    version = found[1] + (found[2] or ".0")
    return f"add `runtimeVersionOverride: {version}` to the component, if the image has Dynamo {version}"


def quantity_hint(text: str) -> str | None:
    """For a text that is meant as a quantity: `64GB`, `64 gi`, `1,5`, `4 cores`, `500mCPU`."""
    number, unit = _split(text.strip())
    if not number:
        return None
    word = unit.lower().strip()
    if not word:
        return f"write {_plain(number)}" if text != number else None
    if word in ("core", "cores", "cpu", "cpus", "vcpu", "vcpus", "gpu", "gpus"):
        return f"write {_plain(number)}"
    if word in ("millicore", "millicores", "mcpu", "mcores", "mc"):
        return f"write {number}m"
    letter, rest = _UNITS.get(word[0]), word[1:]
    if letter is None or rest not in ("", "b", "i", "ib", "bytes"):
        return None
    binary = "Ki" if letter == "k" else f"{letter}i"
    if rest in ("i", "ib"):
        return f"write {number}{binary}"
    power = "kmgtpe".index(word[0]) + 1
    return f"write {number}{letter} (1000^{power} bytes each) or {number}{binary} (1024^{power} bytes each)"


def certain_quantity(value: object) -> str | None:
    """The quantity that a text can only mean: `64 Gi`, `64gib`, `4 cores`; None for `64GB`, which means one of two."""
    number, unit = _split(value.strip()) if isinstance(value, str) else ("", "")
    word = unit.lower().strip()
    if not number or "," in str(value):
        return None
    if word in ("", "core", "cores", "cpu", "cpus", "vcpu", "vcpus", "gpu", "gpus"):
        return number
    if word in ("millicore", "millicores", "mcpu", "mcores", "mc"):
        return f"{number}m"
    letter = _UNITS.get(word[0])
    if letter is None or word[1:] not in ("i", "ib"):
        return None
    return f"{number}Ki" if letter == "k" else f"{number}{letter}i"


def _plain(number: str) -> str:
    """Schemas take a quantity without a unit as an integer or a text, and YAML reads a fraction as neither."""
    return f'"{number}"' if "." in number else number


def _split(text: str) -> tuple[str, str]:
    """The number at the start, with a point for a comma, and what follows it."""
    end = 0
    while end < len(text) and (text[end].isdecimal() or text[end] in ".,"):
        end += 1
    number = text[:end].replace(",", ".")
    whole, _, fraction = number.partition(".")
    if not whole.isdecimal() or not text.isascii() or (("." in number) and not fraction.isdecimal()):
        return "", ""
    return number, text[end:]
