"""Documents of a git revision, without a checkout."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence

from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source.document import Document
from dynamoc.documents.source.files import EXTENSIONS
from dynamoc.documents.source.found import Ignores, Rules, read_found
from dynamoc.documents.source.reader import read_text
from dynamoc.kube.limits import hint, limit

#: A folder that only looks like a repository, which anybody can commit, is none.
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
    """The text of `REVISION:PATH`, for excerpts; None where there is none."""
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
