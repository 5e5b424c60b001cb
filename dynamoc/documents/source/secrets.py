"""Findings without the secrets of the files that they are about.

What is secret is decided from the documents as they are read, not from how their text looks. It is read again, where
there is a finding in a file that may hold some.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

from dynamoc.documents.findings.finding import Finding, Findings
from dynamoc.documents.source.document import Document
from dynamoc.documents.source.reader import read_text
from dynamoc.kube.secrets import HIDDEN, confidential_texts, lines_with_secrets, names_a_secret_at_all, secret_parts

Known = dict[str, tuple[int, list[Document]]]

ReadText = Callable[[str], str | None]


#: a value of nothing else is a plain scalar that ends with its line, unless the next line goes on with it
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./ ")
#: shorter texts are in every sentence
_SHORTEST = 4
#: how much of a long text a message shows at least
_BEGINNING = 12


class Confidential:
    """What of a file may not be shown."""

    def __init__(self, file: str, text: str | None, known: Known | None = None) -> None:
        self._texts: set[str] = set()
        self._secrets_of: SecretTexts | None = None
        self._hidden: frozenset[int] | set[int] = frozenset()
        self._readable = 0
        self._doubtful: set[int] | None = None
        self.lines = (text or "").replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._is_suspect = text is None or any(map(_may_be_confidential, lines_with_secrets(self.lines)))
        if text is None:
            return
        if self._is_suspect:
            self._read(file, text, known or {})
        else:
            self._readable = len(self.lines)

    def _read(self, file: str, text: str, known: Known) -> None:
        documents, is_whole = _documents(file, text, known)
        parts = _Parts(self.lines)
        hidden: list[tuple[int, int]] = []
        starts = [document.place(()).line - 1 for document in documents]
        ends = [*starts[1:], len(self.lines)] if starts else []
        for document, first, end in zip(documents, starts, ends, strict=True):
            if isinstance(document.value, dict):
                found = confidential_texts(document.value)
                if document.value.get("kind") == "Secret" or _lists_a_secret(document.value):
                    hidden.append((parts.head(first), end))
                self._texts |= {item for item in found if len(item) >= _SHORTEST}
        self._readable = len(self.lines) if is_whole else starts[-1] if starts else 0
        self._hidden = _covered(hidden)
        self._secrets_of = SecretTexts(self._texts) if self._texts else None

    def hides(self, line: int) -> bool:
        """Whether a line, counted from 0, is of a Secret, or of a text that cannot be read and may be one."""
        if line in self._hidden:
            return True
        if line < self._readable:
            return False
        if self._doubtful is None:
            self._doubtful = self._in_doubt() if lines_with_secrets(self.lines) else set()
        return line in self._doubtful

    def _in_doubt(self) -> set[int]:
        """The lines that may be secret as far as the text shows.

        They are those of parts between `---` whose kind may be Secret, and those beside the name of a secret.
        """
        starts = [0, *(at for at, text in enumerate(self.lines) if at and text.startswith("---"))]
        lines = range(len(self.lines))
        named = [at for at in lines if names_a_secret_at_all(self.lines[at])]
        near = {at for name in named for at in (name - 1, name, name + 1) if at in lines}
        values = {at for at in near if any(sign in self.lines[at] for sign in ("value", "=", "-"))}
        return values | _covered(
            [
                (first, end)
                for first, end in zip(starts, [*starts[1:], len(self.lines)], strict=True)
                if any(_may_say_secret(self.lines[at : at + 2]) for at in range(first, end) if "kind" in self.lines[at])
            ]
        )

    @property
    def has_secrets(self) -> bool:
        """Whether `redacted` finds anything."""
        return self._secrets_of is not None

    def redacted(self, text: str) -> str:
        """The text, with what is secret hidden in it."""
        for part in secret_parts(text) if self._is_suspect else ():
            text = text.replace(part, HIDDEN)
        return text if self._secrets_of is None else self._secrets_of.hidden_in(text)


def _documents(file: str, text: str, known: Known) -> tuple[list[Document], bool]:
    """The documents of a text, and whether they are all; those that were read before, if it is still the same text."""
    data = text.encode()
    before = known.get(file)
    # Of a List, its items became documents.
    if before and before[0] == hash(data) and "List" not in text:
        return before[1], True

    findings = Findings()
    return read_text(data, file, findings, objects=False), not findings.errors


class _Parts:
    """The parts of a text between lines of `---`."""

    def __init__(self, lines: list[str]) -> None:
        self._starts = [0, *(at + 1 for at, line in enumerate(lines) if line.startswith("---"))]

    def head(self, line: int) -> int:
        """Where the document of a line begins, comments before its first field included."""
        return self._starts[bisect_right(self._starts, line) - 1]


def _covered(spans: list[tuple[int, int]]) -> set[int]:
    """The lines of spans, from and to, which may overlap."""
    covered: set[int] = set()
    done = 0
    for first, end in sorted(spans):
        covered.update(range(max(first, done), end))
        done = max(done, end)
    return covered


class SecretTexts:
    """Many secret texts, looked for all at once."""

    def __init__(self, texts: set[str]) -> None:
        self._sorted = sorted(texts)
        self._starts = {text[:_SHORTEST] for text in texts}
        self._longest = max(map(len, texts))

    def hidden_in(self, text: str) -> str:
        """The text without the secrets, and without the beginnings of long ones, which messages may cut."""
        parts, done, at, starts = [], 0, 0, self._starts
        while at < len(text) - _SHORTEST + 1:
            length = self._length(text, at) if text[at : at + _SHORTEST] in starts else 0
            if length:
                parts += [text[done:at], HIDDEN]
                done = at = at + length
            else:
                at += 1
        return "".join((*parts, text[done:])) if parts else text

    def _length(self, text: str, at: int) -> int:
        """How much is secret from here on, 0 where nothing is.

        The longest secret that a text starts with, and the one that shares the longest beginning with it, are both
        neighbours of the text in the order of the secrets.
        """
        key = text[at : at + self._longest]
        place = bisect_right(self._sorted, key)
        shared = 0
        for secret in self._sorted[max(place - 1, 0) : place + 1]:
            common = _common(secret, key)
            shared = max(shared, common)
            if len(secret) > 2 * _BEGINNING and common >= _BEGINNING:
                return max(common, self._whole(key, place))
        return self._whole(key, place)

    def _whole(self, key: str, place: int) -> int:
        """The length of the longest secret that the key starts with."""
        while place:
            secret = self._sorted[place - 1]
            if key.startswith(secret):
                return len(secret)
            key = key[: _common(secret, key)]
            if len(key) < _SHORTEST:
                return 0
            place = min(bisect_right(self._sorted, key), place - 1)
        return 0


def _common(one: str, two: str) -> int:
    """How many characters two texts begin with alike."""
    low, high = 0, min(len(one), len(two))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == two[:middle] else (low, middle - 1)
    return low


def _may_be_confidential(line: str) -> bool:
    """Whether a line that escapes something or names a secret has the name of a variable or a kind, or a part of them.

    A field with a plain scalar has neither, if it is no `name` and no `kind`, and nothing in it looks like a secret.
    """
    if "\\" in line or "!" in line or secret_parts(line):
        return True
    key, colon, text = line.strip().removeprefix("- ").lstrip().partition(":")
    if not colon or (text and text[0] != " ") or key in ("name", "kind") or not (key.isascii() and key.isalpha()):
        return True
    return not _PLAIN.issuperset(text)


def _may_say_secret(lines: list[str]) -> bool:
    kind = "".join(lines)
    return "ecret" in kind or "\\" in kind or "!" in kind


def _lists_a_secret(value: object) -> bool:
    if isinstance(value, dict):
        items = value.get("items")
        if isinstance(items, list):
            return any(isinstance(item, dict) and item.get("kind") == "Secret" for item in items)
    return False


def conceal(findings: list[Finding], read: ReadText, documents: Known | None = None) -> dict[str, Confidential]:
    """Hides secrets in the messages of the findings; what of each file must not be shown, for excerpts.

    `documents` are as `Findings` has them.
    """
    known: dict[str, Confidential] = {}
    for finding in findings:
        if finding.place is None:
            continue
        file = finding.place.file
        if file not in known:
            known[file] = Confidential(file, read(file), documents)
        hidden = known[file]
        finding.message = hidden.redacted(finding.message)
        finding.made = hidden.redacted(finding.made)
        finding.points = [hidden.redacted(point) for point in finding.points]
        if finding.hint is not None:
            finding.hint = hidden.redacted(finding.hint)
    return known
