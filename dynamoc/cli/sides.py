"""The two sides of `dynamoc diff`: files, directories, or revisions of git."""

from __future__ import annotations

import os

from dynamoc.cli.failure import UsageError
from dynamoc.compare.revisions import GitError, common_ancestor, documents_at, exists_at, is_revision
from dynamoc.diagnostics import Findings
from dynamoc.source.files import expand, read_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.source.document import Document


class Side:
    """One side: paths on disk, or in a commit.

    revision   None for what stands on disk
    may_miss   whether a path need not be there: directories come and go between revisions
    """

    __slots__ = ("may_miss", "paths", "revision")

    def __init__(self, paths: list[str], revision: str | None = None, *, may_miss: bool = False) -> None:
        self.paths = paths
        self.revision = revision
        self.may_miss = may_miss

    @property
    def label(self) -> str:
        """How the output calls the side."""
        if self.revision is None:
            return ", ".join(self.paths)
        return self.revision if self.may_miss else f"{self.revision}:{', '.join(self.paths)}"

    def documents(self, findings: Findings) -> list[Document]:
        """Raises UsageError for paths and revisions that are not there; unreadable files are findings."""
        if self.revision is not None:
            try:
                return documents_at(self.revision, self.paths, findings)
            except GitError as error:
                raise UsageError(f"git: {error}") from None
        paths = [path for path in self.paths if os.path.lexists(path)] if self.may_miss else self.paths
        missing = Findings()
        files = expand(paths, missing)
        if missing.items:
            raise UsageError(missing.items[0].message)
        return read_paths(files, findings)


def sides_of(words: list[str]) -> tuple[Side, Side]:
    """The sides that the words of a command line mean.

    `OLD NEW`, each a path or `REVISION:PATH`; `A..B [PATH...]`, `A...B [PATH...]` (from where they parted), `A..` and
    `A PATH...` (what stands on disk). Raises UsageError for anything else.
    """
    found = _range(words) or _pair(words)
    if found is None:
        raise UsageError("dynamoc diff needs two sides: OLD NEW, or REVISION..REVISION with paths.")
    return found


def _range(words: list[str]) -> tuple[Side, Side] | None:
    found = _revisions(words)
    for path in found[0].paths if found else ():
        if not os.path.lexists(path) and not any(
            side.revision and exists_at(side.revision, path) for side in found or ()
        ):
            raise UsageError(f"{path} is neither on disk nor in one of the revisions.")
    return found


def _revisions(words: list[str]) -> tuple[Side, Side] | None:
    if not words or os.path.lexists(words[0]):
        return None
    paths = words[1:] or [os.curdir]
    old, dots, new = _ends(words[0])
    if dots:
        if not is_revision(old) or (new and not is_revision(new)):
            raise UsageError(f"{words[0]} is neither a path nor a range of revisions that git knows.")
        try:
            base = common_ancestor(old, new or "HEAD") if dots == "..." else old
        except GitError as error:
            raise UsageError(f"git: {error}") from None
        return Side(paths, base, may_miss=True), Side(paths, new or None, may_miss=True)
    if len(words) > 1 and ":" not in words[0] and is_revision(words[0]):
        if len(words) > 2 and not os.path.lexists(words[1]) and is_revision(words[1]):
            return Side(words[2:], words[0], may_miss=True), Side(words[2:], words[1], may_miss=True)
        if os.path.lexists(words[1]):
            return Side(paths, words[0], may_miss=True), Side(paths, may_miss=True)
    return None


def _ends(word: str) -> tuple[str, str, str]:
    """`main..HEAD` as `main`, `..`, `HEAD`; no dots where it can only be a path."""
    dots = "..." if "..." in word else ".."
    old, found, new = word.partition(dots)
    if not old or old.endswith("/") or new.startswith(("/", ".")):
        return word, "", ""
    return old, found, new


def _pair(words: list[str]) -> tuple[Side, Side] | None:
    return (_side(words[0]), _side(words[1])) if len(words) == 2 else None


def _side(word: str) -> Side:
    """A path, or `REVISION:PATH` where there is no such path."""
    revision, colon, path = word.partition(":")
    if colon and not os.path.lexists(word) and is_revision(revision):
        return Side([path or os.curdir], revision)
    return Side([word])
