"""The annotations in which the operator keeps what a version cannot hold.

Facts: api/v1alpha1/preservation.go of release 1.4.
"""

from __future__ import annotations

from dynamoc.golang.json_text import dumps
from dynamoc.golang.scalars import Mismatch
from dynamoc.kube.json_data import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.golang.minimal import Type

    Tree = dict[str, Any]


def pack(spec: Tree, kind: Type, records: list[Tree]) -> str:
    envelope: Tree = {"version": 1, "spec": kind.print(spec)}
    if records:
        envelope["rawJSON"] = records
    return dumps(envelope).decode()


def pack_bare(tree: Tree, kind: Type) -> str:
    return dumps(kind.print(tree)).decode()


def unpack(text: str, kind: Type) -> tuple[Tree | None, list[Tree]]:
    """The spec and the records. Anything but an envelope, or its bare spec, counts as nothing."""
    value = _parse(text)
    if not isinstance(value, dict):
        return None, []
    if "spec" not in value:
        return _read(value, kind), []
    records = value.get("rawJSON")
    return _read({} if value["spec"] is None else value["spec"], kind), records if isinstance(records, list) else []


def unpack_bare(text: str, kind: Type) -> Tree | None:
    return _read(_parse(text), kind)


def _parse(text: str) -> Any:
    try:
        return loads(text)
    except ValueError:
        return None


def _read(value: Any, kind: Type) -> Tree | None:
    try:
        tree: Tree = kind.read(value)
    except Mismatch:
        return None
    return tree
