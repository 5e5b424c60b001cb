"""The Go types that a conversion reads and writes, those of the newest release with statuses, and its annotations.

Facts: api/v1alpha1/{dynamographdeployment,dynamocomponentdeployment}_types.go, api/v1beta1/{common,
dynamographdeployment_types,dynamocomponentdeployment_types}.go, metav1.Condition; api/v1alpha1/preservation.go of 1.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dynamoc.kube.go_scalars import Mismatch
from dynamoc.kube.go_types import CONVERSIONS, MINIMAL, PRINTED, STRIPPED, Reader, load
from dynamoc.kube.merge import Tree
from dynamoc.kube.text import dumps, loads


@dataclass(frozen=True, slots=True)
class Type:
    """One Go type.

    read   plain data to a minimal value; Mismatch where Go cannot read it
    print  a minimal value to what Go prints, with fields in Go's order
    """

    read: Reader
    print: Reader


def _type(name: str, form: str) -> Type:
    return Type(load(CONVERSIONS, MINIMAL).reader(name), load(CONVERSIONS, form).reader(name))


def alpha(name: str) -> Type:
    """A type of v1alpha1 by its bare name."""
    return _type(f"dynamo/v1alpha1.{name}", PRINTED)


def beta(name: str, *, strip: bool = False) -> Type:
    """A type of v1beta1 by its bare name; whole objects strip what they print, parts of them do not."""
    return _type(f"dynamo/v1beta1.{name}", STRIPPED if strip else PRINTED)


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
        tree: Tree | None = None if value is None else kind.read(value)
    except Mismatch:
        return None
    return tree


def metadata_of(tree: Tree) -> tuple[Tree, dict[str, str]]:
    """The metadata of an object, and a copy of its annotations."""
    metadata = tree.get("metadata") or {}
    return metadata, dict(metadata.get("annotations") or {})


def with_annotations(metadata: Tree, annotations: dict[str, str]) -> Tree:
    """Metadata with these annotations and no others."""
    kept = {key: value for key, value in metadata.items() if key != "annotations"}
    return {**kept, "annotations": annotations} if annotations else kept
