"""Counting GPUs, as resources and by claims."""

from typing import Any

import pytest

from dynamoc.documents.findings.finding import Refusal
from dynamoc.rendering.rules.memory import is_gpu_resource, remove_gpu_resources, scalar_gpus
from tests.rules.graphs import render

Tree = dict[str, Any]


@pytest.mark.parametrize(
    "name", ["nvidia.com/gpu", "GPU", "amd.com/gpu", "nvidia.com/mig-1g.5gb", "gpu.intel.com/i915"]
)
def test_gpu_resources(name: str) -> None:
    assert is_gpu_resource(name)


@pytest.mark.parametrize("name", ["cpu", "nvidia.com/gpus", "rdma/ib", "nvidia.com/gpu.shared"])
def test_other_resources(name: str) -> None:
    assert not is_gpu_resource(name)


@pytest.mark.parametrize(
    ("resources", "count"),
    [
        ({"limits": {"nvidia.com/gpu": "2"}, "requests": {"nvidia.com/gpu": "1"}}, 2),
        ({"limits": {"cpu": "2"}, "requests": {"nvidia.com/gpu": "1"}}, 1),
        # the first by name, whichever is larger
        ({"limits": {"amd.com/gpu": "1", "nvidia.com/gpu": "2"}}, 1),
        ({"limits": {"nvidia.com/gpu": "0"}, "requests": {"nvidia.com/gpu": "3"}}, 0),
        (None, 0),
    ],
)
def test_limits_come_before_requests(resources: Tree | None, count: int) -> None:
    assert scalar_gpus(resources, ()) == count


def test_a_fraction_of_a_gpu_is_refused() -> None:
    with pytest.raises(Refusal):
        scalar_gpus({"limits": {"nvidia.com/gpu": "500m"}}, ())


def test_removing_gpus_keeps_the_rest() -> None:
    container = {"resources": {"limits": {"nvidia.com/gpu": "1"}, "requests": {"cpu": "1", "nvidia.com/gpu": "1"}}}
    remove_gpu_resources(container)
    assert container == {"resources": {"requests": {"cpu": "1"}}}


GRAPH = """
components:
- name: worker
  type: worker
  multinode: {nodeCount: 2}
  podTemplate:
    spec:
      resourceClaims: [{name: gpus, resourceClaimTemplateName: eight}]
      containers:
      - name: main
        image: engine:1.4.0
        command: [python3, -m, dynamo.vllm]
        args: [--tensor-parallel-size, "16"]
        resources: {claims: [{name: gpus}]}
"""


def _template(*requests: Tree) -> Tree:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "eight", "namespace": "default"},
        "spec": {"spec": {"devices": {"requests": list(requests)}}},
    }


def _class(name: str, **spec: Any) -> Tree:
    return {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": name}, "spec": spec}


def _spans_nodes(*known: Tree) -> bool:
    args = render(GRAPH, *known).cliques()["worker-ldr"]["spec"]["podSpec"]["containers"][0]["args"]
    return "--nnodes" in args


_EIGHT = {"name": "a", "exactly": {"deviceClassName": "gpu.nvidia.com", "count": 8}}
_SIXTEEN = {"name": "a", "exactly": {"deviceClassName": "gpu.nvidia.com", "count": 16}}
_NETWORK = {"name": "b", "exactly": {"deviceClassName": "net", "count": 8}}
_NET_CLASS = _class("net", selectors=[{"cel": {"expression": 'device.driver == "rdma.example.com"'}}])


def test_claims_count_where_no_gpu_resource_does() -> None:
    assert _spans_nodes(_template(_EIGHT))
    assert not _spans_nodes(_template(_SIXTEEN))


def test_the_flat_form_of_older_apis_counts_too() -> None:
    assert _spans_nodes(_template({"name": "a", "deviceClassName": "gpu.nvidia.com", "count": 8}))


def test_other_devices_do_not_count() -> None:
    assert _spans_nodes(_template(_EIGHT, _NETWORK), _NET_CLASS)
    assert not _spans_nodes(_template(_NETWORK), _NET_CLASS)


def test_what_nobody_gave_is_told() -> None:
    rendered = render(GRAPH)
    assert "context/unknown-resourceclaimtemplate" in [slug for slug, _ in rendered.told]


@pytest.mark.parametrize(
    "request_",
    [
        {"name": "a", "exactly": {"deviceClassName": "gpu.nvidia.com", "allocationMode": "All"}},
        {"name": "a"},
        {"name": "a", "firstAvailable": [{"deviceClassName": "gpu.nvidia.com"}, {"deviceClassName": "net"}]},
        {"name": "a", "exactly": {"deviceClassName": "odd"}},
    ],
)
def test_a_number_that_is_not_certain_is_refused(request_: Tree) -> None:
    with pytest.raises(Refusal) as refused:
        render(GRAPH, _template(request_), _NET_CLASS, _class("odd", selectors=[{"cel": {"expression": "true"}}]))
    assert refused.value.slug == "dra/gpu-count"


def test_a_claim_that_the_pod_lacks_is_refused() -> None:
    with pytest.raises(Refusal):
        render(GRAPH.replace("claims: [{name: gpus}]", "claims: [{name: others}]"))
