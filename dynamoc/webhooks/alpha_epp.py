"""Rules for the endpoint picker of v1alpha1 (internal/webhook/validation/shared.go validateEPPConfig of 1.0)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.webhooks.review import Component, Review


def endpoint_picker(review: Review, component: Component) -> None:
    """An EPP is one pod on one node, with exactly one source of configuration."""
    if component.spec.get("componentType") != "epp":
        return
    if component.is_multinode:
        path = (*component.path, "multinode")
        review.error("admission/epp-multinode", path, "An EPP runs on one node.", "delete `multinode`")
    replicas = component.spec.get("replicas")
    if replicas is not None and replicas != 1:
        path = (*component.path, "replicas")
        review.error("admission/epp-replicas", path, f"An EPP has exactly 1 replica, not {replicas}.")
    _check_config(review, component)


def inference_pool_is_served(review: Review, component: Component) -> None:
    """An EPP of a graph needs the API of the InferencePool in the cluster (checkInferencePoolAPIAvailability)."""
    if component.spec.get("componentType") == "epp" and not review.context.capabilities.inference_pool:
        review.error(
            "admission/no-inference-pool",
            (*component.path, "componentType"),
            "The cluster does not serve the API group inference.networking.k8s.io, which an EPP needs.",
            "install the Gateway API inference extension",
        )


def _check_config(review: Review, component: Component) -> None:
    path = (*component.path, "eppConfig")
    config = component.spec.get("eppConfig")
    sources = "set `configMapRef` to a ConfigMap, or `config` to the configuration itself"
    if config is None:
        review.error("admission/epp-config", component.path, "An EPP needs `eppConfig`.", sources)
        return
    reference, inline = config.get("configMapRef"), config.get("config")
    if reference is None and inline is None:
        review.error("admission/epp-config", path, "`eppConfig` is empty; there is no default.", sources)
    if reference is not None and inline is not None:
        review.error("admission/epp-config", path, "`eppConfig` has both `configMapRef` and `config`.", sources)
    if reference is not None and not reference.get("name"):
        review.error("admission/epp-config", (*path, "configMapRef"), "`configMapRef` needs the ConfigMap's `name`.")
