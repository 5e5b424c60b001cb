"""The usual severity of each finding: `severities.txt`, which `python -m dynamoc.diagnostics.pages` writes."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.catalog.slugs import Severity, Slug


def _read() -> dict[Slug, Severity]:
    with open(os.path.join(os.path.dirname(__file__), "severities.txt"), encoding="utf-8") as file:
        words: Any = (line.split() for line in file)
        return dict(words)


SEVERITIES = _read()
