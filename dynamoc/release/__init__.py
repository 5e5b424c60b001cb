"""What differs between releases of the Dynamo operator, as data.

A value that changes is a constant (`constants.py`, one delta per release); a behaviour that comes or goes is a named
feature (`features.py`, with its start and end); another order of steps is another tuple of rule names (`order.py`).
Rule bodies never compare version numbers: they ask `release["…"]` and `release.has("…")`.
"""

from __future__ import annotations

from dynamoc.release.known_releases import DEFAULT_RELEASE
from dynamoc.release.registry import RELEASES, Release, get_release

__all__ = ["DEFAULT_RELEASE", "RELEASES", "Release", "get_release"]
