"""GPU memory service inside the pod."""

import pytest

from dynamoc.documents.findings.finding import Refusal
from tests.rules.graphs import config, env, render

GRAPH = """
components:
- name: Worker
  type: worker
  replicas: 2
  experimental: {gpuMemoryService: {mode: IntraPod, extraClientContainers: [loader]}}
  podTemplate:
    spec:
      containers:
      - name: main
        image: engine:1.4.0
        env: [{name: GMS_SOCKET_DIR, value: /mine}]
        resources: {limits: {nvidia.com/gpu: "4", cpu: "8"}, requests: {nvidia.com/gpu: "4"}}
      - {name: loader, image: loader:1.0.0, resources: {limits: {nvidia.com/mig-3g.20gb: "1"}}}
      - {name: other, image: other:1.0.0}
"""


def test_gpus_become_a_claim_that_clients_and_server_share() -> None:
    pod = render(GRAPH).cliques()["worker"]["spec"]["podSpec"]
    main, loader, other = pod["containers"]
    shared = [{"name": "intrapod-shared-gpu"}]
    assert main["resources"] == {"limits": {"cpu": "8"}, "claims": shared}
    assert loader["resources"] == {"claims": shared}
    assert "resources" not in other or not other["resources"]
    assert pod["resourceClaims"] == [{**shared[0], "resourceClaimTemplateName": "llm-worker-gpu"}]
    assert pod["tolerations"] == [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]


def test_clients_find_the_sockets_whatever_the_user_wrote() -> None:
    pod = render(GRAPH).cliques()["worker"]["spec"]["podSpec"]
    main, loader, other = pod["containers"]
    assert env(main)["GMS_SOCKET_DIR"] == env(loader)["GMS_SOCKET_DIR"] == "/gms-intrapod-control"
    assert "GMS_SOCKET_DIR" not in env(other)
    assert pod["volumes"][-1] == {"name": "gms-intrapod-control", "emptyDir": {}}


def test_the_server_is_a_sidecar_with_the_engine_s_image() -> None:
    (server,) = render(GRAPH).cliques()["worker"]["spec"]["podSpec"]["initContainers"]
    assert (server["name"], server["image"], server["restartPolicy"]) == ("gms-server", "engine:1.4.0", "Always")


@pytest.mark.parametrize(("mode", "made"), [("IntraPod", 1), ("InterPod", 1)])
def test_both_modes_make_a_claim_template_with_the_limits_of_main(mode: str, made: int) -> None:
    templates = render(GRAPH.replace("IntraPod", mode)).of("ResourceClaimTemplate")
    assert len(templates) == made
    (request,) = templates[0]["spec"]["spec"]["devices"]["requests"]
    exactly = {"deviceClassName": "gpu.nvidia.com", "allocationMode": "ExactCount", "count": 4}
    assert request == {"name": "gpus", "exactly": exactly}


def test_no_claims_are_made_without_resource_claims_in_the_cluster() -> None:
    settings = config()
    settings.dra.enabled = False
    with pytest.raises(Refusal) as refused:
        render(GRAPH, settings=settings)
    assert refused.value.slug == "dra/not-available"


def test_a_client_that_is_no_container_is_refused() -> None:
    with pytest.raises(Refusal) as refused:
        render(GRAPH.replace("[loader]", "[loader, absent]"))
    assert refused.value.slug == "gms/extra-clients"


def test_a_graph_without_it_stays_untouched() -> None:
    plain = GRAPH.replace("{gpuMemoryService: {mode: IntraPod, extraClientContainers: [loader]}}", "{}")
    rendered = render(plain)
    pod = rendered.cliques()["worker"]["spec"]["podSpec"]
    assert pod["containers"][0]["resources"]["limits"] == {"cpu": "8", "nvidia.com/gpu": "4"}
    assert not {"resourceClaims", "tolerations", "initContainers"} & pod.keys()
    assert not rendered.of("ResourceClaimTemplate")


def test_a_fraction_of_a_gpu_is_refused() -> None:
    with pytest.raises(Refusal) as refused:
        render(GRAPH.replace('nvidia.com/gpu: "4"', 'nvidia.com/gpu: "1500m"'))
    assert refused.value.slug == "dra/fractional-gpu"
