"""The webhooks of operator 1.4, for v1beta1; documents that were written in v1alpha1 are converted for them.

Source: internal/webhook/defaulting and internal/webhook/validation; the order is the operator's.
"""

from __future__ import annotations

from dynamoc.admission import (
    component,
    defaults,
    hub_alpha,
    hub_checkpoint,
    hub_component,
    hub_experimental,
    hub_graph,
    known_annotations,
    model,
    orchestrator,
    request,
)
from dynamoc.admission.hub import HubComponent, HubReview
from dynamoc.admission.review import Component, Review
from dynamoc.kube.names import dynamo_namespace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Tree = dict[str, Any]

GRAPH: tuple[Callable[[HubReview], None], ...] = (
    known_annotations.origin_version,
    known_annotations.executor_backend,
    hub_graph.annotations_are_known,
    hub_graph.failover_discovers_containers,
    hub_graph.priority_class_needs_grove,
    hub_graph.has_components,
)
GRAPH_AFTER_COMPONENTS = (hub_graph.topology_is_complete, hub_graph.transfer_policy_fits)

COMPONENT: tuple[Callable[[HubReview, HubComponent], None], ...] = (
    hub_experimental.elastic_parallelism_has_command,
    hub_component.min_available_needs_grove,
    hub_component.shared_memory_is_not_negative,
    hub_component.endpoint_picker,
    hub_component.sidecar_exists,
    hub_experimental.memory_service,
    hub_experimental.failover,
    hub_experimental.scaling_group_needs_grove,
    hub_experimental.checkpoint,
    hub_component.image_is_given,
    orchestrator.multinode_without_grove,
)
GRAPH_COMPONENT = (
    hub_component.name_fits_grove,
    hub_experimental.memory_pods_need_grove,
    hub_experimental.power_limit,
    *COMPONENT,
    hub_component.runtime_version_is_known,
)

ALPHA_COMPONENT: tuple[Callable[[Review, Component], None], ...] = (
    known_annotations.component_executor_backend,
    component.dynamo_namespace_is_ignored,
    component.autoscaling_is_ignored,
    component.mounts_have_mount_point,
    component.ingress_has_host,
    hub_alpha.picker_has_one_config,
    component.sidecar_name_is_free,
    hub_alpha.shadows_fit_mode,
    hub_alpha.image_is_given,
)
ALPHA_SERVICE = (*ALPHA_COMPONENT, hub_alpha.runtime_version_is_known)

MODEL = (model.model_is_named, model.adapter_has_source_or_file)
REQUEST = (request.hardware_is_known, request.thorough_search_has_backend, request.runtime_version_is_known)
CHECKPOINT = (hub_checkpoint.checkpoints_are_enabled, hub_checkpoint.job_is_wired_for_memory_service)


def judge_graph(review: Review) -> None:
    hub = HubReview(review.value, review.context, review.origin)
    for rule in GRAPH:
        rule(hub)
    framework = hub.spec.get("backendFramework") or ""
    for index, spec in enumerate(hub.spec.get("components") or ()):
        item = HubComponent(spec, ("spec", "components", index), framework, in_graph=True)
        for component_rule in GRAPH_COMPONENT:
            component_rule(hub, item)
    for rule in GRAPH_AFTER_COMPONENTS:
        rule(hub)
    review.problems += hub.problems
    if review.origin is not None:
        alpha = Review(review.origin, review.context)
        _judge_alpha_graph(alpha)
        review.problems += alpha.problems


def _judge_alpha_graph(review: Review) -> None:
    hub_alpha.version_is_deprecated(review)
    hub_alpha.claims_have_names(review)
    metadata = review.metadata
    services = review.spec.get("services") or {}
    for name in sorted(services, key=str.encode):
        spec = services[name]
        if spec is None:
            continue
        namespace = _namespace(spec, metadata, metadata.get("name", ""))
        service = Component(name, spec, ("spec", "services", name), namespace, in_graph=True)
        for rule in ALPHA_SERVICE:
            rule(review, service)


def judge_component(review: Review) -> None:
    hub = HubReview(review.value, review.context, review.origin, graph=False)
    framework = hub.spec.get("backendFramework") or ""
    alone = HubComponent(hub.spec, ("spec",), framework, in_graph=False)
    for rule in COMPONENT:
        rule(hub, alone)
    review.problems += hub.problems
    if review.origin is not None:
        alpha = Review(review.origin, review.context)
        _judge_alpha_component(alpha)
        review.problems += alpha.problems


def _judge_alpha_component(review: Review) -> None:
    hub_alpha.version_is_deprecated(review)
    metadata = review.metadata
    owners = metadata.get("ownerReferences") or ()
    graph_name = next((owner["name"] for owner in owners if owner.get("kind") == "DynamoGraphDeployment"), "")
    namespace = _namespace(review.spec, metadata, graph_name)
    alone = Component(metadata.get("name", ""), review.spec, ("spec",), namespace, in_graph=bool(graph_name))
    for rule in ALPHA_COMPONENT:
        rule(review, alone)


def judge_scaling_adapter(review: Review) -> None:
    """No webhook; the API server warns of the old version."""
    if review.origin is not None:
        alpha = Review(review.origin, review.context)
        hub_alpha.version_is_deprecated(alpha)
        review.problems += alpha.problems


def _judge_by(rules: tuple[Callable[[Review], None], ...]) -> Callable[[Review], None]:
    def judge(review: Review) -> None:
        for rule in rules:
            rule(review)

    return judge


def _namespace(spec: Tree, metadata: Tree, graph_name: str) -> str:
    return dynamo_namespace(bool(spec.get("globalDynamoNamespace")), metadata.get("namespace", ""), graph_name)


DEFAULTS = {
    ("v1beta1", "DynamoGraphDeployment"): (defaults.component_counts, defaults.origin_version),
    ("v1beta1", "DynamoComponentDeployment"): (defaults.component_name,),
    ("v1beta1", "DynamoGraphDeploymentRequest"): (defaults.planner_image,),
}
JUDGES = {
    ("v1beta1", "DynamoGraphDeployment"): judge_graph,
    ("v1beta1", "DynamoComponentDeployment"): judge_component,
    ("v1beta1", "DynamoGraphDeploymentScalingAdapter"): judge_scaling_adapter,
    ("v1beta1", "DynamoGraphDeploymentRequest"): _judge_by(REQUEST),
    ("v1alpha1", "DynamoModel"): _judge_by(MODEL),
    ("v1alpha1", "DynamoCheckpoint"): _judge_by(CHECKPOINT),
}
