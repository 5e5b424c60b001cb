"""ConfigMap and InferencePool of an endpoint picker."""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal
from dynamoc.kube.labels import COMPONENT_LABEL, GRAPH_LABEL, NAMESPACE_LABEL, TYPE_LABEL
from dynamoc.kube.names import dynamo_namespace
from dynamoc.lower.metadata import metadata
from dynamoc.rules.epp import config_map_name, pool_name
from dynamoc.tracing import ALPHA, HUB, builder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.model.graph import Component, Graph
    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]


@builder(
    "lower/epp/epp-objects", source="controller reconcileEPPResources, epp/inference_pool.go", generations=(ALPHA, HUB)
)
def epp_objects(graph: Graph, operator: Operator) -> list[Tree]:
    """The objects beside an endpoint picker: its ConfigMap and the InferencePool of the graph."""
    components = graph.of_type("epp")
    if not components:
        return []
    component = components[0]
    labels = {
        GRAPH_LABEL: graph.name,
        COMPONENT_LABEL: component.name,
        TYPE_LABEL: "epp",
    }
    pool_labels = {
        operator.release["epp/pool-selects-by"]: "worker",
        NAMESPACE_LABEL: dynamo_namespace(component.global_dynamo_namespace, graph.namespace, graph.name),
    }
    picker = {
        "kind": "Service",
        "name": f"{graph.name}-{component.name.lower()}",
        "port": {"number": operator.release["epp/grpc-port"]},
    }
    pool = {
        "apiVersion": f"{operator.release['epp/pool-group']}/v1",
        "kind": "InferencePool",
        "metadata": metadata(pool_name(graph.name), graph.namespace, dict(labels)),
        "spec": {
            "targetPorts": [{"number": 8000}],
            "selector": {"matchLabels": pool_labels},
            "endpointPickerRef": picker,
        },
    }
    return [*_config_map(graph, component, labels, operator), pool]


@builder("lower/epp/config-map", source="epp/config.go GenerateConfigMap", generations=(ALPHA, HUB))
def _config_map(graph: Graph, component: Component, labels: dict[str, str], operator: Operator) -> list[Tree]:
    """The ConfigMap of an endpoint picker, with its configuration as YAML."""
    if component.epp_config is None and operator.release.has("epp/native"):
        return []
    config = component.epp_config or {}
    if config.get("configMapRef") is not None:
        return []
    if config.get("config") is None:
        raise Refusal(
            "epp/no-config",
            "An EPP needs its configuration; the operator fails to reconcile the graph.",
            (*component.path, "eppConfig"),
            "Set eppConfig.config, or eppConfig.configMapRef to your own ConfigMap.",
        )
    from dynamoc.golang.yaml_text import dump_go_yaml
    from dynamoc.source.scalars import resolve

    # The operator stamps the component itself, so that its DynamoComponentDeployment shows the stamp as well.
    picker = config["config"]
    picker.update(apiVersion=operator.release["epp/config-api-version"], kind="EndpointPickerConfig")
    return [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": metadata(config_map_name(graph.name), graph.namespace, labels),
            "data": {
                operator.release["epp/config-key"]: dump_go_yaml(picker, lambda text: isinstance(resolve(text), str))
            },
        }
    ]
