"""`dynamoc schema`: the resources as JSON Schema, for editors, kubeconform and whatever else reads that."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from dynamoc import reference
from dynamoc.admission.convert.round_trip import NoModeline, modeline
from dynamoc.documents.emit.directory import Staged
from dynamoc.documents.emit.yaml import dump_yaml
from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.schema.schemas import (
    configuration_schema,
    definitions,
    described,
    description,
    output_definitions,
    served,
)
from dynamoc.documents.source.files import read_paths
from dynamoc.interfaces.cli.failure import UsageError, report, write_stdout
from dynamoc.interfaces.cli.help import kinds, releases
from dynamoc.interfaces.cli.options import LATEST
from dynamoc.interfaces.cli.tracking import tell_set_aside
from dynamoc.interfaces.kustomize import configurations, openapi
from dynamoc.reference.releases import DEFAULT_RELEASE, RELEASES, get_release

Schema = dict[str, Any]
#: which items of a list are the same one, for tools that merge or compare
_KEPT = ("x-kubernetes-list-type", "x-kubernetes-list-map-keys")
#: a schema of each report that dynamoc prints for programs; new keys may come to a report without notice
REPORTS = Path(reference.__file__).parent / "reports"


def schema(
    kind: Annotated[
        str | None,
        typer.Argument(
            metavar="[KIND]",
            help="Without it, list the kinds. With --modeline, also a file.",
            autocompletion=kinds,
        ),
    ] = None,
    operator_version: Annotated[
        str,
        typer.Option(
            metavar="VERSION",
            help="Release of the Dynamo operator.",
            autocompletion=releases,
            show_default=DEFAULT_RELEASE,
        ),
    ] = LATEST,
    api_version: Annotated[
        str | None, typer.Option(metavar="VERSION", help="v1alpha1 or v1beta1 (default: the newest).")
    ] = None,
    format: Annotated[
        Literal["jsonschema", "crd", "kustomize"],
        typer.Option(
            "-o",
            "--output",
            help="jsonschema, crd, or kustomize: files for `openapi` and `configurations`, in --output-dir.",
            metavar="FORMAT",
        ),
    ] = "jsonschema",
    draft: Annotated[
        Literal["2020-12", "7"], typer.Option(help="Version of JSON Schema.", metavar="DRAFT")
    ] = "2020-12",
    report: Annotated[
        Literal["baseline", "diff", "explain", "findings", "requires", "rules", "settings", "upgrade"] | None,
        typer.Option(help="The schema of a report in JSON, or of dynamoc.yaml (settings)."),
    ] = None,
    modeline: Annotated[
        str | None,
        typer.Option(
            metavar="DIR|URL",
            help="Print the comment that names the schema of KIND, or of a file's first graph, in DIR or at URL.",
        ),
    ] = None,
    output_dir: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Write all kinds into DIR, with the names that kubeconform expects."),
    ] = None,
) -> None:
    if modeline is not None:
        if report is not None or output_dir is not None or kind is None:
            raise UsageError("--modeline needs a KIND or a file, and neither --output-dir nor --report.")
        _print_modeline(kind, api_version, modeline, operator_version)
        return
    if report is not None:
        _print_report(report, kind, output_dir, draft)
        return
    if format == "kustomize":
        _write_kustomize(operator_version, kind, output_dir)
        return
    if format == "crd":
        _print_crds(operator_version, kind, output_dir)
        return
    schemas = {key: _in_draft(found, draft) for key, found in json_schemas(operator_version).items()}
    if output_dir:
        staged = Staged(output_dir)
        for (name, version), found in schemas.items():
            staged.write(f"{name.lower()}_{version}.json", _text(found))
        _commit(staged)
    elif kind is None:
        write_stdout("".join(f"{name} {version}\n" for name, version in schemas))
    else:
        write_stdout(_text(_choose(schemas, kind, api_version)))


def _print_modeline(kind: str, api_version: str | None, place: str, operator_version: str) -> None:
    folder = ""
    if os.path.isfile(kind):
        folder = os.path.dirname(kind)
        kind, api_version = _first_kind(kind, _release(operator_version))
    found = _choose(json_schemas(operator_version), kind, api_version)
    version = found["properties"].get("apiVersion", {}).get("const", "v1alpha1")
    try:
        write_stdout(modeline(found["title"], version, place, folder) + "\n")
    except NoModeline as problem:
        raise UsageError(f"--modeline: {problem}") from None


def _first_kind(file: str, release: str) -> tuple[str, str]:
    """Kind and version of the first document that the release has a schema of."""
    for document in read_paths([file], Findings()):
        value = document.value
        if value["apiVersion"] in served(release, value["kind"]):
            return value["kind"], value["apiVersion"]
    raise UsageError(f"{file} has no document of a kind that release {release} knows.")


def _print_report(report: str, kind: str | None, output_dir: str | None, draft: str) -> None:
    if kind is not None or output_dir is not None:
        raise UsageError("--report prints the schema of one report: give neither KIND nor --output-dir.")
    found = json.loads((REPORTS / f"{report}.json").read_text("utf-8"))
    if draft == "7" and "$defs" in found:
        found = json.loads(json.dumps(found).replace('"#/$defs/', '"#/definitions/'))
        found["definitions"] = found.pop("$defs")
    write_stdout(_text(_in_draft(found, draft)))


def _write_kustomize(operator_version: str, kind: str | None, output_dir: str | None) -> None:
    if output_dir is None or kind is not None:
        raise UsageError("--format kustomize writes two files for all kinds: give --output-dir DIR, and no KIND.")
    release = _release(operator_version)
    staged = Staged(output_dir)
    staged.write("openapi.json", _text(openapi(release)))
    staged.write("configurations.yaml", dump_yaml([configurations(release)]))
    _commit(staged)


def _print_crds(operator_version: str, kind: str | None, output_dir: str | None) -> None:
    """All of them in a directory, one of a kind, or the list of the kinds."""
    crds = _definitions(_release(operator_version))
    if output_dir:
        staged = Staged(output_dir)
        for crd in crds:
            staged.write(f"{crd['metadata']['name']}.yaml", dump_yaml([crd]))
        _commit(staged)
        return
    if kind is None:
        write_stdout("".join(f"{crd['spec']['names']['kind']} {crd['metadata']['name']}\n" for crd in crds))
        return
    found = [crd for crd in crds if crd["spec"]["names"]["kind"].lower() == kind.lower()]
    if not found:
        raise UsageError(f"This release has no kind {kind}; `dynamoc schema --format crd` lists the kinds.")
    write_stdout(dump_yaml(found))


def _commit(staged: Staged) -> None:
    """Writes the files; what had the name of the staging folder is a warning."""
    staged.commit()
    if staged.set_aside:
        findings = Findings()
        tell_set_aside(staged, findings)
        report(findings, {"findings": "text", "color": "auto"})


def _in_draft(schema: Schema, draft: str) -> Schema:
    """The schema for an older draft, which has all the keywords that are used."""
    return {**schema, "$schema": "http://json-schema.org/draft-07/schema#"} if draft == "7" else schema


def _choose(schemas: dict[tuple[str, str], Schema], kind: str, api_version: str | None) -> Schema:
    matches = {key: found for key, found in schemas.items() if key[0].lower() == kind.lower()}
    if not matches:
        raise UsageError(f"This release has no kind {kind}; `dynamoc schema` lists the kinds.")
    version = (api_version or list(matches)[-1][1]).rpartition("/")[2]
    for key, found in matches.items():
        if key[1] == version:
            return found
    raise UsageError(f"{kind} is not served as {version}; served versions: {', '.join(key[1] for key in matches)}.")


def _text(schema: Schema) -> str:
    return json.dumps(schema, indent=2) + "\n"


def _definitions(release: str) -> list[Schema]:
    """The CRDs of the operator and of the projects whose objects it creates, with a description for each field."""
    return [_with_versions(crd, described) for crd in (*definitions(release), *output_definitions(release))]


def _with_versions(crd: Schema, described: Callable[[Schema, str], Schema]) -> Schema:
    kind = crd["spec"]["names"]["kind"]
    versions = []
    for version in crd["spec"]["versions"]:
        structural = described(version["schema"]["openAPIV3Schema"], kind)
        versions.append({**version, "schema": {"openAPIV3Schema": structural}})
    return {**crd, "spec": {**crd["spec"], "versions": versions}}


def _release(operator_version: str) -> str:
    try:
        return get_release(operator_version).name
    except KeyError:
        known = ", ".join(RELEASES)
        raise UsageError(f"--operator-version {operator_version} is not known; known releases: {known}.") from None


def json_schemas(operator_version: str) -> dict[tuple[str, str], Schema]:
    """By kind and API version, the older version first. Raises UsageError for an unknown release."""
    release = _release(operator_version)
    found: dict[tuple[str, str], Schema] = {}
    for crd in _definitions(release):
        group, kind = crd["spec"]["group"], crd["spec"]["names"]["kind"]
        for version in crd["spec"]["versions"]:
            structural = version["schema"]["openAPIV3Schema"]
            found[kind, version["name"]] = _document(structural, kind, f"{group}/{version['name']}")
    configuration = configuration_schema(release)
    if configuration is not None:
        found["OperatorConfiguration", "v1alpha1"] = described(configuration, "OperatorConfiguration")
    return found


def _document(structural: Schema, kind: str, api_version: str) -> Schema:
    document = to_json_schema(structural)
    head = {"apiVersion": {"const": api_version}, "kind": {"const": kind}, "metadata": {"type": "object"}}
    for name, part in head.items():
        document["properties"][name] = {"description": description(kind, name), **part}
    document["required"] = ["apiVersion", "kind", "metadata"]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": kind, **document}


def to_json_schema(structural: Schema) -> Schema:
    """What a structural schema of Kubernetes means beyond its keywords, said in JSON Schema.

    Objects with listed properties take no others, unless they keep unknown fields. CEL rules have no counterpart.
    """
    keeps = structural.get("x-kubernetes-preserve-unknown-fields") or structural.get("x-kubernetes-embedded-resource")
    result = {key: value for key, value in structural.items() if not key.startswith("x-kubernetes-") or key in _KEPT}
    if structural.get("x-kubernetes-int-or-string"):
        result.pop("anyOf", None)
        result["type"] = ["integer", "string"]
    if structural.get("nullable"):
        del result["nullable"]
        result["type"] = [structural["type"], "null"]
    if "properties" in structural:
        result["properties"] = {name: to_json_schema(part) for name, part in structural["properties"].items()}
        if not keeps:
            result.setdefault("additionalProperties", False)
    if isinstance(structural.get("additionalProperties"), dict):
        result["additionalProperties"] = to_json_schema(structural["additionalProperties"])
    if "items" in structural:
        result["items"] = to_json_schema(structural["items"])
    return result
