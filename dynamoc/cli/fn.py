"""`dynamoc fn`: a KRM function for kustomize and kpt, which generates, transforms or validates.

Kustomize shows users nothing but stderr, so findings are there, and in the results for other hosts.
"""

from __future__ import annotations

import os
import sys

from dynamoc.cli.compiler_options import compiler_options, input_files
from dynamoc.cli.conclusion import conclude
from dynamoc.cli.dispatch import use_limits
from dynamoc.cli.failure import DONE, ERRORS, UsageError
from dynamoc.cli.findings import report
from dynamoc.cli.option_fields import command_values, refuse_outside
from dynamoc.cli.render import judge_number
from dynamoc.compiler import compile_documents
from dynamoc.diagnostics import Findings
from dynamoc.emit.yaml import dump_yaml
from dynamoc.krm.items import documents_of
from dynamoc.krm.resource_list import API_VERSION, resource_list, restored
from dynamoc.krm.results import results_of
from dynamoc.source.files import read_inputs
from dynamoc.source.reader import read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.cli.option_table import Values
    from dynamoc.krm.resource_list import ResourceList
    from dynamoc.source.document import Document

    Tree = dict[str, Any]

RENDER = "Render"
VALIDATE = "Validate"
_WHERE = "the functionConfig"
#: A configuration that somebody proposes does not open what its links lead to.
_FIXED = ("load_restrictor",)


def fn() -> int:
    """Reads a ResourceList from stdin and writes one to stdout; the result is the exit code."""
    given = _read()
    try:
        validates = _kind(given.config) == VALIDATE
        values = _values(given.config or {})
        refuse_outside(values, os.curdir, _WHERE, "the folder of the kustomization or package")
    except ValueError as problem:
        raise UsageError(str(problem)) from None
    use_limits(values["limit"])
    findings = Findings()
    documents = _documents(given, values, findings)
    options = compiler_options(values)
    objects = compile_documents(documents, options, findings)
    conclude(findings, values)
    judge_number(len(objects), findings, values)
    report(findings, values)
    # A validator that hands its items back fails in kustomize, which marks and compares them.
    items = [] if validates or findings.errors else restored(objects, given.items)
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


def _kind(config: Tree | None) -> str:
    """What to do. Raises ValueError for a functionConfig of another kind."""
    kind = RENDER if config is None else config.get("kind")
    if config is not None and kind == "ConfigMap":
        kind = _mapping(config, "data").get("kind", RENDER)
    if kind not in (RENDER, VALIDATE):
        raise ValueError(f"The functionConfig has the kind {kind}; write {RENDER}, {VALIDATE} or ConfigMap.")
    return str(kind)


def _values(config: Tree) -> Values:
    """The values of a command line `dynamoc render` that does the same. Raises ValueError for what is wrong."""
    if config.get("kind") == "ConfigMap":
        data = _mapping(config, "data")
        given = {name: value for name, value in data.items() if name != "kind"}
        return command_values(given, _WHERE, as_text=True, without=_FIXED)
    unknown = sorted(set(config) - {"apiVersion", "kind", "metadata", "spec"})
    if unknown:
        raise ValueError(f"The functionConfig has no field {unknown[0]}; options are in `spec`.")
    return command_values(_mapping(config, "spec"), _WHERE, without=_FIXED)


def _mapping(config: Tree, name: str) -> Tree:
    found = config.get(name) or {}
    if not isinstance(found, dict):
        raise ValueError(f"The {name} of the functionConfig must be a mapping.")
    return found


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


def _write(given: ResourceList, items: list[Tree], results: list[Tree]) -> None:
    from dynamoc.cli.output import write_stdout

    written: Tree = {"apiVersion": API_VERSION, "kind": "ResourceList", "items": items}
    if given.config is not None:
        written["functionConfig"] = given.config
    if results:
        written["results"] = results
    write_stdout(dump_yaml([written]))
