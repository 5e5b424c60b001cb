"""Versions as github.com/Masterminds/semver/v3 `NewVersion` reads them: `v` in front and missing parts are fine."""

from __future__ import annotations

from dynamoc.schema.patterns import ALPHANUMERIC, DIGITS, consists_of

_LARGEST = (1 << 64) - 1


def is_semver(text: str) -> bool:
    """Whether `NewVersion(text)` succeeds."""
    core, plus, build = text.removeprefix("v").partition("+")
    core, dash, release = core.partition("-")
    numbers = core.split(".")
    if len(numbers) > 3 or not all(number and consists_of(number, DIGITS) for number in numbers):
        return False
    if any(int(number) > _LARGEST for number in numbers):
        return False
    if dash and not all(_is_identifier(part) and not _has_leading_zero(part) for part in release.split(".")):
        return False
    return not plus or all(_is_identifier(part) for part in build.split("."))


def _is_identifier(text: str) -> bool:
    return text != "" and consists_of(text, ALPHANUMERIC + "-")


def _has_leading_zero(text: str) -> bool:
    return len(text) > 1 and text[0] == "0" and consists_of(text, DIGITS)
