"""Comparisons and upgrades for programs. The schemas stand in docs/diff.md and docs/upgrade.md."""

from __future__ import annotations

import json
from typing import Any

from dynamoc.analysis.compare.result import (
    RESTARTS,
    STARTS,
    STOPS,
    Amount,
    Change,
    ChangedLine,
    Comparison,
    Generation,
    ObjectChange,
    Part,
    PodEffect,
    RefusedUpdate,
    shown,
)
from dynamoc.analysis.compare.trees import format_steps, plain_steps
from dynamoc.analysis.compare.upgrade import Upgrade
from dynamoc.analysis.compare.upgrade_text import AMOUNTS, amounts, conversion_text, outcomes
from dynamoc.analysis.compare.verdicts import RANKS, ComponentVerdict, GraphVerdict, Why
from dynamoc.documents.findings.finding import Finding
from dynamoc.documents.findings.formats import format_json

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
    return {
        **_name(item.one),
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
    return {**_field(kind, change), "effect": change.effect, "applied": change.applied, "note": change.note}


def _field(kind: str, change: Change) -> dict[str, Any]:
    return {
        "field": format_steps(change.steps),
        "path": plain_steps(change.steps),
        "change": change.how,
        "old": shown(kind, change, change.old) if change.steps else None,
        "new": shown(kind, change, change.new) if change.steps else None,
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


def line_records(lines: list[ChangedLine]) -> list[dict[str, Any]]:
    """Changed lines of the input and what they cost; docs/diff.md describes the keys."""
    numbers = {id(line): number for number, line in enumerate(lines)}
    return [
        {
            "side": "old" if line.is_old else "new",
            "file": line.place.file,
            "line": line.place.line,
            "lastLine": max(line.last, line.place.line),
            "changes": [_field(line.kind, change) for change in line.changes],
            "restarted": amount_record(line.total(RESTARTS)),
            "started": amount_record(line.total(STARTS)),
            "stopped": amount_record(line.total(STOPS)),
            "pods": [_effect(effect) for effect in line.effects],
            "together": [numbers[id(other)] for other in line.joint if id(other) in numbers],
            "undoneAlone": line.removes if line.effects else None,
            "withoutRestart": line.is_free,
            "alone": None if line.alone is None else amount_record(line.alone),
            "refusedAlone": line.refused,
            "refusedUpdate": line.update,
        }
        for line in lines
    ]


def _effect(effect: PodEffect) -> dict[str, Any]:
    metadata = effect.item.one["metadata"]
    return {
        "kind": effect.item.one["kind"],
        "namespace": metadata.get("namespace"),
        "name": metadata.get("name"),
        "template": effect.part.name,
        "component": effect.part.component or None,
        "effect": effect.how,
        **amount_record(effect.amount),
    }


UPGRADE_FORMAT = "dynamoc-upgrade"


def upgrade_record(upgrade: Upgrade, graphs: list[GraphVerdict], *, fresh: bool, summary: bool) -> dict[str, Any]:
    record = {
        "format": UPGRADE_FORMAT,
        "version": VERSION,
        "from": upgrade.old.release.name,
        "to": upgrade.new.release.name,
        "target": upgrade.new.target,
        "mode": "fresh" if fresh else "running",
        "summary": _summary(upgrade, graphs),
    }
    if not summary:
        record["graphs"] = [_graph(graph) for graph in graphs]
        record["refusals"] = _findings(upgrade.refusals)
        record["warnings"] = _findings(upgrade.warnings)
        record["comparison"] = comparison_record(upgrade.comparison)
    return record


def _summary(upgrade: Upgrade, graphs: list[GraphVerdict]) -> dict[str, Any]:
    named = [item for graph in graphs for item in graph.components.values() if item.name and not graph.state]
    return {
        "documents": len(graphs),
        "verdicts": {verdict: sum(item.verdict == verdict for item in named) for verdict in RANKS},
        "outcomes": outcomes(graphs),
        "refused": sum(bool(graph.refused) for graph in graphs),
        **{name: amount_record(total) for name, total in amounts(graphs).items()},
        "conversion": conversion_text(upgrade, graphs),
    }


def _graph(graph: GraphVerdict) -> dict[str, Any]:
    _, kind, namespace, name = graph.key
    return {
        "kind": kind,
        "namespace": namespace,
        "name": name,
        "file": graph.document.file,
        "state": graph.state or None,
        "refused": bool(graph.refused),
        "components": [_component(item) for item in graph.all()] if not graph.state else [],
    }


def _component(item: ComponentVerdict) -> dict[str, Any]:
    return {
        "name": item.name or None,
        "verdict": item.verdict,
        "serving": item.serving or None,
        **{name: amount_record(getattr(item, name)) for name in AMOUNTS},
        "notes": item.notes,
        "mistakes": [
            {"slug": slug, "severity": severity, "message": message, "hint": hint}
            for _, slug, severity, message, hint in item.mistakes
        ],
        "why": [_why(why) for why in item.why],
    }


def _why(why: Why) -> dict[str, Any]:
    reason = why.reason
    return {
        "verdict": why.verdict,
        "kind": reason.kind,
        "name": reason.name or None,
        "text": reason.text,
        "source": reason.source or None,
        "fields": why.fields,
        "values": [{"old": old, "new": new} for old, new in why.values],
    }


def _findings(findings: list[Finding]) -> list[Any]:
    """As `--findings json` prints them."""
    records: list[Any] = json.loads(format_json(findings))["findings"]
    return records
