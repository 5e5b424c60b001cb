"""The pods of rendered objects."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Tree = dict[str, Any]


def pod_specs(objects: list[Tree]) -> Iterator[tuple[str, Tree]]:
    """Namespace and PodSpec of each pod template."""
    for namespace, template in pod_templates(objects):
        yield namespace, template.get("spec") or {}


def pod_templates(objects: list[Tree]) -> Iterator[tuple[str, Tree]]:
    """Namespace and template (`metadata`, `spec`) of each kind of pod; cliques of Grove are converted to that shape."""
    for item in objects:
        find = _TEMPLATES.get(item["kind"])
        if find is not None:
            for template in find(item.get("spec") or {}):
                yield item["metadata"]["namespace"], template or {}


def _cliques(spec: Tree) -> list[Tree]:
    return [
        {
            "metadata": {key: clique[key] for key in ("labels", "annotations") if key in clique},
            "spec": (clique.get("spec") or {}).get("podSpec") or {},
        }
        for clique in (spec.get("template") or {}).get("cliques") or ()
    ]


def _members(spec: Tree) -> list[Tree]:
    template = spec.get("leaderWorkerTemplate") or {}
    return [template[part] for part in ("leaderTemplate", "workerTemplate") if part in template]


_TEMPLATES = {
    "Deployment": lambda spec: [spec.get("template")],
    "Job": lambda spec: [spec.get("template")],
    "LeaderWorkerSet": _members,
    "PodCliqueSet": _cliques,
    "PodGangSet": _cliques,
}
