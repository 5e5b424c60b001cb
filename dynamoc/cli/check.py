"""`dynamoc check`: the findings of `validate`, and those of the rules that no schema knows."""

from __future__ import annotations

from dynamoc.check.comments import apply_comments
from dynamoc.check.run import Checks
from dynamoc.check.selection import is_known, may_be_ignored, selected, split_reason
from dynamoc.cli.compiler_options import compiler_options, input_files
from dynamoc.cli.conclusion import conclude
from dynamoc.cli.failure import DONE, ERRORS, UsageError
from dynamoc.cli.findings import formatted, report, visible, without_secrets
from dynamoc.compiler import compile_paths
from dynamoc.diagnostics import Findings
from dynamoc.diagnostics.arrange import SEVERITIES
from dynamoc.diagnostics.excerpt import Excerpts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamoc.cli.option_table import Values
    from dynamoc.options import Options

    Run = Callable[[list[str], Options, Findings, Checks], object]


def check(values: Values) -> int:
    _refuse_combinations(values)
    if values["fix"]:
        from dynamoc.cli.fixing import fixed

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
    """UsageError for a name to select or ignore that is none of a finding."""
    for flag in ("select", "ignore"):
        for name in values[flag]:
            if not is_known(split_reason(name)[0]):
                raise UsageError(f"--{flag} {name} is not the name of a finding; `dynamoc finding` lists them.")


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
    from dynamoc.check.schemas import BadSchema, Schemas

    try:
        run(files, options, findings, Checks(Schemas(values["schema"]), sizes))
    except BadSchema as problem:
        raise UsageError(f"--schema: {problem}.") from None


def _sizes(values: Values) -> dict[str, float]:
    if not values["model_size"]:
        return {}
    from dynamoc.check.models import parsed_sizes

    try:
        return parsed_sizes(values["model_size"])
    except ValueError as problem:
        raise UsageError(f"--model-size {problem}: write a number of billions, such as 70B, or Worker=70B.") from None


def _by_baseline(findings: Findings, values: Values, excerpts: Excerpts) -> list[str]:
    """Leaves out what the baseline knows, or writes it; what to say of that."""
    path = values["baseline"]
    if not path:
        return []
    from dynamoc.check.baseline import BadBaseline, baseline_text, read_baseline, unknown

    if values["update_baseline"]:
        from dynamoc.emit.replace import write_file

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
    from dynamoc.fixes.remedies import change_of

    if not any(map(change_of, findings.items)):
        return []
    from dynamoc.fixes.plan import attach

    attach(findings.items, without_secrets(findings)[0])
    number = sum(each.fix is not None for each in findings.items)
    what = "1 finding has" if number == 1 else f"{number} findings have"
    return [f"{what} one certain remedy: --fix applies it"] if number else []


def _print(findings: Findings, values: Values) -> None:
    from dynamoc.cli.output import write_stdout

    if values["findings"] != "text":
        report(findings, values, looked_at=True)
    write_stdout(formatted(findings, values["output"]))
