"""From the paths of a command line to files, and from files to documents.

Links that lead out of the input are not followed: they could show any file of the machine in a message. Python's own
`glob` goes round in circles of links and takes any file.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from stat import S_ISDIR, S_ISFIFO, S_ISREG, S_ISSOCK

from dynamoc.documents.findings.finding import Finding, Findings
from dynamoc.documents.source.document import Document
from dynamoc.documents.source.found import Ignores, Rules, read_found, read_piped
from dynamoc.documents.source.reader import Read, read_text
from dynamoc.kube.limits import hint, limit

EXTENSIONS = (".yaml", ".yml", ".json")
WILDCARDS = frozenset("*?[")


def walk(directory: str, seen: set[str] | None = None) -> Iterator[str]:
    """The YAML and JSON files below a directory. Links are followed, but no directory is visited twice.

    Pipes, sockets and devices are no files here: reading one that nothing writes to would never end. Links to nowhere
    are, and fail to be read.
    """
    seen = set() if seen is None else seen
    real = os.path.realpath(directory)
    if real in seen:
        return
    seen.add(real)
    for name in names_in(directory):
        path = os.path.join(directory, name)
        if os.path.isdir(path):
            yield from walk(path, seen)
        elif name.lower().endswith(EXTENSIONS) and (os.path.isfile(path) or not os.path.exists(path)):
            yield path


def names_in(directory: str) -> list[str]:
    """What is not hidden, sorted; nothing where the directory does not exist."""
    try:
        return sorted(name for name in os.listdir(directory or os.curdir) if not name.startswith("."))
    except (FileNotFoundError, NotADirectoryError):
        return []


STDIN = "-"
#: where links such as /dev/fd/63 and /dev/stdin lead
_HANDED_OVER = ("/proc/", "/dev/fd/", "/dev/std", "/dev/pts/", "/dev/tty")


def expand(paths: list[str], findings: Findings, exclude: Sequence[str] = ()) -> list[str]:
    """The files behind files, directories, patterns and `-`, each once, in the order of the arguments.

    `exclude` holds patterns as of .gitignore, from the current directory. What a directory or a pattern gives is also
    looked up in .dynamocignore files, and joins `findings.inputs.found`.

    Directories give their *.yaml, *.yml and *.json, with those of their subdirectories, sorted; hidden files and
    directories are skipped, as editors and version control keep their own things there. So do patterns (`*`, `?`,
    `[...]`, and `**` for any number of directories), which CI systems hand over as they stand. What exists by its very
    name is no pattern. A path that gives nothing is an error. Files that are given give themselves.
    """
    files: dict[str, str] = {}
    for path in paths:
        try:
            found = [path] if path in findings.texts else list(_files(path))
        except OSError as problem:
            findings.add(_unreadable(problem.filename or path, problem))
            continue
        if not found:
            findings.add(_nothing(path))
        if found and found != [path]:
            found = _wanted(found, path, findings)
            findings.inputs.found.update(found)
        roots: list[str] | None = None
        for file in found:
            real = file if file == STDIN else os.path.realpath(file)
            if real != os.path.abspath(file) and file != STDIN and not findings.inputs.follows_links:
                roots = roots_of(_root(path)) if roots is None else roots
                if leads_out(file, real, roots):
                    findings.add(_link(file, path))
                    continue
            files.setdefault(real, file)
    return _not_excluded(list(files.values()), exclude) if exclude else list(files.values())


def _wanted(files: list[str], path: str, findings: Findings) -> list[str]:
    """Those that no .dynamocignore leaves out. A pattern is its own root, up to its first wildcard."""
    root, ignores = _root(path), Ignores()
    wanted = [file for file in files if not ignores.leaves_out(file, root)]
    findings.inputs.ignores |= ignores.any
    return wanted


def _root(path: str) -> str:
    """The path itself, or the directory of a pattern's first wildcard."""
    if os.path.lexists(path) or WILDCARDS.isdisjoint(path):
        return path
    return os.path.dirname(path[: min(map(path.find, WILDCARDS & set(path)))]) or os.curdir


def _not_excluded(files: list[str], exclude: Sequence[str]) -> list[str]:
    rules = Rules(exclude)
    return [file for file in files if file == STDIN or not rules.leaves_out(os.path.relpath(file))]


def read_inputs(files: list[str], findings: Findings) -> list[Document]:
    """`read_paths` for the input, which is counted in `findings.inputs`; what exists beside it is not."""
    documents = read_paths(files, findings)
    skipped = {file for files in findings.inputs.skipped.values() for file in files}
    findings.inputs.files += len([file for file in files if file not in skipped])
    findings.inputs.count(document.value for document in documents)
    return documents


def read_paths(files: list[str], findings: Findings) -> list[Document]:
    """The documents of files as `expand` gives them. What cannot be read is an error, and hides no other file."""
    documents: list[Document] = []
    for number, file in enumerate(files):
        if findings.progress is not None:
            findings.progress.step("Reading", number + 1, len(files))
        read = _read(file, findings)
        if read is None:
            continue
        size, found, content = read
        if content is not None:
            findings.documents[file] = content, found
        findings.inputs.size += size
        if _is_too_much("input-bytes", findings.inputs.size, file, findings):
            break
        documents += found
        if _is_too_much("documents", len(documents), file, findings):
            return documents[: limit("documents")]
    return documents


def _read(file: str, findings: Findings) -> Read:
    data = read_file(file, findings)
    if data is None:
        return None
    if findings.inputs.size + len(data) > limit("input-bytes"):
        return len(data), [], None
    text, before = _with_last_line_ended(data), len(findings.items)
    if file == STDIN:
        return len(data), read_piped(text, findings.inputs.stdin, findings), None
    if file in findings.inputs.found:
        documents = read_found(text, file, findings) or []
    else:
        documents = read_text(text, file, findings)
    return len(data), documents, hash(data) if len(findings.items) == before else None


def _with_last_line_ended(data: bytes) -> bytes:
    """kubectl reads line by line and ends each with a line feed, which a block scalar at the end of a file shows."""
    is_utf16 = b"\0" in data[:4]
    return data if is_utf16 or not data or data.endswith(b"\n") else data + b"\n"


def read_file(file: str, findings: Findings) -> bytes | None:
    """The content of a file or of stdin, cut off above the limit; None, with an error, where it does not exist."""
    try:
        label = findings.inputs.stdin if file == STDIN else file
        if label in findings.texts:
            return findings.texts[label]
        if file == STDIN:
            findings.texts[findings.inputs.stdin] = sys.stdin.buffer.read(limit("file-bytes") + 1)
            return findings.texts[findings.inputs.stdin]
        refuse_special(file)
        with open(file, "rb") as stream:
            data = stream.read(limit("file-bytes") + 1)
            # A pipe gives its content once.
            if not is_regular(stream.fileno()):
                findings.texts[file] = data
            return data
    except (OSError, ValueError) as problem:
        findings.add(_unreadable(file, problem))
        return None


def _is_too_much(name: str, number: int, file: str, findings: Findings) -> bool:
    """Whether a run has read more than it may up to a file; that is an error."""
    if number <= limit(name):
        return False
    what = "documents" if name == "documents" else "bytes"
    message = f"The input has more than {limit(name):,} {what}, the limit `{name}`."
    findings.add(Finding("read/too-large", message, subject=file, hint=f"Give fewer files. {hint(name)}"))
    return True


def refuse_special(file: str) -> None:
    """OSError for a named pipe, a socket or a device, whose content may never come or never end.

    What a shell hands over for `<(command)`, and /dev/stdin, is in /dev/fd, and read.
    """
    mode = os.stat(file).st_mode
    if S_ISREG(mode) or S_ISDIR(mode) or os.path.realpath(file).startswith(_HANDED_OVER) or file == os.devnull:
        return
    kind = "a named pipe" if S_ISFIFO(mode) else "a socket" if S_ISSOCK(mode) else "a device"
    raise OSError(0, f"it is {kind}, not a file", file)


def is_regular(handle: int) -> bool:
    """Whether an open file can be read again: no pipe, socket or device."""
    return S_ISREG(os.fstat(handle).st_mode)


def text_again(file: str) -> str | None:
    """The text of an input file for its excerpts; None where it is gone, no text, too large, or no plain file."""
    if not os.path.isfile(file):
        return None
    try:
        with open(file, encoding="utf-8") as stream:
            return stream.read(limit("file-bytes")).removeprefix("\ufeff")
    except (OSError, ValueError):
        return None


def _files(path: str) -> Iterator[str]:
    if path == STDIN or (os.path.lexists(path) and not os.path.isdir(path)):
        yield path
    elif os.path.isdir(path):
        yield from walk(path)
    elif not WILDCARDS.isdisjoint(path):
        yield from matches(path)


def _link(file: str, path: str) -> Finding:
    message = f"{file} is a link, or below one, that leads out of {path}, and is not read."
    hint = "Copy the file, or read what links lead to with --load-restrictor none."
    return Finding("read/link", message, subject=file, hint=hint)


def _unreadable(path: str, problem: OSError | ValueError) -> Finding:
    reason = getattr(problem, "strerror", None) or str(problem)
    # As `refuse_special` says it.
    hint = "Give its content on stdin, with the path -." if getattr(problem, "errno", None) == 0 else None
    return Finding("read/unreadable", f"{path} cannot be read: {reason}.", subject=path, hint=hint)


def _nothing(path: str) -> Finding:
    """Why a path gave no file."""
    if os.path.isdir(path):
        kinds = ", ".join(f"*{extension}" for extension in EXTENSIONS)
        return Finding("read/no-files", f"The directory {path} contains no file of {kinds}.")
    if not WILDCARDS.isdisjoint(path):
        hint = "`**` matches any number of directories, `*` a part of one name."
        return Finding("read/no-match", f"No file matches {path}.", hint=hint)
    for extension in EXTENSIONS:
        if os.path.isfile(path + extension):
            return Finding("read/not-found", f"The file {path} does not exist.", hint=f"Write {path}{extension}.")
    return Finding("read/not-found", f"The file or directory {path or repr(path)} does not exist.")


#: what a shell hands over as a file: `<(command)`
_OF_THE_SHELL = ("/dev/", "/proc/self/fd/")


def roots_of(path: str) -> list[str]:
    """The directories that files behind a path of the command line may be in: its own, and the current one above it."""
    own = os.path.abspath(path if os.path.isdir(path) else os.path.dirname(path))
    here = os.getcwd()
    roots = [os.path.realpath(own)]
    if here != os.sep and (own + os.sep).startswith(here.rstrip(os.sep) + os.sep):
        roots.append(os.path.realpath(here))
    return roots


def leads_out(file: str, real: str, roots: list[str]) -> bool:
    """Whether a file, in truth `real`, is in none of the directories."""
    if file.startswith(_OF_THE_SHELL):
        return False
    return not any(_is_below(real, root) for root in roots)


def is_inside(path: str, root: str) -> bool:
    """Whether a path leads to a directory or to something below it, through links or not."""
    return _is_below(os.path.realpath(path), os.path.realpath(root))


def _is_below(real: str, root: str) -> bool:
    return (real + os.sep).startswith(root.rstrip(os.sep) + os.sep)


def matches(pattern: str) -> Iterator[str]:
    """The files that a pattern stands for, in the order of their names; directories stand for what they hold."""
    parts = pattern.split("/")
    start = ""
    if not parts[0]:
        start = "/"
        parts = parts[1:]
    by_name = WILDCARDS.isdisjoint(parts[-1])
    for path in _matches(start, [part for part in parts if part], set()):
        if os.path.isdir(path):
            yield from walk(path)
        elif by_name or path.lower().endswith(EXTENSIONS):
            yield path


def _matches(base: str, parts: list[str], seen: set[tuple[str, int]]) -> Iterator[str]:
    if not parts:
        yield base
        return
    part, rest = parts[0], parts[1:]
    if part == "**":
        yield from _any_depth(base, rest, seen)
    elif WILDCARDS.isdisjoint(part):
        path = os.path.join(base, part)
        if os.path.lexists(path):
            yield from _matches(path, rest, seen)
    else:
        for name in names_in(base):
            if fnmatchcase(name, part):
                yield from _matches(os.path.join(base, name), rest, seen)


def _any_depth(base: str, rest: list[str], seen: set[tuple[str, int]]) -> Iterator[str]:
    visit = (os.path.realpath(base), len(rest))
    if visit in seen:
        return
    seen.add(visit)
    if rest:
        yield from _matches(base, rest, seen)
    for name in names_in(base):
        path = os.path.join(base, name)
        if os.path.isdir(path):
            yield from _any_depth(path, rest, seen)
        elif not rest:
            yield path
