"""`dynamoc render`: inputs to objects, on stdout or in files."""

from __future__ import annotations

from dynamoc.cli.failure import BUG, DONE, ERRORS, UsageError, report_bug
from dynamoc.cli.report import report
from dynamoc.cli.settings import compiler_options
from dynamoc.compiler import compile_each, compile_paths
from dynamoc.diagnostics import Findings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamoc.cli.options import Values
    from dynamoc.cli.output import Staged
    from dynamoc.compiler import Options, Tree


def render(values: Values) -> int:
    """The exit code; objects have been written, and findings are on stderr."""
    directory, layout = values["output_dir"], values["layout"]
    if layout and not directory:
        raise UsageError("--layout needs --output-dir.")
    options = compiler_options(values)
    if not directory:
        return _to_stdout(values, options)
    from dynamoc.cli.names import refuse_feedback
    from dynamoc.cli.output import Staged

    refuse_feedback(directory, values["paths"])
    staged = Staged(directory)
    return (_per_input if layout == "per-input" else _per_object)(values, options, staged)


def _to_stdout(values: Values, options: Options) -> int:
    findings = Findings()
    objects = compile_paths(values["paths"], options, findings)
    _note_nothing(objects, values, findings)
    report(findings, values)
    if findings.errors and not values["keep_going"]:
        return ERRORS
    from dynamoc.cli.output import write_stdout

    if values["output"] == "json":
        write_stdout(_json({"apiVersion": "v1", "items": objects, "kind": "List"}))
    else:
        write_stdout(_yaml(objects))
    return ERRORS if findings.errors else DONE


def _per_object(values: Values, options: Options, staged: Staged) -> int:
    from dynamoc.cli.names import object_name

    findings = Findings()
    objects = compile_paths(values["paths"], options, findings)
    _note_nothing(objects, values, findings)
    write, extension = _writer(values)
    for item in objects:
        staged.write(object_name(item, extension), write(item))
    return _finish(values, findings, staged, DONE)


def _per_input(values: Values, options: Options, staged: Staged) -> int:
    from dynamoc.cli.names import input_name
    from dynamoc.source.files import expand

    findings = Findings()
    paths = expand(values["paths"], findings)
    names = _distinct({path: input_name(path, values["paths"], values["output"]) for path in paths})
    write, _ = _writer(values)
    code, done = DONE, 0
    while done < len(paths):
        try:
            for path, objects in compile_each(paths[done:], options, findings):
                done += 1
                if objects is not None:
                    staged.write(names[path], write(objects))
                    continue
                staged.remove(names[path])
                if not values["keep_going"]:
                    return _finish(values, findings, staged, code)
        except Exception as error:
            # A bug that one input brings out must not cost the results of the others.
            if not values["keep_going"]:
                raise
            report_bug(error, paths[done])
            staged.remove(names[paths[done]])
            code, done = BUG, done + 1
    return _finish(values, findings, staged, code)


def _finish(values: Values, findings: Findings, staged: Staged, code: int) -> int:
    if findings.errors:
        code = max(code, ERRORS)
    if code == DONE or values["keep_going"]:
        staged.commit()
        report(findings, values)
    else:
        report(findings, values, f"nothing was written: {staged.directory} is as it was before")
    return code


def _distinct(names: dict[str, str]) -> dict[str, str]:
    """The same mapping. Raises UsageError where two inputs would share an output file, also by letter case alone."""
    taken: dict[str, str] = {}
    for path, name in names.items():
        other = taken.setdefault(name.casefold(), path)
        if other != path:
            raise UsageError(f"{other} and {path} would both be written to {name}. Rename one, or render them apart.")
    return names


def _note_nothing(objects: list[Tree], values: Values, findings: Findings) -> None:
    """An empty result never comes without a word."""
    if objects or findings.items:
        return
    from dynamoc.diagnostics.finding import WARNING, Finding

    message = f"Nothing to render in {', '.join(values['paths'])}."
    hint = "Give files with a DynamoGraphDeployment or a DynamoComponentDeployment."
    findings.add(Finding("input/nothing-to-render", WARNING, message, hint=hint))


def _writer(values: Values) -> tuple[Callable[[object], str], str]:
    return (_json, "json") if values["output"] == "json" else (_yaml, "yaml")


def _json(value: object) -> str:
    import json

    return json.dumps(value)


def _yaml(value: object) -> str:
    import yaml

    return yaml.dump(value)
