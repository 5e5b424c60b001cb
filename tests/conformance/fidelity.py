"""Writes docs/fidelity.md from the recorded corpora: `python -m tests.conformance.fidelity`."""

import textwrap
from collections import Counter
from pathlib import Path

from dynamoc.reference.releases import RELEASES
from tests.conformance.corpora import SHARED, corpora, outcomes
from tests.conformance.known import reason_of

_PAGE = Path(__file__).parents[2] / "docs" / "fidelity.md"
_NOTES = Path(__file__).with_name("fidelity_notes.md")


def page() -> str:
    """The page: exact cases a corpus, what is known to differ, and the notes kept by hand."""
    lines = [
        "# Fidelity",
        "",
        "<!-- Written by `python -m tests.conformance.fidelity`; edit tests/conformance/fidelity_notes.md instead. -->",
        "",
        "How dynamoc compares with answers recorded from the operator's own code. A rendering is exact if every object",
        "and field is the same, a rejection if dynamoc rejects too.",
        "",
        "| release | recordings | renderings exact | rejections exact |",
        "| --- | --- | --- | --- |",
    ]
    cases: dict[str, list[str]] = {}
    for release in RELEASES:
        counts: Counter[tuple[bool, bool]] = Counter()
        for corpus in corpora(release):
            for outcome in outcomes(corpus):
                counts[outcome.admitted, outcome.exact] += 1
                if not outcome.exact:
                    cases.setdefault(reason_of(outcome.case) or "Not understood yet", []).append(outcome.case)
        names = ", ".join(corpus.removeprefix(f"{release}-") for corpus in corpora(release))
        accepted, rejected = (
            f"{counts[kind, True]} of {counts[kind, True] + counts[kind, False]}" for kind in (True, False)
        )
        if names:
            lines.append(f"| {release} | {names} | {accepted} | {rejected} |")
    lines += ["", "## Recorded cases that differ", ""]
    lines += [_wrapped(f"* {reason}: {_listed(found)}.") for reason, found in sorted(cases.items())]
    if not cases:
        lines.append("None.")
    return "\n".join(lines) + "\n\n" + _NOTES.read_text()


def _listed(cases: list[str]) -> str:
    return ", ".join(f"`{case}`" for case in sorted(cases))


def _wrapped(item: str) -> str:
    """An item of a list in lines of 120 characters."""
    return textwrap.fill(item, 120, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


if __name__ == "__main__":
    if not SHARED.is_dir():
        raise SystemExit("the recorded corpora are not beside the project")
    _PAGE.write_text(page())
