"""What `dynamoc convert` does, without the command line around it."""

from __future__ import annotations

from dynamoc.convert.reading import V1ALPHA1, V1BETA1
from dynamoc.diagnostics.finding import ERROR, Findings
from dynamoc.emit.replace import replace_file
from dynamoc.source.files import STDIN, expand, read_file
from dynamoc.source.found import read_found
from dynamoc.source.reader import read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol

    from dynamoc.convert.rewrite import Rewritten

    class OtherFiles(Protocol):
        """What converts files that need each other: all are taken before `finish` converts them."""

        def take(self, data: bytes, file: str) -> Rewritten | None:
            """What becomes of a file, once `finish` has filled it in; None for a file like any other."""

        def finish(self, to: str, *, write: bool, check: bool) -> None:
            """Converts all that was taken."""


VERSIONS = {"v1alpha1": V1ALPHA1, "v1beta1": V1BETA1}


class Converted:
    """What became of the files of a command line.

    text    for stdout: the converted documents, other kinds as they are; "" where files were written or only checked
    files   the files that are, were or would have to be changed
    """

    __slots__ = ("files", "text")

    def __init__(self) -> None:
        self.files: list[str] = []
        self.text = ""


def convert_paths(
    paths: list[str],
    to: str,
    findings: Findings,
    *,
    write: bool = False,
    check: bool = False,
    lossless: bool = False,
    output: str = "yaml",
    exclude: Sequence[str] = (),
    watch: Callable[[Findings, int], None] | None = None,
    others: OtherFiles | None = None,
) -> Converted:
    """Converts the documents of files to `v1alpha1` or `v1beta1`.

    `check` only names, as errors, the documents of the other version. `write` changes the files in place, each whole or
    not at all, and none whose documents could not all be converted. `output` is the form of `text`, `yaml` or `json`.
    `watch` is told how many files there are, and may set `findings.progress`. `others` converts some files otherwise.
    Losses, and what cannot be read or converted, stand in `findings`. OSError where a file cannot be written.
    """
    out = Converted()
    rewritten: list[Rewritten] = []
    files = expand(paths, findings, exclude)
    if watch is not None:
        watch(findings, len(files))
    for number, file in enumerate(files):
        if findings.progress is not None:
            findings.progress.step("Converting", number + 1, len(files))
        data = read_file(file, findings)
        if data is None or (file in findings.inputs.found and read_found(data, file, _quiet(findings)) is None):
            continue
        findings.inputs.files += 1
        taken = None if others is None else others.take(data, file)
        if taken is not None:
            rewritten.append(taken)
            out.files.append(file)
            continue
        if check:
            if _check(data, file, VERSIONS[to], findings):
                out.files.append(file)
            continue
        from dynamoc.convert.rewrite import rewrite

        errors = findings.errors
        result = rewrite(data, file, VERSIONS[to], findings, lossless=lossless)
        rewritten.append(result)
        findings.inputs.count(result.documents)
        if result.converted and findings.errors == errors:
            out.files.append(file)
            if write and file != STDIN:
                replace_file(file, result.data)
    if others is not None:
        others.finish(to, write=write, check=check)
    if not check and (not write or STDIN in out.files):
        out.text = _json(rewritten) if output == "json" else _yaml(rewritten)
    return out


def _quiet(findings: Findings) -> Findings:
    """A collector of what is looked at; the findings of a file come from its conversion."""
    quiet = Findings()
    quiet.inputs = findings.inputs
    return quiet


def _check(data: bytes, file: str, to: str, findings: Findings) -> bool:
    """Whether a document would have to change; each that would is an error."""
    from dynamoc.convert.rewrite import finding, needs_conversion, other_version, refuse_foreign

    found = False
    documents = read_text(data, file, findings)
    findings.inputs.count(document.value for document in documents)
    for document in documents:
        value = document.value
        refuse_foreign(document, findings)
        if needs_conversion(value, to):
            found = True
            message = f"This {value['kind']} is in {other_version(to)}, not in {to}."
            hint = f"`dynamoc convert --write --to {to.rpartition('/')[2]}` converts it."
            findings.add(finding(document, ("apiVersion",), "convert/other-version", ERROR, message, hint))
    return found


def _json(files: list[Rewritten]) -> str:
    from dynamoc.emit.json import dump_json

    documents = [value for file in files for value in file.documents]
    return dump_json(documents[0]) if len(documents) == 1 else dump_json(documents, as_list=True)


def _yaml(files: list[Rewritten]) -> str:
    """The texts of the files, one after another as documents of one stream."""
    out = ""
    for file in files:
        # What is no text has been told, and is not printed.
        encoding = "utf-16" if file.data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
        text = file.data.decode(encoding, errors="replace")
        if not text:
            continue
        if out and not text.startswith("---"):
            out += "---\n"
        out += text if text.endswith("\n") or not text else text + "\n"
    return out
