"""Paths of the fields that changed, with list elements by their keys instead of their positions.

A step is a key (`"spec"`), a position (`3`), or the field that an element is known by and its value
(`("name", "main")`).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

Step = str | int | tuple[str, str]
Steps = tuple[Step, ...]

_TEMPLATES = ("template", "leaderTemplate", "workerTemplate")


def format_steps(steps: Steps) -> str:
    """`spec.template.spec.containers[main].env[DYN_SYSTEM_PORT].value`; keys with dots or slashes stand in brackets."""
    text = ""
    for step in steps:
        if isinstance(step, tuple):
            text += f"[{step[1]}]"
        elif isinstance(step, int) or "." in step or "/" in step or not step:
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text


def named_steps(value: Any, path: Iterable[str | int]) -> Steps:
    """A path with positions as one that calls elements by their names, where they have one."""
    steps: list[Step] = []
    for step in path:
        value = value[step]
        name = value.get("name") if isinstance(step, int) and isinstance(value, dict) else None
        steps.append(step if name is None else ("name", str(name)))
    return tuple(steps)


def short_steps(steps: Steps) -> str:
    """A path for people: what stands in a pod is told from the pod, wherever its template is."""
    for at, step in enumerate(steps):
        if step == "podSpec" or (step == "spec" and at and steps[at - 1] in _TEMPLATES):
            return f"pod {format_steps(steps[at + 1 :])}" if steps[at + 1 :] else "pod"
        if step == "metadata" and at and steps[at - 1] in _TEMPLATES:
            return f"pod {format_steps(steps[at + 1 :])}"
        if step in ("labels", "annotations") and at and isinstance(steps[at - 1], tuple):
            # A clique has the labels of its pods.
            return f"pod {format_steps(steps[at:])}"
    return format_steps(steps)


def plain_steps(steps: Steps) -> list[object]:
    """The path for programs: elements as `{"name": "main"}`."""
    return [{step[0]: step[1]} if isinstance(step, tuple) else step for step in steps]


def words(steps: Steps) -> list[str]:
    """What a pattern sees of each step: keys as they are, elements and positions in brackets."""
    return [step if isinstance(step, str) else f"[{step[1] if isinstance(step, tuple) else step}]" for step in steps]
