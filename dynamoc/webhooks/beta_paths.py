"""Where a field of v1alpha1 stands in the v1beta1 document that it was converted from: for webhooks of v1alpha1."""

from __future__ import annotations

from dynamoc.webhooks.alpha_paths import RENAMED, existing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path

    Tree = dict[str, Any]


def in_beta(path: Path, origin: Tree) -> Path:
    """`path` of a v1alpha1 document as a path of the v1beta1 `origin`, cut where that has no such field."""
    if path[:2] == ("spec", "services"):
        return existing(("spec", "components", *_component(path[2:], origin)), origin)
    if path[:1] == ("spec",) and origin.get("kind") == "DynamoComponentDeployment":
        return existing(("spec", *_field(path[1:], origin.get("spec") or {})), origin)
    return existing(path, origin)


def _component(path: Path, origin: Tree) -> Path:
    """A service's name becomes the place of the component."""
    for index, component in enumerate((origin.get("spec") or {}).get("components") or ()):
        if path[:1] == (component.get("name"),):
            return (index, *_field(path[1:], component))
    return ()


def _field(path: Path, component: Tree) -> Path:
    if path[:2] == ("extraPodSpec", "mainContainer"):
        return ("podTemplate", "spec", "containers", *_main(component), *path[2:])
    for beta, alpha in RENAMED:
        if alpha and path[: len(alpha)] == alpha:
            return (*beta, *path[len(alpha) :])
    return path


def _main(component: Tree) -> Path:
    containers = ((component.get("podTemplate") or {}).get("spec") or {}).get("containers") or ()
    for index, container in enumerate(containers):
        if container.get("name") == "main":
            return (index,)
    return ()
