"""`dynamoc fn`: a KRM function for kustomize and kpt, which generates, transforms or validates.

Kustomize shows users nothing but stderr, so findings are there, and in the results for other hosts.
"""

from __future__ import annotations

import sys

from dynamoc.cli.compiler_options import compiler_options, input_files
from dynamoc.cli.conclusion import conclude
from dynamoc.cli.failure import DONE, ERRORS, UsageError
from dynamoc.cli.findings import report
from dynamoc.cli.option_table import CHOICE, COMMANDS, MANY, SWITCH, TEXT, Option, defaults
from dynamoc.compiler import compile_documents
from dynamoc.diagnostics import Findings
from dynamoc.emit.yaml import dump_yaml
from dynamoc.krm import function_config
from dynamoc.krm.function_config import FILES, LIST, VALIDATE, Field, kind_of, values_of
from dynamoc.krm.items import documents_of
from dynamoc.krm.resource_list import API_VERSION, resource_list, with_internal, without_internal
from dynamoc.krm.results import results_of
from dynamoc.kube.identity import identity
from dynamoc.source.files import read_inputs
from dynamoc.source.reader import read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.cli.option_table import Values
    from dynamoc.krm.resource_list import ResourceList
    from dynamoc.source.document import Document

    Tree = dict[str, Any]

#: what is about files and streams, which a function has not
_NOT_FIELDS = ("color", "explain", "filenames", "findings", "keep_going", "layout", "output", "output_dir")
_KINDS = {TEXT: function_config.TEXT, CHOICE: function_config.CHOICE, SWITCH: function_config.SWITCH, MANY: LIST}


def fn() -> int:
    """Reads a ResourceList from stdin and writes one to stdout; the result is the exit code."""
    given = _read()
    try:
        validates = given.config is not None and kind_of(given.config) == VALIDATE
        values = _values(given)
    except ValueError as problem:
        raise UsageError(str(problem)) from None
    findings = Findings()
    documents = _documents(given, values, findings)
    options = compiler_options(values)
    objects = compile_documents(documents, options, findings)
    conclude(findings, values)
    report(findings, values)
    # A validator that hands its items back fails in kustomize, which marks and compares them.
    items = [] if validates or findings.errors else _with_internal(objects, given.items)
    _write(given, items, results_of(findings, documents))
    return ERRORS if findings.errors else DONE


def _read() -> ResourceList:
    from dynamoc.limits import limit

    findings = Findings()
    data = sys.stdin.buffer.read(limit("file-bytes") + 1)
    found = read_text(data, "-", findings, objects=False)
    if findings.errors:
        first = findings.items[0]
        raise UsageError(f"The ResourceList on stdin cannot be read: {first.place}: {first.message}")
    try:
        return resource_list(found[0].value if found else None)
    except ValueError as problem:
        raise UsageError(f"{problem} `dynamoc render -` reads other objects.") from None


def _values(given: ResourceList) -> Values:
    """The values of a command line `dynamoc render` that does the same."""
    options = [option for option in COMMANDS["render"] if option.name not in _NOT_FIELDS]
    fields = {_field_name(option): _field(option) for option in options}
    fields[FILES] = Field("paths", LIST)
    found = values_of(given.config or {}, fields)
    # A switch such as --no-passthrough turns off what is on.
    switched = {option.name: found[option.name] != option.default for option in options if _is_switched(option, found)}
    return {**defaults(COMMANDS["render"]), **found, **switched}


def _is_switched(option: Option, found: dict[str, Any]) -> bool:
    return option.kind == SWITCH and option.name in found


def _field_name(option: Option) -> str:
    """`--operator-version` as `operatorVersion`."""
    flag = next(flag for flag in option.flags if flag.startswith("--"))
    first, *others = flag.removeprefix("--").split("-")
    return first + "".join(word.capitalize() for word in others)


def _field(option: Option) -> Field:
    return Field(option.name, _KINDS.get(option.kind, function_config.PART), option.choices)


def _documents(given: ResourceList, values: Values, findings: Findings) -> list[Document]:
    if not given.items and not values["paths"]:
        raise UsageError(
            "There is nothing to render. A generator needs `spec.files` in its functionConfig; "
            "a transformer or validator gets the resources of its kustomization."
        )
    named = read_inputs(input_files(values, findings), findings) if values["paths"] else []
    documents = documents_of(given.items, findings)
    findings.inputs.count(document.value for document in documents)
    if not values["paths"]:
        values["paths"] = ["the ResourceList"]
    return [*named, *documents]


def _with_internal(objects: list[Tree], items: list[Tree]) -> list[Tree]:
    """The objects; those that pass through keep the annotations of the tools."""
    internal = {identity(item): without_internal(item)[1] for item in items}
    return [with_internal(item, internal.get(identity(item), {})) for item in objects]


def _write(given: ResourceList, items: list[Tree], results: list[Tree]) -> None:
    from dynamoc.cli.output import write_stdout

    written: Tree = {"apiVersion": API_VERSION, "kind": "ResourceList", "items": items}
    if given.config is not None:
        written["functionConfig"] = given.config
    if results:
        written["results"] = results
    write_stdout(dump_yaml([written]))
