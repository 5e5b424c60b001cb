"""The version of the Dynamo runtime in an image, as operators since 1.4 read it.

Source: internal/runtimeversion/runtimeversion.go.
"""

from __future__ import annotations

_IDENTIFIER = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-")


def runtime_version(image: str, override: str) -> tuple[int, int, int] | None:
    """The override, else the image's; None where neither is a version."""
    return strict_semver(override) if override else image_version(image)


def image_version(image: str) -> tuple[int, int, int] | None:
    """major, minor and patch of the tag, with or without a `v` in front; None where the tag is anything else."""
    tag = image_tag(image).strip()
    return strict_semver(tag[1:] if tag[:1] in ("v", "V") else tag)


def image_tag(image: str) -> str:
    """What stands behind the last colon of the last part of the name, digest aside."""
    name = image.strip().partition("@")[0].rpartition("/")[2]
    return name.rpartition(":")[2] if ":" in name else ""


def strict_semver(text: str) -> tuple[int, int, int] | None:
    """Three numbers without leading zeros, an optional pre-release and build; None for anything else."""
    core, plus, build = text.partition("+")
    core, dash, pre_release = core.partition("-")
    numbers = core.split(".")
    if len(numbers) != 3 or not all(_is_number(number) for number in numbers):
        return None
    if plus and not all(_is_identifier(part) for part in build.split(".")):
        return None
    if dash and not all(_is_pre_release(part) for part in pre_release.split(".")):
        return None
    major, minor, patch = (int(number) for number in numbers)
    # Go keeps each in 64 bits.
    return (major, minor, patch) if max(major, minor, patch) < 2**64 else None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and (text == "0" or text[0] != "0")


def _is_identifier(text: str) -> bool:
    return bool(text) and all(char in _IDENTIFIER for char in text)


def _is_pre_release(text: str) -> bool:
    """Numbers have no leading zeros."""
    return _is_identifier(text) and (not text.isdecimal() or _is_number(text))
