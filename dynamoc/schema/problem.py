"""One thing the API server refuses, without its place in a file."""

from __future__ import annotations

from dynamoc.diagnostics.finding import severity_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.diagnostics.catalog.slugs import Severity, Slug
    from dynamoc.diagnostics.change import Change
    from dynamoc.diagnostics.finding import Path

UNKNOWN_FIELD: Slug = "schema/unknown-field"
#: start of the hint for a value that is no text, followed by the value in quotes
QUOTE_HINT = "put it in quotes: "


class Problem:
    """The parts mean what they mean in a `Finding`, which the caller makes of it.

    old_path  for rules that compare with the object that is updated: where it says otherwise
    others    further fields of the same object that take part, e.g. the limit that a request exceeds
    excess    by how many characters a name or label is too long
    is_later  the API server takes this object, and refuses the pods that are made of it
    """

    __slots__ = ("change", "excess", "hint", "is_later", "message", "old_path", "others", "path", "severity", "slug")

    def __init__(
        self,
        slug: Slug,
        path: Path,
        message: str,
        hint: str | None = None,
        severity: Severity | None = None,
        *,
        others: tuple[Path, ...] = (),
        excess: int = 0,
        change: Change | None = None,
    ) -> None:
        self.slug = slug
        self.path = path
        self.message = message
        self.hint = hint
        self.severity: Severity = severity or severity_of(slug)
        self.old_path: Path | None = None
        self.others = others
        self.excess = excess
        self.change = change
        self.is_later = False

    def __repr__(self) -> str:
        return f"Problem({self.slug!r}, {self.path!r}, {self.message!r}, hint={self.hint!r}, {self.severity})"
