"""Rules of 1.4 for what only v1alpha1 can say, and for documents that were written in it.

Source: internal/webhook/validation/*_v1alpha1.go of 1.4.
"""

from __future__ import annotations

from dynamoc.kube.names import runtime_version
from dynamoc.webhooks.hub_component import picker_problem, unknown_version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.webhooks.review import Component, Review


def version_is_deprecated(review: Review) -> None:
    """The API server warns of v1alpha1 where v1beta1 is served."""
    kind = review.value.get("kind", "")
    message = f"`nvidia.com/v1alpha1` is deprecated for a {kind}; use `nvidia.com/v1beta1`."
    review.warn("admission/deprecated-version", ("apiVersion",), message, "`dynamoc convert` converts the document")


def old_version_is_deprecated(review: Review) -> None:
    """For webhooks that judge v1alpha1: what was written in v1beta1 comes with its origin."""
    if review.origin is None:
        version_is_deprecated(review)


def old_component_is_deprecated(review: Review, component: Component) -> None:  # noqa: ARG001 - a check of components
    old_version_is_deprecated(review)


def claims_have_names(review: Review) -> None:
    for index, claim in enumerate(review.spec.get("pvcs") or ()):
        if not claim.get("name"):
            review.error("admission/claim-incomplete", ("spec", "pvcs", index), "A claim needs `name`.")


def picker_has_one_config(review: Review, component: Component) -> None:
    config = component.spec.get("eppConfig")
    if config is None or (config.get("configMapRef") is None) != (config.get("config") is None):
        return
    review.error(
        "admission/epp-config",
        (*component.path, "eppConfig"),
        "`eppConfig` needs either `configMapRef` or `config`.",
    )


def picker_config_is_named(review: Review, component: Component) -> None:
    """Since 1.5, of a document that was written in v1alpha1, too (shared_v1alpha1.go validateEPPConfigV1alpha1)."""
    reference = (component.spec.get("eppConfig") or {}).get("configMapRef")
    if reference is not None and not reference.get("name"):
        path = (*component.path, "eppConfig", "configMapRef")
        review.error("admission/epp-config", path, "`configMapRef` needs the ConfigMap's `name`.")


def picker_fits_runtime(review: Review, component: Component) -> None:
    """The rule of `hub_component.picker_fits_runtime` for a new EPP that was written in v1alpha1."""
    if review.old is not None or component.spec.get("componentType") != "epp":
        return
    problem = picker_problem(component.spec, _image(component))
    if problem is not None:
        review.error("admission/epp-config", (*component.path, "eppConfig"), *problem)


def picker_version_is_known(review: Review, component: Component) -> None:
    if component.spec.get("componentType") == "epp":
        runtime_version_is_known(review, component)


def shadows_fit_mode(review: Review, component: Component) -> None:
    """Failover within a pod has one shadow."""
    failover = component.spec.get("failover") or {}
    if failover.get("enabled") and failover.get("mode") == "intraPod" and failover.get("numShadows", 0) not in (0, 1):
        message = (
            f"`numShadows: {failover['numShadows']}` applies only with `mode: interPod`; within a pod, there is "
            "one shadow."
        )
        review.error("admission/failover", (*component.path, "failover", "numShadows"), message)


def image_is_given(review: Review, component: Component) -> None:
    if review.old is None and not _image(component):
        path = (*component.path, "extraPodSpec", "mainContainer", "image")
        message = "The component has no image."
        hint = "add `extraPodSpec.mainContainer.image`"
        containers = (component.spec.get("extraPodSpec") or {}).get("containers") or []
        if len(containers) == 1 and containers[0].get("image"):
            hint = f"move the container `{containers[0].get('name', '')}` to `extraPodSpec.mainContainer`"
        review.error("admission/no-image", path, message, hint)


def runtime_version_is_known(review: Review, component: Component) -> None:
    """The image's tag says which Dynamo runs in it, or `runtimeVersionOverride` does; in new graphs only."""
    if review.old is not None:
        return
    image = _image(component)
    if image and not component.spec.get("runtimeVersionOverride") and runtime_version(image, "") is None:
        path = (*component.path, "extraPodSpec", "mainContainer", "image")
        review.error("admission/runtime-version", path, *unknown_version(image))


def _image(component: Component) -> str:
    main = (component.spec.get("extraPodSpec") or {}).get("mainContainer") or {}
    image: str = main.get("image") or ""
    return image
