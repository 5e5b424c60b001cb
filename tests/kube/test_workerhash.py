"""The worker hash of release 1.0, over the bytes and from the inputs that the operator hashed."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from dynamoc.documents.schema.check import check
from dynamoc.rendering.lower.hub_components import alpha_worker_hash as worker_hash
from dynamoc.rendering.lower.hub_components import alpha_worker_hash_input as worker_hash_input
from tests import quick_yaml

SERVICES: dict[str, Any] = {
    "Frontend": {"componentType": "frontend", "replicas": 1},
    "Worker": {
        "componentType": "worker",
        "replicas": 2,
        "labels": {"a": "b"},
        "extraPodSpec": {"mainContainer": {"image": "x:1", "args": ["a && b"]}, "hostNetwork": False},
        "resources": {"limits": {"gpu": "1"}},
    },
}


def graph(services: dict[str, Any]) -> dict[str, Any]:
    return {"spec": {"services": services}}


def test_bytes() -> None:
    digest, data = worker_hash("1.0", graph(SERVICES))
    assert data == (
        b'{"Worker":{"resources":{"limits":{"gpu":"1"}},"extraPodSpec":{"mainContainer":'
        b'{"name":"","image":"x:1","args":["a \\u0026\\u0026 b"],"resources":{}}}}}'
    )
    assert digest == sha256(data).hexdigest()[:8]


@pytest.mark.parametrize("field", ["replicas", "labels", "ingress", "modelRef", "scalingAdapter", "dynamoNamespace"])
def test_fields_that_do_not_count(field: str) -> None:
    worker = {key: value for key, value in SERVICES["Worker"].items() if key != field}
    assert worker_hash("1.0", graph({"Worker": worker})) == worker_hash("1.0", graph(SERVICES))
    assert worker_hash("1.0", graph({"Worker": {**worker, field: None}})) == worker_hash("1.0", graph(SERVICES))


@pytest.mark.parametrize("change", [{"envs": [{"name": "A"}]}, {"multinode": {"nodeCount": 2}}, {"resources": {}}])
def test_fields_that_count(change: dict[str, Any]) -> None:
    changed = {"Worker": {**SERVICES["Worker"], **change}}
    assert worker_hash("1.0", graph(changed)) != worker_hash("1.0", graph(SERVICES))


def test_no_workers() -> None:
    assert worker_hash("1.0", {})[1] == b"{}"


def test_order_of_services_does_not_count() -> None:
    services = {"b": SERVICES["Worker"], "a": SERVICES["Worker"]}
    assert worker_hash("1.0", graph(services)) == worker_hash("1.0", graph(dict(reversed(services.items()))))


def hashed(reference: Path) -> dict[str, str]:
    lines = (reference / "worker-hash" / "1.0.tsv").read_text().split("\n")
    return {data: digest for digest, _, data in (line.partition("\t") for line in lines if line)}


def test_recorded_bytes_print_as_they_were(reference: Path) -> None:
    for data, digest in hashed(reference).items():
        services = {name: {**spec, "componentType": "worker"} for name, spec in json.loads(data).items()}
        assert worker_hash("1.0", graph(services)) == (digest, data.encode())


def test_recorded_hashes_come_from_their_inputs(reference: Path, conformance: Path) -> None:
    wanted = hashed(reference)
    met = set()
    for corpus in ("1.0-features", "1.0-mix"):
        for file in sorted((conformance / corpus / "inputs").glob("*.yaml")):
            for document in quick_yaml.load_all(file.read_text()):
                if not document or document.get("kind") != "DynamoGraphDeployment":
                    continue
                value, problems = check("1.0", document["kind"], document["apiVersion"], document, unknown="prune")
                if value is not None and all(problem.severity != "error" for problem in problems):
                    met.add(worker_hash_input("1.0", value["spec"].get("services") or {}).decode())
    assert wanted.keys() <= met
