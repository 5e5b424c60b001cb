"""Graphs of release 1.4 for tests: short YAML in, objects out, without the webhooks."""

from typing import Any

from dynamoc.admission.cluster.capabilities import capabilities
from dynamoc.admission.cluster.config import OperatorConfig
from dynamoc.admission.cluster.context import ClusterContext
from dynamoc.admission.convert.operator import to_v1beta1
from dynamoc.admission.operator import Operator
from dynamoc.kube.go_types import HUB, load, typed_object
from dynamoc.reference.releases import get_release
from dynamoc.rendering.lower.graphs import lower_document
from tests import quick_yaml

Tree = dict[str, Any]
RELEASE = get_release("1.4")
_ORIGIN = {"nvidia.com/dynamo-operator-origin-version": "1.4.0"}
DEVICE_CLASS = {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu.nvidia.com"}}


class Rendered:
    """The objects of a document, and what was told about it as (slug, path)."""

    def __init__(self, objects: list[Tree], told: list[tuple[str, Any]]) -> None:
        self.objects = objects
        self.told = told

    def of(self, kind: str) -> list[Tree]:
        return [item for item in self.objects if item["kind"] == kind]

    def one(self, kind: str) -> Tree:
        (item,) = self.of(kind)
        return item

    def cliques(self) -> dict[str, Tree]:
        (item,) = self.of("PodCliqueSet") or self.of("PodGangSet")
        return {clique["name"]: clique for clique in item["spec"]["template"]["cliques"]}


def config(**checkpoint: Any) -> OperatorConfig:
    """A bare configuration; keyword arguments are settings of `checkpoint`, and turn it on."""
    made = OperatorConfig()
    made.discovery.backend = "etcd"
    made.rbac.planner_cluster_role_name = made.rbac.epp_cluster_role_name = "role"
    made.mpi.ssh_secret_name = made.mpi.ssh_secret_namespace = "mpi"
    made.checkpoint.enabled = bool(checkpoint)
    for name, value in checkpoint.items():
        setattr(made.checkpoint, name, value)
    return made


def render(
    text: str,
    *known: Tree,
    target: str = "grove",
    settings: OperatorConfig | None = None,
    name: str = "llm",
    kind: str = "DynamoGraphDeployment",
    version: str = "v1beta1",
    **metadata: Any,
) -> Rendered:
    """Lowers a `spec` written in YAML. `known` are objects of the cluster."""
    settings = settings or config()
    cluster = ClusterContext([DEVICE_CLASS, *known], settings, RELEASE, target)
    told: list[tuple[str, Any]] = []
    operator = Operator(
        RELEASE,
        settings,
        cluster,
        capabilities(target, settings, RELEASE, cluster.groups),
        lambda *finding, **_: told.append((finding[1], finding[3])),
    )
    value = {
        "apiVersion": f"nvidia.com/{version}",
        "kind": kind,
        "metadata": {"name": name, "namespace": "default", "annotations": dict(_ORIGIN), **metadata},
        "spec": quick_yaml.load(text),
    }
    if version == "v1alpha1" and kind != "DynamoCheckpoint":
        value = to_v1beta1(value)
    objects = lower_document(typed_object(value, load("1.4", HUB)), operator, f"nvidia.com/{version}")
    return Rendered(objects, told)


def env(container: Tree) -> dict[str, Any]:
    """Environment by name; references as trees."""
    return {item["name"]: item.get("value", item.get("valueFrom")) for item in container.get("env", [])}
