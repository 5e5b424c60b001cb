"""The two sides of `dynamoc diff`: files, directories, or revisions of git."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence

from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source.document import Document
from dynamoc.documents.source.files import EXTENSIONS, expand, read_inputs
from dynamoc.documents.source.found import Ignores, Rules, read_found
from dynamoc.documents.source.reader import read_text
from dynamoc.interfaces.cli.compiler_options import watch
from dynamoc.interfaces.cli.failure import UsageError
from dynamoc.kube.limits import hint, limit

#: A folder that only looks like a repository, which anybody can commit, does not count.
_SETTINGS = ("safe.bareRepository=explicit", "protocol.allow=never", "core.fsmonitor=false", "core.hooksPath=/dev/null")


class GitError(Exception):
    """git is not there, or does not know what it is asked for; the message is git's own."""


def is_revision(name: str) -> bool:
    """Whether git knows a commit by this name, in the repository of the current directory."""
    try:
        _git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    except GitError:
        return False
    return True


def exists_at(revision: str, path: str) -> bool:
    """Whether a commit has a file or directory at `path`, as seen from the current directory."""
    try:
        return (
            bool(_git("ls-tree", revision, "--", os.path.normpath(path)).strip()) or os.path.normpath(path) == os.curdir
        )
    except GitError:
        return False


def why_unknown() -> str:
    """Why git may not know a revision, as a sentence to append; "" where nothing is wrong but the name."""
    try:
        shallow = _git("rev-parse", "--is-shallow-repository").strip() == b"true"
    except GitError as error:
        return f" git: {error}."
    if not shallow:
        return ""
    return " This clone is shallow, so most of the history is missing: `git fetch --unshallow` fetches it."


def common_ancestor(one: str, other: str) -> str:
    """Where two revisions parted. Raises GitError."""
    try:
        return _git("merge-base", "--end-of-options", one, other).decode().strip()
    except GitError:
        raise GitError(f"{one} and {other} have no commit in common.{why_unknown()}") from None


def documents_at(revision: str, paths: list[str], findings: Findings, exclude: Sequence[str] = ()) -> list[Document]:
    """The documents in the YAML and JSON files that a commit has at `paths`; none where it has no such path.

    Hidden files are skipped below directories, as they are on disk. Raises GitError.
    """
    documents: list[Document] = []
    for name, content in _files(revision, paths):
        data, label = content if content.endswith(b"\n") else content + b"\n", f"{revision}:{name}"
        if name in map(os.path.normpath, paths):
            found: list[Document] | None = read_text(data, label, findings)
        elif _is_left_out(name, paths, exclude):
            continue
        else:
            found = read_found(data, label, findings, path=name)
        findings.inputs.files += found is not None
        documents += found or ()
    findings.inputs.count(document.value for document in documents)
    return documents


def _is_left_out(name: str, paths: list[str], exclude: Sequence[str]) -> bool:
    """Whether patterns leave a file out; those of .dynamocignore are the ones on disk."""
    if Rules(exclude).leaves_out(name):
        return True
    roots = [path for path in map(os.path.normpath, paths) if path == os.curdir or name.startswith(path + "/")]
    return any(Ignores().leaves_out(name, root) for root in roots[:1])


def text_at(place: str) -> str | None:
    """The text of `REVISION:PATH`, for excerpts; None without one."""
    revision, colon, path = place.partition(":")
    if not colon:
        return None
    try:
        name = f"{revision}:./{path}"
        if _sizes([name])[0] > limit("file-bytes"):
            return None
        return _git("cat-file", "blob", name).decode("utf-8-sig")
    except (GitError, UnicodeDecodeError):
        return None


def _files(revision: str, paths: list[str]) -> list[tuple[str, bytes]]:
    commit = _git("rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}").decode().strip()
    listed = _git("ls-tree", "-r", "-z", commit, "--", *map(os.path.normpath, paths))
    found: dict[str, str] = {}
    for entry in listed.decode(errors="surrogateescape").split("\0"):
        head, _, name = entry.partition("\t")
        # 120000 is a symbolic link, 160000 a submodule.
        if head.startswith("100") and _is_wanted(name, paths):
            found[name] = head.split(" ")[2]
    names = sorted(found)
    contents = _blobs([found[name] for name in names])
    for name, content in zip(names, contents, strict=True):
        if content is None:
            raise GitError(
                f"the content of {revision}:{name} is missing in this clone, and dynamoc lets git fetch nothing; "
                "run `git fetch --refetch --no-filter`"
            )
    return [(name, content) for name, content in zip(names, contents, strict=True) if content is not None]


def _is_wanted(name: str, paths: list[str]) -> bool:
    if name in {os.path.normpath(path) for path in paths}:
        return True
    hidden = any(part.startswith(".") and part != os.pardir for part in name.split("/"))
    return name.lower().endswith(EXTENSIONS) and not hidden


def _blobs(names: list[str]) -> list[bytes | None]:
    """The contents of blobs, by one process for all; None for one that is not there.

    One above the limit is as many blanks, which its reader refuses as it refuses such a file.
    """
    sizes = _sizes(names)
    read = sum(size for size in sizes if size <= limit("file-bytes"))
    if read > limit("input-bytes"):
        most = limit("input-bytes")
        raise GitError(f"the files have more than {most:,} bytes, the limit `input-bytes`. {hint('input-bytes', read)}")
    too_large = b" " * (limit("file-bytes") + 1) if any(size > limit("file-bytes") for size in sizes) else b""
    small = [name for name, size in zip(names, sizes, strict=True) if size <= limit("file-bytes")]
    contents = iter(_small_blobs(small))
    return [next(contents) if size <= limit("file-bytes") else too_large for size in sizes]


def _sizes(names: list[str]) -> list[int]:
    """The sizes of blobs, 0 for one that is not there."""
    lines = _git("cat-file", "--batch-check", given="".join(name + "\n" for name in names).encode()).splitlines()
    return [0 if line.endswith(b" missing") else int(line.split(b" ")[2]) for line in lines]


def _small_blobs(names: list[str]) -> list[bytes | None]:
    output = _git("cat-file", "--batch", given="".join(name + "\n" for name in names).encode())
    contents: list[bytes | None] = []
    start = 0
    for _ in names:
        head = output[start : output.index(b"\n", start)]
        start += len(head) + 1
        if head.endswith(b" missing"):
            contents.append(None)
            continue
        size = int(head.split(b" ")[2])
        contents.append(output[start : start + size])
        start += size + 1
    return contents


def _git(*arguments: str, given: bytes = b"") -> bytes:
    command = ("git", *(word for setting in _SETTINGS for word in ("-c", setting)), *arguments)
    try:
        done = subprocess.run(command, input=given, capture_output=True, check=False, env=_environment())
    except OSError as error:
        raise GitError(f"git cannot be run: {error.strerror}") from None
    if done.returncode:
        message = done.stderr.decode(errors="replace").strip().removeprefix("fatal: ")
        raise GitError(message or f"git {arguments[0]} failed")
    return done.stdout


def _environment() -> dict[str, str]:
    """That of dynamoc, without what steers git: a repository must not be able to run a program or reach a network."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    # Objects that a partial clone lacks stay missing, and no protocol could fetch them.
    return {**kept, "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none", "GIT_TERMINAL_PROMPT": "0"}


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
    found = _range(words) or ((_side(words[0]), _side(words[1])) if len(words) == 2 else None)
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


def _side(word: str) -> Side:
    """A path, or `REVISION:PATH` where the path does not exist."""
    revision, colon, path = word.partition(":")
    if colon and not os.path.lexists(word) and is_revision(revision):
        return Side([path or os.curdir], revision)
    return Side([word])
