"""The default values of release 0.6, row by row as its documentation states them.

Each row names the document and its lines: 002 is the API reference of release 0.6 with its chapter "Operator Default
Values Injection".
"""

from typing import Any

import pytest

from tests.golden.cases import at
from tests.rules.early import render

GRAPH = """
services:
  Frontend: {componentType: frontend, replicas: 1}
  Worker: {componentType: worker, replicas: 1}
  Planner: {componentType: planner, replicas: 1}
  Other: {replicas: 1}
"""
POD = "spec.template.spec"
MAIN = f"{POD}.containers[main]"
TYPES = ("frontend", "worker", "planner", "other")
MINUTELY = {"initialDelaySeconds": 60, "periodSeconds": 60, "timeoutSeconds": 30, "failureThreshold": 10}


def get(path: str, port: str, **timing: int) -> dict[str, Any]:
    return {"httpGet": {"path": path, "port": port}, **timing}


def port(name: str, number: int) -> list[dict[str, Any]]:
    return [{"name": name, "containerPort": number, "protocol": "TCP"}]


def exactly(*names: str) -> list[str]:
    """Names of the environment of a component, with those that all components and this configuration bring."""
    common = ("DYN_NAMESPACE", "DYN_PARENT_DGD_K8S_NAME", "DYN_PARENT_DGD_K8S_NAMESPACE")
    return sorted((*names, *common, "ETCD_ENDPOINTS", "NATS_SERVER"))


#: (lines, component, path below the Deployment, value)
ROWS: list[tuple[str, str, str, Any]] = [
    *[("002:339", kind, f"{POD}.terminationGracePeriodSeconds", 60) for kind in TYPES],
    *[("002:340", kind, f"{POD}.restartPolicy", "Always") for kind in TYPES],
    *[
        ("002:346-349", kind, f"{POD}.volumes[shared-memory].emptyDir", {"medium": "Memory", "sizeLimit": "8Gi"})
        for kind in TYPES
    ],
    *[("002:348", kind, f"{MAIN}.volumeMounts[shared-memory].mountPath", "/dev/shm") for kind in TYPES],
    ("002:361-368", "frontend", f"{MAIN}.livenessProbe", get("/health", "http", **MINUTELY)),
    (
        "002:370-376",
        "frontend",
        f"{MAIN}.readinessProbe",
        {
            "exec": {
                "command": [
                    "/bin/sh",
                    "-c",
                    'curl -s http://localhost:${DYNAMO_PORT}/health | jq -e ".status == \\"healthy\\""',
                ]
            },
            **MINUTELY,
        },
    ),
    ("002:359-376", "frontend", f"{MAIN}.startupProbe", None),
    (
        "002:382-388",
        "worker",
        f"{MAIN}.livenessProbe",
        get("/live", "system", periodSeconds=5, timeoutSeconds=30, failureThreshold=1),
    ),
    (
        "002:390-396",
        "worker",
        f"{MAIN}.readinessProbe",
        get("/health", "system", periodSeconds=10, timeoutSeconds=30, failureThreshold=60),
    ),
    (
        "002:398-404",
        "worker",
        f"{MAIN}.startupProbe",
        get("/live", "system", periodSeconds=10, timeoutSeconds=5, failureThreshold=720),
    ),
    # 002:323 announces probes of planners too, but gives no numbers, and the operator sets none
    *[
        ("002:323", kind, f"{MAIN}.{probe}", None)
        for kind in ("planner", "other")
        for probe in ("livenessProbe", "readinessProbe", "startupProbe")
    ],
    *[("002:436", kind, f"{MAIN}.env[DYN_NAMESPACE].value", "dynamo-llm") for kind in TYPES],
    *[("002:437", kind, f"{MAIN}.env[DYN_PARENT_DGD_K8S_NAME].value", "llm") for kind in TYPES],
    *[("002:438", kind, f"{MAIN}.env[DYN_PARENT_DGD_K8S_NAMESPACE].value", "default") for kind in TYPES],
    ("002:442", "frontend", f"{MAIN}.env[DYNAMO_PORT].value", "8000"),
    ("002:443", "frontend", f"{MAIN}.env[DYN_HTTP_PORT].value", "8000"),
    ("002:447", "worker", f"{MAIN}.env[DYN_SYSTEM_ENABLED].value", "true"),
    ("002:448", "worker", f"{MAIN}.env[DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS].value", '["generate"]'),
    ("002:449", "worker", f"{MAIN}.env[DYN_SYSTEM_PORT].value", "9090"),
    ("002:453", "planner", f"{MAIN}.env[PLANNER_PROMETHEUS_PORT].value", "9085"),
    ("002:464", "planner", f"{POD}.serviceAccountName", "planner-serviceaccount"),
    *[("002:462-464", kind, f"{POD}.serviceAccountName", "default") for kind in ("frontend", "worker", "other")],
    ("002:496-498", "frontend", f"{MAIN}.ports", port("http", 8000)),
    ("002:501-503", "worker", f"{MAIN}.ports", port("system", 9090)),
    ("002:506-508", "planner", f"{MAIN}.ports", port("metrics", 9085)),
    ("002:491-508", "other", f"{MAIN}.ports", None),
]

#: What the documents of later releases state must not be there: (lines, component, path, value)
LATER: list[tuple[str, str, str, Any]] = [
    *[("001:227", kind, f"{POD}.securityContext", None) for kind in TYPES],
    ("002:442-443", "frontend", f"{MAIN}.env", exactly("DYNAMO_PORT", "DYN_HTTP_PORT")),
    (
        "002:445-449",
        "worker",
        f"{MAIN}.env",
        exactly("DYN_SYSTEM_ENABLED", "DYN_SYSTEM_PORT", "DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS"),
    ),
    ("002:453", "planner", f"{MAIN}.env", exactly("PLANNER_PROMETHEUS_PORT")),
    ("002:434-438", "other", f"{MAIN}.env", exactly()),
]


@pytest.fixture(scope="module")
def deployments() -> dict[str, Any]:
    return {item["metadata"]["name"].removeprefix("llm-"): item for item in render(GRAPH).of("Deployment")}


@pytest.mark.parametrize(
    ("lines", "component", "path", "value"),
    ROWS,
    ids=[f"{row[0]}-{row[1]}-{row[2].rpartition('.')[2]}" for row in ROWS],
)
def test_default(deployments: dict[str, Any], lines: str, component: str, path: str, value: Any) -> None:
    assert at(deployments[component], path) == value


@pytest.mark.parametrize(("lines", "component", "path", "value"), LATER, ids=[f"{row[0]}-{row[1]}" for row in LATER])
def test_nothing_of_later_releases(
    deployments: dict[str, Any], lines: str, component: str, path: str, value: Any
) -> None:
    found = at(deployments[component], path)
    assert ([item["name"] for item in found] if path.endswith(".env") else found) == value


#: Overrides: (lines, fields of a worker, path below the Deployment, value)
OVERRIDES: list[tuple[str, str, str, Any]] = [
    ("002:329", "extraPodSpec: {terminationGracePeriodSeconds: 120}", f"{POD}.terminationGracePeriodSeconds", 120),
    ("002:325", "sharedMemory: {disabled: true}", f"{POD}.volumes", None),
    ("002:325", "sharedMemory: {disabled: true}", f"{MAIN}.volumeMounts", None),
    ("002:351", "sharedMemory: {size: 16Gi}", f"{POD}.volumes[shared-memory].emptyDir.sizeLimit", "16Gi"),
    ("002:351", "sharedMemory: {size: '0'}", f"{POD}.volumes[shared-memory].emptyDir.sizeLimit", "8Gi"),
    (
        "002:541",
        "livenessProbe: {httpGet: {path: /x, port: 1}}",
        f"{MAIN}.livenessProbe",
        {"httpGet": {"path": "/x", "port": 1}},
    ),
    (
        "002:541",
        "readinessProbe: {httpGet: {path: /x, port: 1}}",
        f"{MAIN}.readinessProbe",
        {"httpGet": {"path": "/x", "port": 1}},
    ),
    (
        "002:543",
        "extraPodSpec: {mainContainer: {startupProbe: {httpGet: {path: /x, port: 1}}}}",
        f"{MAIN}.startupProbe",
        {"httpGet": {"path": "/x", "port": 1}},
    ),
    (
        "002:543",
        "extraPodSpec: {mainContainer: {livenessProbe: {periodSeconds: 9}}}",
        f"{MAIN}.livenessProbe",
        {"periodSeconds": 9},
    ),
    ("002:540", "envs: [{name: DYN_SYSTEM_PORT, value: '1'}]", f"{MAIN}.env[DYN_SYSTEM_PORT].value", "1"),
    ("002:540", "envs: [{name: NATS_SERVER, value: mine}]", f"{MAIN}.env[NATS_SERVER].value", "mine"),
    (
        "002:540",
        "extraPodSpec: {mainContainer: {ports: [{name: x, containerPort: 1, protocol: TCP}]}}",
        f"{MAIN}.ports",
        port("x", 1),
    ),
]


@pytest.mark.parametrize(("lines", "fields", "path", "value"), OVERRIDES, ids=[row[1][:40] for row in OVERRIDES])
def test_the_user_s_word_wins(lines: str, fields: str, path: str, value: Any) -> None:
    graph = f"services: {{Worker: {{componentType: worker, replicas: 1, {fields}}}}}"
    assert at(render(graph).one("Deployment"), path) == value


TWO_NODES = """
services:
  Worker:
    componentType: worker
    replicas: 1
    multinode: {{}}
    resources: {{limits: {{gpu: "8"}}}}
    extraPodSpec:
      mainContainer:
        command: [python3]
        args: [-m, dynamo.{backend}, --tensor-parallel-size, "16"]
"""
TCP = {
    "tcpSocket": {"port": 2222},
    "initialDelaySeconds": 20,
    "periodSeconds": 20,
    "timeoutSeconds": 5,
    "failureThreshold": 10,
}
LEADER = "$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)-Worker-ldr-0.$(GROVE_HEADLESS_SERVICE)"

#: (lines, backend, clique, part of its container `main`, value)
MULTINODE: list[tuple[str, str, str, str, Any]] = [
    *[
        (lines, backend, "worker-wkr", probe, None)
        for lines, backend in (("002:415", "vllm"), ("002:418", "sglang"))
        for probe in ("livenessProbe", "readinessProbe", "startupProbe")
    ],
    *[
        (lines, backend, "worker-ldr", "livenessProbe.httpGet.path", "/live")
        for lines, backend in (("002:415", "vllm"), ("002:418", "sglang"), ("002:421", "trtllm"))
    ],
    ("002:421", "trtllm", "worker-ldr", "startupProbe.failureThreshold", 720),
    ("002:423", "trtllm", "worker-wkr", "livenessProbe", None),
    ("002:423", "trtllm", "worker-wkr", "startupProbe", None),
    ("002:424-428", "trtllm", "worker-wkr", "readinessProbe", TCP),
    (
        "002:513",
        "vllm",
        "worker-ldr",
        "args",
        ["ray start --head --port=6379 && python3 -m dynamo.vllm --tensor-parallel-size 16"],
    ),
    ("002:513", "vllm", "worker-wkr", "args", [f"ray start --address={LEADER}:6379 --block"]),
    (
        "002:516",
        "sglang",
        "worker-wkr",
        "args",
        [
            f"exec python3 -m dynamo.sglang --tensor-parallel-size 16 --dist-init-addr {LEADER}:29500 --nnodes 2 "
            "--node-rank $((GROVE_PCLQ_POD_INDEX + 1))"
        ],
    ),
    ("002:520", "trtllm", "worker-ldr", "env[OMPI_MCA_orte_keep_fqdn_hostnames].value", "1"),
    ("002:520", "trtllm", "worker-wkr", "env[OMPI_MCA_orte_keep_fqdn_hostnames].value", "1"),
    ("002:259", "sglang", "worker-ldr", "args[6]", "--nnodes"),
]


@pytest.mark.parametrize(
    ("lines", "backend", "clique", "path", "value"), MULTINODE, ids=["-".join(row[:4]) for row in MULTINODE]
)
def test_several_nodes(lines: str, backend: str, clique: str, path: str, value: Any) -> None:
    cliques = render(TWO_NODES.format(backend=backend), target="grove").cliques()
    assert at(cliques[clique], f"spec.podSpec.containers[main].{path}") == value


@pytest.mark.parametrize("clique", ["worker-ldr", "worker-wkr"])
def test_mpirun_and_sshd_use_their_port(clique: str) -> None:
    """002:519"""
    cliques = render(TWO_NODES.format(backend="trtllm"), target="grove").cliques()
    (line,) = at(cliques[clique], "spec.podSpec.containers[main].args")
    assert "Port 2222" in line
    assert ('plm_rsh_args "-p 2222 ' in line) == (clique == "worker-ldr")
