"""Rules for one component of v1beta1.

Source: internal/webhook/validation/shared_v1beta1.go, dynamographdeployment.go of 1.4.
"""

from __future__ import annotations

from dynamoc.golang.quantity import sign
from dynamoc.kube.names import lower, runtime_version
from dynamoc.release.runtime_versions import NATIVE_PICKER
from dynamoc.webhooks.alpha_graph import NAME_LIMIT
from dynamoc.webhooks.hub import HubComponent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.webhooks.hub import HubReview

    Tree = dict[str, Any]

#: The operator cuts the graph's name for Grove, but never below this length (PCSNameForDGD).
LEAST_NAME = 8


def name_fits_grove(review: HubReview, component: HubComponent) -> None:
    """Set, scaling group and clique together leave Grove room for pod names (dgdComponentResourceNameLength)."""
    if review.needs_grove:
        return
    budget = max(NAME_LIMIT - max(_length(_plain(item)) for item in review.spec["components"]), LEAST_NAME)
    graph = review.metadata.get("name", "")
    kept = min(len(graph.encode()), budget)
    length = kept + _length(component)
    if length <= NAME_LIMIT:
        return
    parts = [f"{kept} of the graph's name", f"`{lower(component.name)}`"]
    if component.uses_scaling_group:
        parts.append(f"`{component.longest_clique()}`")
    review.error(
        "admission/name-length",
        (*component.path, "name"),
        f"The pod names of this component are too long: their parts have {length} characters in total, "
        f"{' + '.join(parts)}; the limit is {NAME_LIMIT}.",
        f"shorten `{component.name}`",
    )


def _plain(spec: Tree) -> HubComponent:
    return HubComponent(spec, (), "", in_graph=True)


def _length(component: HubComponent) -> int:
    length = len(lower(component.name).encode())
    return length + len(component.longest_clique().encode()) if component.uses_scaling_group else length


def min_available_needs_grove(review: HubReview, component: HubComponent) -> None:
    if component.spec.get("minAvailable") is not None and review.needs_grove:
        message = f"`minAvailable` needs Grove, but {review.needs_grove}."
        review.error("admission/needs-grove", (*component.path, "minAvailable"), message, "delete it")


def shared_memory_is_not_negative(review: HubReview, component: HubComponent) -> None:
    size = component.spec.get("sharedMemorySize")
    if size is not None and sign(size) < 0:
        path = (*component.path, "sharedMemorySize")
        review.error("admission/shared-memory", path, f"`sharedMemorySize: {size}` must not be negative.")


def endpoint_picker(review: HubReview, component: HubComponent) -> None:
    """An EPP is one pod on one node, and configured."""
    spec, path = component.spec, component.path
    if spec.get("type") == "epp":
        if component.in_graph and not review.context.capabilities.inference_pool:
            _refuse_without_pools(review, path)
        if component.is_multinode:
            review.error("admission/epp-multinode", (*path, "multinode"), "An EPP runs on one node.")
        replicas = spec.get("replicas")
        if replicas is not None and replicas != 1:
            message = f"An EPP has exactly 1 replica, not {replicas}."
            review.error("admission/epp-replicas", (*path, "replicas"), message)
        if spec.get("eppConfig") is None:
            hint = "set `configMapRef` to a ConfigMap, or `config` to the configuration itself"
            review.error("admission/epp-config", path, "An EPP needs `eppConfig`.", hint)
    reference = (spec.get("eppConfig") or {}).get("configMapRef")
    if reference is not None and not reference.get("name"):
        message = "`configMapRef` needs the ConfigMap's `name`."
        review.error("admission/epp-config", (*path, "eppConfig", "configMapRef"), message)


def legacy_picker_is_one_pod(review: HubReview, component: HubComponent) -> None:
    """Since 1.6, the native EPP may have replicas that share the load."""
    picker_is_one_pod(review, component, every=component.spec.get("eppConfig") is not None)


def picker_is_one_pod(review: HubReview, component: HubComponent, *, every: bool = True) -> None:
    """An EPP is one pod, of a cluster that has pools for it; since 1.5, eppConfig is judged by the runtime."""
    spec, path = component.spec, component.path
    if spec.get("type") == "epp":
        if component.in_graph and not review.context.capabilities.inference_pool:
            _refuse_without_pools(review, path)
        replicas = spec.get("replicas")
        if every and replicas is not None and replicas != 1:
            message = f"An EPP has exactly 1 replica, not {replicas}."
            review.error("admission/epp-replicas", (*path, "replicas"), message)
    reference = (spec.get("eppConfig") or {}).get("configMapRef")
    if review.origin is None and reference is not None and not reference.get("name"):
        message = "`configMapRef` needs the ConfigMap's `name`."
        review.error("admission/epp-config", (*path, "eppConfig", "configMapRef"), message)


def picker_fits_runtime(review: HubReview, component: HubComponent) -> None:
    """A new EPP that was written in v1beta1 (eppRuntimeCompatibilityError)."""
    if review.origin is not None or review.old is not None or component.spec.get("type") != "epp":
        return
    main, _ = component.main()
    problem = picker_problem(component.spec, (main or {}).get("image") or "")
    if problem is not None:
        review.error("admission/epp-config", (*component.path, "eppConfig"), *problem)


def picker_problem(spec: Tree, image: str) -> tuple[str, str] | None:
    """What is wrong with the `eppConfig` of an EPP of either version, and what to do; None where nothing is."""
    version = runtime_version(image, spec.get("runtimeVersionOverride") or "")
    if version is None:
        return None
    told = ".".join(map(str, version))
    if version >= NATIVE_PICKER and spec.get("eppConfig") is not None:
        message = f"The native EPP of runtime {told} does not accept `eppConfig`; its environment configures it."
        return message, "delete `eppConfig`"
    if version < NATIVE_PICKER and spec.get("eppConfig") is None:
        message = f"The EPP of runtime {told} needs `eppConfig`; since 1.5.0, it is not needed."
        return message, "set `configMapRef` to a ConfigMap, or `config` to the configuration itself"
    return None


def _refuse_without_pools(review: HubReview, path: Path) -> None:
    review.error(
        "admission/no-inference-pool",
        (*path, "type"),
        "The cluster does not serve the API group inference.networking.k8s.io, which an EPP needs.",
        "install the Gateway API inference extension",
    )


def sidecar_exists(review: HubReview, component: HubComponent) -> None:
    """`frontendSidecar` names a container of the pod template."""
    name = component.spec.get("frontendSidecar")
    if name is None:
        return
    path = (*component.path, "frontendSidecar")
    names = [container.get("name", "") for container in component.containers]
    if component.spec.get("podTemplate") is None or not name or name not in names:
        known = ", ".join(f"`{item}`" for item in names)
        message = f"`frontendSidecar: {name}` is not a container of `podTemplate`."
        review.error("admission/sidecar-name", path, message, f"its containers are {known}" if known else None)


def image_is_given(review: HubReview, component: HubComponent) -> None:
    """A new document that was written in v1beta1 gives `main` an image."""
    if review.origin is not None or review.old is not None:
        return
    main, path = component.main()
    if not (main or {}).get("image"):
        message = "The component has no container `main` with an image."
        review.error("admission/no-image", path, message, _main_hint(main, component))


def _main_hint(main: Tree | None, component: HubComponent) -> str:
    """A pod whose only container has another name means that one."""
    with_image = [container for container in component.containers if container.get("image")]
    if main is None and len(with_image) == 1:
        name = with_image[0].get("name")
        return f"rename the container `{name}` to `main`" if name else "add `name: main` to the container"
    return "add `image` to the container `main`" if main is not None else "add a container `main` with an `image`"


def runtime_version_is_known(review: HubReview, component: HubComponent) -> None:
    """The image's tag says which Dynamo runs in it, or `runtimeVersionOverride` does; of new documents only."""
    if review.origin is not None or review.old is not None:
        return
    main, path = component.main()
    image = (main or {}).get("image") or ""
    override = component.spec.get("runtimeVersionOverride")
    if image and not override and runtime_version(image, "") is None:
        review.error("admission/runtime-version", (*path, "image"), *unknown_version(image))


def picker_version_is_known(review: HubReview, component: HubComponent) -> None:
    """An EPP needs a version on its own, too: without one, nobody could tell whether it takes a configuration."""
    if component.spec.get("type") == "epp":
        runtime_version_is_known(review, component)


def unknown_version(image: str) -> tuple[str, str]:
    """The message and the hint for an image whose tag is not a version of the Dynamo runtime."""
    from dynamoc.kube.misspelt import version_hint

    return f"The tag of the image `{image}` is not a version of the Dynamo runtime.", version_hint(image)
