"""Where a field of a v1beta1 request stands in the v1alpha1 document that it was converted from."""

from __future__ import annotations

from dynamoc.webhooks.alpha_paths import existing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path

    Tree = dict[str, Any]

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


def in_alpha(path: Path, origin: Tree) -> Path:
    """`path` of a v1beta1 request as a path of the v1alpha1 `origin`, cut where that has no such field."""
    if path[:1] == ("spec",):
        for beta, alpha in _FIELDS:
            if path[1 : len(beta) + 1] == beta:
                path = ("spec", *alpha, *path[len(beta) + 1 :])
                break
    return existing(path, origin)
