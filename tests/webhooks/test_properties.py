"""Any document and any object is judged without a crash, and the same way each time."""

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynamoc.admission.webhooks.by_release import default, judge
from dynamoc.documents.apiserver.objects import CHECKS, examine_object
from dynamoc.kube.quantity import canonical
from dynamoc.reference.releases import get_release
from tests.webhooks.reviewing import Tree, context, graph

quick = settings(max_examples=60)

names = st.sampled_from(["main", "a", "A", "x" * 64, "", "sidecar-frontend"])
amounts = st.sampled_from(["0", "1", "-1Gi", "500m", "1e3", 2])
quantities = st.dictionaries(st.sampled_from(["cpu", "nvidia.com/gpu", "gpu"]), amounts, max_size=2)
probes = st.fixed_dictionaries(
    {},
    optional={
        "httpGet": st.fixed_dictionaries({}, optional={"port": st.integers(0, 99999)}),
        "periodSeconds": st.integers(-1, 3),
    },
)
containers = st.fixed_dictionaries(
    {},
    optional={
        "name": names,
        "image": st.sampled_from(["x:1.4.0", "x", ""]),
        "command": st.lists(names, max_size=2),
        "args": st.lists(st.sampled_from(["--enable-elastic-ep", "-dpb", "ray", "-dpb ray"]), max_size=3),
        "env": st.lists(st.fixed_dictionaries({}, optional={"name": names, "value": names}), max_size=2),
        "livenessProbe": probes,
        "resources": st.fixed_dictionaries({}, optional={"limits": quantities, "requests": quantities}),
        "volumeMounts": st.lists(st.fixed_dictionaries({}, optional={"name": names, "mountPath": names}), max_size=2),
    },
)
pods = st.fixed_dictionaries(
    {},
    optional={
        "containers": st.lists(containers, max_size=3),
        "volumes": st.lists(st.fixed_dictionaries({}, optional={"name": names, "emptyDir": st.just({})}), max_size=2),
    },
)
modes = st.fixed_dictionaries({}, optional={"mode": st.sampled_from(["IntraPod", "InterPod"])})
components = st.fixed_dictionaries(
    {"name": names},
    optional={
        "type": st.sampled_from(["worker", "epp", "frontend"]),
        "replicas": st.integers(0, 3),
        "minAvailable": st.integers(0, 3),
        "multinode": st.fixed_dictionaries({"nodeCount": st.integers(1, 3)}),
        "podTemplate": st.fixed_dictionaries({}, optional={"spec": pods}),
        "sharedMemorySize": amounts,
        "frontendSidecar": names,
        "experimental": st.fixed_dictionaries(
            {},
            optional={"gpuMemoryService": modes, "failover": modes, "checkpoint": st.just({"enabled": True})},
        ),
    },
)
services = st.fixed_dictionaries(
    {},
    optional={
        "componentType": st.sampled_from(["worker", "epp", ""]),
        "replicas": st.integers(-1, 3),
        "multinode": st.fixed_dictionaries({"nodeCount": st.integers(1, 3)}),
        "ingress": st.fixed_dictionaries({}, optional={"enabled": st.booleans(), "host": names}),
        "sharedMemory": st.fixed_dictionaries({}, optional={"size": amounts, "disabled": st.booleans()}),
        "extraPodSpec": pods,
        "frontendSidecar": st.just({}),
        "dynamoNamespace": names,
    },
)


def judged_twice(release: str, value: Tree, target: str) -> None:
    before = deepcopy(value)
    where = context(release, target)
    stored = default(get_release(release), value["kind"], value, where)
    answers = [repr(judge(get_release(release), value["kind"], stored, where)) for _ in range(2)]
    assert answers[0] == answers[1]
    assert value == before
    assert default(get_release(release), value["kind"], stored, where) == stored


@quick
@given(st.dictionaries(names, services, max_size=3), st.sampled_from(["grove", "auto"]))
def test_graphs_of_v1alpha1(spec: Tree, target: str) -> None:
    judged_twice("1.0", graph({"services": spec}), target)


@quick
@given(st.lists(components, max_size=3), st.sampled_from(["grove", "lws"]))
def test_graphs_of_v1beta1(spec: list[Tree], target: str) -> None:
    judged_twice("1.4", graph({"components": spec}, version="v1beta1"), target)


@quick
@given(st.sampled_from(sorted(CHECKS)), pods, names)
def test_objects(kind: str, pod: Tree, name: str) -> None:
    template: dict[str, Any] = {
        "spec": pod,
        "cliques": [{"name": name, "spec": {"podSpec": pod}}],
    }
    spec = {"template": template, "leaderWorkerTemplate": {"leaderTemplate": template, "workerTemplate": template}}
    value = {"apiVersion": "v1", "kind": kind, "metadata": {"name": name}, "spec": spec}
    before = deepcopy(value)
    assert repr(examine_object(value)) == repr(examine_object(value))
    assert value == before


@pytest.mark.parametrize("amount", ["500m", "1u", "1n", "1.5", "0.1Ki"])
def test_fractions_print_in_small_units(amount: str) -> None:
    """What counts of whole things is told by."""
    assert canonical(amount)[-1] in "mun"
