"""A comparison for programs. The schema stands in docs/diff.md."""

from __future__ import annotations

from dynamoc.compare.path import format_steps, plain_steps
from dynamoc.compare.values import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.compare.result import Amount, Change, Comparison, Generation, ObjectChange, Part, RefusedUpdate

FORMAT = "dynamoc-diff"
VERSION = 1
"""Raised when a key changes its meaning or is removed; new keys can appear without notice."""


def comparison_record(comparison: Comparison) -> dict[str, Any]:
    return {
        "same": comparison.same,
        "summary": summary_record(comparison),
        "generations": [_generation(item) for item in comparison.generations],
        "objects": [object_record(item) for item in comparison.objects],
        "refusedUpdates": [_refused(item) for item in comparison.refused],
        "notCompared": [
            {"side": item.side, "file": item.file or None, "subject": item.subject, "reason": item.reason}
            for item in comparison.skipped
        ],
        "foreign": [_name(item) for item in comparison.foreign],
        "ignored": [{"pattern": pattern, "changes": number} for pattern, number in comparison.ignored],
    }


def _name(value: Any) -> dict[str, Any]:
    metadata = value["metadata"]
    head = {"apiVersion": value["apiVersion"], "kind": value["kind"]}
    return {**head, "namespace": metadata.get("namespace"), "name": metadata.get("name")}


def summary_record(comparison: Comparison) -> dict[str, Any]:
    return {
        "objects": {"changed": len(comparison.objects), "unchanged": comparison.unchanged},
        "effects": comparison.counts(),
        **{what: amount_record(comparison.total(what)) for what in ("restarted", "started", "stopped")},
    }


def object_record(item: ObjectChange) -> dict[str, Any]:
    metadata = item.one["metadata"]
    return {
        "apiVersion": item.one["apiVersion"],
        "kind": item.one["kind"],
        "namespace": metadata.get("namespace"),
        "name": metadata.get("name"),
        "oldName": item.old["metadata"].get("name") if item.renamed and item.old else None,
        "effect": item.effect,
        "orphaned": item.orphaned,
        "stays": amount_record(item.stays),
        "pods": [_part(part) for part in item.parts],
        "changes": [_change(item.one["kind"], change) for change in item.changes],
    }


def amount_record(amount: Amount) -> dict[str, int]:
    return {"pods": amount.pods, "gpus": amount.gpus}


def _change(kind: str, change: Change) -> dict[str, Any]:
    return {
        "field": format_steps(change.steps),
        "path": plain_steps(change.steps),
        "change": change.how,
        "old": shown(kind, change, change.old),
        "new": shown(kind, change, change.new),
        "effect": change.effect,
        "applied": change.applied,
        "note": change.note,
    }


def _part(part: Part) -> dict[str, Any]:
    amounts = {what: amount_record(getattr(part, what)) for what in ("restarted", "started", "stopped")}
    return {"name": part.name, "component": part.component or None, **amounts}


def _generation(item: Generation) -> dict[str, Any]:
    return {
        "graph": item.graph,
        "namespace": item.namespace,
        "old": item.old or None,
        "new": item.new or None,
        "oldStays": amount_record(item.stays),
        "objects": [f"{changed.one['kind']}/{changed.one['metadata']['name']}" for changed in item.objects],
    }


def _refused(item: RefusedUpdate) -> dict[str, Any]:
    return {
        "kind": item.kind,
        "namespace": item.namespace,
        "name": item.name,
        "field": format_steps(item.steps),
        "path": plain_steps(item.steps),
        "message": item.message,
        "hint": item.hint,
    }
