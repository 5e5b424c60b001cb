"""Documents of one side that cannot be rendered, and what of the other side cannot be compared for that."""

from __future__ import annotations

from dynamoc.diagnostics.finding import ERROR
from dynamoc.kube.identity import identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from dynamoc.diagnostics.finding import Finding
    from dynamoc.kube.identity import Identity
    from dynamoc.source.document import Document

    Tree = dict[str, Any]


class Skipped:
    """A file, or a document of it, that is not compared.

    side     `old` or `new`
    file     as shown to the user, "" for what concerns no file
    subject  `Kind/name` of the document, None for a file that cannot be read
    reason   the first error
    """

    __slots__ = ("file", "reason", "side", "subject")

    def __init__(self, side: str, file: str, subject: str | None, reason: str) -> None:
        self.side = side
        self.file = file
        self.subject = subject
        self.reason = reason

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
