"""What is left out of account: documents that cannot be rendered, and changes that a pattern names.

A pattern is a path as the output prints it, with `*` for any part of one step, and `**` for any number of steps, at
its end too where nothing else is said: `metadata.labels`, `**.env[DYN_*]`, `Service/*:spec.ports`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from dynamoc.analysis.compare.result import Change
from dynamoc.analysis.compare.trees import Steps, words
from dynamoc.documents.findings.finding import ERROR, Finding
from dynamoc.documents.source.document import Document
from dynamoc.kube.names import Identity, Tree, identity


@dataclass(eq=False, slots=True)
class Skipped:
    """A file, or a document of it, that is not compared.

    side     `old` or `new`
    file     as shown to the user, "" for what concerns no file
    subject  `Kind/name` of the document, None for a file that cannot be read
    reason   the first error
    """

    side: str
    file: str
    subject: str | None
    reason: str

    def text(self) -> str:
        """`new.yaml (DynamoGraphDeployment/web): The field ... does not exist ...`"""
        what = f"{self.file} ({self.subject})" if self.subject and self.file else self.file or self.subject
        after = " Its objects are counted as new." if self.side == "old" else ""
        return f"{what or 'surroundings'}: {self.reason}{after}"


class Failures:
    """The documents and files of one side that errors stand against."""

    def __init__(self, side: str, documents: list[Document], errors: list[Finding], namespace: str) -> None:
        self.skipped: list[Skipped] = []
        #: identities of documents, and files that could not be read
        self.documents: set[Identity] = set()
        self.files: set[str] = set()
        seen: set[tuple[str, str | None]] = set()
        for error in errors:
            file = error.place.file if error.place else ""
            if error.slug == "read/unreadable":
                file = error.subject or ""
            found = [item for item in documents if item.file == file and _subject(item) == error.subject]
            self.documents.update(identity(item.value, namespace or "default") for item in found)
            if file and not found:
                self.files.add(file)
            subject = error.subject if found else None
            if (file, subject) not in seen:
                seen.add((file, subject))
                self.skipped.append(Skipped(side, file, subject, error.message))


def errors_of(items: list[Finding]) -> list[Finding]:
    return [item for item in items if item.severity == ERROR]


def comparable(
    objects: list[Tree],
    owners: dict[Identity, Identity],
    documents: list[Document],
    namespace: str,
    failures: Failures,
    counterpart: Callable[[str], str],
    others: list[Tree],
) -> list[Tree]:
    """The objects of one side without those whose document the other side has, and could not render.

    `counterpart` names the file of the other side that a file belongs to; `others` are the objects of the other side,
    which may hold one that several documents share.
    """
    if not failures.documents and not failures.files:
        return objects
    known = {identity(item, "default") for item in others}
    files = {identity(document.value, namespace or "default"): document.file for document in documents}

    def is_comparable(item: Tree) -> bool:
        if identity(item, "default") in known:
            return True
        own = identity(item, namespace or "default")
        owner = owners.get(identity(item, "default"), own)
        if owner in failures.documents or own in failures.documents:
            return False
        return owner not in files or counterpart(files[owner]) not in failures.files

    return [item for item in objects if is_comparable(item)]


def _subject(document: Document) -> str:
    value = document.value
    return f"{value.get('kind')}/{(value.get('metadata') or {}).get('name', '')}"


#: What only a cluster writes, or dynamoc for Flux: objects from a cluster or from files can be compared with those
#: that are rendered.
BUILT_IN = (
    "status",
    "metadata.creationTimestamp",
    "metadata.generation",
    "metadata.managedFields",
    "metadata.ownerReferences",
    "metadata.resourceVersion",
    "metadata.selfLink",
    "metadata.uid",
    "metadata.annotations[kubectl.kubernetes.io/last-applied-configuration]",
    "metadata.annotations[nvidia.com/last-applied-*]",
    "metadata.annotations[kustomize.toolkit.fluxcd.io/substitute]",
)


class Pattern:
    """One pattern, and how many changes it has matched. Raises ValueError where it is empty or has an open bracket."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.count = 0
        subject, colon, path = text.partition(":")
        # A colon may also stand in a key; kinds are written with a capital.
        if not colon or not (subject[:1].isupper() or subject.startswith("*/")):
            subject, path = "", text
        kind, _, name = subject.partition("/")
        self._kind, self._name = kind or "*", name or "*"
        self._path = re.compile("".join(map(_expression, _split(path))))

    def matches(self, kind: str, name: str, path: str) -> bool:
        """Whether it is about a place of an object, or one above it."""
        return fnmatchcase(kind, self._kind) and fnmatchcase(name, self._name) and bool(self._path.match(path))


def first(patterns: Iterable[Pattern], kind: str, name: str, steps: Steps) -> Pattern | None:
    """The first pattern that matches a place of an object."""
    path = "".join(f"{word}\0" for word in words(steps))
    return next((pattern for pattern in patterns if pattern.matches(kind, name, path)), None)


def is_ignored(patterns: list[Pattern], kind: str, name: str, change: Change) -> bool:
    """Whether a pattern matches; the first that does counts the change."""
    pattern = first(patterns, kind, name, change.steps)
    if pattern is not None:
        pattern.count += 1
    return pattern is not None


def _expression(step: str) -> str:
    """A step of a pattern as a regular expression. Only `*` and `?` are special: brackets are part of paths."""
    if step == "**":
        return r"(?:[^\0]*\0)*"
    bare = step.removeprefix("[").removesuffix("]") if step.startswith("[") else step
    text = re.escape(bare).replace(r"\*", r"[^\0]*").replace(r"\?", r"[^\0]")
    # A key with dots is printed in brackets as well.
    return rf"\[?{text}\]?\0" if step.startswith("[") else rf"{text}\0"


def _split(path: str) -> list[str]:
    """`a.b[c.d].e` as `a`, `b`, `[c.d]`, `e`."""
    parts: list[str] = []
    rest = path
    while rest:
        if rest[0] == "[":
            end = rest.find("]")
            if end < 0:
                raise ValueError(f"{path!r} has an open bracket")
            parts.append(rest[: end + 1])
            rest = rest[end + 1 :].removeprefix(".")
            continue
        cut = min((place for place in (rest.find("."), rest.find("[")) if place >= 0), default=len(rest))
        parts.append(rest[:cut])
        rest = rest[cut:].removeprefix(".") if rest[cut : cut + 1] == "." else rest[cut:]
    if not parts or not all(parts):
        raise ValueError(f"{path!r} is not a path")
    return parts
