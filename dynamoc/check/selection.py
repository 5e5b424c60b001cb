"""Which findings of a run count: by name, by comments in the files, and by a baseline of those that are known."""

from __future__ import annotations

from dynamoc.diagnostics.finding import ERROR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.diagnostics.finding import Finding


def is_named(slug: str, names: list[str]) -> bool:
    """Whether a finding is one of those that names stand for: its own, or the part before the slash."""
    return slug in names or slug.partition("/")[0] in names


def may_be_ignored(finding: Finding) -> bool:
    """What the operator or the API server rejects is no matter of taste."""
    return finding.severity != ERROR or finding.slug.startswith("check/")


def selected(findings: list[Finding], select: list[str], ignore: list[str]) -> list[Finding]:
    """The findings that are left; errors that are no matter of taste stay."""
    kept = []
    for finding in findings:
        wanted = (not select or is_named(finding.slug, select)) and not is_named(finding.slug, ignore)
        if wanted or not may_be_ignored(finding):
            kept.append(finding)
    return kept


def is_known(name: str) -> bool:
    """Whether a name, or the part before a slash, stands for a finding."""
    from dynamoc.diagnostics.severities import SEVERITIES

    return any(is_named(slug, [name]) for slug in SEVERITIES)
