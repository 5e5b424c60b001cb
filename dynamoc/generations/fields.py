"""The fields of the kinds of Dynamo 0.1 to 0.3, as nodes beside those of the next release, which shares most of them.

Source: config/crd/bases of both operators.
"""

from __future__ import annotations

from dynamoc.generations.kinds import COMPONENT, GRAPH, KINDS
from dynamoc.release.known_releases import ORDER
from dynamoc.schema.data import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Node = dict[str, Any]

#: an object that may hold anything
_FREE = {"type": "object", "keep": True}
_POD = (
    "affinity",
    "containers",
    "nodeSelector",
    "priorityClassName",
    "schedulerName",
    "serviceAccountName",
    "tolerations",
    "topologySpreadConstraints",
)
_SAME = (
    "annotations",
    "autoscaling",
    "dynamoNamespace",
    "envFromSecret",
    "envs",
    "extraPodMetadata",
    "ingress",
    "labels",
    "livenessProbe",
    "pvc",
    "readinessProbe",
    "replicas",
    "resources",
    "serviceName",
)
_TEXTS = ("bentoTag", "dockerConfigJsonSecretName", "downloadUrl", "dynamoComponent", "image", "serviceName", "tag")
_BUILD_FIELDS = {
    "DynamoNimRequest": ("bentoTag", "context", "models", "ociRegistryInsecure"),
    "DynamoNim": ("context", "imagePullSecrets", "models", "tag"),
    "DynamoComponent": ("dynamoComponent", "imagePullSecrets"),
    "DynamoComponentRequest": ("dynamoComponent", "ociRegistryInsecure"),
}
_BUILD = (
    "buildArgs",
    "dockerConfigJsonSecretName",
    "downloadUrl",
    "downloaderContainerEnvFrom",
    "imageBuildTimeout",
    "imageBuilderContainerResources",
    "imageBuilderExtraContainerEnv",
    "imageBuilderExtraPodMetadata",
    "imageBuilderExtraPodSpec",
)


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
