"""Semantic versions as github.com/Masterminds/semver v3 reads and compares them."""

from __future__ import annotations

_DIGITS = "0123456789"
_ALNUM = _DIGITS + "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-"
_LARGEST = 2**64 - 1


class Semver:
    """Major, minor and patch as `core`, and the prerelease, "" for none; build metadata does not count."""

    __slots__ = ("core", "prerelease")

    def __init__(self, core: tuple[int, int, int], prerelease: str = "") -> None:
        self.core = core
        self.prerelease = prerelease

    def compare(self, other: Semver) -> int:
        """-1, 0 or 1. A prerelease comes before its release."""
        if self.core != other.core:
            return 1 if self.core > other.core else -1
        if self.prerelease == other.prerelease:
            return 0
        if not self.prerelease or not other.prerelease:
            return -1 if self.prerelease else 1
        return _compare_prereleases(self.prerelease.split("."), other.prerelease.split("."))

    def at_least(self, core: tuple[int, int, int]) -> bool:
        """Whether it is the release `core` or a later version: `1.0.0-rc1` is not at least 1.0.0."""
        return self.compare(Semver(core)) >= 0

    def __repr__(self) -> str:
        text = ".".join(map(str, self.core))
        return f"Semver({text}-{self.prerelease})" if self.prerelease else f"Semver({text})"


def parse_semver(text: str) -> Semver | None:
    """`NewVersion`: a `v` in front, missing minor and patch, and leading zeros are fine; None for what it refuses."""
    return _parse(text.removeprefix("v"), strict=False)


def parse_strict_semver(text: str) -> Semver | None:
    """`StrictNewVersion`: exactly major, minor and patch, without leading zeros; None for what it refuses."""
    return _parse(text, strict=True)


#: Graphs repeat few versions many times.
_PARSED: dict[tuple[str, bool], Semver | None] = {}
_REMEMBERED = 4096


def _parse(text: str, *, strict: bool) -> Semver | None:
    # Without the origin that `explain` gives a text: what is remembered serves other inputs, too.
    key = (str.__str__(text), strict)
    try:
        return _PARSED[key]
    except KeyError:
        if len(_PARSED) >= _REMEMBERED:
            _PARSED.clear()
        found = _PARSED[key] = _parsed(*key)
        return found


def _parsed(text: str, strict: bool) -> Semver | None:
    rest, plus, build = text.partition("+")
    numbers, dash, prerelease = rest.partition("-")
    parts = numbers.split(".")
    if len(parts) > 3 or (strict and len(parts) < 3) or not all(_is_number(part, strict) for part in parts):
        return None
    if dash and not all(_is_identifier(part) and not _has_leading_zero(part) for part in prerelease.split(".")):
        return None
    if plus and not all(_is_identifier(part) for part in build.split(".")):
        return None
    major, minor, patch = (*map(int, parts), 0, 0)[:3]
    return Semver((major, minor, patch), prerelease)


def _is_number(text: str, strict: bool) -> bool:
    if not text or text.strip(_DIGITS) or (strict and _has_leading_zero(text)):
        return False
    return int(text) <= _LARGEST


def _is_identifier(text: str) -> bool:
    return text != "" and not text.strip(_ALNUM)


def _has_leading_zero(text: str) -> bool:
    return len(text) > 1 and text[0] == "0" and not text.strip(_DIGITS)


def _compare_prereleases(left: list[str], right: list[str]) -> int:
    for index in range(max(len(left), len(right))):
        one = left[index] if index < len(left) else ""
        two = right[index] if index < len(right) else ""
        if one != two:
            return 1 if _identifier_key(one) > _identifier_key(two) else -1
    return 0


def _identifier_key(text: str) -> tuple[int, int, str]:
    """A missing identifier comes first, then numbers in their order, then words in that of their bytes."""
    if not text:
        return (0, 0, "")
    if not text.strip(_DIGITS) and int(text) <= _LARGEST:
        return (1, int(text), "")
    return (2, 0, text)
