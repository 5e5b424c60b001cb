"""Further rules of `dynamoc check`: nodes, gangs, autoscalers, routing, images. What looks alike does not fire."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.check.graphs import NIXL, OPTIONS, graph, slugs, worker
from tests.cli.conftest import Run

TP, PP, DP = "--tensor-parallel-size", "--pipeline-parallel-size", "--data-parallel-size"
MODEL = "--model=Qwen/Qwen3-8B"


def check(dynamoc: Run, text: str, *words: str, options: tuple[str, ...] = OPTIONS) -> list[str]:
    Path("graph.yaml").write_text(text)
    result = dynamoc("check", "graph.yaml", "-o", "json", *options, *words)
    assert result.code in (0, 1), result.err
    report = json.loads(result.out)["findings"]
    assert not [each for each in report if each["severity"] == "error" and not each["slug"].startswith("check/")]
    return slugs(result.out)


def line_of(dynamoc: Run, slug: str, *words: str) -> str:
    """The text of the line that a finding points at."""
    report = json.loads(dynamoc("check", "graph.yaml", "-o", "json", *OPTIONS, *words).out)
    [place] = [each["place"] for each in report["findings"] if each["slug"] == slug]
    return Path(place["file"]).read_text().split("\n")[place["line"] - 1].strip()


LOCAL = "--data-parallel-size-local"
FITS = "check/parallelism-of-nodes"


@pytest.mark.parametrize(
    ("component", "found"),
    [
        (worker(f"{DP}=8", f"{LOCAL}=8", gpus=4), [FITS, "check/too-few-gpus"]),
        (worker(f"{TP}=2", f"{DP}=4", f"{LOCAL}=4", gpus=8), []),
        # the operator adds its own number behind it
        (worker(DP, "16", f"{LOCAL}=4", gpus=8, nodes=2), ["check/flag-twice"]),
        (worker(DP, "4", f"{LOCAL}=4", gpus=4, nodes=2), [FITS, "check/idle-gpus"]),
        (worker(DP, "16", f"{LOCAL}=8", gpus=8, nodes=2), []),
        (worker(f"{DP}=$(DP)", f"{LOCAL}=4", gpus=8, nodes=2), []),
        (worker("--tp=16", "--dp=2", engine="sglang", gpus=8, nodes=2), [FITS, "check/too-few-gpus"]),
        (worker("--tp=16", "--dp=2", "--enable-dp-attention", engine="sglang", gpus=8, nodes=2), []),
        (worker("--tp=8", "--dp=3", "--enable-dp-attention", engine="sglang", gpus=8), [FITS]),
        (worker("--tp=8", "--pp-size=2", engine="sglang", gpus=8, nodes=2), []),
        (worker("--tp=4", "--pp-size=2", engine="sglang", gpus=8, nodes=3), [FITS, "check/idle-gpus"]),
        (worker("--tp=$(TP)", "--dp=2", engine="sglang", gpus=8, nodes=2), []),
    ],
)
def test_parallelism_of_nodes(component: dict[str, Any], found: list[str], dynamoc: Run) -> None:
    assert sorted(check(dynamoc, graph(component))) == sorted(found)


UNREAD = "check/unread-flag"


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ((TP, "16"), []),
        ((f"{TP}=16",), [UNREAD]),
        (("-tp", "16"), [UNREAD]),
        ((TP, "8", f"{PP}=2"), [UNREAD]),
        # what fits into a pod needs no flags of the operator
        ((f"{TP}=8", DP, "2"), []),
        # the user does what the operator would
        ((f"{TP}=16", "--nnodes=2"), []),
    ],
)
def test_flags_that_the_operator_does_not_read(arguments: tuple[str, ...], found: list[str], dynamoc: Run) -> None:
    text = graph(worker(*arguments, gpus=8, nodes=2))
    assert [each for each in check(dynamoc, text) if each == UNREAD] == found
    later = ("--operator-version", "1.6", "--target", "grove")
    assert UNREAD not in check(dynamoc, text, options=later)


@pytest.mark.parametrize(("number", "found"), [("4", []), ("8", ["check/num-gpus"]), ("$(GPUS)", [])])
def test_gpus_of_ray(number: str, found: list[str], dynamoc: Run) -> None:
    line = f"ray start --head --num-gpus={number} && python3 -m dynamo.vllm {MODEL} {TP} 4"
    component = worker(gpus=4, container={"command": ["sh", "-c"], "args": [line]})
    assert check(dynamoc, graph(component)) == found


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (("--max-model-len=1", "--max-model-len", "2"), ["check/flag-twice"]),
        (("--max-model-len=1", "--max-model-len=1"), []),
        # lists are given so
        (("--served-model-name=a", "--served-model-name=b"), []),
    ],
)
def test_flags_that_override_each_other(arguments: tuple[str, ...], found: list[str], dynamoc: Run) -> None:
    assert check(dynamoc, graph(worker(*arguments, gpus=1))) == found


@pytest.mark.parametrize(
    ("gpus", "size", "found"),
    [(2, "0", 1), (1, "0", 0), (8, "64Mi", 1), (8, "1Gi", 0), (2, None, 0)],
)
def test_shared_memory(gpus: int, size: str | None, found: int, dynamoc: Run) -> None:
    fields = {} if size is None else {"sharedMemorySize": size}
    text = graph(worker(f"{TP}={gpus}", gpus=gpus, **fields))
    assert check(dynamoc, text) == ["check/small-shared-memory"] * found


@pytest.mark.parametrize(
    ("name", "value", "grace", "found"),
    [
        ("DYN_RUNTIME_GRACEFUL_SHUTDOWN_TIMEOUT_SECS", "120", None, 1),
        ("DYN_RUNTIME_GRACEFUL_SHUTDOWN_TIMEOUT_SECS", "120", 180, 0),
        ("DYN_HTTP_GRACEFUL_SHUTDOWN_TIMEOUT_SECS", "30", None, 0),
        ("DYN_RUNTIME_GRACEFUL_SHUTDOWN_TIMEOUT_SECS", "$(TIME)", None, 0),
    ],
)
def test_time_to_end_requests(name: str, value: str, grace: int | None, found: int, dynamoc: Run) -> None:
    pod = {} if grace is None else {"terminationGracePeriodSeconds": grace}
    container = {"env": [{"name": name, "value": value}]}
    assert check(dynamoc, graph(worker(gpus=1, pod=pod, container=container))) == ["check/grace-period"] * found


ALPHA = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: ml}
spec:
  services:
    Engine:
      componentType: main
      resources: {limits: {gpu: "8"}}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.0.0
          command: [python3, -m, dynamo.vllm]
          args: ["--model=a/Big-700B", --tensor-parallel-size, "8"]
          readinessProbe: {httpGet: {path: /health, port: 9090}}
"""


def test_a_gang_that_ends_while_it_loads(dynamoc: Run) -> None:
    found = "check/gang-ends-loading"
    Path("operator.yaml").write_text("dynamo-operator: {dynamo: {groveTerminationDelay: 15m}}\n")
    config = ("--operator-config", "operator.yaml")
    assert check(dynamoc, ALPHA, *config) == [found]
    for text in (
        ALPHA.replace("700B", "70B"),
        ALPHA.replace("readinessProbe", "startupProbe"),
        ALPHA.replace("          readinessProbe: {httpGet: {path: /health, port: 9090}}\n", ""),
    ):
        assert found not in check(dynamoc, text, *config)
    # With the values of the chart, Grove waits for four hours; plain Deployments have no gangs.
    assert found not in check(dynamoc, ALPHA)
    assert found not in check(dynamoc, ALPHA, *config, options=("--operator-version", "1.0", "--target", "plain"))


@pytest.mark.parametrize(
    ("replicas", "least", "nodes", "found"), [(3, 3, 1, 1), (3, 2, 1, 0), (1, 1, 1, 0), (2, 2, 2, 1), (2, 1, 2, 0)]
)
def test_a_gang_without_a_spare(replicas: int, least: int, nodes: int, found: int, dynamoc: Run) -> None:
    text = graph(worker(TP, str(nodes), gpus=1, nodes=nodes, replicas=replicas, minAvailable=least))
    assert check(dynamoc, text) == ["check/gang-without-spare"] * found
    if found and nodes == 1:
        assert line_of(dynamoc, "check/gang-without-spare") == f"minAvailable: {least}"


@pytest.mark.parametrize(("release", "nodes", "found"), [("1.0", 4, 1), ("1.0", 2, 0), ("1.1", 4, 0)])
def test_a_gang_of_some_nodes(release: str, nodes: int, found: int, dynamoc: Run) -> None:
    """check/partial-gang: a leader is one pod, the workers are the others."""
    text = ALPHA.replace("componentType: main", f"componentType: worker\n      multinode: {{nodeCount: {nodes}}}")
    text = text.replace('"8"]', f'"{nodes * 8}"]').replace("700B", "70B")
    options = ("--operator-version", release, "--target", "grove")
    assert check(dynamoc, text, options=options) == ["check/partial-gang"] * found


def scaler(target: str, kind: str, name: str = "scaler", least: int = 1) -> str:
    if kind == "ScaledObject":
        return json.dumps(
            {
                "apiVersion": "keda.sh/v1alpha1",
                "kind": "ScaledObject",
                "metadata": {"name": name, "namespace": "ml"},
                "spec": {"scaleTargetRef": {"kind": target, "name": "chat-worker"}, "minReplicaCount": least},
            }
        )
    metric = {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}
    return json.dumps(
        {
            "apiVersion": "autoscaling/v2",
            "kind": kind,
            "metadata": {"name": name, "namespace": "ml"},
            "spec": {
                "minReplicas": least,
                "maxReplicas": 9,
                "scaleTargetRef": {"apiVersion": "a/v1", "kind": target, "name": "chat-worker"},
                "metrics": [{"type": "Resource", "resource": metric}],
            },
        }
    )


ADAPTER, HPA, KEDA = "DynamoGraphDeploymentScalingAdapter", "HorizontalPodAutoscaler", "ScaledObject"


@pytest.mark.parametrize(
    ("target", "fields", "scalers", "found"),
    [
        ("plain", {"replicas": 2}, [scaler("Deployment", HPA)], ["check/scaled-directly"]),
        ("plain", {"scalingAdapter": {}}, [scaler(ADAPTER, HPA)], []),
        (
            "plain",
            {"scalingAdapter": {}},
            [scaler(ADAPTER, HPA, "a"), scaler(ADAPTER, KEDA, "b")],
            ["check/two-scalers"],
        ),
        (
            "grove",
            {"replicas": 2},
            [scaler("PodClique", KEDA).replace("chat-worker", "chat-0-worker")],
            ["check/scaled-directly"],
        ),
        ("grove", {"scalingAdapter": {}, "minAvailable": 1}, [scaler(ADAPTER, KEDA, least=1)], []),
        (
            "grove",
            {"scalingAdapter": {}, "minAvailable": 1},
            [scaler(ADAPTER, KEDA, least=0)],
            ["check/scaled-below-minimum"],
        ),
    ],
)
def test_autoscalers(target: str, fields: dict[str, Any], scalers: list[str], found: list[str], dynamoc: Run) -> None:
    """check/scaled-directly, check/two-scalers, check/scaled-below-minimum"""
    text = "---\n".join([graph(worker(gpus=1, **fields)), *(each + "\n" for each in scalers)])
    options = ("--operator-version", "1.4", "--target", target)
    if target == "plain":
        # A Deployment is named after the hash of its workers.
        Path("graph.yaml").write_text(text)
        rendered = dynamoc("render", "graph.yaml", "-o", "json", *options).out
        items = json.loads(rendered)["items"]
        [name] = [each["metadata"]["name"] for each in items if each["kind"] == "Deployment"]
        text = text.replace('"Deployment", "name": "chat-worker"', f'"Deployment", "name": "{name}"')
    assert check(dynamoc, text, options=options) == found


def planner(**fields: Any) -> dict[str, Any]:
    return {**worker(name="Planner", type="planner", **fields), "podTemplate": {"spec": {"containers": [PLANNER]}}}


PLANNER = {"name": "main", "image": "nvcr.io/nvidia/ai-dynamo/dynamo-planner:1.4.0"}


@pytest.mark.parametrize(
    ("fields", "found"),
    [({"replicas": 2}, 1), ({}, 0), ({"scalingAdapter": {}}, 0)],
)
def test_a_planner_without_adapters(fields: dict[str, Any], found: int, dynamoc: Run) -> None:
    text = graph(planner(), worker(gpus=1, **fields))
    assert check(dynamoc, text) == ["check/planner-without-adapter"] * found
    assert check(dynamoc, graph(worker(gpus=1, **fields))) == []


def frontend(*arguments: str, **variables: str) -> dict[str, Any]:
    env = [{"name": name, "value": value} for name, value in variables.items()]
    return worker(
        name="Frontend",
        type="frontend",
        container={"command": ["python3", "-m", "dynamo.frontend"], "args": list(arguments), "env": env},
    )


SIZE = "--kv-cache-block-size"


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        (frontend("--router-mode=kv", f"{SIZE}=16"), worker("--block-size=64", gpus=1), ["check/block-size"]),
        (frontend(f"{SIZE}=16", DYN_ROUTER_MODE="kv"), worker("--block-size=64", gpus=1), ["check/block-size"]),
        (frontend("--router-mode=kv", f"{SIZE}=64"), worker("--block-size=64", gpus=1), []),
        (frontend("--router-mode=random", f"{SIZE}=16"), worker("--block-size=64", gpus=1), []),
        (frontend("--router-mode=kv"), worker("--block-size=64", gpus=1), []),
        (
            frontend("--router-mode=kv", f"{SIZE}=16"),
            worker("--page-size=1", engine="sglang", gpus=1),
            ["check/block-size"],
        ),
        (frontend("--router-mode=kv"), worker("--no-enable-prefix-caching", gpus=1), ["check/router-without-cache"]),
        (
            frontend("--router-mode=kv"),
            worker("--disable-radix-cache", engine="sglang", gpus=1),
            ["check/router-without-cache"],
        ),
        (frontend("--router-mode=kv", "--no-kv-events"), worker("--no-enable-prefix-caching", gpus=1), []),
        (frontend("--router-mode=round-robin"), worker("--no-enable-prefix-caching", gpus=1), []),
    ],
)
def test_routing_by_caches(one: dict[str, Any], other: dict[str, Any], found: list[str], dynamoc: Run) -> None:
    assert check(dynamoc, graph(one, other)) == found


PREFILL, DECODE = "--disaggregation-mode=prefill", "--disaggregation-mode=decode"


@pytest.mark.parametrize(
    ("prefill", "decode", "found"),
    [
        ((MODEL,), (MODEL,), 0),
        ((MODEL,), ("--model=Qwen/Qwen3-4B",), 2),
        ((MODEL,), ("--model=/models/a", "--served-model-name=Qwen/Qwen3-8B"), 0),
        ((MODEL,), ("--model=$(MODEL)",), 0),
        ((MODEL,), (), 0),
    ],
)
def test_models_of_both_sides(prefill: tuple[str, ...], decode: tuple[str, ...], found: int, dynamoc: Run) -> None:
    both = (worker(PREFILL, *prefill, gpus=1, name="P"), worker(DECODE, *decode, gpus=1, name="D"))
    assert check(dynamoc, graph(*both)) == ["check/models-differ"] * found


@pytest.mark.parametrize(
    ("mode", "connector", "role", "found"),
    [
        (PREFILL, "NixlConnector", "kv_consumer", 1),
        (PREFILL, "NixlConnector", "kv_producer", 0),
        (PREFILL, "NixlConnector", "kv_both", 0),
        (DECODE, "NixlConnector", "kv_producer", 1),
        # may wrap others
        (PREFILL, "MultiConnector", "kv_consumer", 0),
    ],
)
def test_roles_of_connectors(mode: str, connector: str, role: str, found: int, dynamoc: Run) -> None:
    config = f'--kv-transfer-config={{"kv_connector":"{connector}","kv_role":"{role}"}}'
    other = DECODE if mode == PREFILL else PREFILL
    both = (worker(mode, config, gpus=1, name="A"), worker(other, gpus=1, name="B"))
    assert check(dynamoc, graph(*both)) == ["check/transfer-role"] * found


@pytest.mark.parametrize(("value", "found"), [("127.0.0.1", 1), ("10.0.0.7", 0), ("$(POD_IP)", 0)])
def test_the_host_of_the_side_channel(value: str, found: int, dynamoc: Run) -> None:
    variable = {"name": "VLLM_NIXL_SIDE_CHANNEL_HOST", "value": value}
    assert check(dynamoc, graph(worker(gpus=1, container={"env": [variable]}))) == ["check/side-channel-host"] * found


EPP = """\
    Epp:
      componentType: epp
      replicas: 1
      eppConfig: {configMapRef: {name: epp, key: epp-config.yaml}}
      extraPodSpec: {mainContainer: {image: "nvcr.io/nvidia/ai-dynamo/dynamo-frontend:1.0.0"}}
"""


def test_a_picker_that_finds_no_workers(dynamoc: Run) -> None:
    """check/epp-namespace"""
    text = ALPHA.replace("700B", "70B").replace("componentType: main", "componentType: worker") + EPP
    for release, target, found in (("1.0", "plain", 1), ("1.0", "grove", 0), ("1.2", "plain", 0)):
        Path("graph.yaml").write_text(text)
        options = ("--operator-version", release, "--target", target)
        options += ("--api-versions", "inference.networking.k8s.io/v1/InferencePool")
        assert check(dynamoc, text, options=options).count("check/epp-namespace") == found


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [("DYN_NAMESPACE", "mine", 1), ("DYN_LOG", "debug", 0), ("DYN_DISCOVERY_BACKEND", "etcd", 1)],
)
def test_variables_of_the_operator(name: str, value: str, found: int, dynamoc: Run) -> None:
    text = graph(worker(gpus=1, container={"env": [{"name": name, "value": value}]}))
    assert check(dynamoc, text) == ["check/operator-variable"] * found


@pytest.mark.parametrize(
    ("key", "found"),
    [
        ("nvidia.com/enable-groves", 1),
        ("nvidia.com/enable-grove", 0),
        ("nvidia.com/something-else", 0),
        ("example.com/enable-groves", 0),
    ],
)
def test_annotations_that_nobody_reads(key: str, found: int, dynamoc: Run) -> None:
    text = graph(worker(gpus=1)).replace("namespace: ml", f"namespace: ml\n  annotations: {{{key}: 'true'}}", 1)
    assert check(dynamoc, text) == ["check/unknown-annotation"] * found


@pytest.mark.parametrize(
    ("tag", "release", "found"), [("0.6.1", "1.4", 1), ("0.7.0", "1.4", 0), ("0.6.1", "0.6", 0), ("my-build", "1.4", 0)]
)
def test_old_runtimes(tag: str, release: str, found: int, dynamoc: Run) -> None:
    text = ALPHA.replace("vllm-runtime:1.0.0", f"vllm-runtime:{tag}").replace("700B", "70B")
    options = ("--operator-version", release, "--target", "grove")
    Path("graph.yaml").write_text(text)
    report = dynamoc("check", "graph.yaml", "-o", "json", *options).out
    assert slugs(report).count("check/old-runtime") == found


SECRET = """\
---
apiVersion: v1
kind: Secret
metadata: {name: registry, namespace: ml}
type: kubernetes.io/dockerconfigjson
stringData: {.dockerconfigjson: '{"auths": {"HOST": {"auth": "eDp5"}}}'}
"""


@pytest.mark.parametrize(
    ("host", "found"), [("registry.example.com", 1), ("nvcr.io", 0), ("https://nvcr.io/v1/", 0), (None, 0)]
)
def test_pull_secrets(host: str | None, found: int, dynamoc: Run) -> None:
    text = graph(worker(gpus=1, pod={"imagePullSecrets": [{"name": "registry"}]}))
    secret = "" if host is None else SECRET.replace("HOST", host)
    assert check(dynamoc, text + secret) == ["check/unused-pull-secret"] * found


@pytest.mark.parametrize(("length", "found"), [(40, 1), (35, 0)])
def test_room_in_names_of_services(length: int, found: int, dynamoc: Run) -> None:
    text = graph(worker(gpus=1, name="w" * length, type="frontend"), name="g" * 20)
    options = ("--operator-version", "1.4", "--target", "plain")
    assert check(dynamoc, text, options=options).count("check/little-room") == found


OLD = "check/old-flag"


@pytest.mark.parametrize(
    ("flag", "tag", "severity"),
    [
        ("--is-prefill-worker", "1.4.0", "error"),
        ("--is-prefill-worker", "1.2.0", "warning"),
        ("--is-prefill-worker", "0.9.0", None),
        ("--is-prefill-worker", "nightly", None),
        ("--connector=nixl", "1.0.0", "error"),
        ("--connector=nixl", "0.8.0", None),
    ],
)
def test_flags_that_were_replaced(flag: str, tag: str, severity: str | None, dynamoc: Run) -> None:
    image = {"image": f"nvcr.io/nvidia/ai-dynamo/vllm-runtime:{tag}"}
    component = worker(flag, NIXL, gpus=1, type="prefill", container=image)
    Path("graph.yaml").write_text(graph(component))
    report = json.loads(dynamoc("check", "graph.yaml", "-o", "json", *OPTIONS).out)["findings"]
    assert [each["severity"] for each in report if each["slug"] == OLD] == [severity] * (severity is not None)


def test_old_roles_are_corrected(dynamoc: Run) -> None:
    Path("graph.yaml").write_text(graph(worker("--is-decode-worker", NIXL, gpus=1, type="decode")))
    dynamoc("check", "graph.yaml", "--fix", *OPTIONS)
    assert "- --disaggregation-mode=decode\n" in Path("graph.yaml").read_text().replace('"', "")


@pytest.mark.parametrize(
    ("arguments", "tag", "found"),
    [
        (("--disaggregation-mode", "prefill"), "1.4.0", 1),
        (("--disaggregation-mode", "prefill", NIXL), "1.4.0", 0),
        (("--disaggregation-mode", "prefill", "--config=/a.yaml"), "1.4.0", 0),
        (("--disaggregation-mode", "decode"), "1.4.0", 0),
        (("--is-prefill-worker",), "0.7.0", 0),
    ],
)
def test_prefill_without_a_connector(arguments: tuple[str, ...], tag: str, found: int, dynamoc: Run) -> None:
    image = {"image": f"nvcr.io/nvidia/ai-dynamo/vllm-runtime:{tag}"}
    both = (worker(*arguments, gpus=1, name="A", container=image), worker(DECODE, gpus=1, name="B", container=image))
    assert check(dynamoc, graph(*both)).count("check/no-transfer-config") == found


@pytest.mark.parametrize(
    ("prefill", "decode", "found"),
    [
        ((), (), 0),
        (("--kv-cache-dtype=fp8",), (), 1),
        (("--kv-cache-dtype", "auto"), (), 0),
        (("--dtype=bfloat16",), ("--dtype=float16",), 1),
        (("--dtype=$(TYPE)",), ("--dtype=float16",), 0),
        ((f"{TP}=1",), (f"{TP}=1", "--block-size=64"), 0),
    ],
)
def test_what_nixl_compares(prefill: tuple[str, ...], decode: tuple[str, ...], found: int, dynamoc: Run) -> None:
    both = (
        worker(PREFILL, MODEL, NIXL, *prefill, gpus=1, name="P"),
        worker(DECODE, MODEL, NIXL, *decode, gpus=1, name="D"),
    )
    assert check(dynamoc, graph(*both)) == ["check/transfer-compatibility"] * found


@pytest.mark.parametrize(("size", "found"), [("2", 0), ("3", 1), ("8", 1)])
def test_experts_of_tensorrt(size: str, found: int, dynamoc: Run) -> None:
    text = graph(worker(f"{TP}=4", f"--expert-parallel-size={size}", engine="trtllm", gpus=4))
    assert check(dynamoc, text) == ["check/expert-parallelism"] * found
