"""An entry of the catalogue, and reading all of them."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from dynamoc.diagnostics.catalog.example import Example, example_of, frames

DIRECTORY = Path(__file__).parent
SEVERITIES = ("error", "warning", "note")
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*")
_TEXTS = ("decides", "summary", "why", "remedy", "fix", "since", "releases", "targets", "test")
_REQUIRED = ("severity", "summary", "why", "remedy", "since")


class Malformed(Exception):
    """An entry of the catalogue is not what it has to be; the message names it and says what to write."""


@dataclass(frozen=True)
class Entry:
    """One finding.

    page        name of the file that declares it, without its suffix: `admission-pods`
    severities  that it can have, the usual one first
    decides     what decides between several severities
    summary     one sentence: what is wrong, or what happens
    why         what the operator or the API server does with it, and why that matters
    remedy      what to write or do instead
    fix         what `dynamoc check --fix` does, empty where no remedy is certain
    since       the version of dynamoc that reported it first
    releases    of the operator that it is limited to; empty for all
    targets     that it is limited to; empty for all
    example     None where it needs circumstances that no small example has; `test` names a test that raises it then
    """

    slug: str
    page: str
    severities: tuple[str, ...]
    decides: str
    summary: str
    why: str
    remedy: str
    fix: str
    since: str
    releases: str
    targets: str
    test: str
    example: Example | None


@cache
def entries() -> dict[str, Entry]:
    """All entries by slug, in alphabetical order. Raises Malformed."""
    found: dict[str, Entry] = {}
    for path in sorted(DIRECTORY.glob("*.toml")):
        if path.name == "frames.toml":
            continue
        for slug, data in tomllib.loads(path.read_text(encoding="utf-8")).items():
            if slug in found:
                raise Malformed(f"{slug} is declared in {found[slug].page}.toml and in {path.name}; delete one.")
            found[slug] = entry_of(slug, path.stem, data)
    return dict(sorted(found.items()))


def entry_of(slug: str, page: str, data: dict[str, Any]) -> Entry:
    """An entry from its table. Raises Malformed."""
    topic = slug.partition("/")[0]
    if not _SLUG.fullmatch(slug) or not (page == topic or page.startswith(topic + "-")):
        raise Malformed(f"{slug} in {page}.toml: write `TOPIC/NAME`, in TOPIC.toml or TOPIC-PART.toml.")
    missing = [key for key in _REQUIRED if not data.get(key)]
    if missing:
        raise Malformed(f"{slug}: add {', '.join(missing)}.")
    severities = (data["severity"],) if isinstance(data["severity"], str) else tuple(data["severity"])
    if not set(severities) <= set(SEVERITIES) or (len(severities) > 1) != ("decides" in data):
        raise Malformed(f"{slug}: severity is one of {', '.join(SEVERITIES)}, or a list of them with `decides`.")
    texts = {key: " ".join(_shared(data.get(key, "")).split()) for key in _TEXTS}
    rest = {key: value for key, value in data.items() if key not in _TEXTS and key != "severity"}
    if bool(rest) == bool(texts["test"]):
        raise Malformed(f"{slug}: give either an example or the test that raises it.")
    example = example_of(slug, rest) if rest else None
    return Entry(slug=slug, page=page, severities=severities, example=example, **texts)


def _shared(text: str) -> str:
    """What `@NAME` stands for; any other text is itself."""
    return str(frames()["decisions"][text[1:]]) if text.startswith("@") else text
