"""Typos in Helm values: Helm drops an unknown key without a word."""

from __future__ import annotations

from dynamoc.release.chart_keys import KNOWN
from dynamoc.release.deltas import newest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.cluster.config_findings import Report
    from dynamoc.release.chart_keys import Known


def report_unknown(tree: Known, release: str, report: Report) -> None:
    """A warning for each key that the chart of `release` doesn't know.

    Keys right below `global` are shared with the charts it brings along, so that only near misses are told.
    """
    pending: list[tuple[tuple[str, ...], Known, Known]] = [((), tree, newest(KNOWN, release))]
    while pending:
        path, values, known = pending.pop(0)
        for key, value in values.items():
            if key not in known:
                _tell(path, key, known, report)
            elif isinstance(value, dict) and known[key] is not None:
                pending.append(((*path, key), value, known[key]))


def _tell(path: tuple[str, ...], key: str, known: Known, report: Report) -> None:
    from difflib import get_close_matches

    near = get_close_matches(key, list(known), 1)
    if path == ("global",) and not near:
        return
    hint = f"did you mean `{near[0]}`?" if near else None
    dotted = ".".join((*path, key))
    report.warning(
        "config/unknown-value",
        (*path, key),
        f"The chart `dynamo-platform` has no value `{dotted}`; Helm ignores it.",
        hint,
    )
