"""`dynamoc render`: inputs to objects, on stdout or in files."""

from __future__ import annotations

from dynamoc.cli.compiler_options import compiler_options, input_files
from dynamoc.cli.conclusion import conclude
from dynamoc.cli.failure import BUG, DONE, ERRORS, UsageError, report_bug
from dynamoc.cli.findings import report
from dynamoc.compiler import compile_each, compile_paths
from dynamoc.diagnostics import Findings
from dynamoc.diagnostics.finding import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.cli.option_table import Values
    from dynamoc.compiler import Options, Tree
    from dynamoc.emit.directory import Staged


def render(values: Values) -> int:
    """The exit code; objects have been written, and findings are on stderr."""
    directory, layout = values["output_dir"], values["layout"]
    if layout and not directory:
        raise UsageError("--layout needs --output-dir.")
    if values["explain"] and (values["output"] != "yaml" or layout == "per-input"):
        raise UsageError("--explain needs YAML output of all inputs together.")
    options = compiler_options(values)
    if not directory:
        return _to_stdout(values, options)
    from dynamoc.cli.file_names import refuse_feedback
    from dynamoc.emit.directory import Staged

    refuse_feedback(directory, values["paths"])
    staged = Staged(directory)
    staged.settle()
    return (_per_input if layout == "per-input" else _per_object)(values, options, staged)


def _to_stdout(values: Values, options: Options) -> int:
    findings = Findings()
    objects = _compile_together(values, options, findings)
    conclude(findings, values)
    _judge_number(len(objects), findings, values)
    report(findings, values)
    if findings.errors and not values["keep_going"]:
        return ERRORS
    text = _text(objects, values, as_list=True)
    if _is_too_long(len(text), values):
        return ERRORS
    from dynamoc.cli.output import write_stdout

    write_stdout(text)
    return ERRORS if findings.errors else DONE


def _per_object(values: Values, options: Options, staged: Staged) -> int:
    from dynamoc.cli.file_names import object_name

    findings = Findings()
    size = 0
    objects = _compile_together(values, options, findings)
    _judge_number(len(objects), findings, values)
    for item in objects:
        text = _text(item, values)
        size += len(text)
        if _is_too_long(size, values):
            return ERRORS
        staged.write(object_name(item, values["output"]), text)
    return _finish(values, findings, staged, DONE)


def _per_input(values: Values, options: Options, staged: Staged) -> int:
    from dynamoc.cli.file_names import distinct_input_names

    findings = Findings()
    paths = input_files(values, findings)
    names = distinct_input_names(paths, values["paths"], values["output"])
    # A file per input stands beside that input, which is still there to be applied.
    options.passthrough = options.passthrough and values["passthrough_per_input"]
    code, done, made = DONE, 0, 0
    while done < len(paths):
        try:
            for path, objects in compile_each(paths[done:], options, findings):
                done += 1
                if objects is not None:
                    made += len(objects)
                    staged.write(names[path], _text(objects, values))
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
    _judge_number(made, findings, values)
    return _finish(values, findings, staged, code)


def _judge_number(objects: int, findings: Findings, values: Values) -> None:
    """Adds an error where there is nothing to write, and that is not to be."""
    if values["fail_on_empty"] and not objects and not findings.errors:
        hint = "Check the paths, --exclude and --no-passthrough."
        findings.add(Finding("output/empty", "The output contains no object.", hint=hint))


def _is_too_long(size: int, values: Values) -> bool:
    """Whether the output is longer than it may be, which is said; nothing of it is written then."""
    from dynamoc.limits import hint, limit

    if size <= limit("output-bytes"):
        return False
    message = f"The output has more than {limit('output-bytes'):,} bytes, the limit `output-bytes`."
    findings = Findings()
    findings.add(Finding("output/too-large", message, hint=hint("output-bytes")))
    report(findings, values)
    return True


def _finish(values: Values, findings: Findings, staged: Staged, code: int) -> int:
    conclude(findings, values)
    if findings.errors:
        code = max(code, ERRORS)
    if code == DONE or values["keep_going"]:
        staged.commit()
        report(findings, values)
    else:
        report(findings, values, f"nothing was written: {staged.directory} is unchanged")
    return code


def _compile_together(values: Values, options: Options, findings: Findings) -> list[Tree]:
    """The objects of one cluster."""
    files = input_files(values, findings)
    if not values["explain"]:
        return compile_paths(files, options, findings)
    from dynamoc.explain.traced_compilation import explain_paths

    return explain_paths(files, options, findings).objects


def _text(objects: Tree | list[Tree], values: Values, *, as_list: bool = False) -> str:
    """The text of one object or of several; JSON knows both, and `as_list` the `List` that kubectl takes from stdin."""
    if values["output"] == "json":
        from dynamoc.emit.json import dump_json

        return dump_json(objects, as_list=as_list)
    if values["explain"]:
        from dynamoc.explain.annotated import annotated_yaml
        from dynamoc.explain.describe import Describer

        listed = objects if isinstance(objects, list) else [objects]
        return annotated_yaml(listed, Describer(compiler_options(values)))
    from dynamoc.emit.yaml import dump_yaml

    return dump_yaml(objects if isinstance(objects, list) else [objects])
