"""How requirements are called, in text and in scripts."""

from __future__ import annotations

from dynamoc.compare.path import format_steps, short_steps
from dynamoc.kube.lenient import mapping
from dynamoc.requires.needs import CHART, CONTEXT, INPUT, KUBERNETES, OPERATOR, RENDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.compare.path import Step
    from dynamoc.diagnostics.finding import Path
    from dynamoc.requires.needs import Need, Requirement

    Tree = dict[str, Any]

BRINGERS = {
    RENDER: "the rendered objects",
    INPUT: "the input",
    CONTEXT: "the context",
    KUBERNETES: "Kubernetes",
    OPERATOR: "the operator",
    CHART: "the platform chart",
}


def title(kind: str, namespace: str, name: str) -> str:
    """`Secret/token (team)`"""
    return f"{kind}/{name}" + (f" ({namespace})" if namespace else "")


def object_title(value: Tree) -> str:
    metadata = mapping(value, "metadata")
    return title(str(value.get("kind", "")), metadata.get("namespace") or "", metadata.get("name") or "")


def requirement_title(item: Requirement) -> str:
    """With the group where the kind alone may mean several."""
    kind = f"{item.kind}.{item.group}" if item.kind in ("Queue", "Gateway") else item.kind
    return title(kind, item.namespace, item.name)


def field_text(value: Tree, path: Path) -> str:
    """`spec.template.spec.containers[main].envFrom[0].secretRef.name`: elements by name where they have one."""
    return format_steps(_steps(value, path))


def _steps(value: Tree, path: Path) -> tuple[Step, ...]:
    steps: list[Step] = []
    here: Any = value
    for step in path:
        try:
            here = here[step]
        except (KeyError, IndexError, TypeError):
            here = None
        name = here.get("name") if isinstance(here, dict) and isinstance(step, int) else None
        steps.append(("name", name) if isinstance(name, str) else step)
    return tuple(steps)


def need_text(need: Need) -> str:
    """`Worker: pod volumes[cache].persistentVolumeClaim.claimName of Deployment/chat-worker`"""
    metadata = mapping(need.subject, "metadata")
    subject = f"{need.subject.get('kind')}/{metadata.get('name') or ''}"
    component = f"{need.component}: " if need.component else ""
    field = short_steps(_steps(need.subject, need.path)).strip()
    return f"{component}{field} of {subject}" if field else f"{component}{subject}"
