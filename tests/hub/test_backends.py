"""Commands of backends as of release 1.4: elastic expert parallelism, waiting for leaders, LeaderWorkerSets."""

import pytest

from tests.rules.graphs import Tree, env, render

GRAPH = """
components:
- name: Worker
  type: worker
  %s
  podTemplate:
    spec:
      containers:
      - name: main
        image: engine:1.4.0
        command: [python3, -m, dynamo.%s]
        args: [%s]
        resources: {limits: {nvidia.com/gpu: "%s"}}
"""


def pods(args: str, *, nodes: int = 2, target: str = "grove", backend: str = "vllm", gpus: int = 8) -> dict[str, Tree]:
    multinode = f"multinode: {{nodeCount: {nodes}}}" if nodes > 1 else "replicas: 1"
    rendered = render(GRAPH % (multinode, backend, args, gpus), target=target)
    if target == "grove":
        return {name: clique["spec"]["podSpec"] for name, clique in rendered.cliques().items()}
    template = rendered.one("LeaderWorkerSet")["spec"]["leaderWorkerTemplate"]
    return {part: template[f"{part}Template"]["spec"] for part in ("leader", "worker")}


def test_a_lone_pod_with_elastic_ep_gets_a_ray_head() -> None:
    (main,) = pods("--enable-elastic-ep, -dpb, ray", nodes=1)["worker"]["containers"]
    (text,) = main["args"]
    assert main["command"] == ["/bin/sh", "-c"]
    assert text.startswith('ray start --head --port=6379 --node-ip-address="$POD_IP" --block & i=0; until python3 -c ')
    assert text.endswith("done && exec python3 -m dynamo.vllm --enable-elastic-ep -dpb ray")
    assert env(main)["VLLM_DP_MASTER_IP"] == env(main)["POD_IP"] == {"fieldRef": {"fieldPath": "status.podIP"}}


@pytest.mark.parametrize(
    "args", ["--enable-elastic-ep", "--data-parallel-backend, ray", "--enable-elastic-ep, -dpb, mp"]
)
def test_without_both_flags_a_lone_pod_stays_untouched(args: str) -> None:
    (main,) = pods(args, nodes=1)["worker"]["containers"]
    assert main["command"] == ["python3", "-m", "dynamo.vllm"]
    assert "POD_IP" not in env(main)


def test_elastic_ep_over_nodes_joins_workers_once_the_leader_lives() -> None:
    made = pods("--enable-elastic-ep, --data-parallel-size, '64'")
    (leader,), (worker,) = made["worker-ldr"]["containers"], made["worker-wkr"]["containers"]
    assert leader["args"][0].startswith("ray start --head --port=6379 --block & ")
    assert "exec" not in leader["args"][0]
    host = "$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)-worker-ldr-0.$(GROVE_HEADLESS_SERVICE)"
    assert f"http://{host}:9090/live" in worker["args"][0]
    assert worker["args"][0].endswith(f"done && ray start --address={host}:6379 --block")


def test_quotes_survive_the_shell() -> None:
    (main,) = pods("--enable-elastic-ep, -dpb, ray, \"it's\", ''", nodes=1)["worker"]["containers"]
    assert main["args"][0].endswith("-dpb ray 'it'\\''s' ''")


def test_workers_wait_with_the_script_of_the_graph() -> None:
    rendered = render(GRAPH % ("multinode: {nodeCount: 2}", "vllm", "--tensor-parallel-size, '16'", 8))
    script = rendered.one("ConfigMap")
    assert script["metadata"]["name"] == "llm-wait-leader-script"
    pod = rendered.cliques()["worker-wkr"]["spec"]["podSpec"]
    (waiter,) = pod["initContainers"]
    leader = "${GROVE_PCSG_NAME}-${GROVE_PCSG_INDEX}-worker-ldr-0.${GROVE_HEADLESS_SERVICE}"
    assert waiter["command"][2] == (
        f'export LEADER_HOST="{leader}" LEADER_PORT="29500" && exec python3 /scripts/wait-for-leader.py'
    )
    assert {"name": "wait-leader-script", "configMap": {"name": "llm-wait-leader-script"}} in pod["volumes"]
    assert "initContainers" not in rendered.cliques()["worker-ldr"]["spec"]["podSpec"]


def test_workers_that_do_not_run_mp_do_not_wait() -> None:
    made = pods("--tensor-parallel-size, '4'")
    assert "initContainers" not in made["worker-wkr"]


def test_under_lws_no_shell_is_needed_for_ranks() -> None:
    made = pods("--tensor-parallel-size, '16'", target="lws")
    (worker,) = made["worker"]["containers"]
    assert worker["command"] == ["python3", "-m", "dynamo.vllm"]
    assert worker["args"][-3:] == ["--node-rank", "$(LWS_WORKER_INDEX)", "--headless"]
    (sglang,) = pods("--tp, '16'", target="lws", backend="sglang")["worker"]["containers"]
    assert sglang["args"][-6:] == [
        *("--dist-init-addr", "$(LWS_LEADER_ADDRESS):29500"),
        *("--nnodes", "2", "--node-rank", "$(LWS_WORKER_INDEX)"),
    ]


def test_data_parallel_ranks_need_a_shell_everywhere() -> None:
    (worker,) = pods("--data-parallel-size, '16'", target="lws")["worker"]["containers"]
    assert worker["command"] == ["sh", "-c"]
    assert "--data-parallel-start-rank $(( 8 * $(LWS_WORKER_INDEX) ))" in worker["args"][0]


def test_mpirun_counts_the_gpus_of_main() -> None:
    leader = pods("--model, m", backend="trtllm", gpus=4, nodes=3)["worker-ldr"]["containers"][0]
    assert "--oversubscribe -n 12 -H " in leader["args"][0]
    assert "-x CPATH " in leader["args"][0]


def test_a_leader_worker_set_keeps_no_label_of_older_operators() -> None:
    """controller/dynamocomponentdeployment_controller.go reconcileLeaderWorkerSetResources: pods keep it."""
    graph = GRAPH % ("multinode: {nodeCount: 2}", "vllm", "-x", "8")
    graph = graph.replace("podTemplate:", "podTemplate:\n    metadata: {labels: {instance-id: mine, kept: 'yes'}}")
    made = render(graph, target="lws").one("LeaderWorkerSet")
    assert "instance-id" not in made["metadata"]["labels"]
    assert made["metadata"]["labels"]["kept"] == "yes"
    assert made["spec"]["leaderWorkerTemplate"]["leaderTemplate"]["metadata"]["labels"]["instance-id"] == "mine"
