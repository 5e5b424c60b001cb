"""Lists of things with names, one over another.

Source: controller/profiling_job_overrides.go mergeNamedSlice, mergeImagePullSecrets, removeVolumeMountByName.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Tree = dict[str, Any]


def merged_by_name(base: Iterable[Tree], override: Iterable[Tree]) -> list[Tree]:
    """`base` with each item of `override` in the place of the last one with its name, or at the end."""
    result = list(base)
    places = {item.get("name", ""): index for index, item in enumerate(result)}
    for item in override:
        name = item.get("name", "")
        if name in places:
            result[places[name]] = item
        else:
            places[name] = len(result)
            result.append(item)
    return result


def added_by_name(base: Iterable[Tree], more: Iterable[Tree]) -> list[Tree]:
    """`base` with the items of `more` whose names it lacks, each once."""
    result = list(base)
    names = {item.get("name", "") for item in result}
    for item in more:
        if item.get("name", "") not in names:
            names.add(item.get("name", ""))
            result.append(item)
    return result


def without_mounts(mounts: Iterable[Tree], name: str, path: str | None = None) -> list[Tree]:
    """The mounts of other volumes, and at other paths than `path`."""
    return [item for item in mounts if item.get("name") != name and (path is None or item.get("mountPath") != path)]
