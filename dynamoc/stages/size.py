"""How much a document asks for, before it is made: a few lines can ask for more than any machine has."""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal
from dynamoc.limits import hint, limit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path

    Tree = dict[str, Any]

#: what the name of one pod takes in the objects at least
_BYTES_OF_A_POD = 100
_SHARED = ("env", "envs", "annotations", "labels")


def expected_bytes(value: Tree, written: Tree) -> int:
    """What a document becomes at least, in bytes: names of pods, and what all components repeat.

    Raises Refusal where a component has more pods than may be. `written` is the document as the user wrote it.
    """
    components = _components(value, written)
    pods = 0
    for path, component in components:
        # Go takes an empty `multinode` for no nodes.
        nodes = (component.get("multinode") or {}).get("nodeCount", 0)
        refuse_many_pods(nodes, (*path, "multinode", "nodeCount"))
        pods += nodes
    spec = value.get("spec") or {}
    shared = sum(map(_size, (spec.get(key) for key in _SHARED))) if len(components) > 1 else 0
    return pods * _BYTES_OF_A_POD + shared * len(components)


def refuse_many_pods(number: int, path: Path) -> None:
    """Raises Refusal above the limit; `path` is where the number stands."""
    if number > limit("pods"):
        message = f"The component has {number:,} pods that need names of their own; the limit `pods` is {{limit:,}}."
        raise Refusal("output/too-large", message.format(limit=limit("pods")), path, hint("pods", number))


def _components(value: Tree, written: Tree) -> list[tuple[Path, Tree]]:
    spec = value.get("spec") or {}
    if value["kind"] != "DynamoGraphDeployment":
        return [(("spec",), spec)]
    if "services" in spec:
        return [(("spec", "services", name), item or {}) for name, item in (spec["services"] or {}).items()]
    in_services = "services" in (written.get("spec") or {})
    components = spec.get("components") or []
    return [
        (("spec", "services", item.get("name", "")) if in_services else ("spec", "components", index), item)
        for index, item in enumerate(components)
    ]


def _size(value: Any) -> int:
    """The bytes of a tree as JSON, roughly."""
    if value.__class__ is dict:
        return sum(len(key) + _size(item) + 4 for key, item in value.items())
    if value.__class__ is list:
        return sum(_size(item) + 2 for item in value)
    return len(value) if value.__class__ is str else 5
