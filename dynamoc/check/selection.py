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


def split_reason(text: str) -> tuple[str, str]:
    """Name and reason of `NAME: reason`; the reason is empty where there is none."""
    name, _, reason = text.partition(":")
    return name.strip(), reason.strip()


def selected(findings: list[Finding], select: list[str], ignore: list[str]) -> tuple[list[Finding], list[str]]:
    """The findings that are left, and a line for each reason why others are not.

    Errors that are no matter of taste stay. An item of `ignore` is a name, or `NAME: reason`.
    """
    reasons = dict(map(split_reason, ignore))
    kept, left_out = [], dict.fromkeys(reasons, 0)
    for finding in findings:
        name = next((name for name in reasons if is_named(finding.slug, [name])), None)
        if (name is None and (not select or is_named(finding.slug, select))) or not may_be_ignored(finding):
            kept.append(finding)
        elif name is not None:
            left_out[name] += 1
    said = [
        f"ignored {name} {number} time{'s' * (number != 1)}" + f": {reasons[name]}" * bool(reasons[name])
        for name, number in left_out.items()
        if number
    ]
    return kept, said


def is_known(name: str) -> bool:
    """Whether a name, or the part before a slash, stands for a finding."""
    from dynamoc.diagnostics.severities import SEVERITIES

    return any(is_named(slug, [name]) for slug in SEVERITIES)
