"""Namespaces that the operator takes no notice of: an error, and no objects, in every release."""

from __future__ import annotations

from pathlib import Path

import pytest

from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_paths
from dynamoc.documents.findings.finding import Findings
from dynamoc.reference.releases import RELEASES

GRAPH = """
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: web, namespace: %s}
spec:
  services:
    Frontend: {componentType: frontend, extraPodSpec: {mainContainer: {image: x/vllm-runtime:1.4.0}}}
"""
VALUES = "dynamo-operator: {namespaceRestriction: {enabled: true, targetNamespace: %s}}\n"
CONFIGURATION = """
apiVersion: operator.config.dynamo.nvidia.com/v1alpha1
kind: OperatorConfiguration
namespace: {restricted: %s}
mpi: {sshSecretName: keys, sshSecretNamespace: dynamo-system}
rbac: {plannerClusterRoleName: planner, eppClusterRoleName: epp, dgdrProfilingClusterRoleName: profiling}
"""


def slugs(folder: Path, namespace: str, release: str, restricted: str | None = None) -> list[str]:
    graph, values = folder / "graph.yaml", folder / "values.yaml"
    graph.write_text(GRAPH % namespace)
    values.write_text((VALUES if release.startswith("0.") else CONFIGURATION) % restricted)
    findings = Findings()
    config = str(values) if restricted else None
    objects = compile_paths([str(graph)], Options(operator_version=release, operator_config=config), findings)
    errors = [item for item in findings.items if item.severity == "error"]
    assert bool(objects) != bool(errors)
    assert all(item.place and item.place.line == 4 for item in errors)
    return [item.slug for item in errors]


@pytest.mark.parametrize("release", RELEASES)
class TestNamespaces:
    def test_ephemeral_ones_are_not_looked_at(self, release: str, tmp_path: Path) -> None:
        assert slugs(tmp_path, "my-ephemeral-1", release) == ["namespace/ephemeral"]

    def test_a_restricted_operator_looks_at_one(self, release: str, tmp_path: Path) -> None:
        assert slugs(tmp_path, "other", release, "team") == ["namespace/restricted"]
        assert slugs(tmp_path, "team", release, "team") == []

    def test_a_restricted_operator_minds_no_names(self, release: str, tmp_path: Path) -> None:
        assert slugs(tmp_path, "ephemeral", release, "ephemeral") == []
