"""API groups that the input and the context show the cluster to serve."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Tree = dict[str, Any]

#: Groups of the API server itself, which no list of CustomResourceDefinitions names.
_BUILT_IN = ("resource.k8s.io",)
_DYNAMO = "nvidia.com"
_DEFINITION = ("apiextensions.k8s.io", "CustomResourceDefinition")
_SERVICE = ("apiregistration.k8s.io", "APIService")


class ApiGroups:
    """Which groups are known to be served, and whether everything that is served is known.

    A list of the cluster's CustomResourceDefinitions or APIServices is taken as complete where it names Dynamo's own
    group, which every cluster in question serves. CustomResourceDefinitions say nothing about built-in groups.
    """

    __slots__ = ("_all_custom", "_all_served", "_served")

    def __init__(self, objects: Iterable[Tree]) -> None:
        self._served: set[str] = set()
        self._all_custom = False
        self._all_served = False
        for value in objects:
            group = value.get("apiVersion", "").rpartition("/")[0]
            if (group, value.get("kind")) == _DEFINITION:
                group = (value.get("spec") or {}).get("group", "")
                self._all_custom |= group == _DYNAMO
            elif (group, value.get("kind")) == _SERVICE:
                group = (value.get("spec") or {}).get("group", "")
                self._all_served |= group == _DYNAMO
            self._served.add(group)

    def serves(self, group: str) -> bool | None:
        """True or False where it is known, None where nothing is."""
        if group in self._served:
            return True
        complete = self._all_served or (self._all_custom and group not in _BUILT_IN)
        return False if complete else None
