"""The webhooks of operator 1.0, all for v1alpha1 but the requests'.

Source: internal/webhook/defaulting and internal/webhook/validation; the order is the operator's.
"""

from __future__ import annotations

from dynamoc.admission import component, defaults, epp, graph, known_annotations, model, orchestrator, request
from dynamoc.admission.review import Component, Review
from dynamoc.kube.names import dynamo_namespace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Tree = dict[str, Any]

GRAPH: tuple[Callable[[Review], None], ...] = (
    graph.has_services,
    known_annotations.origin_version,
    known_annotations.executor_backend,
    graph.claims_are_complete,
    graph.restart_is_complete,
)
COMPONENT: tuple[Callable[[Review, Component], None], ...] = (
    component.dynamo_namespace_is_ignored,
    component.replicas_are_not_negative,
    component.ingress_has_host,
    component.mounts_have_mount_point,
    component.shared_memory_has_size,
    component.autoscaling_is_ignored,
    component.sidecar_name_is_free,
    known_annotations.component_executor_backend,
    epp.endpoint_picker,
    orchestrator.multinode_without_grove,
)
SERVICE = (graph.name_fits_grove, *COMPONENT, epp.inference_pool_is_served)
MODEL = (model.model_is_named, model.adapter_has_source)
REQUEST = (request.thorough_search_has_backend, request.hardware_is_known)


def judge_graph(review: Review) -> None:
    for rule in GRAPH:
        rule(review)
    metadata = review.metadata
    for name, spec in (review.spec.get("services") or {}).items():
        if spec is None:
            continue
        namespace = _namespace(spec, metadata, metadata.get("name", ""))
        service = Component(name, spec, ("spec", "services", name), namespace, in_graph=True)
        for component_rule in SERVICE:
            component_rule(review, service)


def judge_component(review: Review) -> None:
    metadata = review.metadata
    owners = metadata.get("ownerReferences") or ()
    graph_name = next((owner["name"] for owner in owners if owner.get("kind") == "DynamoGraphDeployment"), "")
    namespace = _namespace(review.spec, metadata, graph_name)
    alone = Component(metadata.get("name", ""), review.spec, ("spec",), namespace, in_graph=bool(graph_name))
    for rule in COMPONENT:
        rule(review, alone)


def judge_model(review: Review) -> None:
    for rule in MODEL:
        rule(review)


def judge_request(review: Review) -> None:
    for rule in REQUEST:
        rule(review)


def _namespace(spec: Tree, metadata: Tree, graph_name: str) -> str:
    return dynamo_namespace(bool(spec.get("globalDynamoNamespace")), metadata.get("namespace", ""), graph_name)


DEFAULTS = {
    ("v1alpha1", "DynamoGraphDeployment"): (defaults.service_replicas, defaults.origin_version),
    ("v1beta1", "DynamoGraphDeploymentRequest"): (defaults.frontend_image,),
}
JUDGES = {
    ("v1alpha1", "DynamoGraphDeployment"): judge_graph,
    ("v1alpha1", "DynamoComponentDeployment"): judge_component,
    ("v1alpha1", "DynamoModel"): judge_model,
    ("v1beta1", "DynamoGraphDeploymentRequest"): judge_request,
}
