"""Findings without the secrets of the files that they are about.

What is secret is decided from the documents as they are read, not from how their text looks. It is read again, where
there is a finding in a file that may hold some.
"""

from __future__ import annotations

from dynamoc.kube.confidential import HIDDEN, confidential_texts
from dynamoc.source.document import own_mark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamoc.diagnostics.finding import Finding

    ReadText = Callable[[str], str | None]

#: without one of these, a text holds neither a Secret nor a variable that is one
_HINTS = ("ecret", "ECRET", "assw", "ASSW", "oken", "OKEN", "redential", "REDENTIAL", "key", "KEY", "Key", "\\", "!!")
#: shorter texts are in every sentence
_SHORTEST = 4
#: how much of a long text a message shows at least
_BEGINNING = 12


class Confidential:
    """What of a file may not be shown."""

    def __init__(self, file: str, text: str | None) -> None:
        self._texts: set[str] = set()
        self._ordered: list[str] = []
        self._secrets: list[tuple[int, int]] = []
        self._readable = 0
        self.lines = (text or "").replace("\r\n", "\n").replace("\r", "\n").split("\n")
        if text is not None and any(hint in text for hint in _HINTS):
            self._read(file, text)

    def _read(self, file: str, text: str) -> None:
        from dynamoc.diagnostics.finding import Findings
        from dynamoc.source.reader import read_text

        findings = Findings()
        documents = read_text(text.encode(), file, findings, objects=False)
        starts = [own_mark(document.marks).line for document in documents]
        ends = [*starts[1:], len(self.lines)] if starts else []
        for document, first, end in zip(documents, starts, ends, strict=True):
            if isinstance(document.value, dict):
                found = confidential_texts(document.value)
                if document.value.get("kind") == "Secret" or _lists_a_secret(document.value):
                    self._secrets.append((self._head(first), end))
                self._texts |= {item for item in found if len(item) >= _SHORTEST}
        self._readable = len(self.lines) if not findings.errors else starts[-1] if starts else 0
        self._ordered = sorted(self._texts, key=len, reverse=True)

    def _head(self, line: int) -> int:
        """Where the document of a line begins, comments before its first field included."""
        while line > 0 and not self.lines[line - 1].startswith("---"):
            line -= 1
        return line

    def hides(self, line: int) -> bool:
        """Whether a line, counted from 0, is of a Secret, or of a text that cannot be read and may be one."""
        if any(first <= line < end for first, end in self._secrets):
            return True
        if line < self._readable or not self._may_hold_secrets:
            return False
        first, end = self._head(line), line
        while end < len(self.lines) and not self.lines[end].startswith("---"):
            end += 1
        kinds = ("".join(self.lines[at : at + 2]) for at in range(first, end) if "kind" in self.lines[at])
        return any("ecret" in kind or "\\" in kind or "!" in kind for kind in kinds)

    @property
    def _may_hold_secrets(self) -> bool:
        return any(hint in line for line in self.lines for hint in _HINTS)

    def redacted(self, text: str) -> str:
        """The text, with what is secret hidden in it."""
        for secret in self._ordered:
            text = text.replace(secret, HIDDEN)
            if len(secret) > 2 * _BEGINNING and secret[:_BEGINNING] in text:
                text = _without_rest(text, secret)
        return text


def _without_rest(text: str, secret: str) -> str:
    """For messages that show the beginning of a long text."""
    at = text.find(secret[:_BEGINNING])
    end = at
    while end < len(text) and end - at < len(secret) and text[end] == secret[end - at]:
        end += 1
    return text[:at] + HIDDEN + text[end:]


def _lists_a_secret(value: object) -> bool:
    if isinstance(value, dict):
        items = value.get("items")
        if isinstance(items, list):
            return any(isinstance(item, dict) and item.get("kind") == "Secret" for item in items)
    return False


def conceal(findings: list[Finding], read: ReadText) -> dict[str, Confidential]:
    """Hides secrets in the messages of the findings; what of each file must not be shown, for excerpts."""
    known: dict[str, Confidential] = {}
    for finding in findings:
        if finding.place is None:
            continue
        file = finding.place.file
        if file not in known:
            known[file] = Confidential(file, read(file))
        hidden = known[file]
        finding.message = hidden.redacted(finding.message)
        finding.points = [hidden.redacted(point) for point in finding.points]
        if finding.hint is not None:
            finding.hint = hidden.redacted(finding.hint)
    return known
