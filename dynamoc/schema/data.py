"""Loads the generated schemas, one file a release; the form is described in `dynamoc.api.compact`."""

from __future__ import annotations

import os

from dynamoc.kube.json_data import load_data
from dynamoc.release.known_releases import ORDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Node = dict[str, Any]

_loaded: dict[str, dict[str, Any]] = {}


def load(release: str) -> dict[str, Any]:
    """`{"kinds": {apiVersion: {kind: index}}, "nodes": [...]}` of a release; KeyError for an unknown one."""
    schema = _loaded.get(release)
    if schema is None:
        if release not in ORDER:
            raise KeyError(f"no schemas for release {release}; known releases: {', '.join(ORDER)}")
        path = os.path.join(os.path.dirname(__file__), "data", f"{release}.json")
        schema = _loaded[release] = load_data(path)
    return schema


def served(release: str, kind: str) -> list[str]:
    """The apiVersions in which a release serves a kind, oldest first; none for a kind it doesn't know."""
    return [version for version, kinds in load(release)["kinds"].items() if kind in kinds]
