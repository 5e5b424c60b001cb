"""GPU memory service between pods: weight servers, engines, shadows."""

from hypothesis import given
from hypothesis import strategies as st

from dynamoc.rendering.lower.cliques import claim_sharing, claim_templates
from dynamoc.rendering.lower.hub_pods import WEIGHT_SERVER, clique_roles, start_dependencies
from tests.rules.graphs import env, render

GRAPH = """
backendFramework: vllm
components:
- name: Worker
  type: worker
  replicas: 3
  multinode: {nodeCount: 2}
  experimental: {gpuMemoryService: {mode: InterPod}, failover: {mode: InterPod, numShadows: 1}}
  podTemplate:
    spec:
      containers:
      - name: main
        image: engine:1.4.0
        command: [python3, -m, dynamo.vllm]
        args: [--tensor-parallel-size, "16"]
        resources: {limits: {nvidia.com/gpu: "8"}}
"""
_ALONE = GRAPH.replace(", failover: {mode: InterPod, numShadows: 1}", "")


def test_each_rank_has_a_weight_server_that_its_engines_wait_for() -> None:
    cliques = render(GRAPH).cliques()
    assert {name: clique["spec"].get("startsAfter") for name, clique in cliques.items()} == {
        "worker-gms-0": None,
        "worker-ldr": ["worker-gms-0"],
        "worker-gms-1": None,
        "worker-wkr-1": ["worker-gms-1"],
    }


def test_a_shadow_is_a_second_pod_of_each_engine_clique() -> None:
    replicas = {name: clique["spec"]["replicas"] for name, clique in render(GRAPH).cliques().items()}
    assert replicas == {"worker-gms-0": 1, "worker-ldr": 2, "worker-gms-1": 1, "worker-wkr-1": 2}
    assert {clique["spec"]["replicas"] for clique in render(_ALONE).cliques().values()} == {1}


def test_engines_of_a_failover_are_replaced_as_a_group() -> None:
    def policies(text: str) -> set[str]:
        return {clique["spec"]["podSpec"]["restartPolicy"] for clique in render(text).cliques().values()}

    assert policies(GRAPH) == {"Never", "Always"}
    assert policies(_ALONE) == {"Always"}


def test_ranks_are_constants_and_pods_of_one_index_find_each_other() -> None:
    main = render(GRAPH).cliques()["worker-wkr-1"]["spec"]["podSpec"]["containers"][0]
    words = main["args"]
    assert words[words.index("--node-rank") + 1] == "1"
    assert "worker-ldr-$(GROVE_PCLQ_POD_INDEX)." in words[words.index("--master-addr") + 1]
    assert words[words.index("--load-format") + 1] == "gms"
    assert env(main)["ENGINE_ID"] == {"fieldRef": {"fieldPath": "metadata.labels['grove.io/podclique-pod-index']"}}


def test_the_weight_server_is_up_with_two_sockets_a_gpu() -> None:
    main = render(GRAPH).cliques()["worker-gms-1"]["spec"]["podSpec"]["containers"][0]
    assert main["startupProbe"]["exec"]["command"][2].endswith("-ge 16")
    assert not {"livenessProbe", "readinessProbe"} & main.keys()
    assert main["volumeMounts"][-1]["subPathExpr"] == "$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)/rank-1"


def test_ranks_share_gpus_within_a_replica_and_not_beyond() -> None:
    template = render(GRAPH).one("PodCliqueSet")["spec"]["template"]
    assert [item["name"] for item in template["resourceClaimTemplates"]] == ["worker-gpu-rank-0", "worker-gpu-rank-1"]
    (group,) = template["podCliqueScalingGroups"]
    assert [item["filter"]["childCliqueNames"] for item in group["resourceSharing"]] == [
        ["worker-gms-0", "worker-ldr"],
        ["worker-gms-1", "worker-wkr-1"],
    ]


@given(
    nodes=st.integers(1, 6),
    mode=st.sampled_from([None, "IntraPod", "InterPod"]),
    forced=st.booleans(),
    shadows=st.sampled_from([None, 0, 1]),
    backend=st.sampled_from(["vllm", "trtllm", "noop"]),
)
def test_cliques_fit_together(nodes: int, mode: str | None, forced: bool, shadows: int | None, backend: str) -> None:
    experimental: dict[str, object] = {"grove": {"forceScalingGroup": forced}}
    if mode:
        experimental["gpuMemoryService"] = {"mode": mode}
    if shadows is not None and mode:
        experimental["failover"] = {"mode": mode, "numShadows": shadows}
    spec = {"multinode": {"nodeCount": nodes} if nodes > 1 else None, "experimental": experimental, "replicas": 2}
    roles = clique_roles("My.Worker", spec)
    names = [role.name for role in roles]
    assert len(set(names)) == len(names)
    # Each clique is in one sharing group, and each group has a template.
    sharing = claim_sharing("My.Worker", roles)
    shared = [name for item in sharing for name in item["filter"]["childCliqueNames"]]
    assert sorted(shared) == sorted(names)
    templates = claim_templates("My.Worker", spec, roles, 1)
    assert [item["name"] for item in sharing] == [item["name"] for item in templates]
    # Dependencies lead to cliques of the component, and weight servers wait for nobody.
    after = start_dependencies(roles, backend=backend)
    assert {name for targets in after.values() for name in targets} <= set(names)
    assert not after.keys() & {role.name for role in roles if role.part == WEIGHT_SERVER}
