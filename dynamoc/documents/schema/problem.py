"""One thing that is wrong with a document, and the forms of names and quantities that schemas ask for."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from dynamoc.documents.findings.edits import Change
from dynamoc.documents.findings.finding import Path, severity_of
from dynamoc.reference.slugs import Severity, Slug

UNKNOWN_FIELD: Slug = "schema/unknown-field"
#: start of the hint for a value that is no text, followed by the value in quotes
QUOTE_HINT = "put it in quotes: "
DIGITS = "0123456789"
LOWER = "abcdefghijklmnopqrstuvwxyz" + DIGITS
ALPHANUMERIC = LOWER + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_SUFFIXES = frozenset({"", *"numkMGTPE", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"})


@dataclass(eq=False, slots=True)
class Problem:
    """The parts mean what they mean in a `Finding`, which the caller makes of it.

    old_path  for rules that compare with the object that is updated: where it says otherwise
    others    further fields of the same object that take part, e.g. the limit that a request exceeds
    excess    by how many characters a name or label is too long
    is_later  the API server takes this object, and refuses the pods that are made of it
    """

    slug: Slug
    path: Path
    message: str
    hint: str | None = None
    severity: Severity = None  # type: ignore[assignment]
    _: KW_ONLY
    others: tuple[Path, ...] = ()
    excess: int = 0
    change: Change | None = None
    old_path: Path | None = field(default=None, init=False)
    is_later: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.severity = self.severity or severity_of(self.slug)


def consists_of(text: str, allowed: str) -> bool:
    """Whether every character is one of `allowed`; true for the empty text."""
    return not text.strip(allowed)


def is_quantity(text: str) -> bool:
    """Whether a string has the shape that controller-gen demands of a quantity, e.g. `1`, `.5Gi`, `-2e3`, `100m`.

    The same as the regular expression `QUANTITY_PATTERN` of `tools.schemas.compact`; it is looser than Go's parser.
    """
    if text[:1] in ("+", "-"):
        text = text[1:]
    number = text.rstrip("KMGTPEinumk")
    suffix = text[len(number) :]
    if _is_decimal(number):
        return suffix in _SUFFIXES
    for mark in "eE":
        base, found, exponent = text.partition(mark)
        if found and _is_decimal(base):
            return _is_decimal(exponent[1:] if exponent[:1] in ("+", "-") else exponent)
    return False


def _is_decimal(text: str) -> bool:
    whole, _, fraction = text.partition(".")
    return bool(whole or fraction) and consists_of(whole, DIGITS) and consists_of(fraction, DIGITS)


def is_dns_label(text: str) -> bool:
    """Lower-case letters, digits and dashes, a dash neither first nor last; of any length but empty."""
    return consists_of(text, LOWER + "-") and text != "" and text[0] != "-" and text[-1] != "-"


def _is_mixed_case_label(text: str) -> bool:
    return consists_of(text, ALPHANUMERIC + "-") and text != "" and text[0] != "-" and text[-1] != "-"


def _is_release_number(text: str) -> bool:
    """Three numbers of up to four digits without leading zeros."""
    parts = text.split(".")
    return len(parts) == 3 and all(
        0 < len(part) <= 4 and consists_of(part, DIGITS) and (part[0] != "0" or part == "0") for part in parts
    )


def _is_label_key(text: str) -> bool:
    prefix, slash, name = text.rpartition("/")
    if slash and not all(is_dns_label(part) and len(part) <= 63 for part in prefix.split(".")):
        return False
    ends = name[:1] in ALPHANUMERIC and name[-1:] in ALPHANUMERIC
    return 0 < len(name) <= 63 and ends and consists_of(name, ALPHANUMERIC + "-_.")


_compiled: dict[str, Any] = {}
RECOGNIZERS: dict[str, Callable[[str], bool]] = {
    "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$": is_dns_label,
    "^[a-z0-9]([a-z0-9-]*[a-z0-9])?$": is_dns_label,
    "^[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?$": _is_mixed_case_label,
    r"^(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})$": _is_release_number,
    r"^(([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*/)?"
    r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)$": _is_label_key,
}


def matches(pattern: str, text: str) -> bool:
    """Whether Go's `regexp` finds the pattern in the text."""
    recognizer = RECOGNIZERS.get(pattern)
    if recognizer is not None:
        return recognizer(text)
    compiled = _compiled.get(pattern)
    if compiled is None:
        # Go's `$` is the end of the text; Python's also matches before a last line feed.
        source = pattern[:-1] + r"\Z" if pattern.endswith("$") else pattern
        compiled = _compiled[pattern] = re.compile(source, re.ASCII)
    return compiled.search(text) is not None
