"""The order of objects."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dynamoc.documents.emit.order import INSTALL_ORDER, sort_objects, sort_with_queues


def item(kind: str, name: str = "x", namespace: str | None = "ns", version: str = "v1") -> dict[str, Any]:
    metadata = {"name": name} if namespace is None else {"name": name, "namespace": namespace}
    return {"apiVersion": version, "kind": kind, "metadata": metadata}


def test_what_others_refer_to_comes_first() -> None:
    kinds = [
        "PodCliqueSet",
        "Ingress",
        "Deployment",
        "Service",
        "RoleBinding",
        "Role",
        "ConfigMap",
        "Secret",
        "Namespace",
    ]
    sorted_kinds = [value["kind"] for value in sort_objects([item(kind) for kind in kinds])]
    assert sorted_kinds == [
        "Namespace",
        "Secret",
        "ConfigMap",
        "Role",
        "RoleBinding",
        "Service",
        "Deployment",
        "Ingress",
        "PodCliqueSet",
    ]


def test_ties() -> None:
    values = [
        item("Service", "a", None),
        item("Service", "a", "m"),
        item("Service", "b", "m"),
        item("Service", "a", "n"),
        item("LeaderWorkerSet"),
        item("VirtualService", version="networking.istio.io/v1"),
        item("VirtualService", version="networking.istio.io/v2"),
    ]
    assert sort_objects(list(reversed(values))) == values


def test_objects_without_metadata() -> None:
    assert sort_objects([{"kind": "Pod"}, {"kind": "Namespace"}, {}]) == [{"kind": "Namespace"}, {"kind": "Pod"}, {}]


def test_queues_come_before_what_they_schedule_and_behind_their_parents() -> None:
    child = {**item("Queue", "a", None), "spec": {"parentQueue": "b"}}
    parent = item("Queue", "b", None)
    others = [item("ServiceAccount"), item("CustomResourceDefinition"), item("Role"), item("PodCliqueSet")]
    for values in ([child, *others, parent], [parent, child, *reversed(others)]):
        assert sort_with_queues(values) == [*others[:2], parent, child, *others[2:]]
    assert sort_with_queues([child, parent]) == [parent, child]
    assert sort_with_queues([{**parent, "spec": ["junk"]}])[0]["spec"] == ["junk"]
    assert sort_with_queues(others) == sort_objects(others)


kinds = st.sampled_from([*INSTALL_ORDER, "PodCliqueSet", "VirtualService"])
objects = st.lists(
    st.builds(item, kinds, st.sampled_from("ab"), st.sampled_from([None, "m", "n"]), st.sampled_from(["v1", "v2"])),
    max_size=8,
)


@given(objects, st.randoms())
def test_order_of_input_does_not_matter(values: list[dict[str, Any]], random: Any) -> None:
    shuffled = list(values)
    random.shuffle(shuffled)
    assert sort_objects(shuffled) == sort_objects(values)
