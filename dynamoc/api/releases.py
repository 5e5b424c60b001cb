"""All releases that dynamoc has schemas for: the module `release_X_Y`, or the models of the release before."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from dynamoc.api.release import Release
from dynamoc.reference.releases import ORDER


def _releases() -> dict[str, Release]:
    found: dict[str, Release] = {}
    for name in ORDER:
        module = f"{__package__}.release_{name.replace('.', '_')}"
        if find_spec(module) is not None:
            release: Release = import_module(module).RELEASE
        found[name] = release._replace(name=name)
    return found


RELEASES = _releases()
