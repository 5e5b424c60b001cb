"""`dynamoc check --fix`: corrects what has one certain remedy, and finds out what is left."""

from __future__ import annotations

from dynamoc.cli.failure import UsageError
from dynamoc.cli.output import write_stdout
from dynamoc.emit.replace import replace_file
from dynamoc.fixes.plan import apply, attach
from dynamoc.source.confidential import Confidential
from dynamoc.source.files import STDIN, read_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamoc.cli.option_table import Values
    from dynamoc.diagnostics import Findings

    Look = Callable[[dict[str, bytes]], tuple[Findings, list[str], list[str]]]
    """From files as they were edited to the findings, the files of the input, and what to say of the run."""

_MARK = b"\xef\xbb\xbf"
#: as diff and git write it behind a last line that no line feed ends
_OPEN = "\n\\ No newline at end of file\n"
#: what one remedy uncovers, the next round corrects
_ROUNDS = 10


def fixed(values: Values, look: Look) -> tuple[Findings, list[str]]:
    """Corrects the files of the input, each whole or not at all; what is left, and what to say of it.

    With `--diff`, nothing is written. Raises UsageError where a file cannot be written.
    """
    texts: dict[str, bytes] = {}
    piped: dict[str, bytes] = {}
    before: dict[str, bytes] = {}
    number = 0
    for number_of_round in range(_ROUNDS + 1):
        findings, files, closing = look({**piped, **texts})
        # What gives its content once is kept for the next round.
        piped = piped or dict(findings.texts)
        names = {findings.inputs.stdin if file == STDIN else file for file in files}
        for name in names - before.keys():
            data = read_file(STDIN if name == findings.inputs.stdin else name, findings)
            before[name] = data if data is not None else b""
        done = _round(findings, names, before, texts) if number_of_round < _ROUNDS else 0
        number += done
        if not done:
            break
    changed = {name: data for name, data in texts.items() if data != before[name]}
    stdin = findings.inputs.stdin if STDIN in files else None
    if values["diff"]:
        write_stdout(*(_difference(name, before[name], changed[name]) for name in sorted(changed)))
    else:
        _write(changed, stdin)
        if stdin is not None and (text := _text(texts.get(stdin, before[stdin]))) is not None:
            write_stdout(text)
    return findings, [*closing, _summary(number, len(changed), would=values["diff"])]


def _round(findings: Findings, names: set[str], before: dict[str, bytes], texts: dict[str, bytes]) -> int:
    """Corrects what can be corrected at once; how many findings that is."""

    def text_of(name: str) -> str | None:
        return _text(texts.get(name, before[name]).removeprefix(_MARK))

    attach([each for each in findings.items if each.place is not None and each.place.file in names], text_of)
    done = 0
    for name in sorted(names):
        fixes = [each.fix for each in findings.items if each.fix is not None and each.fix.edits[0].file == name]
        text = text_of(name)
        if fixes and text is not None:
            text, number = apply(text, fixes)
            mark = _MARK if before[name].startswith(_MARK) else b""
            texts[name] = mark + text.encode()
            done += number
    return done


def _text(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _write(changed: dict[str, bytes], stdin: str | None) -> None:
    for name in sorted(changed):
        if name != stdin:
            try:
                replace_file(name, changed[name])
            except OSError as problem:
                raise UsageError(f"{name} cannot be written: {problem.strerror}.") from None


def _difference(name: str, old: bytes, new: bytes) -> str:
    from difflib import unified_diff

    one, other = (text.decode().splitlines(keepends=True) for text in (old, new))
    lines = [line if line.endswith("\n") else f"{line}{_OPEN}" for line in unified_diff(one, other, name, name)]
    before, after = Confidential(name, old.decode()), Confidential(name, new.decode())
    return "".join(before.redacted(after.redacted(line)) for line in lines)


def _summary(number: int, files: int, *, would: bool) -> str:
    if not number:
        return "nothing to fix"
    what = f"{number} finding{'s' * (number != 1)} in {files} file{'s' * (files != 1)}"
    return f"would fix {what}" if would else f"fixed {what}"
