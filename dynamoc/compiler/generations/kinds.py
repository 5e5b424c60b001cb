"""The kinds of Dynamo 0.1 to 0.3: how to recognize them, their fields, and what is wrong with a document of one.

Source: config/crd/bases of both operators.
"""

from __future__ import annotations

from typing import Any

from dynamoc.documents.findings.edits import Change
from dynamoc.documents.schema.problem import Problem
from dynamoc.documents.schema.schemas import load
from dynamoc.documents.schema.walk import Walk
from dynamoc.kube.merge import Tree
from dynamoc.reference.releases import ORDER
from dynamoc.reference.slugs import Severity

Node = dict[str, Any]

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


#: an object that may hold anything
_FREE = {"type": "object", "keep": True}
_POD = (
    "affinity", "containers", "nodeSelector", "priorityClassName", "schedulerName", "serviceAccountName",
    "tolerations", "topologySpreadConstraints",
)  # fmt: skip
_SAME = (
    "annotations", "autoscaling", "dynamoNamespace", "envFromSecret", "envs", "extraPodMetadata", "ingress",
    "labels", "livenessProbe", "pvc", "readinessProbe", "replicas", "resources", "serviceName",
)  # fmt: skip
_TEXTS = ("bentoTag", "dockerConfigJsonSecretName", "downloadUrl", "dynamoComponent", "image", "serviceName", "tag")
_BUILD_FIELDS = {
    "DynamoNimRequest": ("bentoTag", "context", "models", "ociRegistryInsecure"),
    "DynamoNim": ("context", "imagePullSecrets", "models", "tag"),
    "DynamoComponent": ("dynamoComponent", "imagePullSecrets"),
    "DynamoComponentRequest": ("dynamoComponent", "ociRegistryInsecure"),
}
_BUILD = (
    "buildArgs", "dockerConfigJsonSecretName", "downloadUrl", "downloaderContainerEnvFrom", "imageBuildTimeout",
    "imageBuilderContainerResources", "imageBuilderExtraContainerEnv", "imageBuilderExtraPodMetadata",
    "imageBuilderExtraPodSpec",
)  # fmt: skip


class Fields:
    """All nodes, and the index of each kind's."""

    __slots__ = ("kinds", "nodes")

    def __init__(self) -> None:
        later = load(ORDER[0])
        self.nodes: list[Node] = later["nodes"].all()
        self.kinds: dict[str, int] = {}
        root = self.nodes[later["kinds"]["nvidia.com/v1alpha1"]["DynamoComponentDeployment"]]
        props = self.nodes[root["props"]["spec"]]["props"]
        shared = {name: props[name] for name in _SAME}
        pod = self.nodes[props["extraPodSpec"]]["props"]
        shared["extraPodSpec"] = self._object({name: pod[name] for name in _POD})
        external = self._object({"deploymentSelectorKey": 0, "deploymentSelectorValue": 0})
        shared["externalServices"] = self._add({"type": "object", "extra": external})
        shared["runMode"] = self._add(dict(_FREE))
        for name, kind in KINDS.items():
            own = dict(shared)
            if name.startswith("DynamoNim") or name == "DynamoDeployment":
                own["monitorExporter"] = self._add(dict(_FREE))
            self.kinds[name] = self._kind(own, kind.name, kind.role, kind.required, props["envs"])

    def _kind(self, own: dict[str, int], name: str, role: str, required: tuple[str, ...], envs: int) -> int:
        if role == GRAPH:
            service = self._add({"type": "object", "props": own})
            services = self._add({"type": "object", "extra": service})
            spec = {**dict.fromkeys(required, 0), "services": services, "envs": envs}
        elif role == COMPONENT:
            spec = {**own, **dict.fromkeys(required, 0)}
        else:
            spec = self._image(name)
        node = self._add({"type": "object", "props": spec, "required": list(required)})
        return self._object({"apiVersion": 0, "kind": 0, "metadata": 1, "spec": node, "status": self._add(dict(_FREE))})

    def _image(self, name: str) -> dict[str, int]:
        """The fields of an image's kind; those that no one reads any more may hold anything."""
        builds = () if name == "DynamoNim" else _BUILD
        names = ("image", "serviceName", *_BUILD_FIELDS[name], *builds)
        return {field: 0 if field in _TEXTS else self._add({}) for field in names}

    def _object(self, props: dict[str, int]) -> int:
        return self._add({"type": "object", "props": props})

    def _add(self, node: Node) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1


_PAGE = "docs/how-to/coming-from-old-generations.md"


def refusal(value: Tree) -> list[Problem] | None:
    """Why a document of these generations is not rendered, and what else is wrong with it; None for all others."""
    kind = early_kind(value)
    if kind is None:
        return None
    spec = value.get("spec")
    if kind.role == GRAPH and isinstance(spec, dict) and isinstance(spec.get("components"), list):
        # The fields of a graph of today, under the kind of those days.
        message = f"{kind.releases} had the kind {kind.name}, without `components`."
        hint = "write `kind: DynamoGraphDeployment`"
        change = Change("write", "DynamoGraphDeployment", kind.name)
        return [Problem("schema/other-head", ("kind",), message, hint, change=change)]
    return [Problem("generation/early", ("kind",), _message(kind), _hint(kind)), *check_early(kind, value)[1]]


def check_early(kind: EarlyKind, value: Tree, *, unknown: Severity = "error") -> tuple[Tree, list[Problem]]:
    """The document without what its CustomResourceDefinition does not know, and what is wrong with it.

    A field that the documentation of 0.2 calls otherwise is taken for what it means, with a warning.
    """
    value, problems = _with_real_names(kind, value)
    if value.get("apiVersion") != VERSION:
        message = f"{kind.releases} has a {kind.name} in `{VERSION}` only."
        problems.append(Problem("schema/api-version", ("apiVersion",), message, f"write `apiVersion: {VERSION}`"))
    fields = Fields()
    walk = Walk(fields.nodes, unknown, typed=False)
    clean = walk.document({"spec": {}, **value}, fields.nodes[fields.kinds[kind.name]])
    for problem in walk.problems:
        if problem.slug == "schema/required":
            problem.hint = _meaning(kind, str(problem.path[-1]))
    return clean, problems + walk.problems


def _with_real_names(kind: EarlyKind, value: Tree) -> tuple[Tree, list[Problem]]:
    written, meant = ALIASES.get(kind.name, ("", ""))
    spec = value.get("spec")
    if not isinstance(spec, dict) or written not in spec or meant in spec:
        return value, []
    message = f"`{written}` is not a field of a {kind.name}: it is taken for `{meant}`."
    problem = Problem("generation/alias", ("spec", written), message, f"write `{meant}`")
    return {**value, "spec": {meant if key == written else key: item for key, item in spec.items()}}, [problem]


def _message(kind: EarlyKind) -> str:
    start = f"This {kind.name} is written for {kind.releases}, whose operator"
    if kind.role == IMAGE:
        return f"{start} built an image for it. No later operator builds images."
    what = "services, commands and images" if kind.role == GRAPH else "command and image"
    return f"{start} took {what} from an archive in a store. The document only names it: dynamoc cannot render it."


def _hint(kind: EarlyKind) -> str:
    command = "dynamoc convert --to v1beta1 PATH --image NAME=IMAGE"
    if kind.role == IMAGE:
        return f"remove it, or convert it with the graph that names it: `{command}`; see {_PAGE}"
    return f"`{command}` writes the graph that you would write today; see {_PAGE}"


def _meaning(kind: EarlyKind, field: str) -> str:
    if field == kind.artifact:
        return f"add `{field}: name:version`, which names the archive"
    return {"dynamoTag": "add `dynamoTag: module:Service`, which names the service in the archive"}.get(
        field, f"add `{field}`"
    )
