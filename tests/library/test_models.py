"""Graphs that are built with models; that these are those of the newest release is in tests/api."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dynamoc import models
from dynamoc.interfaces.library import render
from dynamoc.reference.models import v1alpha1

ROOT = Path(__file__).parents[2]
METADATA = {"name": "chat", "namespace": "team"}
PODS = {"spec": {"containers": [{"name": "main", "image": "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0"}]}}


def test_a_built_graph_is_what_was_written() -> None:
    component = models.ComponentSpec(name="Worker", type="worker", replicas=0, pod_template=PODS)
    graph = models.DynamoGraphDeployment(metadata=METADATA, spec=models.GraphDeploymentSpec(components=[component]))
    assert graph.to_dict() == {
        "apiVersion": "nvidia.com/v1beta1",
        "kind": "DynamoGraphDeployment",
        "metadata": METADATA,
        "spec": {"components": [{"name": "Worker", "type": "worker", "replicas": 0, "podTemplate": PODS}]},
    }
    assert render(graph, target="grove").to_yaml() == render(graph.to_dict(), target="grove").to_yaml()


def test_the_other_version_renders_to_the_same() -> None:
    pod = v1alpha1.SharedSpec.model_fields["extra_pod_spec"]
    assert pod is not None
    spec = v1alpha1.GraphDeploymentSpec.model_validate(
        {
            "services": {
                "Worker": {"componentType": "worker", "extraPodSpec": {"mainContainer": {"image": "x/vllm:1.4.0"}}}
            }
        }
    )
    graph = v1alpha1.DynamoGraphDeployment(metadata=METADATA, spec=spec)
    assert graph.to_dict()["apiVersion"] == "nvidia.com/v1alpha1"
    assert render(graph, target="grove").of_kind("PodCliqueSet")


def test_what_the_api_does_not_have_is_refused_while_it_is_built() -> None:
    with pytest.raises(ValueError, match="replcias"):
        models.ComponentSpec.model_validate({"name": "Worker", "replcias": 1})
    with pytest.raises(ValueError, match="type"):
        models.ComponentSpec(name="Worker", type="nonsense")  # type: ignore[arg-type]


def test_importing_the_models_makes_no_validator() -> None:
    """Making one for each of some two hundred classes took longer than all else."""
    program = (
        "import dynamoc.reference.models.v1alpha1\nfrom dynamoc.reference.models.base import Part\n"
        "def below(cls):\n    return [cls] + [item for child in cls.__subclasses__() for item in below(child)]\n"
        "classes = below(Part)[1:]\n"
        "print(len(classes) > 50, sum(item.__pydantic_complete__ for item in classes))\n"
    )
    shown = subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert shown == "True 0\n"
