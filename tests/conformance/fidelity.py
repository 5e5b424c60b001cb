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
        "How dynamoc compares with answers that were recorded from the operator's own code. A rendering is exact where",
        "every object and every field is the same; a refusal is exact where dynamoc refuses too.",
        "",
        "| corpus | release | renderings exact | refusals exact |",
        "| --- | --- | --- | --- |",
    ]
    different: dict[str, str] = {}
    for release in RELEASES:
        for corpus in corpora(release):
            counts: Counter[tuple[bool, bool]] = Counter()
            for outcome in outcomes(corpus):
                counts[outcome.admitted, outcome.exact] += 1
                if not outcome.exact:
                    different[outcome.case] = outcome.difference
            taken, refused = (
                f"{counts[kind, True]} of {counts[kind, True] + counts[kind, False]}" for kind in (True, False)
            )
            lines.append(f"| {corpus} | {release} | {taken} | {refused} |")
    lines += ["", "## Recorded cases that differ", ""]
    lines += [
        _wrapped(f"* `{case}`: {text}. {reason_of(case) or 'Not understood yet.'}")
        for case, text in sorted(different.items())
    ]
    if not different:
        lines.append("None.")
    return "\n".join(lines) + "\n\n" + _NOTES.read_text()


def _wrapped(item: str) -> str:
    """An item of a list in lines of 120 characters."""
    return textwrap.fill(item, 120, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


if __name__ == "__main__":
    if not SHARED.is_dir():
        raise SystemExit("the recorded corpora are not beside the project")
    _PAGE.write_text(page())
