"""From a field of a generated object back to the user's document."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path

    Tree = dict[str, Any]


def origin_path(document: Tree, item: Tree, path: Path) -> Path:
    """The path of the component that an object belongs to, extended as far as the field's own steps exist there.

    Used to place findings about generated objects; the root of the document where no component is known.
    """
    base = _component_path(document, item, path)
    spec = _at(document, base)
    if not isinstance(spec, dict):
        return base
    for step in ("livenessProbe", "readinessProbe", "startupProbe"):
        if step in path and step in spec:
            return (*base, step)
    pod = spec.get("extraPodSpec")
    if isinstance(pod, dict):
        tail = _tail(path)
        if tail and tail[0] in pod:
            return (*base, "extraPodSpec", *_existing(pod, tail))
        main = pod.get("mainContainer")
        if isinstance(main, dict) and len(tail) > 2 and tail[0] == "containers":
            return (*base, "extraPodSpec", "mainContainer", *_existing(main, tail[2:]))
    return base


def _component_path(document: Tree, item: Tree, path: Path) -> Path:
    services = (document.get("spec") or {}).get("services")
    if not isinstance(services, dict):
        return ("spec",)
    for owner in (_clique(item, path), item):
        labels = (owner.get("metadata") or owner).get("labels") or {}
        name: str = labels.get("nvidia.com/dynamo-component", "")
        if name in services:
            return ("spec", "services", name)
    object_name = (item.get("metadata") or {}).get("name", "")
    prefix = (document.get("metadata") or {}).get("name", "") + "-"
    for name in services:
        if object_name.startswith(prefix + name.lower()):
            return ("spec", "services", name)
    return ("metadata", "name")


def _clique(item: Tree, path: Path) -> Tree:
    if item.get("kind") == "PodCliqueSet" and len(path) > 3 and path[2] == "cliques" and isinstance(path[3], int):
        clique = item["spec"]["template"]["cliques"][path[3]]
        return clique if isinstance(clique, dict) else {}
    return {}


def _tail(path: Path) -> Path:
    """The steps below the pod spec."""
    for index, step in enumerate(path):
        if step in ("containers", "initContainers", "volumes"):
            return path[index:]
    return ()


def _at(value: Any, path: Path) -> Any:
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _existing(value: Any, path: Path) -> Path:
    taken: Path = ()
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            break
        taken = (*taken, step)
    return taken
