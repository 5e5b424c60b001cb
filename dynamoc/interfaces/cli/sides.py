"""The two sides of `dynamoc diff`: files, directories, or revisions of git."""

from __future__ import annotations

import os

from dynamoc.analysis.compare.revisions import (
    GitError,
    common_ancestor,
    documents_at,
    exists_at,
    is_revision,
    why_unknown,
)
from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source.document import Document
from dynamoc.documents.source.files import EXTENSIONS, expand, read_inputs
from dynamoc.interfaces.cli.compiler_options import watch
from dynamoc.interfaces.cli.failure import UsageError


class Side:
    """One side: paths on disk, or in a commit.

    revision   None for what stands on disk
    may_miss   whether a path need not be there: directories come and go between revisions
    exclude    patterns of files to leave out
    all_files  whether every file of a directory is read, whatever its name
    follows_links  whether links on disk may lead out of the paths
    """

    __slots__ = ("all_files", "exclude", "follows_links", "may_miss", "paths", "revision")

    def __init__(self, paths: list[str], revision: str | None = None, *, may_miss: bool = False) -> None:
        self.paths = paths
        self.revision = revision
        self.may_miss = may_miss
        self.exclude: list[str] = []
        self.follows_links = False
        self.all_files = False

    @property
    def label(self) -> str:
        """How the output calls the side."""
        if self.all_files and self.revision is None:
            # kubectl makes LIVE-123 and MERGED-456, other ones each time.
            return ", ".join(os.path.basename(os.path.normpath(path)).partition("-")[0].lower() for path in self.paths)
        if self.revision is None:
            return ", ".join(self.paths)
        return self.revision if self.may_miss else f"{self.revision}:{', '.join(self.paths)}"

    def relative(self, file: str) -> str:
        """A file of this side, named as its counterpart on another side is: from the path that was given."""
        path = os.path.normpath(file.removeprefix(f"{self.revision}:") if self.revision else file)
        for number, given in enumerate(self.paths):
            root = os.path.normpath(given)
            if path == root:
                return str(number)
            if root == os.curdir or path.startswith(root + os.sep):
                return f"{number}/{os.path.relpath(path, root)}"
        return path

    def documents(self, findings: Findings) -> list[Document]:
        """Raises UsageError for paths and revisions that are not there; unreadable files are findings."""
        if self.revision is not None:
            for path in () if self.may_miss else self.paths:
                if not exists_at(self.revision, path):
                    raise UsageError(f"{path} does not exist in {self.revision}.")
            try:
                return documents_at(self.revision, self.paths, findings, self.exclude)
            except GitError as error:
                raise UsageError(f"git: {error}") from None
        files: list[str] = []
        for path in self.paths:
            missing = Findings()
            missing.inputs.follows_links = self.follows_links
            files += expand(self._listed(path), missing, self.exclude)
            findings.inputs.take(missing.inputs)
            refused = next((item for item in missing.items if item.slug == "read/link"), None)
            if refused is not None:
                raise UsageError(f"{refused.message} {refused.hint}")
            # A directory may have lost its last graph.
            if missing.items and not os.path.isdir(path) and not (self.may_miss and not os.path.lexists(path)):
                raise UsageError(missing.items[0].message)
        watch(findings, len(files))
        return read_inputs(files, findings)

    def _listed(self, path: str) -> list[str]:
        if not self.all_files or not os.path.isdir(path):
            return [path]
        return [found for name in sorted(os.listdir(path)) if os.path.isfile(found := os.path.join(path, name))]


def _refuse_nothing(old: Side, new: Side) -> None:
    """UsageError where both sides are directories without any input, which is hardly what was meant."""
    if all(side.revision is None and not side.may_miss and all(map(_is_empty, side.paths)) for side in (old, new)):
        raise UsageError(f"No file of {', '.join(f'*{end}' for end in EXTENSIONS)} exists on either side.")


def _is_empty(path: str) -> bool:
    return os.path.isdir(path) and not expand([path], Findings())


def sides_of(
    words: list[str], exclude: list[str], *, follows_links: bool = False, all_files: bool = False
) -> tuple[Side, Side]:
    """The sides that the words of a command line mean, without the files that patterns exclude.

    `OLD NEW`, each a path or `REVISION:PATH`; `A..B [PATH...]`, `A...B [PATH...]` (from where they parted), `A B
    [PATH...]`; `A.. [PATH...]` and `A [PATH...]` (what stands on disk). Raises UsageError for anything else.
    `all_files` reads every file of a directory, whatever its name.
    """
    if words.count("-") > 1:
        raise UsageError("- is stdin, which can be only one of the sides.")
    found = _range(words) or _pair(words)
    if found is None:
        raise UsageError("dynamoc diff needs two sides: OLD NEW, or REVISION..REVISION with paths.")
    if not all_files:
        _refuse_nothing(*found)
    for side in found:
        side.exclude, side.follows_links, side.all_files = exclude, follows_links, all_files
    return found


def _range(words: list[str]) -> tuple[Side, Side] | None:
    found = _revisions(words)
    for path in found[0].paths if found else ():
        if not os.path.lexists(path) and not any(
            side.revision and exists_at(side.revision, path) for side in found or ()
        ):
            raise UsageError(f"{path} exists neither on disk nor in the revisions.")
    return found


def _revisions(words: list[str]) -> tuple[Side, Side] | None:
    if not words or os.path.lexists(words[0]):
        return None
    old, dots, new = _ends(words[0])
    if dots:
        return _of_range(words[0], old, dots, new, words[1:] or [os.curdir])
    if ":" in words[0] or not is_revision(words[0]):
        return None
    paths = words[1:]
    if paths and not os.path.lexists(paths[0]) and ":" not in paths[0] and is_revision(paths[0]):
        new, paths = paths[0], paths[1:]
    if not new and len(paths) == 1 and ":" in paths[0] and not os.path.lexists(paths[0]):
        return None
    paths = paths or [os.curdir]
    return Side(paths, words[0], may_miss=True), Side(paths, new or None, may_miss=True)


def _of_range(word: str, old: str, dots: str, new: str, paths: list[str]) -> tuple[Side, Side]:
    for name in (old, new):
        if name and not is_revision(name):
            raise UsageError(f"{word} is neither a path nor a range of revisions that git knows.{why_unknown()}")
    try:
        base = common_ancestor(old, new or "HEAD") if dots == "..." else old
    except GitError as error:
        raise UsageError(f"git: {error}") from None
    return Side(paths, base, may_miss=True), Side(paths, new or None, may_miss=True)


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
