"""What a finding is known by in the next run, when its lines may have moved."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamoc.diagnostics.excerpt import Excerpts
    from dynamoc.diagnostics.finding import Finding


def fingerprints(findings: list[Finding], excerpts: Excerpts, named: Callable[[str], str] = str) -> list[str]:
    """One of 40 hexadecimal digits for each finding, all of them different. `named` is what a file is called.

    Lines and positions in lists take no part, so that what stands above can grow; the text of the line does, unless it
    is secret. Of findings that are alike in all that, the order counts.
    """
    seen: dict[tuple[str, ...], int] = {}
    found = []
    for finding in findings:
        key = _key(finding, excerpts, named)
        seen[key] = seen.get(key, 0) + 1
        found.append(_digest((*key, str(seen[key]))))
    return found


def _key(finding: Finding, excerpts: Excerpts, named: Callable[[str], str]) -> tuple[str, ...]:
    path = ".".join("*" if isinstance(step, int) else step for step in finding.path)
    if finding.place is None:
        return (finding.slug, "", finding.subject or "", path, finding.message)
    line = excerpts.line(finding.place, finding.subject) or ""
    file = (finding.place.source or named(finding.place.file)).replace("\\", "/").removeprefix("./")
    return (finding.slug, file, finding.subject or "", path, " ".join(line.split()))


def _digest(parts: tuple[str, ...]) -> str:
    from hashlib import sha256

    return sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:40]
