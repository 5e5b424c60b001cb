"""Rules about what surrounds an engine: variables, annotations, images, secrets, names."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.check.graphs import ALPHA, check, graph, slugs, worker
from tests.cli.conftest import Run

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
        options += ("--cluster", "inference.networking.k8s.io/v1/InferencePool")
        assert check(dynamoc, text, options=options).count("check/epp-namespace") == found


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [("DYN_NAMESPACE", "mine", 1), ("DYN_LOG", "debug", 0), ("DYN_DISCOVERY_BACKEND", "etcd", 1)],
)
def test_variables_of_the_operator(name: str, value: str, found: int, dynamoc: Run) -> None:
    text = graph(worker(gpus=1, container={"env": [{"name": name, "value": value}]}))
    assert check(dynamoc, text).count("check/operator-variable") == found


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
    text = ALPHA.replace("vllm:1.0.0", f"vllm-runtime:{tag}").replace("700B", "70B")
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
