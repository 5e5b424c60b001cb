"""Which Go types two releases of the operator know differently, from their generated tables."""

from __future__ import annotations

from dynamoc.golang.types import table_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    Row = dict[str, str]


def type_difference(old: str, new: str) -> list[Row]:
    """`{"change", "type", "field", "detail"}` of types and fields that came, went or changed."""
    before, after = _types(old), _types(new)
    rows: list[Row] = []
    for name in sorted(before.keys() | after.keys()):
        if name not in before or name not in after:
            rows.append(_row("added" if name in after else "removed", name, "", "the whole type"))
            continue
        left, right = before[name], after[name]
        for field in sorted(left.keys() | right.keys()):
            if field not in left or field not in right:
                rows.append(_row("added" if field in right else "removed", name, field, ""))
            elif left[field] != right[field]:
                rows.append(_row("changed", name, field, f"{left[field]} → {right[field]}"))
        if list(left) != list(right) and left.keys() == right.keys():
            rows.append(_row("changed", name, "", "order of fields"))
    return rows


def _row(change: str, name: str, field: str, detail: str) -> Row:
    return {"change": change, "type": name, "field": field, "detail": detail}


def _types(release: str) -> dict[str, dict[str, str]]:
    """Type to its fields: JSON name, or `<Type` where it is embedded, to marks and Go type."""
    types: dict[str, dict[str, str]] = {}
    for line in table_text(release).splitlines():
        if not line.startswith("#"):
            name, *fields = line.split("\t")
            types[name] = dict(map(_field, fields))
    return types


def _field(text: str) -> tuple[str, str]:
    name, _, kind = text.partition(":")
    bare = name.rstrip("?!")
    return (f"<{kind}", kind) if bare == "<" else (bare, f"{name[len(bare) :]}{kind}")
