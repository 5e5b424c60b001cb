"""Mistakes that people make, each planted in a graph that works: what `check` says, how badly, and on which line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.check.graphs import MISTAKES, OPTIONS, slugs
from tests.cli.conftest import Run

#: prefill and decode workers, as the recipes of Dynamo have them; each line of a plant replaces, or follows, one of it
BASE = """\
apiVersion: v1
kind: Secret
metadata: {name: hf, namespace: ml}
stringData: {HF_TOKEN: a}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: models, namespace: ml}
spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: 500Gi}}}
---
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: ml}
spec:
  components:
    - name: Frontend
      type: frontend
      replicas: 1
      podTemplate:
        spec:
          containers:
            - name: main
              image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0
              command: [python3, -m, dynamo.frontend]
              args: [--router-mode, kv, --kv-cache-block-size, "16"]
              resources: {limits: {cpu: "4", memory: 8Gi}}
    - name: Prefill
      type: prefill
      replicas: 1
      podTemplate:
        spec:
          nodeSelector: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}
          volumes: [{name: models, persistentVolumeClaim: {claimName: models}}]
          containers:
            - name: main
              image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0
              command: [python3, -m, dynamo.vllm]
              args:
                - --model=Qwen/Qwen3-32B
                - --served-model-name=qwen
                - --tensor-parallel-size=2
                - --disaggregation-mode=prefill
                - --block-size=16
                - --kv-transfer-config={"kv_connector":"NixlConnector","kv_role":"kv_both"}
              env:
                - {name: HF_HOME, value: /models}
                - {name: UCX_TLS, value: "rc,cuda_copy"}
                - {name: HF_TOKEN, valueFrom: {secretKeyRef: {name: hf, key: HF_TOKEN}}}
              volumeMounts: [{name: models, mountPath: /models}]
              resources:
                limits: {nvidia.com/gpu: "2", rdma/ib: "1", cpu: "8", memory: 128Gi}
                requests: {nvidia.com/gpu: "2", rdma/ib: "1", cpu: "8", memory: 128Gi}
    - name: Decode
      type: decode
      replicas: 1
      podTemplate:
        spec:
          nodeSelector: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}
          volumes: [{name: models, persistentVolumeClaim: {claimName: models}}]
          containers:
            - name: main
              image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0
              command: [python3, -m, dynamo.vllm]
              args: [--model=Qwen/Qwen3-32B, --served-model-name=qwen, --tensor-parallel-size=2, --disaggregation-mode=decode, --block-size=16, '--kv-transfer-config={"kv_connector":"NixlConnector","kv_role":"kv_both"}']
              env: [{name: HF_HOME, value: /models}, {name: UCX_TLS, value: "rc,cuda_copy"}]
              volumeMounts: [{name: models, mountPath: /models}]
              resources:
                limits: {nvidia.com/gpu: "2", rdma/ib: "1"}
                requests: {rdma/ib: "1"}
"""  # noqa: E501
PREFILL = BASE.index("- name: Prefill")
COMMAND, PORT = "command: [python3, -m, dynamo.vllm]", "livenessProbe: {httpGet: {path: /live, port: 9090}, "
MODEL, TP, MODE = "--model=Qwen/Qwen3-32B", "--tensor-parallel-size=2", "--disaggregation-mode=prefill"
LIMITS = 'limits: {nvidia.com/gpu: "2", rdma/ib: "1", cpu: "8", memory: 128Gi}'
NIXL = '--kv-transfer-config={"kv_connector":"NixlConnector","kv_role":"kv_both"}'
HOME, TLS = "{name: HF_HOME, value: /models}", '{name: UCX_TLS, value: "rc,cuda_copy"}'
ROUTER = '[--router-mode, kv, --kv-cache-block-size, "16"]'
SELECTOR = "NVIDIA-H100-80GB-HBM3"
FRONTEND = "command: [python3, -m, dynamo.frontend]"
NAME, RESOURCE, PROBE = "check/misspelt-name", "check/misspelt-resource", "check/probe-port"
VALUE, FLAG, AMOUNT = "check/flag-value", "check/unknown-flag", "check/odd-amount"

#: what is replaced, in the first component that has it from Prefill on, else in the whole; by what; finding; severity
PLANTS = [
    # units
    ("memory: 128Gi}", "memory: 128}", AMOUNT, "error"),
    ("memory: 128Gi}", "memory: 64m}", AMOUNT, "error"),
    ('cpu: "8", memory: 128Gi}', 'cpu: "8000", memory: 128Gi}', AMOUNT, "error"),
    ('cpu: "8", memory: 128Gi}', "cpu: 8m, memory: 128Gi}", AMOUNT, "warning"),
    ("memory: 128Gi}", "memory: 128Ti}", AMOUNT, "error"),
    ('limits: {nvidia.com/gpu: "2"', 'limits: {nvidia.com/gpu: "32"', AMOUNT, "error"),
    ('limits: {nvidia.com/gpu: "2"', 'limits: {nvidia.com/gpu: "0.5"', "admission/resource-amount", "error"),
    ('limits: {nvidia.com/gpu: "2"', 'limits: {gpu: "2"', "admission/resource-name", "error"),
    (COMMAND, COMMAND + "\n              ports: [{containerPort: 99999}]", "admission/port-number", "error"),
    (LIMITS, LIMITS.replace("128Gi", "64Gi"), "admission/request-above-limit", "error"),
    # command lines
    (COMMAND, "", "check/no-command", "error"),
    (COMMAND, "command: [python3]", "check/no-command", "error"),
    (COMMAND, "command: [python3 -m dynamo.vllm]", "check/no-command", "error"),
    (COMMAND, "command: [python3, dynamo.vllm]", "check/no-command", "error"),
    (FRONTEND, "", "check/no-command", "error"),
    (COMMAND, "command: [sh, -c, python3, -m, dynamo.vllm]", "check/shell-words", "error"),
    (COMMAND, "command: [/bin/bash, -lc, python3 -m dynamo.vllm]", "check/shell-words", "error"),
    (f"- {MODEL}", f"- python3\n                - -m\n                - dynamo.vllm\n                - {MODEL}", "check/command-twice", "error"),  # noqa: E501
    (f"- {MODEL}", "- --model Qwen/Qwen3-32B", "check/joined-flag", "error"),
    (f"- {TP}", "- --tensor-parallel-size 2", "check/joined-flag", "error"),
    (f"- {MODEL}", '- "--model=Qwen/Qwen3-32B "', "check/joined-flag", "error"),
    (COMMAND, "command: [python3, -m, dynamo.sglang]", "backend/mixed", "error"),
    ("vllm-runtime:1.4.0\n              command: [python3, -m, dynamo.vllm]", "sglang-runtime:1.4.0\n              command: [python3, -m, dynamo.vllm]", "check/other-engine", "error"),  # noqa: E501
    ("vllm-runtime:1.4.0\n              command: [python3, -m, dynamo.vllm]", "dynamo-frontend:1.4.0\n              command: [python3, -m, dynamo.vllm]", "check/other-engine", "error"),  # noqa: E501
    (COMMAND, "command: [python3, -m, dynamo.vlm]", "check/unknown-module", "error"),
    (FRONTEND, "command: [python3, -m, dynamo.fronted]", "check/unknown-module", "error"),
    # flags
    (TP, "--tensor-paralel-size=2", FLAG, "error"),
    (TP, "--tensor_parallel_sise=2", FLAG, "error"),
    (TP, "-tensor-parallel-size=2", FLAG, "error"),
    (TP, "\u2013tensor-parallel-size=2", FLAG, "error"),
    (TP, "--tp-size=2", FLAG, "error"),
    (MODEL, "--model-path=Qwen/Qwen3-32B", FLAG, "error"),
    ("--block-size=16\n", "--block-size=16\n                - --mem-fraction-static=0.8\n", FLAG, "error"),
    ("--block-size=16\n", "--block-size=16\n                - --max-model-length=8192\n", FLAG, "error"),
    ("--block-size=16\n", "--block-size=16\n                - --enable-prefix-cache\n", FLAG, "error"),
    (ROUTER, "[--router-mod, kv]", FLAG, None),
    (ROUTER, "[--routermode, kv]", FLAG, "error"),
    ("--block-size=16\n", "--block-size=16\n                - --gpu-memory-utilization=9\n", VALUE, "error"),
    ("--block-size=16\n", "--block-size=16\n                - --gpu-memory-utilization=90%\n", VALUE, "error"),
    ("--block-size=16\n", "--block-size=16\n                - --max-num-seqs=-1\n", VALUE, "error"),
    ("--block-size=16\n", "--block-size=16\n                - --max-model-len=32k\n", VALUE, None),
    ("--block-size=16\n", "--block-size=16\n                - --enforce-eager=true\n", VALUE, "error"),
    ("--block-size=16\n", "--block-size=16\n                - --max-num-seqs\n                - --enforce-eager\n", VALUE, "error"),  # noqa: E501
    ("--block-size=16\n", "--block-size=16\n                - --dtype=bfloat-16\n", VALUE, "error"),
    (TP, "--tensor-parallel-size=two", VALUE, "error"),
    (TP, "--tensor-parallel-size=0", VALUE, "error"),
    (NIXL, "'--kv-transfer-config={kv_connector: NixlConnector}'", VALUE, "error"),
    (NIXL, NIXL[:-1], VALUE, "error"),
    (MODE, "--disaggregation-mode=prefil", VALUE, "error"),
    (ROUTER, "[--router-mode, roundrobin]", VALUE, "error"),
    (ROUTER, "[--router-mode, sticky]", VALUE, "error"),
    (ROUTER, "[--router-mode, KV]", VALUE, "error"),
    (TP, "--tp=2", FLAG, "error"),
    (ROUTER, '[--router-mode, kv, --http-port, "80000"]', VALUE, "error"),
    (f"- {TP}", f"- {TP}\n                - --tensor-parallel-size=1", "check/flag-twice", "warning"),
    (NIXL, NIXL.replace("NixlConnector", "NixlConector"), VALUE, "error"),
    (NIXL, NIXL.replace("kv_both", "both"), VALUE, "error"),
    (NIXL, NIXL.replace(',"kv_role":"kv_both"', ""), VALUE, "error"),
    (NIXL, NIXL.replace("NixlConnector", "MyOwnConnector"), VALUE, None),
    (f"- {MODEL}\n                ", "", "check/no-model", "warning"),
    (TLS, "{name: CUDA_VISIBLE_DEVICES, value: '2,3'}", "check/visible-devices", "warning"),
    (TLS, "{name: CUDA_VISIBLE_DEVICES, value: '0,1'}", "check/visible-devices", None),
    # the graph
    ("type: frontend\n      replicas: 1", "type: frontend\n      replicas: 0", "check/no-replicas", "warning"),
    (ROUTER, '[--router-mode, kv, --http-port, "8080"]', "check/frontend-port", "error"),
    (FRONTEND, FRONTEND + '\n              env: [{name: DYN_HTTP_PORT, value: "9000"}]', "check/frontend-port", "error"),  # noqa: E501
    ('limits: {cpu: "4", memory: 8Gi}', 'limits: {nvidia.com/gpu: "1"}', "check/frontend-gpus", "warning"),
    (MODE, "--disaggregation-mode=decode", "check/role-of-type", "warning"),
    (MODE, "--disaggregation-mode=decode", "check/half-disaggregated", "warning"),
    ("--served-model-name=qwen", "--served-model-name=qwen3", "check/models-differ", "error"),
    ("--block-size=16\n", "--block-size=32\n", "check/block-size", "warning"),
    # models
    (MODEL, "--model=Qwen/Qwen3-235B-A22B", "check/model-too-large", "error"),
    (MODEL, "--model=meta-llama/Llama-3.1-405B-Instruct", "check/model-too-large", "error"),
    (SELECTOR, "NVIDIA-L4", "check/model-too-large", "error"),
    (SELECTOR, "Tesla-T4", "check/model-too-large", "error"),
    (f"- {TP}", "- --tensor-parallel-size=3", "check/attention-heads", "error"),
    ("--block-size=16\n", "--block-size=16\n                - --max-model-len=131072\n", "check/context-length", "error"),  # noqa: E501
    ("--model=Qwen/Qwen3-32B, ", "--model=meta-llama/Llama-3.3-70B-Instruct, ", "check/gated-model", "warning"),
    (LIMITS, LIMITS.replace("128Gi", "32Gi"), "check/memory-below-weights", "warning"),
    ("storage: 500Gi", "storage: 50Gi", "check/small-claim", "warning"),
    ("storage: 500Gi", "storage: 500", AMOUNT, None),
    # names
    ("claimName: models", "claimName: model", NAME, "warning"),
    ("volumeMounts: [{name: models,", "volumeMounts: [{name: modles,", NAME, "warning"),
    ("secretKeyRef: {name: hf,", "secretKeyRef: {name: hf2,", NAME, None),
    (LIMITS, LIMITS.replace("nvidia", "nvdia"), RESOURCE, "error"),
    (LIMITS, LIMITS.replace("nvidia.com/gpu", "nvidia.com/gpus"), RESOURCE, "error"),
    ("nodeSelector: {nvidia.com/gpu.product", "nodeSelector: {nvidia.com/gpu-product", RESOURCE, "warning"),
    ("nodeSelector: {nvidia.com/gpu.product", "nodeSelector: {example.com/gpu.product", RESOURCE, None),
    ("image: nvcr.io/", "image: https://nvcr.io/", "check/image-name", "error"),
    ("image: nvcr.io/nvidia", "image: nvcr.io/NVIDIA", "check/image-name", "error"),
    ("image: nvcr.io/nvidia", "image: registry.local:5000/a/b__c/nvidia", "check/image-name", None),
    # values that are listed, and quotes
    ("--block-size=16\n", "--block-size=16\n                - --quantization=fp9\n", VALUE, "error"),
    ("--block-size=16\n", "--block-size=16\n                - --quantization=our-own\n", VALUE, None),
    ("--block-size=16\n", "--block-size=16\n                - --dtype=bfloat61\n", VALUE, "error"),
    ("--block-size=16\n", "--block-size=16\n                - --kv-cache-dtype=fp8_e4m33\n", VALUE, "error"),
    ("--block-size=16\n", "--block-size=16\n                - --dyn-tool-call-parser=hermess\n", VALUE, "error"),
    # A later image may have it.
    ("--block-size=16\n", "--block-size=16\n                - --dyn-tool-call-parser=kimi_k9\n", VALUE, None),
    ("--served-model-name=qwen", "\u201c--served-model-name=qwen\u201d", VALUE, "error"),
    (NIXL, NIXL.replace('"', "\u201d"), VALUE, "error"),
    # programs
    (COMMAND, "command: [pyhton3, -m, dynamo.vllm]", "check/no-command", "error"),
    (COMMAND, "command: [dynamo.vllm]", "check/no-command", "error"),
    (COMMAND, "command: [python3, -m, vllm.entrypoints.openai.api_server]", "check/unknown-module", "error"),
    (COMMAND, "command: [vllm, serve]", "check/unknown-module", "error"),
    # roles; dynamo.vllm decodes for prefill workers without being told
    (f"                - {MODE}\n", "", "check/role-of-type", "warning"),
    ("--disaggregation-mode=decode, ", "", "check/role-of-type", None),
    # GPUs and probes
    (LIMITS + "\n                requests: {nvidia.com/gpu: \"2\", ", "limits: {}\n                requests: {", "check/no-gpus", "error"),  # noqa: E501
    (LIMITS + "\n                requests: {nvidia.com/gpu: \"2\", ", "limits: {example.com/npu: 1}\n                requests: {", "check/no-gpus", "warning"),  # noqa: E501
    (COMMAND, COMMAND + "\n              readinessProbe: {httpGet: {path: /live, port: sytem}}", PROBE, "error"),
    (COMMAND, COMMAND + "\n              livenessProbe: {httpGet: {path: /live, port: sytem}}", PROBE, "warning"),
    (COMMAND, COMMAND + "\n              readinessProbe: {httpGet: {path: /live, port: system}}", PROBE, None),
    # The operator's probes ask for a port that this list replaces.
    (COMMAND, COMMAND + "\n              ports: [{name: own, containerPort: 7000}]", PROBE, "error"),
    (ROUTER, "[--model-name, qwen3]", "check/models-differ", "warning"),
    (ROUTER, "[--model-name, qwen]", "check/models-differ", None),
    # files
    (HOME, "{name: HF_HOME, value: /model-cache}", "check/cache-beside-volume", "warning"),
    (HOME, "{name: HF_HUB_CACHE, value: /root/.cache/huggingface}", "check/cache-beside-volume", "warning"),
    (f"- {HOME}\n                ", "", "check/cache-beside-volume", None),
    (MODEL, "--model=/mnt/qwen3", "check/model-path", "warning"),
    # transports
    (LIMITS + "\n                requests: {nvidia.com/gpu: \"2\", rdma/ib: \"1\", cpu: \"8\", memory: 128Gi}", 'limits: {nvidia.com/gpu: "2"}', "check/rdma", "warning"),  # noqa: E501
    # probes, variables, nodes
    (COMMAND, COMMAND + f"\n              {PORT}failureThreshold: 1, timeoutSeconds: 2}}", "check/impatient-probe", "warning"),  # noqa: E501
    ("{name: HF_TOKEN, value", "{name: HF_TOEKN, value", "check/misspelt-variable", "warning"),
    # The right one is there, too.
    (TLS, "{name: HF_TOEKN, value: x}", "check/misspelt-variable", None),
    (TLS, "{name: HF_HUB_OFLINE, value: '1'}", "check/misspelt-variable", "warning"),
    (TLS, "{name: DYN_LGO, value: debug}", "check/misspelt-variable", "warning"),
    (TLS, "{name: DNY_LOG, value: debug}", "check/misspelt-variable", "warning"),
    (TLS, "{name: hf_home, value: /models}", "check/misspelt-variable", None),
    (TLS, "{name: NCCL_DEBGU, value: INFO}", "check/misspelt-variable", "warning"),
    (TLS, "{name: NATS_SERVER, value: 'nats://localhost:4222'}", "check/local-address", "warning"),
    (TLS, "{name: ETCD_ENDPOINTS, value: 'http://127.0.0.1:2379'}", "check/local-address", "warning"),
    ("key: HF_TOKEN", "key: HF_TOEKN", "check/missing-key", "error"),
    ("nodeSelector: {nvidia", "nodeSelector: {kubernetes.io/os: windows, nvidia", "check/impossible-node", "error"),
    (SELECTOR, "NVIDIA-GB200, kubernetes.io/arch: amd64", "check/impossible-node", "error"),
    (SELECTOR, 'NVIDIA-H100-80GB-HBM3, nvidia.com/gpu.count: "1"', "check/impossible-node", "error"),
]  # fmt: skip


def planted(old: str, new: str) -> tuple[str, int]:
    """The graph with one mistake, and the line of it."""
    at = BASE.find(old, PREFILL)
    at = BASE.find(old) if at < 0 else at
    assert at >= 0, old
    return BASE[:at] + new + BASE[at + len(old) :], BASE.count("\n", 0, at) + 1


def findings(dynamoc: Run, text: str) -> list[dict[str, object]]:
    Path("graph.yaml").write_text(text, encoding="utf-8")
    found: list[dict[str, object]] = json.loads(dynamoc("check", "graph.yaml", "-o", "json", *OPTIONS).out)["findings"]
    return found


def test_the_graph_without_a_mistake_is_clean(dynamoc: Run) -> None:
    Path("graph.yaml").write_text(BASE)
    result = dynamoc("check", "graph.yaml", "-o", "json", *OPTIONS)
    assert (result.code, slugs(result.out, mistakes=True)) == (0, [])


@pytest.mark.parametrize(
    ("old", "new", "slug", "severity"), PLANTS, ids=[f"{number}-{each[2]}" for number, each in enumerate(PLANTS)]
)
def test_a_planted_mistake(old: str, new: str, slug: str, severity: str | None, dynamoc: Run) -> None:
    """It is found, on one of the lines that it changes; with no severity, it is a near miss."""
    text, line = planted(old, new)
    found = [each for each in findings(dynamoc, text) if each["slug"] == slug]
    assert {each["severity"] for each in found} == ({severity} if severity else set())
    places = [(each["place"] or {})["line"] for each in found]  # type: ignore[index]
    if found and slug not in ELSEWHERE:
        assert any(line <= place <= line + new.count("\n") + 1 for place in places), places


#: what is reported at the other end of what does not fit together
ELSEWHERE = {
    *("backend/mixed", "check/small-claim", "check/models-differ", "check/block-size", "check/half-disaggregated"),
    *("check/model-too-large", "check/no-command", "check/shell-words", "check/rdma", "check/other-engine"),
    *("check/memory-below-weights", "check/flag-twice", "check/role-of-type", "check/no-gpus"),
}  # fmt: skip


#: one worker behind a shell, in the older version of the API
AGGREGATED = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: ml}
spec:
  services:
    Frontend:
      componentType: frontend
      replicas: 1
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/sglang-runtime:1.0.0
    Worker:
      componentType: worker
      replicas: 1
      envFromSecret: hf-token-secret
      resources: {limits: {gpu: "1"}}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/sglang-runtime:1.0.0
          command: [/bin/sh, -c]
          args:
            - >-
              exec python3 -m dynamo.sglang --model-path Qwen/Qwen3-0.6B --tp 1 --page-size 16
              --kv-events-config '{"publisher": "zmq"}' --mem-fraction-static 0.8
          env: [{name: LOG, value: a}]
"""
FRONT = AGGREGATED[AGGREGATED.index("    Frontend:") : AGGREGATED.index("    Worker:")]
WORKER = AGGREGATED[AGGREGATED.index("    Worker:") :]
OLD, LINE = ("--operator-version", "1.0", "--target", "grove"), "exec python3 -m dynamo.sglang"
ENV = "env: [{name: LOG, value: a}]"
CLAIM = "volumeMounts: [{name: m, mountPath: %s}]\n        volumes: [{name: m, persistentVolumeClaim: {claimName: m}}]"
TRT = "exec python3 -m dynamo.trtllm"

#: what is replaced, by what, finding; "" where a near miss has none of those of this page
SHELL_PLANTS = [
    (FRONT, "", "check/no-frontend"),
    (WORKER, "", "check/no-worker"),
    ("componentType: worker\n      replicas: 1", "componentType: worker\n      replicas: 0", "check/no-replicas"),
    (FRONT, FRONT.replace("replicas: 1", 'replicas: 1\n      resources: {limits: {gpu: "1"}}'), "check/frontend-gpus"),
    (FRONT, FRONT.rstrip("\n") + '\n          args: [--http-port, "8000"]\n', "check/no-command"),
    (FRONT, FRONT.rstrip("\n") + "\n          args: [python3, -m, dynamo.frontend]\n", "check/no-command"),
    ("command: [/bin/sh, -c]", "command: [/bin/sh]", "check/no-command"),
    ("--model-path Qwen/Qwen3-0.6B", "--model-path Qwen/Qwen3-0.6B --served-model-name", "check/flag-value"),
    ("--tp 1", "--tensor-parallel-sise 1", "check/unknown-flag"),
    ("--tp 1", "--gpu-memory-utilization 0.9", "check/unknown-flag"),
    ("--tp 1", "--model_path x", "check/unknown-flag"),
    ("--tp 1", "--max-model-len 4096", "check/unknown-flag"),
    ("--mem-fraction-static 0.8", "--mem-fraction-static 8", "check/flag-value"),
    ("--mem-fraction-static 0.8", "--mem-fraction-static 80%", "check/flag-value"),
    ("--page-size 16", "--page-size 0", "check/flag-value"),
    ("--page-size 16", "--port 70000", "check/flag-value"),
    ("--page-size 16", "--disaggregation-mode both", "check/flag-value"),
    ("'{\"publisher\": \"zmq\"}'", '{"publisher": "zmq"}', "check/flag-value"),
    ("'{\"publisher\": \"zmq\"}'", "'{publisher: zmq}'", "check/flag-value"),
    ("Qwen/Qwen3-0.6B", "meta-llama/Llama-3.1-70B-Instruct", "check/model-too-large"),
    ("Qwen/Qwen3-0.6B", "deepseek-ai/DeepSeek-R1", "check/model-too-large"),
    ("--model-path Qwen/Qwen3-0.6B", "", "check/no-model"),
    ("--model-path Qwen/Qwen3-0.6B", "--config /etc/sglang.yaml", ""),
    ("Qwen/Qwen3-0.6B", "/models/qwen", "check/model-path"),
    ("Qwen/Qwen3-0.6B", "Qwen/Qwen3-0.6B --context-length 200000", "check/context-length"),
    ("      envFromSecret: hf-token-secret\n", "      envs: [{name: HUGGINGFACE_TOKN, value: x}]\n", "check/misspelt-variable"),  # noqa: E501
    (ENV, "env: [{name: HF_HUB_OFFLINE, value: '1'}]", "check/offline-model"),
    (ENV, "env: [{name: TRANSFORMERS_OFFLINE, value: 'true'}]", "check/offline-model"),
    (ENV, CLAIM % "/root/.cache/huggingface", "check/cache-of-other-user"),
    (ENV, "env: [{name: UCX_TLS, value: 'rc_x,cuda_ipc'}]", "check/rdma"),
    (ENV, "env: [{name: NCCL_IB_HCA, value: mlx5_0}]", "check/rdma"),
    (ENV, "livenessProbe: {httpGet: {path: /live, port: 9090}, failureThreshold: 1}", "check/impatient-probe"),
    ("exec python3", "exec pyhton3", "check/no-command"),
    (LINE, "exec dynamo.sglang", "check/no-command"),
    (LINE, "exec python3 -m sglang.launch_server", "check/unknown-module"),
    ("dynamo.sglang ", "dynamo.sgl ", "check/unknown-module"),
    (">-", "|", "check/shell-words"),
    ("--page-size 16\n", "--page-size 16 \\\n", "check/no-command"),
    (">-\n              exec", ">-\n              exec -a", ""),
    ("Qwen/Qwen3-0.6B", "Qwen/Qwen3-0.6B --attention-backend flashinfr", "check/flag-value"),
    ("Qwen/Qwen3-0.6B", "Qwen/Qwen3-0.6B --dyn-reasoning-parser deepsek_r1", "check/flag-value"),
    ("envFromSecret: hf-token-secret", "envFromSecret: hf-token-secret\n      subComponentType: decode", ""),
    ("envFromSecret: hf-token-secret", "envFromSecret: hf-token-secret\n      subComponentType: prefill", "check/role-of-type"),  # noqa: E501
    # near misses
    ("args:\n", "args:\n", ""),
    ("command: [/bin/sh, -c]", "command: [/bin/sh, -ec]", ""),
    (LINE, "exec env A=b python3 -m dynamo.sglang", ""),
    (LINE, "nvidia-smi --query-gpu=name; exec python3 -m dynamo.sglang", ""),
    ("--tp 1", "--tp $TP $EXTRA", ""),
    ("--tp 1", "--tp-size 1 --trust-remote-code --some-new-flag 7", ""),
    ("--mem-fraction-static 0.8", "--mem-fraction-static 0.8 | tee /tmp/log --append", ""),
    ("--mem-fraction-static 0.8", "--mem-fraction-static $(FRACTION)", ""),
    ("--mem-fraction-static 0.8", "--chunked-prefill-size -1", ""),
    ("'{\"publisher\": \"zmq\"}'", '"$EVENTS"', ""),
    ("Qwen/Qwen3-0.6B", "nvidia/Llama-3.3-70B-Instruct-FP8", ""),
    ("Qwen/Qwen3-0.6B", "deepseek-ai/Some-New-Model", ""),
    ("Qwen/Qwen3-0.6B", "$MODEL", ""),
    ("Qwen/Qwen3-0.6B", "meta-llama/Llama-3.1-8B-Instruct", ""),
    ("Qwen/Qwen3-0.6B", "/workspace/models/qwen", ""),
    ("Qwen/Qwen3-0.6B", "/models/qwen --help", "check/model-path"),
    (ENV, CLAIM % "/home/dynamo/.cache/huggingface", ""),
    (ENV, "env: [{name: HF_HUB_OFFLINE, value: '1'}]\n          " + CLAIM % "/home/dynamo/.cache/huggingface", ""),
    (ENV, "env: [{name: UCX_TLS, value: 'rc,tcp,cuda_copy'}]", ""),
    (ENV, "env: [{name: UCX_TLS, value: 'tcp'}, {name: MY_TOKEN_COUNT, value: '1'}]", ""),
    (ENV, "env: [{name: NATS_SERVER, value: 'nats://nats.platform:4222'}]", ""),
    (ENV, "livenessProbe: {httpGet: {path: /live, port: 9090}, failureThreshold: 1, timeoutSeconds: 30}", ""),
    (ENV, "resources: {limits: {cpu: '96', memory: 2Ti}, requests: {cpu: 500m, memory: 512Mi}}", ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "slug"), SHELL_PLANTS, ids=[f"{number}-{each[2]}" for number, each in enumerate(SHELL_PLANTS)]
)
def test_a_mistake_in_a_script(old: str, new: str, slug: str, dynamoc: Run) -> None:
    assert old in AGGREGATED
    Path("graph.yaml").write_text(AGGREGATED.replace(old, new, 1))
    result = dynamoc("check", "graph.yaml", "-o", "json", *OLD)
    found = [each for each in slugs(result.out, mistakes=True) if each in MISTAKES]
    assert found == [slug] * bool(slug)


def test_what_another_graph_brings_is_not_missing(dynamoc: Run) -> None:
    parts = [
        AGGREGATED.replace(part, "", 1).replace("name: chat", f"name: {name}", 1)
        for part, name in ((FRONT, "a"), (WORKER, "b"))
    ]
    Path("graph.yaml").write_text("---\n".join(parts))
    found = slugs(dynamoc("check", "graph.yaml", "-o", "json", *OLD).out, mistakes=True)
    assert not {"check/no-frontend", "check/no-worker"} & set(found)
