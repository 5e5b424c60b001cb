"""Files that a directory, a pattern or a pipe gave: those that are not ours are skipped and counted.

A file takes part where one of its documents claims to be a Kubernetes object, and where it cannot be read but could be
a manifest. `.dynamocignore` and `--exclude` follow .gitignore: `#` starts a comment, `!` takes a file in again, `/` at
the end means directories. A pattern with a slash elsewhere starts at the directory of its file, any other holds at any
depth below. The last pattern that fits decides, the one of the nearer directory last.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Any

from dynamoc.documents.findings.finding import NOTE, WARNING, Finding, Findings, Inputs
from dynamoc.documents.source.document import Document, Report, Unreadable
from dynamoc.documents.source.events import chart_of, helm_pipe, kustomize_pipe
from dynamoc.documents.source.reader import objects_in, read_text
from dynamoc.kube.limits import limit
from dynamoc.reference.slugs import Slug

#: Two of these make a claim: Chart.yaml has an apiVersion only, and other tools have a kind or a spec.
_KEYS = frozenset(("apiversion", "kind", "metadata", "spec", "items"))
KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml")

#: reasons to skip a file
ALIEN = "alien"
BROKEN = "broken"
HELM = "helm"
KUSTOMIZE = "kustomize"
PATCH = "patch"


def read_found(data: bytes, file: str, findings: Findings, *, path: str | None = None) -> list[Document] | None:
    """The objects of a file; None where the file is skipped, which `findings.inputs` keeps with the reason.

    `path` is where the file lies on disk, if `file`, which the user sees, is something else.
    """
    reason = _known_reason(data, path or file, findings)
    if reason is None:
        trial = Findings()
        values = read_text(data, file, trial, objects=False)
        reason = _reason(data, values, trial)
        if reason is None:
            findings.take(trial)
            return _objects(values, Report(file, findings))
    findings.inputs.skip(reason, file)
    return None


def claims(value: Any) -> bool:
    """Whether a value looks like a Kubernetes object, or like an attempt at one."""
    if isinstance(value, list):
        return any(isinstance(item, dict) and claims(item) for item in value[:1])
    if not isinstance(value, dict):
        return False
    if len(_KEYS & {key.lower() for key in value}) > 1:
        return True
    return "Dynamo" in str(value.get("kind")) or "nvidia.com" in str(value.get("apiVersion"))


def _known_reason(data: bytes, file: str, findings: Findings) -> str | None:
    """Why a file of Helm or Kustomize is skipped, whatever it holds."""
    if file.rpartition("/")[2] in KUSTOMIZATIONS:
        return KUSTOMIZE
    if b"{{" in data and chart_of(file):
        return HELM
    return PATCH if is_patch(file, findings.inputs) else None


def _reason(data: bytes, values: list[Document], trial: Findings) -> str | None:
    if any(claims(document.value) for document in values):
        return None
    if not trial.errors:
        return ALIEN
    return None if _could_be_a_manifest(data) else BROKEN


def _could_be_a_manifest(data: bytes) -> bool:
    """Whether a line of a text that cannot be read starts with `apiVersion:` or `kind:`, as YAML or JSON writes it."""
    text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8", errors="replace")
    return re.search(r"""(?:^|[{,])[ \t\-]*["']?(?:apiVersion|kind)["']?[ \t]*:""", text, re.MULTILINE) is not None


def _objects(values: list[Document], report: Report) -> list[Document]:
    documents: list[Document] = []
    try:
        for document in values:
            for value, marks in objects_in(document.value, document.marks, report):
                documents.append(Document(value, document.file, len(documents), marks))
    except Unreadable as end:
        report.findings.add(end.finding)
    return documents


NAME = ".dynamocignore"


class Rules:
    """The patterns of one directory."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._rules = [rule for rule in map(_rule, lines) if rule is not None]

    def verdict(self, path: str, *, is_directory: bool) -> bool | None:
        """Whether a path, from the directory of the patterns, is left out; None where no pattern fits."""
        found: bool | None = None
        for pattern, leaves_out, directories_only in self._rules:
            if (is_directory or not directories_only) and pattern.fullmatch(path):
                found = leaves_out
        return found

    def leaves_out(self, path: str) -> bool:
        """Whether a file is left out, or a directory that it lies in."""
        steps = path.split("/")
        for depth in range(1, len(steps) + 1):
            if self.verdict("/".join(steps[:depth]), is_directory=depth < len(steps)):
                return True
        return False


class Ignores:
    """The .dynamocignore files of directories, each read once."""

    def __init__(self) -> None:
        self._rules: dict[str, Rules | None] = {}
        #: whether there is such a file
        self.any = False

    def leaves_out(self, file: str, root: str) -> bool:
        """Whether a file below `root`, which was given and is never left out itself, is left out.

        The files from the current directory on count, or from `root` on where it lies elsewhere.
        """
        file, root, top = os.path.abspath(file), os.path.abspath(root), os.getcwd()
        if os.path.commonpath((top, root)) != top:
            top = root
        steps = os.path.relpath(file, top).split("/")
        given = 0 if root == top else len(os.path.relpath(root, top).split("/"))
        return any(self._verdict(top, steps, depth) for depth in range(given + 1, len(steps) + 1))

    def _verdict(self, top: str, steps: list[str], depth: int) -> bool:
        """What the files above one step of a path say of it."""
        found, directory = False, top
        for level in range(depth):
            rules = self._read(directory)
            if rules is not None:
                said = rules.verdict("/".join(steps[level:depth]), is_directory=depth < len(steps))
                found = found if said is None else said
            directory = os.path.join(directory, steps[level])
        return found

    def _read(self, directory: str) -> Rules | None:
        if directory not in self._rules:
            path = os.path.join(directory, NAME)
            self._rules[directory] = None
            if os.path.isfile(path):
                self.any = True
                with open(path, encoding="utf-8-sig", errors="replace") as stream:
                    self._rules[directory] = Rules(stream.read(limit("file-bytes")).splitlines())
        return self._rules[directory]


def _rule(line: str) -> tuple[re.Pattern[str], bool, bool] | None:
    """A pattern, whether it leaves out, and whether it means directories only; None for empty lines and comments."""
    text = line.rstrip()
    if not text or text.startswith("#"):
        return None
    leaves_out = not text.startswith("!")
    text = text if leaves_out else text[1:]
    directories_only = text.endswith("/")
    text = text.rstrip("/")
    anchored = "/" in text
    expression = _expression(text.removeprefix("/"))
    return re.compile(expression if anchored else f"(?:.*/)?{expression}", re.DOTALL), leaves_out, directories_only


def _expression(pattern: str) -> str:
    out, at = "", 0
    while at < len(pattern):
        rest = pattern[at:]
        if rest.startswith("**/") and (at == 0 or pattern[at - 1] == "/"):
            out, at = out + "(?:.*/)?", at + 3
        elif rest == "**" and (at == 0 or pattern[at - 1] == "/"):
            out, at = out + ".+", at + 2
        elif rest[0] == "*":
            out, at = out + "[^/]*", at + 1
        elif rest[0] == "?":
            out, at = out + "[^/]", at + 1
        elif rest[0] == "[" and (end := rest.find("]", 2)) > 0:
            inner = rest[1:end].replace("\\", "\\\\")
            inner = "^/" + inner[1:] if inner[0] in "!^" else inner
            out, at = out + f"[{inner}]", at + end + 1
        else:
            escaped = rest[0] == "\\" and len(rest) > 1
            out, at = out + re.escape(rest[escaped]), at + 1 + escaped
    return out


_SHOWN = 5
_REASONS = {
    ALIEN: "nothing in {them} looks like a Kubernetes object",
    BROKEN: "{they} cannot be read as YAML, and no line starts with `apiVersion:` or `kind:`",
    HELM: "{they} {are} {a}Helm template{s}",
    KUSTOMIZE: "{they} {are} {a}kustomization{s}",
    PATCH: "a kustomization lists {them} as {a}patch{es}",
}


_SLUGS: dict[str, Slug] = {
    ALIEN: "skipped/alien",
    BROKEN: "skipped/broken",
    HELM: "skipped/helm",
    KUSTOMIZE: "skipped/kustomize",
    PATCH: "skipped/patch",
}


def tell_skipped(findings: Findings) -> None:
    """Adds a finding a reason. Templates that name a kind of Dynamo are graphs that are not checked: a warning."""
    for reason in _REASONS:
        files = findings.inputs.skipped.get(reason)
        if files:
            severity = WARNING if reason == HELM and any(map(_names_dynamo, files)) else NOTE
            findings.add(Finding(_SLUGS[reason], _message(reason, files), severity=severity, hint=_hint(reason, files)))


def tell_passed_over(findings: Findings) -> None:
    """Adds a finding on the documents of a stream that were left out."""
    places = findings.inputs.passed_over
    many = len(places) > 1
    head = f"{len(places)} documents are skipped" if many else "1 document is skipped"
    shown = ", ".join(map(str, places[:_SHOWN])) + (f" and {len(places) - _SHOWN} more" if len(places) > _SHOWN else "")
    why = f"nothing in {'them' if many else 'it'} looks like an object of a cluster"
    findings.add(Finding("skipped/document", f"{head}, because {why}: {shown}."))


def _message(reason: str, files: list[str]) -> str:
    many = len(files) > 1
    words = {"them": "them", "they": "they", "are": "are", "a": "", "s": "s", "es": "es"}
    if not many:
        words = {"them": "it", "they": "it", "are": "is", "a": "a ", "s": "", "es": ""}
    why = _REASONS[reason].format(**words)
    shown = ", ".join(files[:_SHOWN]) + (f" and {len(files) - _SHOWN} more" if len(files) > _SHOWN else "")
    head = f"{len(files)} files are skipped" if many else "1 file is skipped"
    return f"{head}, because {why}: {shown}."


def _hint(reason: str, files: list[str]) -> str | None:
    if reason == HELM:
        charts = dict.fromkeys(chart_of(file) or os.curdir for file in files)
        return _first(map(helm_pipe, charts), len(charts))
    if reason == KUSTOMIZE:
        directories = dict.fromkeys(map(os.path.dirname, files))
        return _first(map(kustomize_pipe, directories), len(directories))
    return None


def _first(pipes: map[str], number: int) -> str:
    return f"`{next(pipes)}` renders it" + (f"; the same for {number - 1} more" if number > 1 else "")


def _names_dynamo(file: str) -> bool:
    try:
        with open(file, "rb") as stream:
            return b"Dynamo" in stream.read(limit("file-bytes"))
    except OSError:
        return False


#: which helm writes behind the `---` of each document
_COMMENT = b"# Source: "
_KUSTOMIZE = "kustomize.config.k8s.io/"


class Sources:
    """The files that comments of helm name."""

    def __init__(self, data: bytes) -> None:
        self._lines: list[int] = []
        self._names: list[str | None] = []
        for number, line in enumerate(data.split(b"\n")):
            if line.startswith((b"---", _COMMENT)):
                name = line.removeprefix(_COMMENT).strip().decode(errors="replace")
                self._lines.append(number)
                self._names.append(None if line.startswith(b"---") else name or None)

    def at(self, line: int) -> str | None:
        """The file behind a line, which counts from 0."""
        index = bisect_right(self._lines, line)
        return self._names[index - 1] if index else None


def read_piped(data: bytes, file: str, findings: Findings) -> list[Document]:
    """The objects of a stream. Anything else is skipped, and counted in `findings.inputs`; a plain text is an error."""
    # Who names the stream has it as a file, whose lines are known.
    sources = Sources(data) if file == "-" and _COMMENT in data else None
    report = Report(file, findings, sources)
    documents: list[Document] = []
    try:
        for document in read_text(data, file, findings, objects=False, sources=sources):
            if _is_of_another_tool(document.value):
                findings.inputs.passed_over.append(document.place(()))
                continue
            for value, marks in objects_in(document.value, document.marks, report):
                documents.append(Document(value, file, len(documents), marks, document.source))
    except Unreadable as end:
        findings.add(end.finding)
    return documents


def _is_of_another_tool(value: Any) -> bool:
    if not isinstance(value, (dict, list)):
        return False
    if isinstance(value, dict) and str(value.get("apiVersion")).startswith(_KUSTOMIZE):
        return True
    return not claims(value)


_FILES = ("kustomization.yaml", "kustomization.yml", "Kustomization")


def is_patch(file: str, inputs: Inputs) -> bool:
    """Whether a kustomization beside or above the file names it as a patch, which is not a whole object."""
    directory = os.path.dirname(file)
    while True:
        patches = inputs.patches.get(directory)
        if patches is None:
            patches = inputs.patches[directory] = frozenset(_patches(directory))
        if patches and os.path.realpath(file) in patches:
            return True
        if directory in ("", os.curdir, "/"):
            return False
        directory = os.path.dirname(directory)


def _patches(directory: str) -> Iterator[str]:
    """The real paths of the files that the kustomization of a directory lists as patches."""
    for name in _FILES:
        path = os.path.join(directory, name)
        if not os.path.isfile(path):
            continue
        try:
            with open(path, "rb") as stream:
                data = stream.read(limit("file-bytes") + 1)
        except OSError:
            return
        for document in read_text(data, path, Findings(), objects=False):
            for listed in _listed(document.value):
                yield os.path.realpath(os.path.join(directory, listed))


def _listed(value: Any) -> Iterator[str]:
    if not isinstance(value, dict):
        return
    for key in ("patches", "patchesStrategicMerge", "patchesJson6902"):
        items = value.get(key)
        for item in items if isinstance(items, list) else ():
            path = item.get("path") if isinstance(item, dict) else item
            if isinstance(path, str) and "\n" not in path:
                yield path
