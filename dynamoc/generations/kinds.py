"""The kinds of Dynamo 0.1 to 0.3, and how their documents are told from those of later releases."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]

VERSION = "nvidia.com/v1alpha1"
#: what a document describes: services that belong together, one service, or an image
GRAPH, COMPONENT, IMAGE = "graph", "component", "image"


class EarlyKind:
    """One kind.

    name      as in `kind`
    releases  of Dynamo that have it, for people
    role      GRAPH, COMPONENT or IMAGE
    artifact  the field of `spec` that names the archive
    required  the fields of `spec` that its CustomResourceDefinition asks for
    """

    __slots__ = ("artifact", "name", "releases", "required", "role")

    def __init__(self, name: str, releases: str, role: str, artifact: str, *required: str) -> None:
        self.name = name
        self.releases = releases
        self.role = role
        self.artifact = artifact
        self.required = (artifact, *required)


_FIRST, _SECOND = "Dynamo 0.1", "Dynamo 0.2 and 0.3"
KINDS = {
    kind.name: kind
    for kind in (
        EarlyKind("DynamoDeployment", _FIRST, GRAPH, "dynamoNim"),
        EarlyKind("DynamoNimDeployment", _FIRST, COMPONENT, "dynamoNim", "dynamoTag"),
        EarlyKind("DynamoNimRequest", _FIRST, IMAGE, "bentoTag"),
        EarlyKind("DynamoNim", _FIRST, IMAGE, "tag", "image"),
        EarlyKind("DynamoGraphDeployment", _SECOND, GRAPH, "dynamoGraph"),
        EarlyKind("DynamoComponentDeployment", _SECOND, COMPONENT, "dynamoComponent", "dynamoTag"),
        EarlyKind("DynamoComponent", _SECOND, IMAGE, "dynamoComponent"),
        # Between two releases, from 2025-04-23 to 2025-04-29.
        EarlyKind("DynamoComponentRequest", "a commit before Dynamo 0.2", IMAGE, "dynamoComponent"),
    )
}
#: kinds that later releases have, too, with other fields
SHARED = ("DynamoGraphDeployment", "DynamoComponentDeployment")
#: what the documentation of 0.2 writes for a field, and what the field is called
ALIASES = {"DynamoGraphDeployment": ("dynamoComponent", "dynamoGraph")}


def early_kind(value: Any) -> EarlyKind | None:
    """The kind of a document of these generations, None for all others."""
    if not isinstance(value, dict) or str(value.get("apiVersion", "")).partition("/")[0] != "nvidia.com":
        return None
    kind = KINDS.get(str(value.get("kind", "")))
    if kind is None or (kind.name in SHARED and not _is_early(kind, value)):
        return None
    return kind


def _is_early(kind: EarlyKind, value: Tree) -> bool:
    """Whether a document of a kind that lived on names an archive, and nothing that came with 0.4.

    0.4 and 0.5 have the fields that name the archive and ignore them, `dynamoTag` among them, which names no archive.
    """
    spec = value.get("spec")
    if value.get("apiVersion") != VERSION or not isinstance(spec, dict):
        return False
    names = (kind.artifact, *ALIASES.get(kind.name, ()))
    if not any(spec.get(name) and isinstance(spec[name], str) for name in names) or spec.get("backendFramework"):
        return False
    services = spec.get("services") if kind.role == GRAPH else {"": spec}
    return not isinstance(services, dict) or not any(map(_is_later, services.values()))


def _is_later(component: Any) -> bool:
    if not isinstance(component, dict):
        return False
    pod = component.get("extraPodSpec")
    return "componentType" in component or (isinstance(pod, dict) and "mainContainer" in pod)


def artifact_of(kind: EarlyKind, value: Tree) -> str:
    """The archive that a document names, as `name:version`; component deployments of 0.1 write `--` for `:`."""
    spec = value.get("spec") or {}
    names = (kind.artifact, *ALIASES.get(kind.name, ()))
    found = next((spec[name] for name in names if isinstance(spec.get(name), str) and spec[name]), "")
    return str(found) if ":" in found else str(found).replace("--", ":", 1)
