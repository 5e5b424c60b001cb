"""An upgrade for programs. The schema stands in docs/upgrade.md."""

from __future__ import annotations

from dynamoc.compare.machine import amount_record, comparison_record
from dynamoc.compare.outcomes import outcomes
from dynamoc.compare.result import Amount
from dynamoc.compare.upgrade_text import conversion_text
from dynamoc.compare.verdicts import RANKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.compare.upgrade import Upgrade
    from dynamoc.compare.verdicts import ComponentVerdict, GraphVerdict, Why
    from dynamoc.diagnostics.finding import Finding

FORMAT = "dynamoc-upgrade"
VERSION = 1
_AMOUNTS = ("restarted", "started", "stopped", "stays", "running", "peak")
"""Raised when a key changes its meaning or is removed; new keys can appear without notice."""


def upgrade_record(upgrade: Upgrade, graphs: list[GraphVerdict], *, fresh: bool, summary: bool) -> dict[str, Any]:
    record = {
        "format": FORMAT,
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
    components = [item for graph in graphs for item in graph.components.values()]
    named = [item for graph in graphs for item in graph.components.values() if item.name and not graph.state]
    totals = {name: Amount() for name in _AMOUNTS}
    for name, total in totals.items():
        for item in components:
            total.add(getattr(item, name))
    return {
        "documents": len(graphs),
        "verdicts": {verdict: sum(item.verdict == verdict for item in named) for verdict in RANKS},
        "outcomes": outcomes(graphs),
        "refused": sum(bool(graph.refused) for graph in graphs),
        **{name: amount_record(total) for name, total in totals.items()},
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
        **{name: amount_record(getattr(item, name)) for name in _AMOUNTS},
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
    import json

    from dynamoc.diagnostics.machine import format_json

    records: list[Any] = json.loads(format_json(findings))["findings"]
    return records
