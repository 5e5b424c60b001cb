"""What `dynamoc convert` does, without the command line around it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Protocol

from dynamoc.admission.convert.rewrite import Rewritten
from dynamoc.admission.convert.specs import V1ALPHA1, V1BETA1
from dynamoc.documents.emit.files import replace_file
from dynamoc.documents.emit.yaml import dump_json
from dynamoc.documents.findings.finding import ERROR, Findings
from dynamoc.documents.source.files import STDIN, expand, read_file
from dynamoc.documents.source.found import read_found
from dynamoc.documents.source.processes import Forks, processes
from dynamoc.documents.source.reader import read_text


class OtherFiles(Protocol):
    """What converts files that need each other: all are taken before `finish` converts them."""

    def take(self, data: bytes, file: str) -> Rewritten | None:
        """What becomes of a file, once `finish` has filled it in; None for a file like any other."""

    def finish(self, to: str, *, write: bool, check: bool) -> None:
        """Converts all that was taken."""


VERSIONS = {"v1alpha1": V1ALPHA1, "v1beta1": V1BETA1}


@dataclass(eq=False, slots=True)
class Converted:
    """What became of the files of a command line.

    files   the files that are, were or would have to be changed
    text    for stdout: the converted documents, other kinds as they are; "" where files were written or only checked
    """

    files: list[str] = field(default_factory=list)
    text: str = ""


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
    jobs: int = 1,
    modeline: str | None = None,
) -> Converted:
    """Converts the documents of files to `v1alpha1` or `v1beta1`.

    `check` only names, as errors, the documents of the other version. `write` changes the files in place, each whole or
    not at all, and none whose documents could not all be converted. `output` is the form of `text`, `yaml` or `json`.
    `watch` gets the number of files, and may set `findings.progress`. `others` converts some files otherwise.
    `jobs` is as `processes` takes it. `modeline` is where the schemas are that documents are to name. Losses, and what
    cannot be read or converted, are in `findings`. OSError where a file cannot be written.
    """
    out = Converted()
    rewritten: list[Rewritten] = []
    files = expand(paths, findings, exclude)
    if watch is not None:
        watch(findings, len(files))
    run = _Run(files, findings, VERSIONS[to], others, check=check, lossless=lossless, modeline=modeline)
    for number, (result, changes) in enumerate(run.all(jobs)):
        if findings.progress is not None:
            findings.progress.step("Converting", number + 1, len(files))
        if result is not None:
            rewritten.append(result)
        if changes:
            out.files.append(files[number])
            if write and result is not None and not result.waits and files[number] != STDIN:
                replace_file(files[number], result.data)
    if others is not None:
        others.finish(to, write=write, check=check)
    if not check and (not write or STDIN in out.files):
        out.text = _json(rewritten) if output == "json" else _yaml(rewritten)
    return out


@dataclass(eq=False, slots=True)
class _Run:
    """The files of a run; what becomes of each, and whether it is, was or would have to be changed."""

    files: list[str]
    findings: Findings
    to: str
    others: OtherFiles | None
    _: KW_ONLY
    check: bool
    lossless: bool
    modeline: str | None

    def all(self, jobs: int) -> Iterator[tuple[Rewritten | None, bool]]:
        """One after another, whichever process converts them. Raises WorkerDied where a process does not finish."""
        jobs = 1 if jobs == 1 or STDIN in self.files else processes(jobs, len(self.files))
        if jobs == 1:
            yield from map(self._one, self.files)
            return
        done: list[tuple[Rewritten | None, bool]] = []
        with Forks(self._apart, len(self.files), jobs) as forks:
            for number, file in enumerate(self.files):
                answer = forks.result(number)
                if answer is None:
                    done.append(self._one(file))
                    continue
                result, changes, found = answer
                self.findings.join(found)
                done.append((result, changes))
        # No file is written before all processes have done their work.
        yield from done

    def _apart(self, number: int) -> tuple[Rewritten | None, bool, Findings] | None:
        """What becomes of a file; None for one that waits for others: the caller takes it."""
        self.findings.restart()
        result, changes = self._one(self.files[number])
        return None if result is not None and result.waits else (result, changes, self.findings)

    def _one(self, file: str) -> tuple[Rewritten | None, bool]:
        findings = self.findings
        data = read_file(file, findings)
        if data is None or (file in findings.inputs.found and read_found(data, file, _quiet(findings)) is None):
            return None, False
        findings.inputs.files += 1
        taken = None if self.others is None else self.others.take(data, file)
        if taken is not None:
            taken.waits = True
            return taken, True
        if self.check:
            return None, _check(data, file, self.to, findings)
        from dynamoc.admission.convert.rewrite import rewrite

        errors = findings.errors
        result = rewrite(data, file, self.to, findings, lossless=self.lossless)
        findings.inputs.count(result.documents)
        is_new = bool(result.converted)
        if self.modeline is not None and findings.errors == errors:
            from dynamoc.admission.convert.round_trip import with_modelines

            result.data = with_modelines(result.data, self.modeline, os.path.dirname(file))
            is_new = result.data != data
        return result, is_new and findings.errors == errors


def _quiet(findings: Findings) -> Findings:
    """A collector of what is looked at; the findings of a file come from its conversion."""
    quiet = Findings()
    quiet.inputs = findings.inputs
    return quiet


def _check(data: bytes, file: str, to: str, findings: Findings) -> bool:
    """Whether a document would have to change; each that would is an error."""
    from dynamoc.admission.convert.rewrite import finding, needs_conversion, other_version, refuse_foreign

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
    documents = [value for file in files for value in file.documents]
    return dump_json(documents[0]) if len(documents) == 1 else dump_json(documents, as_list=True)


def _yaml(files: list[Rewritten]) -> str:
    """The texts of the files, one after another as documents of one stream."""
    out = ""
    for file in files:
        # What is not text has been reported, and is not printed.
        encoding = "utf-16" if file.data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
        text = file.data.decode(encoding, errors="replace")
        if not text:
            continue
        if out and not text.startswith("---"):
            out += "---\n"
        out += text if text.endswith("\n") or not text else text + "\n"
    return out
