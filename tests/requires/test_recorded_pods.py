"""Pods as the controllers of Kubernetes 1.34 and LeaderWorkerSet 0.9.0 made them of rendered objects."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run

SHARED = Path(__file__).parents[3] / "shared" / "conformance"
RECORDS = sorted((SHARED / "pods-lws-1.4").glob("*.json"))
OPTIONS = ("--operator-version", "1.4", "--target", "lws")
COMPONENT = "nvidia.com/dynamo-component"


def _input(record: Path) -> str:
    corpus, case = record.stem.split("__")
    return str(SHARED / corpus / "inputs" / f"{case}.yaml")


@pytest.mark.skipif(not RECORDS, reason="no conformance recordings beside the repository")
@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_pods_as_controllers_make_them(path: Path, dynamoc: Run) -> None:
    record = json.loads(path.read_text())
    pods, gpus = Counter[str](), Counter[str]()
    for pod in record["pods"]:
        component = pod["labels"].get(COMPONENT, "")
        pods[component] += 1
        gpus[component] += pod["gpus"]
    report = json.loads(dynamoc("requires", _input(path), "-o", "json", *OPTIONS).out)
    found = {item["name"]: item for item in report["components"] if item["pods"]}
    missing = {name: item for name, item in found.items() if item["pods"] != pods[name]}
    # What no controller can create is reported.
    warned = _warned(dynamoc, path)
    assert bool(missing) == bool(warned) == bool(record["warnings"])
    assert {name for name in pods if name not in found} == set()
    for name, item in found.items():
        # The recorder counted NVIDIA's.
        if name not in missing and "gpuType" not in Path(_input(path)).read_text():
            assert item["gpus"] == gpus[name], name


@pytest.mark.slow
@pytest.mark.skipif(not RECORDS, reason="no conformance recordings beside the repository")
@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_pod_is_found_by_its_name(path: Path, dynamoc: Run) -> None:
    for pod in json.loads(path.read_text())["pods"]:
        result = dynamoc("explain", _input(path), f"pod/{pod['name']}", "spec.containers[0].image", *OPTIONS)
        assert result.code == 0, (pod["name"], result.err)


def _warned(dynamoc: Run, path: Path) -> list[Any]:
    """Findings about pods of LeaderWorkerSets that controllers fail to create."""
    report = json.loads(dynamoc("validate", _input(path), "-o", "json", *OPTIONS).out)
    return [item for item in report["findings"] if item["slug"] in ("admission/request-above-limit", "lws/long-name")]
