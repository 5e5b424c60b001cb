"""Where a field of v1beta1 stands in the v1alpha1 document that it was converted from.

Where a field of v1alpha1 stands in the v1beta1 document that it was converted from: for webhooks of v1alpha1.

Where a field of a v1beta1 request stands in the v1alpha1 document that it was converted from.
"""

from __future__ import annotations

from typing import Any

from dynamoc.documents.findings.finding import Path

Tree = dict[str, Any]


#: Fields of a component that v1alpha1 calls otherwise, longest first.
RENAMED: tuple[tuple[Path, Path], ...] = (
    (("experimental", "gpuMemoryService"), ("gpuMemoryService",)),
    (("experimental", "failover"), ("failover",)),
    (("experimental", "checkpoint"), ("checkpoint",)),
    (("podTemplate", "metadata"), ("extraPodMetadata",)),
    (("podTemplate", "spec"), ("extraPodSpec",)),
    (("podTemplate",), ("extraPodSpec",)),
    (("sharedMemorySize",), ("sharedMemory", "size")),
    (("type",), ("componentType",)),
    (("name",), ()),
)


def in_alpha(path: Path, value: Tree, origin: Tree) -> Path:
    """`path` of the v1beta1 `value` as a path of the v1alpha1 `origin`, cut where that has no such field."""
    if path[:2] == ("spec", "components"):
        if len(path) == 2:
            return existing(("spec", "services"), origin)
        index = path[2]
        assert isinstance(index, int)
        component = value["spec"]["components"][index]
        return existing(("spec", "services", component.get("name", ""), *_field(path[3:], component)), origin)
    if path[:1] == ("spec",) and value.get("kind") == "DynamoComponentDeployment":
        return existing(("spec", *_field(path[1:], value.get("spec") or {})), origin)
    return existing(path, origin)


def _field(path: Path, component: Tree) -> Path:
    for beta, alpha in RENAMED:
        if path[: len(beta)] == beta:
            path = (*alpha, *path[len(beta) :])
            break
    if path[:2] == ("extraPodSpec", "containers") and len(path) > 2:
        return _container(path, component["podTemplate"]["spec"]["containers"])
    return path


def _container(path: Path, containers: list[Tree]) -> Path:
    """`main` has a field of its own, and the others keep their order without it."""
    index = path[2]
    assert isinstance(index, int)
    if containers[index].get("name") == "main":
        return ("extraPodSpec", "mainContainer", *path[3:])
    others = [container for container in containers if container.get("name") != "main"]
    position = next(number for number, container in enumerate(others) if container is containers[index])
    return ("extraPodSpec", "containers", position, *path[3:])


def existing(path: Path, origin: Tree) -> Path:
    """As much of the path as the document has."""
    value: Any = origin
    for depth, step in enumerate(path):
        known = step in value if isinstance(value, dict) else isinstance(value, list) and isinstance(step, int)
        if not known or (isinstance(value, list) and isinstance(step, int) and step >= len(value)):
            return path[:depth]
        value = value[step]
    return path


def in_beta(path: Path, origin: Tree) -> Path:
    """`path` of a v1alpha1 document as a path of the v1beta1 `origin`, cut where that has no such field."""
    if path[:2] == ("spec", "services"):
        return existing(("spec", "components", *_component(path[2:], origin)), origin)
    if path[:1] == ("spec",) and origin.get("kind") == "DynamoComponentDeployment":
        return existing(("spec", *_beta_field(path[1:], origin.get("spec") or {})), origin)
    return existing(path, origin)


def _component(path: Path, origin: Tree) -> Path:
    """A service's name becomes the place of the component."""
    for index, component in enumerate((origin.get("spec") or {}).get("components") or ()):
        if path[:1] == (component.get("name"),):
            return (index, *_beta_field(path[1:], component))
    return ()


def _beta_field(path: Path, component: Tree) -> Path:
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


_CONFIG: Path = ("profilingConfig", "config")
_POD = ("overrides", "profilingJob", "template", "spec")
#: fields below `spec`, longest first where one begins like another
_FIELDS: tuple[tuple[Path, Path], ...] = (
    (("image",), ("profilingConfig", "profilerImage")),
    (("modelCache", "pvcModelPath"), (*_CONFIG, "deployment", "modelCache", "modelPathInPvc")),
    (("modelCache",), (*_CONFIG, "deployment", "modelCache")),
    (("sla",), (*_CONFIG, "sla")),
    (("workload",), (*_CONFIG, "sla")),
    (("features", "planner"), (*_CONFIG, "planner")),
    (("features", "mocker"), ("useMocker",)),
    ((*_POD, "tolerations"), ("profilingConfig", "tolerations")),
    ((*_POD, "nodeSelector"), ("profilingConfig", "nodeSelector")),
    ((*_POD, "containers"), ("profilingConfig", "resources")),
    (("overrides",), ("profilingConfig",)),
)


def request_in_alpha(path: Path, origin: Tree) -> Path:
    """`path` of a v1beta1 request as a path of the v1alpha1 `origin`, cut where that has no such field."""
    if path[:1] == ("spec",):
        for beta, alpha in _FIELDS:
            if path[1 : len(beta) + 1] == beta:
                path = ("spec", *alpha, *path[len(beta) + 1 :])
                break
    return existing(path, origin)
