"""Findings about a configuration file: a path in what the operator reads becomes a place in what the user wrote."""

from __future__ import annotations

from dynamoc.diagnostics.finding import ERROR, WARNING, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dynamoc.diagnostics.catalog.slugs import ErrorSlug, Severity, Slug, WarningSlug
    from dynamoc.diagnostics.finding import Findings, Path, Place

    Locate = Callable[[Path], Place | None]


class Report:
    """Collects findings about one document.

    `origins` maps a dotted name of the operator's configuration to the path of the user's document that it came from,
    where the two differ (Helm values).
    """

    __slots__ = ("_findings", "_locate", "_subject", "origins")

    def __init__(self, findings: Findings, locate: Locate, subject: str) -> None:
        self._findings = findings
        self._locate = locate
        self._subject = subject
        self.origins: dict[str, Path] | None = None

    def error(self, slug: ErrorSlug, path: Sequence[str], message: str, hint: str | None = None) -> None:
        self._add(ERROR, slug, path, message, hint)

    def warning(self, slug: WarningSlug, path: Sequence[str], message: str, hint: str | None = None) -> None:
        self._add(WARNING, slug, path, message, hint)

    def _add(self, severity: Severity, slug: Slug, path: Sequence[str], message: str, hint: str | None) -> None:
        origin: Path = tuple(path)
        if self.origins is not None:
            origin = self.origins.get(".".join(path), ())
        place = self._locate(origin)
        finding = Finding(slug, message, severity=severity, place=place, hint=hint, path=origin, subject=self._subject)
        self._findings.add(finding)
