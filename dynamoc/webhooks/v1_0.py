"""The webhooks of operator 1.0, all for v1alpha1 but the requests'.

Source: internal/webhook/defaulting and internal/webhook/validation; the order is the operator's.
"""

from __future__ import annotations

from dynamoc.webhooks import (
    alpha,
    alpha_component,
    alpha_epp,
    alpha_graph,
    defaults,
    known_annotations,
    model,
    orchestrator,
    request,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.webhooks.alpha import ComponentRules, GraphRules
    from dynamoc.webhooks.review import Review

GRAPH: GraphRules = (
    alpha_graph.has_services,
    known_annotations.origin_version,
    known_annotations.executor_backend,
    alpha_graph.claims_are_complete,
    alpha_graph.restart_is_complete,
)
COMPONENT: ComponentRules = (
    alpha_component.dynamo_namespace_is_ignored,
    alpha_component.replicas_are_not_negative,
    alpha_component.ingress_has_host,
    alpha_component.mounts_have_mount_point,
    alpha_component.shared_memory_has_size,
    alpha_component.autoscaling_is_ignored,
    alpha_component.sidecar_name_is_free,
    known_annotations.component_executor_backend,
    alpha_epp.endpoint_picker,
    orchestrator.multinode_without_grove,
)
SERVICE = (alpha_graph.name_fits_grove, *COMPONENT, alpha_epp.inference_pool_is_served)
MODEL = (model.model_is_named, model.adapter_has_source)
REQUEST = (request.thorough_search_has_backend, request.hardware_is_known)


def judge_graph(review: Review) -> None:
    alpha.judge_graph(review, GRAPH, SERVICE)


def judge_component(review: Review) -> None:
    alpha.judge_component(review, COMPONENT)


def judge_model(review: Review) -> None:
    for rule in MODEL:
        rule(review)


def judge_request(review: Review) -> None:
    for rule in REQUEST:
        rule(review)


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
