"""`--namespace` fills in, and refuses nothing; what passes through stays as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.conftest import Run
from tests.cli.test_inputs import CONFIG_MAP, GRAPH

NAMELESS = GRAPH.replace(", namespace: inference", "")
CONFIG = CONFIG_MAP.replace(", namespace: inference", "")


def spaces(text: str) -> dict[str, set[Any]]:
    """Kind to the namespaces of its objects."""
    found: dict[str, set[Any]] = {}
    for item in yaml.safe_load_all(text):
        found.setdefault(item["kind"], set()).add(item["metadata"].get("namespace"))
    return found


def test_it_fills_in_where_a_document_names_none(dynamoc: Run) -> None:
    Path("in.yaml").write_text(f"{NAMELESS}---\n{GRAPH.replace('chat', 'other')}")
    result = dynamoc("render", "in.yaml", "--namespace", "prod")
    assert result.code == 0
    assert "no-namespace" not in result.err
    assert spaces(result.out)["Deployment"] == {"prod", "inference"}
    refused = dynamoc("render", "in.yaml", "-n", "prod", "--deny", "namespace")
    assert refused.code == 1
    assert "[input/namespace]" in refused.err


def test_a_graph_is_what_it_is_with_the_namespace_written(dynamoc: Run) -> None:
    Path("none.yaml").write_text(NAMELESS)
    Path("named.yaml").write_text(GRAPH)
    filled = dynamoc("render", "none.yaml", "--namespace", "inference", "--target", "grove")
    assert filled.out == dynamoc("render", "named.yaml", "--target", "grove").out


@pytest.mark.parametrize(
    ("options", "namespace"), [((), None), (("--namespace", "prod"), "prod"), (("-n", "prod"), "prod")]
)
def test_what_passes_through_gets_the_namespace_too(
    dynamoc: Run, options: tuple[str, ...], namespace: str | None
) -> None:
    model = "apiVersion: nvidia.com/v1alpha1\nkind: DynamoModel\nmetadata: {name: m}\nspec: {baseModelName: x}\n"
    model = model.replace("{baseModelName: x}", "{modelName: x, baseModelName: x}")
    Path("in.yaml").write_text(f"{NAMELESS}---\n{CONFIG}---\n{model}")
    result = dynamoc("render", "in.yaml", *options, "--operator-version", "1.4")
    found = spaces(result.out)
    assert found["ConfigMap"] == {namespace}
    assert found["DynamoModel"] == {namespace}
    assert None not in found["Deployment"]


def test_what_passes_through_is_known_in_the_namespace_of_the_graphs(dynamoc: Run) -> None:
    claim = "apiVersion: v1\nkind: Secret\nmetadata: {name: hf-token}\n"
    graph = NAMELESS.replace('1.4.0"', '1.4.0", envFrom: [{secretRef: {name: hf-token}}]')
    Path("in.yaml").write_text(f"{graph}---\n{claim}")
    listed = dynamoc("requires", "in.yaml", "--namespace", "prod", "-o", "json").out
    [secret] = [item for item in yaml.safe_load(listed)["objects"] if item["name"] == "hf-token"]
    assert (secret["namespace"], secret["broughtBy"]) == ("prod", "input")


def test_a_passed_object_that_the_operator_makes_too_is_reported(dynamoc: Run) -> None:
    own = "apiVersion: v1\nkind: Service\nmetadata: {name: chat-frontend}\nspec: {ports: [{port: 1}]}\n"
    Path("in.yaml").write_text(f"{NAMELESS}---\n{own}")
    result = dynamoc("render", "in.yaml", "--namespace", "prod")
    assert "[output/overwritten]" in result.err
    [service] = [item for item in yaml.safe_load_all(result.out) if item["kind"] == "Service"]
    assert service["metadata"]["namespace"] == "prod"


def test_an_export_of_the_cluster_is_the_same_object(dynamoc: Run) -> None:
    Path("old.yaml").write_text(CONFIG_MAP.replace("inference", "prod"))
    Path("new.yaml").write_text(CONFIG)
    assert dynamoc("diff", "old.yaml", "new.yaml", "--namespace", "prod").code == 0


def test_an_empty_one_is_none(dynamoc: Run) -> None:
    Path("in.yaml").write_text(NAMELESS)
    assert spaces(dynamoc("render", "in.yaml", "--namespace", "").out)["Deployment"] == {"default"}
