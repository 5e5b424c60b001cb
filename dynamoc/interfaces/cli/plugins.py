"""`dynamoc plugin argocd`, `kustomize` and `helm`.

Argo CD copies the repository into the sidecar and runs the commands in the folder of the Application, with no HOME and
60 seconds of time; its UI shows stderr where they fail. Kustomize shows users nothing but stderr, so findings are
there, and in the results for other hosts. Helm 4.3 was seen to mark each object with the template that it comes from,
and to take the mark off again; no version tells post-renderers the namespace of the release.
Source: argo-cd.readthedocs.io/en/stable/operator-manual/config-management-plugins; what argocd-cmp-server 3.2 does.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping
from typing import Any

from dynamoc.compiler.run import compile_documents, compile_paths
from dynamoc.documents.apiserver.services import NEWEST, OLDEST
from dynamoc.documents.emit.order import with_sync_wave
from dynamoc.documents.emit.yaml import dump_json, dump_yaml
from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source.document import Document
from dynamoc.documents.source.files import expand, read_inputs
from dynamoc.documents.source.reader import read_text
from dynamoc.interfaces.cli.command_line import is_path, settled, use_limits
from dynamoc.interfaces.cli.compiler_options import compiler_options, input_files
from dynamoc.interfaces.cli.failure import DONE, ERRORS, UsageError, conclude, report, write_stdout
from dynamoc.interfaces.cli.options import COMMANDS as OPTIONS
from dynamoc.interfaces.cli.options import MANY, SWITCH, Option, Values, defaults
from dynamoc.interfaces.cli.render import judge_number
from dynamoc.interfaces.cli.setting_flags import command_values, fields, refuse_outside
from dynamoc.interfaces.krm import (
    API_VERSION,
    ResourceList,
    documents_of,
    resource_list,
    restored,
    results_of,
    without_internal,
)
from dynamoc.kube.limits import limit
from dynamoc.kube.merge import Tree
from dynamoc.kube.text import loads

_WHERE = "the parameters of the Application"
#: Folders of these are those of Kustomize and Helm, whose place discovery would take.
_OTHERS = ("Chart.yaml", "Kustomization", "kustomization.yaml", "kustomization.yml")
_GRAPH = re.compile(rb"""^["']?kind["']?:\s*["']?Dynamo\w+""", re.MULTILINE)
_JSON_GRAPH = re.compile(rb'"kind"\s*:\s*"Dynamo\w+"')
SYNC_WAVES = "syncWaves"
ALLOW_EMPTY = "allowEmpty"
_OWN = {
    SYNC_WAVES: "Apply what pods need first, then what runs pods, then autoscalers and routes.",
    ALLOW_EMPTY: "Accept an Application without any object. Argo CD then deletes what it applied before.",
}
#: what protects others from the authors of an Application
_FIXED = ("limit", "load_restrictor")


def discover() -> int:
    """Prints the first file with a kind of Dynamo; nothing in the folder of another tool, or where there is none.

    The exit code is 0 in any case: Argo CD takes another one for an error of the Application.
    """
    if not any(os.path.exists(name) for name in _OTHERS):
        found = next((file for file in expand([os.curdir], Findings()) if _holds_graph(file)), None)
        if found is not None:
            write_stdout(found + "\n")
    return DONE


def _holds_graph(file: str) -> bool:
    try:
        with open(file, "rb") as stream:
            data = stream.read(limit("file-bytes"))
    except OSError:
        return False
    return bool((_JSON_GRAPH if file.endswith(".json") else _GRAPH).search(data))


def parameters() -> int:
    """Prints the parameters that the UI offers, as JSON."""
    announced = [_announcement(name, option) for name, option in fields(without=_FIXED).items()]
    announced += [_announced(name, text, "boolean", "string", "false") for name, text in _OWN.items()]
    write_stdout(json.dumps(announced) + "\n")
    return DONE


def _announcement(name: str, option: Option) -> Tree:
    kind = "boolean" if option.kind == SWITCH else "string"
    collection = "array" if option.kind == MANY else "string"
    default = "false" if option.kind == SWITCH else str(option.default or "")
    return _announced(name, option.help, kind, collection, default)


def _announced(name: str, text: str, kind: str, collection: str, default: str) -> Tree:
    words = re.sub("([A-Z])", lambda found: f" {found[1].lower()}", name)
    value: Tree = {"array": []} if collection == "array" else {"string": default}
    head = {"name": name, "title": words.capitalize(), "tooltip": text}
    return {**head, "itemType": kind, "collectionType": collection, **value}


def generate(environment: Mapping[str, str] = os.environ) -> int:
    """Prints the objects of the folder as one List in JSON; the result is the exit code."""
    try:
        given = _parameters(environment.get("ARGOCD_APP_PARAMETERS") or "null")
        waves, empty = _flag(given, SYNC_WAVES), _flag(given, ALLOW_EMPTY)
        values = _values(given, environment)
    except ValueError as problem:
        raise UsageError(str(problem)) from None
    values["fail_on_empty"] = not empty
    findings = Findings()
    objects = compile_paths(input_files(values, findings), compiler_options(values), findings)
    conclude(findings, values)
    judge_number(len(objects), findings, values)
    if findings.errors:
        report(_errors_of(findings), values)
        return ERRORS
    report(findings, values)
    if waves:
        objects = [with_sync_wave(item) for item in objects]
    write_stdout(dump_json(objects, as_list=True))
    return DONE


def _errors_of(findings: Findings) -> Findings:
    """The errors alone: the UI shows one text, which ends where it is too long."""
    found = Findings()
    found.texts = findings.texts
    for item in findings.items:
        if item.severity == "error":
            found.add(item)
    return found


def _parameters(text: str) -> Tree:
    """Name to value. Argo CD writes `null` where a plugin has no parameters. Raises ValueError."""
    try:
        listed = loads(text)
    except ValueError as problem:
        raise ValueError(f"ARGOCD_APP_PARAMETERS is not JSON: {problem}.") from None
    if not isinstance(listed, list | None) or not all(isinstance(item, dict) for item in listed or ()):
        raise ValueError("ARGOCD_APP_PARAMETERS must be a list of parameters.")
    return {str(item.get("name")): _value(item) for item in listed or ()}


def _value(parameter: Tree) -> Any:
    for kind in ("array", "map", "string"):
        if parameter.get(kind) is not None:
            return parameter[kind]
    return ""


def _flag(given: Tree, name: str) -> bool:
    """Whether one of the plugin's own parameters is set, which is then removed. Raises ValueError."""
    value = given.pop(name, "false")
    if value not in ("true", "false", ""):
        raise ValueError(f"{name} of {_WHERE} must be true or false.")
    return bool(value == "true")


def _values(given: Tree, environment: Mapping[str, str]) -> Values:
    """The values of a command line that renders the Application. Raises ValueError."""
    # The UI sends what was emptied as an empty text.
    given = {name: value for name, value in given.items() if value not in ("", [])}
    values = command_values(given, _WHERE, as_text=True, without=_FIXED)
    values["paths"] = values["paths"] or [os.curdir]
    values["namespace"] = values["namespace"] or environment.get("ARGOCD_APP_NAMESPACE") or None
    _refuse_outside(values, environment.get("ARGOCD_APP_SOURCE_PATH", ""))
    values["cluster"] = [*_facts(values["cluster"], environment), *values["cluster"]]
    return settled("plugin argocd", values)


def _facts(given: list[str], environment: Mapping[str, str]) -> list[str]:
    """What Argo CD says of the cluster, unless the parameters say it."""
    words = [word for text in given for word in text.split(",") if not is_path(word)]
    versions = [word for word in words if word.startswith("kubernetes=")]
    found = [] if len(words) > len(versions) else environment.get("KUBE_API_VERSIONS", "").split(",")
    version = None if versions else _kube_version(environment.get("KUBE_VERSION", ""))
    return [*filter(None, found), *([f"kubernetes={version}"] if version else [])]


def _kube_version(text: str) -> str | None:
    """`1.33` of `1.33.4+k3s1`; the nearest that dynamoc knows, as Applications do not choose their cluster."""
    found = re.match(r"v?1\.(\d+)", text)
    return f"1.{min(max(int(found[1]), OLDEST), NEWEST)}" if found else None


def _refuse_outside(values: Values, folder: str) -> None:
    """ValueError for a path that leads out of the repository: others' files are beside it."""
    depth = 0 if folder in ("", os.curdir) else len(os.path.normpath(folder).split(os.sep))
    root = os.path.realpath(os.path.join(os.curdir, *[os.pardir] * depth))
    refuse_outside(values, root, _WHERE, "the repository")


COMMANDS = {"discover": discover, "generate": generate, "parameters": parameters}


RENDER = "Render"
VALIDATE = "Validate"
_FN_WHERE = "the functionConfig"
#: A configuration that somebody proposes does not open what its links lead to.
_FN_FIXED = ("load_restrictor",)


def fn() -> int:
    """Reads a ResourceList from stdin and writes one to stdout; the result is the exit code."""
    given = _read()
    try:
        validates = _kind(given.config) == VALIDATE
        values = _fn_values(given.config or {})
        refuse_outside(values, os.curdir, _FN_WHERE, "the folder of the kustomization or package")
    except ValueError as problem:
        raise UsageError(str(problem)) from None
    use_limits(values["limit"])
    values = settled("plugin kustomize", values)
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


def _fn_values(config: Tree) -> Values:
    """The values of a command line `dynamoc render` that does the same. Raises ValueError for what is wrong."""
    if config.get("kind") == "ConfigMap":
        data = _mapping(config, "data")
        given = {name: value for name, value in data.items() if name != "kind"}
        return command_values(given, _FN_WHERE, as_text=True, without=_FN_FIXED)
    unknown = sorted(set(config) - {"apiVersion", "kind", "metadata", "spec"})
    if unknown:
        raise ValueError(f"The functionConfig has no field {unknown[0]}; options are in `spec`.")
    return command_values(_mapping(config, "spec"), _FN_WHERE, without=_FN_FIXED)


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
    written: Tree = {"apiVersion": API_VERSION, "kind": "ResourceList", "items": items}
    if given.config is not None:
        written["functionConfig"] = given.config
    if results:
        written["results"] = results
    write_stdout(dump_yaml([written]))


_TEMPLATE = "postrenderer.helm.sh/postrender-filename"


def post_render(values: Values) -> int:
    """Objects from stdin to stdout; the result is the exit code. Helm shows stderr only where that is not 0."""
    values = {**defaults(OPTIONS["render"]), **values}
    findings = Findings()
    given = read_inputs(input_files(values, findings), findings)
    documents = [_unmarked(document) for document in given]
    objects = compile_documents(documents, compiler_options(values), findings)
    conclude(findings, values)
    judge_number(len(objects), findings, values)
    report(findings, values)
    if findings.errors:
        return ERRORS
    write_stdout(dump_yaml(restored(objects, [document.value for document in given])))
    return DONE


def _unmarked(document: Document) -> Document:
    value, marks = without_internal(document.value)
    template = marks.get(_TEMPLATE)
    source = document.source or (template if isinstance(template, str) else None)
    return Document(value, document.file, document.index, document.marks, source)
