"""APIs that the input, the context and the command line show the cluster to serve."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    Tree = dict[str, Any]

#: Groups of the API server itself, which no list of CustomResourceDefinitions names.
_BUILT_IN = ("resource.k8s.io",)
_DYNAMO = "nvidia.com"
_DEFINITION = ("apiextensions.k8s.io", "CustomResourceDefinition")
_SERVICE = ("apiregistration.k8s.io", "APIService")
#: Kubernetes of the first minor that serves an API
_SINCE_MINOR = {"resource.k8s.io/v1": 34}


class ApiGroups:
    """Which APIs are known to be served, and whether everything that is served is known.

    An API is a group, `GROUP/VERSION` or `GROUP/VERSION/KIND`; `listed` are those of `--api-versions`. A list of the
    cluster's CustomResourceDefinitions or APIServices is taken as complete where it names Dynamo's own group, which
    every cluster in question serves; so is `listed` where it names that, or the core API. CustomResourceDefinitions say
    nothing about built-in groups, and APIServices nothing about kinds.
    """

    __slots__ = ("_all_custom", "_all_served", "_listed", "_minor", "_served", "_without_kinds")

    def __init__(self, objects: Iterable[Tree], listed: Iterable[str] = (), kube_minor: int | None = None) -> None:
        self._served: set[str] = set()
        self._without_kinds: set[str] = set()
        self._all_custom = False
        self._all_served = False
        self._minor = kube_minor
        for value in objects:
            self._add(value)
        self._listed = {known for api in listed for known in _prefixes(api)}
        self._served |= self._listed
        kinds = {api.rpartition("/")[0] for api in self._listed if api.count("/") == 2}
        self._without_kinds |= {api for api in self._listed if api.count("/") == 1 and api not in kinds}
        self._all_served |= "/v1" in self._listed
        self._all_custom |= _DYNAMO in self._listed

    def _add(self, value: Tree) -> None:
        group, _, version = str(value.get("apiVersion") or "").rpartition("/")
        kind, spec = str(value.get("kind") or ""), value.get("spec")
        spec = spec if isinstance(spec, dict) else {}
        own = str(spec.get("group") or "")
        self._served.update(_prefixes(api_of(group, version, kind)))
        if (group, kind) == _DEFINITION:
            self._all_custom |= own == _DYNAMO
            self._served |= set(_defined(own, spec))
        elif (group, kind) == _SERVICE:
            self._all_served |= own == _DYNAMO
            self._served.add(own)
            if spec.get("version"):
                self._served.add(api_of(own, str(spec["version"])))
                self._without_kinds.add(api_of(own, str(spec["version"])))

    def serves(self, api: str) -> bool | None:
        """True or False where it is known, None where nothing is."""
        if api in self._served or api.rpartition("/")[0] in self._without_kinds:
            return True
        group = api.partition("/")[0]
        if group in self._served and not self._knows_versions(group):
            return True
        if self._all_served or (self._all_custom and group not in _BUILT_IN):
            return False
        return False if self._minor is not None and self._minor < _SINCE_MINOR.get(api, 0) else None

    def _knows_versions(self, group: str) -> bool:
        """Whether a definition, a service or the command line says in which versions a group is served."""
        return any(api.startswith(group + "/") for api in self._served)

    def names(self, group: str) -> bool:
        """Whether the command line names a group."""
        return group in self._listed


def _defined(group: str, spec: Tree) -> Iterator[str]:
    """What a CustomResourceDefinition serves; one without versions is one of which nobody cared."""
    names = spec.get("names")
    kind = names.get("kind") if isinstance(names, dict) else None
    versions = spec.get("versions")
    if not versions or not isinstance(versions, list):
        yield group
        return
    for item in versions:
        if isinstance(item, dict) and item.get("served", True):
            yield from _prefixes(api_of(group, str(item.get("name")), str(kind)))


def _prefixes(api: str) -> Iterator[str]:
    """`grove.io`, `grove.io/v1alpha1` and `grove.io/v1alpha1/PodCliqueSet`, of the last."""
    steps = api.split("/")
    for number in range(1, len(steps) + 1):
        yield "/".join(steps[:number])


def api_of(*steps: str) -> str:
    """An API by its group, version and kind."""
    return "/".join(steps)


def parsed_apis(texts: Iterable[str]) -> list[str]:
    """The APIs of `--api-versions`, as helm writes them: `v1`, `v1/Pod`, `apps/v1` or `apps/v1/Deployment`.

    The core group is empty: `/v1/Pod`. ValueError, with the text, for what is none of these.
    """
    found: dict[str, None] = {}
    for text in texts:
        for entry in filter(None, map(str.strip, text.split(","))):
            steps = entry.split("/")
            if _is_version(steps[0]) and len(steps) < 3:
                steps.insert(0, "")
            if len(steps) > 3 or not all(steps[1:]) or (len(steps) == 1 and "." not in entry):
                raise ValueError(entry)
            found["/".join(steps)] = None
    return list(found)


def _is_version(text: str) -> bool:
    return text[:1] == "v" and text[1:2].isdigit() and "." not in text
