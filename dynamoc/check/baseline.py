"""Findings that are known and stay for now: a file that `--update-baseline` writes, and `--baseline` reads."""

from __future__ import annotations

import json
import os

from dynamoc.check.selection import may_be_ignored
from dynamoc.diagnostics.arrange import arrange
from dynamoc.diagnostics.fingerprint import fingerprints
from dynamoc.source.files import refuse_special

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamoc.diagnostics.excerpt import Excerpts
    from dynamoc.diagnostics.finding import Finding

FORMAT, VERSION = "dynamoc-baseline", 1


class BadBaseline(Exception):
    """The file is no baseline; the message says why."""


def read_baseline(path: str) -> set[str]:
    """Fingerprints. Raises BadBaseline; OSError where it cannot be read."""
    refuse_special(path)
    with open(path, encoding="utf-8") as file:
        try:
            data = json.load(file)
        except (ValueError, RecursionError) as error:
            raise BadBaseline(f"it is not JSON: {error}") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT or data.get("version") != VERSION:
        raise BadBaseline(f'it does not begin with "format": "{FORMAT}", "version": {VERSION}')
    return {entry["fingerprint"] for entry in data.get("findings", ()) if isinstance(entry, dict)}


def baseline_text(path: str, findings: list[Finding], excerpts: Excerpts) -> str:
    """The file `path` for these findings: sorted, without lines, so that it changes only when findings do."""
    arranged, named = arrange(findings), _beside(path)
    prints = fingerprints(arranged, excerpts, named)
    entries = [
        {"fingerprint": fingerprint, "name": finding.slug, "file": named(finding.place.file) if finding.place else None}
        for finding, fingerprint in zip(arranged, prints, strict=True)
    ]
    entries.sort(key=lambda entry: (entry["file"] or "", entry["name"], entry["fingerprint"] or ""))
    return json.dumps({"format": FORMAT, "version": VERSION, "findings": entries}, indent=2) + "\n"


def unknown(path: str, findings: list[Finding], known: set[str], excerpts: Excerpts) -> list[Finding]:
    """The findings that the baseline `path`, which has the fingerprints `known`, lacks, or may not leave out."""
    arranged = arrange(findings)
    prints = fingerprints(arranged, excerpts, _beside(path))
    pairs = zip(arranged, prints, strict=True)
    return [finding for finding, print_ in pairs if print_ not in known or not may_be_ignored(finding)]


def _beside(baseline: str) -> Callable[[str], str]:
    """What files are called from the directory of a baseline, wherever a command runs, and however they are named."""
    folder = os.path.dirname(os.path.abspath(baseline))

    def named(file: str) -> str:
        try:
            return os.path.relpath(file, folder).replace(os.sep, "/") if os.path.exists(file) else file
        except ValueError:
            # Another drive.
            return file

    return named
