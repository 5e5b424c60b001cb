"""`dynamoc check`, also with --fix, and `validate`: `check --only rejected`."""

from __future__ import annotations

from collections.abc import Callable
from difflib import unified_diff

from dynamoc.analysis.check.engines import parsed_sizes
from dynamoc.analysis.check.others import BadSchema, Schemas
from dynamoc.analysis.check.run import Checks
from dynamoc.analysis.check.selection import (
    BadBaseline,
    apply_comments,
    baseline_text,
    is_known,
    may_be_ignored,
    read_baseline,
    selected,
    unknown,
)
from dynamoc.analysis.fixes import apply, attach, change_of
from dynamoc.analysis.requires.requirements import read_again, without_missing
from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_paths
from dynamoc.documents.emit.files import replace_file, write_file
from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.findings.text import SEVERITIES, Excerpts
from dynamoc.documents.source.files import STDIN, read_file
from dynamoc.documents.source.secrets import Confidential
from dynamoc.interfaces.cli.compiler_options import compiler_options, input_files
from dynamoc.interfaces.cli.failure import (
    DONE,
    ERRORS,
    UsageError,
    conclude,
    formatted,
    report,
    visible,
    without_secrets,
    write_stdout,
)
from dynamoc.interfaces.cli.options import Values
from dynamoc.interfaces.cli.settings import show_settings

Run = Callable[[list[str], Options, Findings, Checks], object]

Look = Callable[[dict[str, bytes]], tuple[Findings, list[str], list[str]]]
"""From files as they were edited to the findings, the files of the input, and what to say of the run."""


def check(values: Values) -> int:
    if values["settings"]:
        return show_settings(values)
    _refuse_combinations(values)
    if "rejected" in values["only"]:
        return validate(values)
    if values["fix"]:
        findings, closing = fixed(values, lambda texts: findings_of(values, texts))
    else:
        findings, _, closing = findings_of(values, {})
        closing += _fixable(findings) if values["output"] == "text" else []
    closing.append(findings.inputs.summary())
    if not visible(findings.items, values):
        closing.insert(0, "no findings")
    if values["output"] != "text":
        _print(findings, values)
    else:
        report(findings, values, "\n".join(closing), looked_at=True)
    worst = SEVERITIES.index(values["fail_on"])
    return ERRORS if any(SEVERITIES.index(each.severity) <= worst for each in findings.items) else DONE


def findings_of(
    values: Values, texts: dict[str, bytes], run: Run = compile_paths
) -> tuple[Findings, list[str], list[str]]:
    """The findings that count, the files of the input, and what to say of the others.

    `texts` are files as edited. `run` compiles as `compile_paths` does.
    """
    findings = Findings()
    findings.texts.update(texts)
    files = input_files(values, findings)
    _compile(files, values, findings, run)
    conclude(findings, values)
    text_of, hidden = without_secrets(findings)
    comments = apply_comments(findings, files, text_of)
    findings.items, ignored = selected(findings.items, values["select"], values["ignore"])
    left_out = _by_baseline(findings, values, Excerpts(text_of, hidden))
    return findings, files, [*comments, *ignored, *left_out]


def refuse_names(values: Values) -> None:
    """UsageError for a name of `--only` that is not a finding."""
    for name in values["only"]:
        if name != "rejected" and not is_known(name):
            raise UsageError(f"--only {name} is not a finding; `dynamoc explain --list findings` lists them.")


def _refuse_combinations(values: Values) -> None:
    refuse_names(values)
    if values["update_baseline"] and not values["baseline"]:
        raise UsageError("--update-baseline needs --baseline FILE.")
    if values["diff"] and not values["fix"]:
        raise UsageError("--diff needs --fix.")
    if values["fix"] and values["update_baseline"]:
        raise UsageError("--fix and --update-baseline cannot be combined: first correct, then write the baseline.")
    if values["fix"] and values["output"] != "text" and (values["diff"] or "-" in values["paths"]):
        raise UsageError("--fix prints the corrected text on stdout: use --findings instead of -o for the report.")


def _compile(files: list[str], values: Values, findings: Findings, run: Run) -> None:
    options, sizes = compiler_options(values), _sizes(values)
    if not values["schema"]:
        run(files, options, findings, Checks(None, sizes))
        return

    try:
        run(files, options, findings, Checks(Schemas(values["schema"]), sizes))
    except BadSchema as problem:
        raise UsageError(f"--schema: {problem}.") from None


def _sizes(values: Values) -> dict[str, float]:
    if not values["model_size"]:
        return {}

    try:
        return parsed_sizes(values["model_size"])
    except ValueError as problem:
        raise UsageError(f"--model-size {problem}: write a number of billions, such as 70B, or Worker=70B.") from None


def _by_baseline(findings: Findings, values: Values, excerpts: Excerpts) -> list[str]:
    """Leaves out what the baseline knows, or writes it; what to say of that."""
    path = values["baseline"]
    if not path:
        return []

    if values["update_baseline"]:
        known_from_now = [each for each in findings.items if may_be_ignored(each)]
        try:
            write_file(path, baseline_text(path, known_from_now, excerpts).encode())
        except OSError as problem:
            raise UsageError(f"--baseline {path}: {problem.strerror}.") from None
        number, findings.items = len(known_from_now), [each for each in findings.items if not may_be_ignored(each)]
        said = f"{path} now has {number} finding{'s' * (number != 1)}"
        refused = "; what the operator or the API server rejects cannot be in it" if findings.items else ""
        return [said + refused]
    try:
        known = read_baseline(path)
    except (OSError, BadBaseline) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else problem
        raise UsageError(f"--baseline {path}: {reason}.") from None
    before = len(findings.items)
    findings.items = unknown(path, findings.items, known, excerpts)
    number = before - len(findings.items)
    return [f"{number} finding{'s' * (number != 1)} of {path} left out"] if number else []


def _fixable(findings: Findings) -> list[str]:
    """How many findings `--fix` would correct, where it would any."""
    if not findings.items:
        return []

    if not any(map(change_of, findings.items)):
        return []

    attach(findings.items, without_secrets(findings)[0])
    number = sum(each.fix is not None for each in findings.items)
    what = "1 finding has" if number == 1 else f"{number} findings have"
    return [f"{what} one certain remedy: --fix applies it"] if number else []


def _print(findings: Findings, values: Values) -> None:
    if values["findings"] != "text":
        report(findings, values, looked_at=True)
    write_stdout(formatted(findings, values["output"]))


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
    one, other = (text.decode().splitlines(keepends=True) for text in (old, new))
    lines = [line if line.endswith("\n") else f"{line}{_OPEN}" for line in unified_diff(one, other, name, name)]
    before, after = Confidential(name, old.decode()), Confidential(name, new.decode())
    return "".join(before.redacted(after.redacted(line)) for line in lines)


def _summary(number: int, files: int, *, would: bool) -> str:
    if not number:
        return "nothing to fix"
    what = f"{number} finding{'s' * (number != 1)} in {files} file{'s' * (files != 1)}"
    return f"would fix {what}" if would else f"fixed {what}"


def validate(values: Values) -> int:
    findings = Findings()
    files, options = input_files(values, findings), compiler_options(values)
    objects = compile_paths(files, options, findings)
    if options.strict_context:
        without_missing(objects, read_again(files, findings), options, findings)
    conclude(findings, values)
    if values["output"] != "text":
        return _print_report(findings, values)
    summary = findings.inputs.summary()
    report(findings, values, summary if visible(findings.items, values) else f"no findings\n{summary}", looked_at=True)
    return ERRORS if findings.errors else DONE


def _print_report(findings: Findings, values: Values) -> int:
    """The report is the command's output; --findings with another format than text writes to stderr as well."""
    if values["findings"] != "text":
        report(findings, values, looked_at=True)
    write_stdout(formatted(findings, values["output"]))
    return ERRORS if findings.errors else DONE
