"""`dynamoc schema`: the resources as JSON Schema, for editors, kubeconform and whatever else reads that."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import typer

from dynamoc.cli.completion import kinds, releases
from dynamoc.cli.failure import UsageError
from dynamoc.cli.output import write_stdout
from dynamoc.emit.directory import Staged

Schema = dict[str, Any]


def schema(
    kind: Annotated[
        str | None, typer.Argument(metavar="[KIND]", help="Without it, list the kinds.", autocompletion=kinds)
    ] = None,
    operator_version: Annotated[
        str, typer.Option(metavar="VERSION", help="Release of the Dynamo operator.", autocompletion=releases)
    ] = "latest",
    api_version: Annotated[
        str | None, typer.Option(metavar="VERSION", help="v1alpha1 or v1beta1 (default: the newest).")
    ] = None,
    format: Annotated[
        Literal["jsonschema", "kustomize"],
        typer.Option(
            help="jsonschema: for editors and validators. kustomize: the files for `openapi` and `configurations` of a "
            "kustomization, which need --output-dir."
        ),
    ] = "jsonschema",
    output_dir: Annotated[
        str | None,
        typer.Option(
            metavar="DIR", help="Write every kind and version into DIR, with the file names that kubeconform looks for."
        ),
    ] = None,
) -> None:
    """Print the JSON Schema of a kind."""
    if format == "kustomize":
        _write_kustomize(operator_version, kind, output_dir)
        return
    schemas = json_schemas(operator_version)
    if output_dir:
        staged = Staged(output_dir)
        for (name, version), found in schemas.items():
            staged.write(f"{name.lower()}_{version}.json", _text(found))
        staged.commit()
    elif kind is None:
        write_stdout("".join(f"{name} {version}\n" for name, version in schemas))
    else:
        write_stdout(_text(_choose(schemas, kind, api_version)))


def _write_kustomize(operator_version: str, kind: str | None, output_dir: str | None) -> None:
    from dynamoc.emit.yaml import dump_yaml
    from dynamoc.schema.kustomize import configurations, openapi

    if output_dir is None or kind is not None:
        raise UsageError("--format kustomize writes two files for all kinds: give --output-dir DIR, and no KIND.")
    release = _release(operator_version)
    staged = Staged(output_dir)
    staged.write("openapi.json", _text(openapi(release)))
    staged.write("configurations.yaml", dump_yaml([configurations(release)]))
    staged.commit()


def _release(operator_version: str) -> str:
    from dynamoc.release import RELEASES, get_release

    try:
        return get_release(operator_version).name
    except KeyError:
        raise UsageError(
            f"--operator-version {operator_version} is not known; known releases: {', '.join(RELEASES)}."
        ) from None


def json_schemas(operator_version: str) -> dict[tuple[str, str], Schema]:
    """By kind and API version, the older version first. Raises UsageError for an unknown release."""
    from dynamoc.schema.crds import configuration_schema, definitions

    release = _release(operator_version)
    found: dict[tuple[str, str], Schema] = {}
    for crd in definitions(release):
        group, kind = crd["spec"]["group"], crd["spec"]["names"]["kind"]
        for version in crd["spec"]["versions"]:
            structural = version["schema"]["openAPIV3Schema"]
            found[kind, version["name"]] = _document(structural, kind, f"{group}/{version['name']}")
    configuration = configuration_schema(release)
    if configuration is not None:
        found["OperatorConfiguration", "v1alpha1"] = configuration
    return found


def _choose(schemas: dict[tuple[str, str], Schema], kind: str, api_version: str | None) -> Schema:
    matches = {key: found for key, found in schemas.items() if key[0].lower() == kind.lower()}
    if not matches:
        raise UsageError(f"This release has no kind {kind}; `dynamoc schema` lists the kinds.")
    version = (api_version or list(matches)[-1][1]).rpartition("/")[2]
    for key, found in matches.items():
        if key[1] == version:
            return found
    raise UsageError(f"{kind} is not served as {version}; served versions: {', '.join(key[1] for key in matches)}.")


def _document(structural: Schema, kind: str, api_version: str) -> Schema:
    document = to_json_schema(structural)
    document["properties"] |= {"apiVersion": {"const": api_version}, "kind": {"const": kind}}
    document["properties"]["metadata"] = {"type": "object"}
    document["required"] = ["apiVersion", "kind", "metadata"]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": kind, **document}


def to_json_schema(structural: Schema) -> Schema:
    """What a structural schema of Kubernetes means beyond its keywords, said in JSON Schema.

    Objects with listed properties take no others, unless they keep unknown fields. CEL rules have no counterpart.
    """
    keeps = structural.get("x-kubernetes-preserve-unknown-fields") or structural.get("x-kubernetes-embedded-resource")
    result = {key: value for key, value in structural.items() if not key.startswith("x-kubernetes-")}
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


def _text(schema: Schema) -> str:
    return json.dumps(schema, indent=2) + "\n"
