"""What the CRDs of Grove and LeaderWorkerSet demand of a pod spec: keys of lists that are maps, and names.

Source: `x-kubernetes-list-map-keys` and `required` in those CRDs, the same in all releases. With the keys of lists the
API server is more lenient in kinds of its own: there it takes a variable or a port twice.
"""

from __future__ import annotations

from dynamoc.apiserver.probes import PROBES
from dynamoc.schema.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.diagnostics.catalog.slugs import ErrorSlug
    from dynamoc.diagnostics.finding import Path

    Tree = dict[str, Any]

_NAMED = ("volumes", "imagePullSecrets", "resourceClaims", "schedulingGates")
_OF_PODS: tuple[tuple[str, tuple[str, ...]], ...] = (
    *((field, ("name",)) for field in _NAMED),
    ("hostAliases", ("ip",)),
    ("topologySpreadConstraints", ("topologyKey", "whenUnsatisfiable")),
)
_OF_CONTAINERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("env", ("name",)),
    ("ports", ("containerPort", "protocol")),
    ("volumeDevices", ("devicePath",)),
    ("volumeMounts", ("mountPath",)),
)
_SLUGS: dict[str, ErrorSlug] = {"volumes": "admission/volume-twice", "volumeMounts": "admission/mount-path"}


def check_crd_pod(spec: Tree, path: Path, problems: list[Problem]) -> None:
    """Names that are required, and entries of one key in the lists of a pod and of its containers."""
    for field, keys in _OF_PODS:
        _check_list(spec, field, keys, path, problems)
    for kind in ("initContainers", "containers"):
        _check_list(spec, kind, ("name",), path, problems)
        for index, container in enumerate(spec.get(kind) or ()):
            at = (*path, kind, index)
            for field, keys in _OF_CONTAINERS:
                _check_list(container, field, keys, at, problems)
            if container.get("resources"):
                _check_list(container["resources"], "claims", ("name",), (*at, "resources"), problems)
            _check_required(container, at, problems)


def _check_required(container: Tree, path: Path, problems: list[Problem]) -> None:
    if not container.get("name"):
        problems.append(Problem("admission/container-name", path, "A container has no name.", "add `name`"))
    problems += [
        Problem("admission/env-name", (*path, "env", index), "An environment variable has no name.", "add `name`")
        for index, variable in enumerate(container.get("env") or ())
        if not variable.get("name")
    ]
    problems += [
        Problem("admission/probe-port", (*path, name, handler), f"`{handler}` has no port.", "add `port`")
        for name in PROBES
        for handler in ("httpGet", "tcpSocket")
        # Go writes a port that is missing as 0.
        if ((container.get(name) or {}).get(handler) or {"port": 1}).get("port") in (None, "", 0)
    ]


def _check_list(owner: Tree, field: str, keys: tuple[str, ...], path: Path, problems: list[Problem]) -> None:
    entries = owner.get(field)
    # Almost always, the first key alone tells them apart.
    if not entries or len({entry.get(keys[0]) or "" for entry in entries}) == len(entries):
        return
    for index, words in _repeated(entries, keys):
        message = f"Two entries of `{field}` have {words}."
        problems.append(Problem(_SLUGS.get(field, "admission/duplicate"), (*path, field, index), message))


def _repeated(entries: list[Tree], keys: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    seen: set[tuple[Any, ...]] = set()
    for index, entry in enumerate(entries):
        # The CRDs' only default for a key.
        values = tuple(entry.get(key) or ("TCP" if key == "protocol" else "") for key in keys)
        if values in seen:
            yield index, " and ".join(f"`{key}: {value}`" for key, value in zip(keys, values, strict=True))
        seen.add(values)
