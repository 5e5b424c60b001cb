"""All releases that dynamoc has schemas for."""

from __future__ import annotations

from dynamoc.api import (
    release_0_4,
    release_0_5,
    release_0_6,
    release_1_0,
    release_1_1,
    release_1_2,
    release_1_3,
    release_1_4,
    release_1_5,
    release_1_6,
)
from dynamoc.api.release import Release

_MODULES = (
    release_0_4,
    release_0_5,
    release_0_6,
    release_1_0,
    release_1_1,
    release_1_2,
    release_1_3,
    release_1_4,
    release_1_5,
    release_1_6,
)
RELEASES: dict[str, Release] = {module.RELEASE.name: module.RELEASE for module in _MODULES}
