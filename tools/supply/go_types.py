"""Writes `schemas/RELEASE/go-types.txt` from tables of Go's structs: `python -m tools.supply.go_types RELEASE TABLES`.

TABLES is a folder with `operator-RELEASE.json` and `dynamo-RELEASE.json`: for each Go struct its fields in Go's order,
each with JSON name, type, omitempty, omitzero and inline. Types outside the reach of the kinds that dynamoc reads or
writes are left out, and so is every status. What the tables do not show stays as it is in the file: its comments, and
structs that marshal themselves or come from packages without a table.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

SCHEMAS = Path(__file__).parents[2] / "schemas"

PACKAGES = {
    "k8s.io/apimachinery/pkg/apis/meta/v1": "meta/v1",
    "github.com/NVIDIA/grove/operator/api/core/v1alpha1": "grove/v1alpha1",
    "github.com/ai-dynamo/grove/operator/api/core/v1alpha1": "grove/v1alpha1",
    "sigs.k8s.io/lws/api/leaderworkerset/v1": "lws/v1",
    "sigs.k8s.io/gateway-api-inference-extension/apix/config/v1alpha1": "epp/v1alpha1",
    "github.com/ai-dynamo/dynamo/deploy/cloud/operator/api/v1alpha1": "dynamo/v1alpha1",
    "github.com/ai-dynamo/dynamo/deploy/cloud/operator/api/dynamo/common": "dynamo/common",
    "github.com/ai-dynamo/dynamo/deploy/operator/api/v1alpha1": "dynamo/v1alpha1",
    "github.com/ai-dynamo/dynamo/deploy/operator/api/v1beta1": "dynamo/v1beta1",
}

OPAQUE = {
    "Quantity": "Quantity",
    "IntOrString": "IntOrString",
    "Time": "Time",
    "MicroTime": "MicroTime",
    "Duration": "Duration",
    "RawExtension": "JSON",
    "JSON": "JSON",
    "FieldsV1": "JSON",
}

# What makes a struct a kind.
ROOT = "<:meta/v1.TypeMeta"
# Pod templates, claims and the like are read on their own as well as inside the kinds.
ROOTS = ("core/v1.PodTemplateSpec", "core/v1.PersistentVolumeClaimSpec", "core/v1.ResourceRequirements")


def text(tables: Path, release: str) -> str:
    """The file of one release. KeyError for a Go package or opaque type that has no short name yet."""
    written = (SCHEMAS / release / "go-types.txt").read_text().splitlines(keepends=True)
    comments = [line for line in written if line.startswith("#")]
    lines = {line.split("\t")[0].rstrip(): line.rstrip("\n").split("\t")[1:] for line in written[len(comments) :]}
    lines |= _lines(tables, release)
    for fields in lines.values():
        if ROOT in fields:
            fields[:] = [field for field in fields if field.partition(":")[0] not in ("status", "status?")]
    kept = _reachable(lines)
    return "".join(comments) + "".join("\t".join([name, *lines[name]]) + "\n" for name in sorted(kept))


def _lines(tables: Path, release: str) -> dict[str, list[str]]:
    structs: dict[str, list[dict[str, Any]]] = {}
    for name in (f"operator-{release}.json", f"dynamo-{release}.json"):
        structs.update(json.loads((tables / name).read_text()))
    lines = {short_name(name): [_field(name, field) for field in fields] for name, fields in structs.items()}
    return {name: fields for name, fields in lines.items() if not name.endswith(("Status", "List"))}


def short_name(name: str) -> str:
    """`k8s.io/api/core/v1.PodSpec` as `core/v1.PodSpec`."""
    package, _, struct = name.rpartition(".")
    if package.startswith("k8s.io/api/"):
        return f"{package.removeprefix('k8s.io/api/')}.{struct}"
    return f"{PACKAGES[package]}.{struct}"


def short_type(owner: str, field: str, text: str) -> str:
    """A Go type as the table spells it, with short names; named strings and map keys count as strings."""
    if text.startswith("*"):
        return "*" + short_type(owner, field, text[1:])
    if text.startswith("[]"):
        return "[]" + short_type(owner, field, text[2:])
    if text.startswith("map["):
        return "map[string]" + short_type(owner, field, text[text.index("]") + 1 :])
    if text.startswith("opaque:"):
        name = text.rpartition(".")[2]
        return OPAQUE[name] if name in OPAQUE else short_name(text.removeprefix("opaque:"))
    if text.startswith("string("):
        return "string"
    if text == "bytes" and owner.endswith("PluginSpec") and field == "parameters":
        # A json.RawMessage, which reflection shows as bytes.
        return "JSON"
    return short_name(text) if "/" in text else text


def _field(owner: str, field: dict[str, Any]) -> str:
    name = "<" if field.get("inline") else field["json"]
    flags = ("?" if field["omitempty"] else "") + ("!" if field.get("omitzero") else "")
    return f"{name}{flags}:{short_type(owner, name, field['type'])}"


def _reachable(lines: dict[str, list[str]]) -> set[str]:
    todo = [name for name, fields in lines.items() if ROOT in fields]
    todo += [root for root in ROOTS if root in lines]
    kept: set[str] = set()
    while todo:
        name = todo.pop()
        if name in kept:
            continue
        kept.add(name)
        for field in lines[name]:
            element = field.partition(":")[2].replace("[]", "").replace("map[string]", "").lstrip("*")
            if "/" in element:
                todo.append(element)
    return kept


if __name__ == "__main__":
    (SCHEMAS / sys.argv[1] / "go-types.txt").write_text(text(Path(sys.argv[2]), sys.argv[1]))
