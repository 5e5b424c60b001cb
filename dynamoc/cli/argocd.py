"""`dynamoc argocd`: the commands of a config management plugin of Argo CD.

The repo-server copies the repository into the sidecar and runs them in the folder of the Application, with no HOME and
60 seconds of time. Its UI shows what they print to stderr when they fail.
Source: argo-cd.readthedocs.io/en/stable/operator-manual/config-management-plugins; what argocd-cmp-server 3.2 does.
"""

from __future__ import annotations

import json
import os
import re

from dynamoc.cli.failure import DONE, ERRORS, UsageError
from dynamoc.cli.option_fields import command_values, fields, refuse_outside
from dynamoc.cli.option_table import MANY, SWITCH
from dynamoc.cli.output import write_stdout
from dynamoc.diagnostics import Findings
from dynamoc.kube.json_data import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from dynamoc.cli.option_table import Option, Values

    Tree = dict[str, Any]

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
        from dynamoc.source.files import expand

        found = next((file for file in expand([os.curdir], Findings()) if _holds_graph(file)), None)
        if found is not None:
            write_stdout(found + "\n")
    return DONE


def _holds_graph(file: str) -> bool:
    from dynamoc.limits import limit

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
    from dynamoc.cli.compiler_options import compiler_options, input_files
    from dynamoc.cli.conclusion import conclude
    from dynamoc.cli.findings import report
    from dynamoc.cli.render import judge_number
    from dynamoc.compiler import compile_paths
    from dynamoc.emit.json import dump_json

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
        from dynamoc.emit.sync_waves import with_sync_wave

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
    if not values["namespace"] and not values["default_namespace"]:
        values["default_namespace"] = environment.get("ARGOCD_APP_NAMESPACE") or None
    if "apiVersions" not in given:
        values["api_versions"] = [environment["KUBE_API_VERSIONS"]] if environment.get("KUBE_API_VERSIONS") else []
    if "kubeVersion" not in given:
        values["kube_version"] = _kube_version(environment.get("KUBE_VERSION", "")) or values["kube_version"]
    _refuse_outside(values, environment.get("ARGOCD_APP_SOURCE_PATH", ""))
    return values


def _kube_version(text: str) -> str | None:
    """`1.33` of `1.33.4+k3s1`; the nearest that dynamoc knows, as Applications do not choose their cluster."""
    from dynamoc.apiserver.kube_versions import NEWEST, OLDEST

    found = re.match(r"v?1\.(\d+)", text)
    return f"1.{min(max(int(found[1]), OLDEST), NEWEST)}" if found else None


def _refuse_outside(values: Values, folder: str) -> None:
    """ValueError for a path that leads out of the repository: others' files are beside it."""
    depth = 0 if folder in ("", os.curdir) else len(os.path.normpath(folder).split(os.sep))
    root = os.path.realpath(os.path.join(os.curdir, *[os.pardir] * depth))
    refuse_outside(values, root, _WHERE, "the repository")


COMMANDS = {"discover": discover, "generate": generate, "parameters": parameters}
