"""`dynamoc render`: inputs to objects, on stdout or in files."""

from __future__ import annotations

import os
from typing import Any

from dynamoc.analysis.requires.requirements import read_again, without_missing
from dynamoc.compiler.explain.annotated import Describer, annotated_yaml
from dynamoc.compiler.explain.traced_compilation import explain_paths
from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_each, compile_paths
from dynamoc.documents.emit.files import InTheWay, Tracked
from dynamoc.documents.emit.yaml import dump_json, dump_yaml
from dynamoc.documents.findings.finding import Finding, Findings
from dynamoc.interfaces.cli.command_line import settled
from dynamoc.interfaces.cli.compiler_options import compiler_options, input_files
from dynamoc.interfaces.cli.failure import (
    BUG,
    DONE,
    ERRORS,
    USAGE,
    UsageError,
    conclude,
    report,
    report_bug,
    write_stdout,
)
from dynamoc.interfaces.cli.options import Values
from dynamoc.interfaces.cli.tracking import (
    record_of,
    tell_changes,
    tell_faults,
    tell_in_the_way,
    tell_removed,
    tell_set_aside,
    values_of_index,
)
from dynamoc.kube.limits import hint, limit
from dynamoc.kube.merge import Tree
from dynamoc.kube.text import hex_digest

#: so many objects are written into one text
_PART = 100


def render(values: Values) -> int:
    """The exit code; objects have been written, and findings are on stderr."""
    index = None
    if values["from_index"]:
        values, index = values_of_index(values)
        values = settled("render", values)
    directory, layout = values["output_dir"], values["layout"]
    if layout and not directory:
        raise UsageError("--layout needs --output-dir.")
    if values["check"] and not directory:
        raise UsageError("--check needs --output-dir or --from-index.")
    if values["explain"] and layout == "per-input":
        raise UsageError("-o annotated needs all inputs together, without --layout per-input.")
    options = compiler_options(values)
    if not directory:
        return _to_stdout(values, options)

    refuse_feedback(directory, values["paths"])
    staged = Tracked(directory, before=index, part=str(options.shard or ""))
    if not values["check"]:
        staged.settle()
    return (_per_input if layout == "per-input" else _per_object)(values, options, staged)


def _to_stdout(values: Values, options: Options) -> int:
    findings = Findings()
    objects = _compile_files(input_files(values, findings), values, options, findings)
    conclude(findings, values)
    judge_number(len(objects), findings, values)
    report(findings, values)
    findings.documents.clear()
    if findings.errors and not values["keep_going"]:
        return ERRORS
    texts = _texts(objects, values)
    if _is_too_long(sum(map(len, texts)), values):
        return ERRORS

    write_stdout(*texts)
    return ERRORS if findings.errors else DONE


def _per_object(values: Values, options: Options, staged: Tracked) -> int:
    findings = Findings()
    size = 0
    files = input_files(values, findings)
    objects = _compile_files(files, values, options, findings)
    judge_number(len(objects), findings, values)
    for item in objects:
        text = _text(item, values)
        size += len(text)
        if _is_too_long(size, values):
            return ERRORS
        staged.write(object_name(item, values["output"]), text)
    staged.record = record_of(values, options, findings, files)
    return _finish(values, findings, staged, DONE)


def _per_input(values: Values, options: Options, staged: Tracked) -> int:
    findings = Findings()
    paths = input_files(values, findings)
    names = distinct_input_names(paths, values["paths"], values["output"])
    # Each file is a separate cluster here, and no other part of the run needs it.
    shard, options.shard = options.shard, None
    paths = [path for path in paths if shard is None or shard.has(os.path.normpath(path))]
    # A file per input is beside that input, which is still there to be applied.
    options.passthrough = options.passthrough and values["passthrough_per_input"]
    code, done, made, stopped = DONE, 0, 0, False

    def printed(objects: list[Tree]) -> tuple[int, str, list[Tree]]:
        # A process hands objects over only where someone asks for them.
        return len(objects), _text(objects, values), objects if options.strict_context else []

    while done < len(paths) and not stopped:
        try:
            for path, answer in compile_each(paths[done:], options, findings, printed):
                done += 1
                count, text, objects = answer or (0, "", [])
                if not _refers_to_missing(objects, path, options, findings) and answer is not None:
                    made += count
                    staged.write(names[path], text)
                    continue
                staged.remove(names[path])
                # The end of the loop closes the generator, which then reports what all files have in common.
                stopped = not values["keep_going"]
                if stopped:
                    break
        except Exception as error:
            # A bug that one input brings out must not cost the results of the others.
            if not values["keep_going"]:
                raise
            report_bug(error, paths[done])
            staged.remove(names[paths[done]])
            code, done = BUG, done + 1
    if not stopped:
        judge_number(made, findings, values)
        staged.record = record_of(values, options, findings, paths)
    return _finish(values, findings, staged, code)


def judge_number(objects: int, findings: Findings, values: Values) -> None:
    """Adds an error where there is nothing to write, and that is not to be."""
    if values["fail_on_empty"] and not objects and not findings.errors:
        hint = "Check the paths, --exclude and --omit inputs."
        findings.add(Finding("output/empty", "The output contains no object.", hint=hint))


def _is_too_long(size: int, values: Values) -> bool:
    """Whether the output is longer than it may be, which is said; nothing of it is written then."""
    if size <= limit("output-bytes"):
        return False
    message = f"The output has more than {limit('output-bytes'):,} bytes, the limit `output-bytes`."
    findings = Findings()
    findings.add(Finding("output/too-large", message, hint=hint("output-bytes")))
    report(findings, values)
    return True


def _finish(values: Values, findings: Findings, staged: Tracked, code: int) -> int:
    conclude(findings, values)
    if staged.set_aside:
        tell_set_aside(staged, findings)
    if findings.errors:
        code = max(code, ERRORS)
    if staged.before is not None and staged.record:
        tell_changes(staged.before, staged.record, staged.directory, findings)
    if code != DONE and not values["keep_going"]:
        report(findings, values, f"nothing was written: {staged.directory} is unchanged")
        return code
    return max(code, (_check if values["check"] else _commit)(values, findings, staged))


def _check(values: Values, findings: Findings, staged: Tracked) -> int:
    """Whether the directory is what it should be, which is said."""
    faults = staged.drift()
    tell_faults(faults, staged.directory, findings)
    report(findings, values)
    return ERRORS if faults else DONE


def _commit(values: Values, findings: Findings, staged: Tracked) -> int:
    try:
        staged.commit()
    except InTheWay as error:
        tell_in_the_way(error.faults, staged.directory, findings)
        report(findings, values, f"nothing was written: {staged.directory} is unchanged")
        return USAGE
    tell_removed(staged, findings)
    report(findings, values)
    return DONE


def _compile_files(files: list[str], values: Values, options: Options, findings: Findings) -> list[Tree]:
    if values["explain"]:
        objects = explain_paths(files, options, findings).objects
    else:
        objects = compile_paths(files, options, findings)
    return _without_missing(objects, files, options, findings)


def _refers_to_missing(objects: list[Tree], path: str, options: Options, findings: Findings) -> bool:
    """Whether an input is refused because objects that it refers to are missing."""
    errors = findings.errors
    _without_missing(objects, [path], options, findings)
    return findings.errors > errors


def _without_missing(objects: list[Tree], files: list[str], options: Options, findings: Findings) -> list[Tree]:
    """The objects whose references lead somewhere, where that is asked for."""
    if not options.strict_context:
        return objects

    return without_missing(objects, read_again(files, findings), options, findings)


def _texts(objects: list[Tree], values: Values) -> list[str]:
    """The whole output; the objects are used up. YAML comes in parts, so that both are never in memory as a whole."""
    if values["output"] == "json" or values["explain"]:
        return [_text(objects, values, as_list=True)]
    texts: list[str] = []
    while objects:
        texts.append(("---\n" if texts else "") + _text(objects[:_PART], values))
        del objects[:_PART]
    return texts


def _text(objects: Tree | list[Tree], values: Values, *, as_list: bool = False) -> str:
    """The text of one object or of several; JSON knows both, and `as_list` the `List` that kubectl takes from stdin."""
    if values["output"] == "json":
        return dump_json(objects, as_list=as_list)
    if values["explain"]:
        listed = objects if isinstance(objects, list) else [objects]
        return annotated_yaml(listed, Describer(compiler_options(values)))
    return dump_yaml(objects if isinstance(objects, list) else [objects])


_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789.-")
#: bytes of a name on the file systems of Linux and macOS
_LONGEST = 255


def input_name(path: str, roots: list[str], extension: str) -> str:
    """The output file of one input: its own name, below the folders that it lies in under a directory of `roots`.

    `a/b.yaml` is `b.json` where the file itself or `a/` was given, and `a/b.json` where `.` was. Stdin is `stdin.json`.
    """
    if path == "-":
        return f"stdin.{extension}"
    path = os.path.normpath(path)
    relative = os.path.basename(path)
    given = [os.path.normpath(root) for root in roots]
    if path not in given:
        # With `a` and `a/b` both given, the nearer one names the file.
        for root in sorted(given, key=len, reverse=True):
            below = os.path.relpath(path, root)
            if not below.startswith(os.pardir):
                relative = below
                break
    folder, base = os.path.split(os.path.splitext(relative)[0])
    return os.path.join(folder, _fitting(base, extension))


def distinct_input_names(paths: list[str], roots: list[str], extension: str) -> dict[str, str]:
    """`input_name` of each path. Raises UsageError where two inputs would share a file, also by letter case alone."""
    names: dict[str, str] = {}
    taken: dict[str, str] = {}
    for path in paths:
        names[path] = input_name(path, roots, extension)
        other = taken.setdefault(names[path].casefold(), path)
        if other != path:
            raise UsageError(
                f"{other} and {path} would both be written to {names[path]}. Rename one, or render them separately."
            )
    return names


def object_name(item: dict[str, Any], extension: str) -> str:
    """`NAMESPACE_KIND.GROUP_NAME`, which identifies an object; no Kubernetes name has an underscore."""
    metadata = item["metadata"]
    group = item["apiVersion"].rpartition("/")[0]
    kind = item["kind"].lower() + (f".{group}" if group else "")
    parts = [metadata.get("namespace"), kind, metadata["name"]]
    return _fitting("_".join(_portable(part) for part in parts if part), extension)


def _fitting(name: str, extension: str) -> str:
    """The name with its extension; where it is too long for a file system, 16 digits of its digest replace the end."""
    if len(os.fsencode(name)) + len(extension) + 1 <= _LONGEST:
        return f"{name}.{extension}"

    digest = hex_digest(os.fsencode(name))[:16]
    kept = os.fsencode(name)[: _LONGEST - len(digest) - len(extension) - 2].decode(errors="ignore")
    return f"{kept}-{digest}.{extension}"


def _portable(text: str) -> str:
    """Roles may be called `system:x`, which some file systems refuse."""
    return "".join(char if char in _PLAIN else f"%{ord(char):02X}" for char in text)


def refuse_feedback(directory: str, roots: list[str]) -> None:
    """UsageError where the next run would take this run's output for its input."""
    inside = os.path.realpath(directory)
    if os.path.lexists(directory) and not os.path.isdir(directory):
        raise UsageError(f"--output-dir {directory} is a file.")
    for root in roots:
        if root != "-" and os.path.isdir(root) and (inside + os.sep).startswith(os.path.realpath(root) + os.sep):
            raise UsageError(
                f"--output-dir {directory} is inside the input directory {root}: the next run would read its own "
                "output. Choose a directory outside it."
            )
