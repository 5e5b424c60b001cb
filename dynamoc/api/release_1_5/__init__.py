"""The kinds of release 1.5."""

from __future__ import annotations

from dynamoc.api import release_1_4

RELEASE = release_1_4.RELEASE._replace(name="1.5")
