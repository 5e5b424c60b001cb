"""What to write instead of a value that Kubernetes cannot read; only imported once there is one."""

from __future__ import annotations

import re

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
