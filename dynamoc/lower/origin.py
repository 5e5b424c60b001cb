"""From a field of a generated object back to the user's document."""

from __future__ import annotations

from dynamoc.kube.scope import GROVE_SETS
from dynamoc.kube.tree import at

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
    spec = at(document, base)
    if not isinstance(spec, dict):
        return base
    for step in ("livenessProbe", "readinessProbe", "startupProbe"):
        if step in path and step in spec:
            return (*base, step)
    tail = _tail(path)
    template = at(spec, ("podTemplate", "spec"))
    if isinstance(template, dict):
        return (*base, "podTemplate", "spec", *_in_template(template, item, path, tail))
    pod = spec.get("extraPodSpec")
    if isinstance(pod, dict):
        if tail and tail[0] in pod:
            return (*base, "extraPodSpec", *_existing(pod, tail))
        main = pod.get("mainContainer")
        if isinstance(main, dict) and len(tail) > 2 and tail[0] == "containers":
            return (*base, "extraPodSpec", "mainContainer", *_existing(main, tail[2:]))
    return base


def _component_path(document: Tree, item: Tree, path: Path) -> Path:
    paths = _component_paths(document)
    if not paths:
        return ("spec",)
    for owner in (_clique(item, path), item):
        labels = (owner.get("metadata") or owner).get("labels") or {}
        name: str = labels.get("nvidia.com/dynamo-component", "")
        if name in paths:
            return paths[name]
    clique = _clique(item, path).get("name", "")
    object_name = (item.get("metadata") or {}).get("name", "")
    prefix = (document.get("metadata") or {}).get("name", "") + "-"
    for name, found in paths.items():
        # Cliques up to 0.6 don't carry their component's label.
        lower = name.lower()
        if clique in (lower, f"{lower}-ldr", f"{lower}-wkr") or object_name.startswith(prefix + lower):
            return found
    return ("metadata", "name")


def _component_paths(document: Tree) -> dict[str, Path]:
    """Where each component stands, by name: services of v1alpha1, components of v1beta1."""
    spec = document.get("spec") or {}
    services, components = spec.get("services"), spec.get("components")
    if isinstance(services, dict):
        return {name: ("spec", "services", name) for name in services}
    if isinstance(components, list):
        return {item["name"]: ("spec", "components", index) for index, item in enumerate(components)}
    return {}


def _in_template(template: Tree, item: Tree, path: Path, tail: Path) -> Path:
    """A field of a pod in the pod template: containers by name, everything else by the same steps."""
    if len(tail) > 1 and tail[0] in ("containers", "initContainers"):
        container = at(item, path[: len(path) - len(tail) + 2])
        name = container.get("name") if isinstance(container, dict) else None
        for index, candidate in enumerate(template.get(tail[0]) or ()):
            if isinstance(candidate, dict) and candidate.get("name") == name:
                return (tail[0], index, *_existing(candidate, tail[2:]))
        return ()
    return _existing(template, tail)


def _clique(item: Tree, path: Path) -> Tree:
    if item.get("kind") in GROVE_SETS and len(path) > 3 and path[2] == "cliques" and isinstance(path[3], int):
        clique = item["spec"]["template"]["cliques"][path[3]]
        return clique if isinstance(clique, dict) else {}
    return {}


def _tail(path: Path) -> Path:
    """The steps below the pod spec."""
    for index, step in enumerate(path):
        if step in ("containers", "initContainers", "volumes"):
            return path[index:]
    return ()


def _existing(value: Any, path: Path) -> Path:
    taken: Path = ()
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            break
        taken = (*taken, step)
    return taken
