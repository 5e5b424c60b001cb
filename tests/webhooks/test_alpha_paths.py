import pytest

from dynamoc.admission.convert.operator import to_v1beta1
from dynamoc.admission.webhooks.review import in_alpha
from dynamoc.documents.findings.finding import Path
from tests.webhooks.reviewing import graph, other

SERVICE = {
    "componentType": "worker",
    "sharedMemory": {"size": "1Gi"},
    "extraPodMetadata": {"annotations": {"a": "b"}},
    "extraPodSpec": {
        "containers": [{"name": "one"}, {"name": "two", "command": ["x"]}],
        "mainContainer": {"image": "i", "args": ["a"]},
        "nodeSelector": {"k": "v"},
    },
    "checkpoint": {"enabled": True},
}
ORIGIN = graph({"services": {"B": SERVICE, "A": {"componentType": "frontend"}}, "priorityClassName": "p"})


def index_of(name: str) -> int:
    containers = to_v1beta1(ORIGIN)["spec"]["components"][1]["podTemplate"]["spec"]["containers"]
    return next(index for index, container in enumerate(containers) if container["name"] == name)


@pytest.mark.parametrize(
    ("beta", "alpha"),
    [
        ((), ()),
        (("type",), ("componentType",)),
        (("name",), ()),
        (("sharedMemorySize",), ("sharedMemory", "size")),
        (("experimental", "checkpoint", "enabled"), ("checkpoint", "enabled")),
        (("experimental", "checkpoint", "job"), ("checkpoint",)),
        (("podTemplate", "metadata", "annotations", "a"), ("extraPodMetadata", "annotations", "a")),
        (("podTemplate", "spec", "nodeSelector", "k"), ("extraPodSpec", "nodeSelector", "k")),
        (("podTemplate", "spec", "containers"), ("extraPodSpec", "containers")),
        (("eppConfig",), ()),
    ],
)
def test_fields_of_a_component(beta: Path, alpha: Path) -> None:
    found = in_alpha(("spec", "components", 1, *beta), to_v1beta1(ORIGIN), ORIGIN)
    assert found == ("spec", "services", "B", *alpha)


def test_containers() -> None:
    value = to_v1beta1(ORIGIN)
    base: Path = ("spec", "components", 1, "podTemplate", "spec", "containers")
    pod: Path = ("spec", "services", "B", "extraPodSpec")
    assert in_alpha((*base, index_of("main"), "args", 0), value, ORIGIN) == (*pod, "mainContainer", "args", 0)
    assert in_alpha((*base, index_of("two"), "command"), value, ORIGIN) == (*pod, "containers", 1, "command")
    assert in_alpha((*base, index_of("one"), "env"), value, ORIGIN) == (*pod, "containers", 0)


def test_fields_of_the_graph() -> None:
    value = to_v1beta1(ORIGIN)
    assert in_alpha(("spec", "components"), value, ORIGIN) == ("spec", "services")
    assert in_alpha(("spec", "priorityClassName"), value, ORIGIN) == ("spec", "priorityClassName")
    assert in_alpha(("metadata", "name"), value, ORIGIN) == ("metadata", "name")


def test_a_component_on_its_own() -> None:
    origin = other("DynamoComponentDeployment", SERVICE)
    found = in_alpha(("spec", "podTemplate", "metadata"), to_v1beta1(origin), origin)
    assert found == ("spec", "extraPodMetadata")
