"""Rules for one component of v1beta1; since 1.6 also for pod templates of roles and Dynamo in an init container.

Source: internal/webhook/validation/shared_v1beta1.go, dynamographdeployment.go, planner_runtime_features.go;
internal/dynamo/component_dynamo_sidecar.go ValidateDynamoSidecar; of 1.4 to 1.6.
"""

from __future__ import annotations

from collections.abc import Iterator

from dynamoc.admission.adapters import has_role_templates
from dynamoc.admission.graph import MAIN, RUNTIME, WORKER_TYPES
from dynamoc.admission.webhooks.alpha_rules import (
    NAME_LIMIT,
    check_pools,
    picker_config_is_named,
    picker_has_one_replica,
)
from dynamoc.admission.webhooks.hub_experimental import POWER_LIMIT
from dynamoc.admission.webhooks.hub_roles import check_executor
from dynamoc.admission.webhooks.review import Component, HubComponent, HubReview, Review, image_of
from dynamoc.documents.findings.finding import Path
from dynamoc.documents.schema.suggestions import version_hint
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import lower, runtime_version
from dynamoc.kube.quantity import sign
from dynamoc.reference.releases import NATIVE_PICKER, PLANNER_READS_ROLES
from dynamoc.reference.slugs import ErrorSlug

#: The operator cuts the graph's name for Grove, but never below this length (PCSNameForDGD).
LEAST_NAME = 8


def name_fits_grove(review: HubReview, component: HubComponent) -> None:
    """Set, scaling group and clique together leave Grove room for pod names (dgdComponentResourceNameLength)."""
    if review.needs_grove:
        return
    graph, own = len(review.metadata.get("name", "").encode()), _length(component)
    if graph + own <= NAME_LIMIT:
        return
    budget = max(NAME_LIMIT - max(_length(_plain(item)) for item in review.spec["components"]), LEAST_NAME)
    kept = min(graph, budget)
    length = kept + own
    if length <= NAME_LIMIT:
        return
    parts = [f"{kept} of the graph's name", f"`{lower(component.name)}`"]
    if component.uses_scaling_group:
        parts.append(f"`{component.longest_clique()}`")
    message = (
        f"The pod names of this component are too long: their parts have {length} characters in total, "
        f"{' + '.join(parts)}; the limit is {NAME_LIMIT}."
    )
    review.error("admission/name-length", (*component.path, "name"), message, f"shorten `{component.name}`")


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
        if component.in_graph:
            check_pools(review, (*path, "type"))
        if component.is_multinode:
            review.error("admission/epp-multinode", (*path, "multinode"), "An EPP runs on one node.")
        picker_has_one_replica(review, component)
        if spec.get("eppConfig") is None:
            hint = "set `configMapRef` to a ConfigMap, or `config` to the configuration itself"
            review.error("admission/epp-config", path, "An EPP needs `eppConfig`.", hint)
    picker_config_is_named(review, component)


def legacy_picker_is_one_pod(review: HubReview, component: HubComponent) -> None:
    """Since 1.6, the native EPP may have replicas that share the load."""
    picker_is_one_pod(review, component, every=component.spec.get("eppConfig") is not None)


def picker_is_one_pod(review: HubReview, component: HubComponent, *, every: bool = True) -> None:
    """An EPP is one pod, of a cluster that has pools for it; since 1.5, eppConfig is judged by the runtime."""
    if component.spec.get("type") == "epp":
        if component.in_graph:
            check_pools(review, (*component.path, "type"))
        if every:
            picker_has_one_replica(review, component)
    if review.origin is None:
        picker_config_is_named(review, component)


def picker_fits_runtime(review: Review, component: Component | HubComponent) -> None:
    """A new EPP, in the version in which it was written (eppRuntimeCompatibilityError)."""
    if review.origin is not None or review.old is not None or component.type != "epp":
        return
    problem = picker_problem(component.spec, image_of(component.main()[0]))
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


def component_sidecar_exists(review: HubReview, component: HubComponent) -> None:
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


def component_image_is_given(review: HubReview, component: HubComponent) -> None:
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


def runtime_version_is_known(review: Review, component: Component | HubComponent) -> None:
    """The image's tag says which Dynamo runs in it, or `runtimeVersionOverride` does; of new documents only."""
    if review.origin is not None or review.old is not None:
        return
    main, path = component.main()
    image = image_of(main)
    if image and not component.spec.get("runtimeVersionOverride") and runtime_version(image, "") is None:
        review.error("admission/runtime-version", (*path, "image"), *unknown_version(image))


def picker_version_is_known(review: Review, component: Component | HubComponent) -> None:
    """An EPP needs a version on its own, too: without one, it is unknown whether it takes a configuration."""
    if component.type == "epp":
        runtime_version_is_known(review, component)


def unknown_version(image: str) -> tuple[str, str]:
    """The message and the hint for an image whose tag is not a version of the Dynamo runtime."""
    return f"The tag of the image `{image}` is not a version of the Dynamo runtime.", version_hint(image)


def lpx_is_not_rendered(review: HubReview, component: HubComponent) -> None:
    """The operator makes objects of such components that dynamoc does not know: better none than half of a graph.

    With `lpx.enabled` off, the operator refuses new and changed ones only; it leaves graphs that have one alone, see
    `lower.hub.graph`. Source: docs v1.6.1/reference/api/kubernetes/dynamo-graph-deployment; validation of updates in
    dynamographdeployment_lpx_validation_envtest_test.go.
    """
    if component.spec.get("type") != "lpx":
        return
    path, hint = (*component.path, "type"), "render the graph without this component"
    if review.context.config.lpx_enabled:
        message = "dynamoc does not render components of type `lpx`, which run on language processing units."
        review.error("lpx/not-rendered", path, message, hint)
    elif not component.in_graph or component.spec != review.old_component(component.name):
        message = "With `lpx.enabled` off, the operator refuses a new or changed component of type `lpx`."
        review.error("lpx/not-rendered", path, message, hint)


def role_templates_are_complete(review: HubReview, component: HubComponent) -> None:
    """Either the component has a pod template, or each of its roles, with a container `main` that has an image."""
    if not has_role_templates(component.spec) or component.spec.get("type") == "lpx":
        return
    if component.spec.get("podTemplate") is not None:
        message = "The component and its roles have pod templates."
        review.error("admission/role-template", (*component.path, "podTemplate"), message, "keep one of the two")
    for field in ("gpuMemoryService", "failover"):
        if component.experimental.get(field) is not None:
            path = (*component.path, "experimental", field)
            message = f"`{field}` needs the operator's own commands, but roles with pod templates set their own."
            review.error("admission/role-template", path, message)
    for index, role in enumerate(component.spec["roles"]):
        path = (*component.path, "roles", index, "podTemplate")
        if role.get("podTemplate") is None:
            message = f"The role `{role.get('name')}` has no pod template, but the other one has."
            review.error("admission/role-template", path[:-1], message, "write one for each role")
        else:
            _check_template(review, role["podTemplate"], path)


def _check_template(review: HubReview, template: Tree, path: Path) -> None:
    annotations = (template.get("metadata") or {}).get("annotations") or {}
    if POWER_LIMIT in annotations:
        message = f"The annotation `{POWER_LIMIT}` applies to whole components; the planner does not support roles."
        review.error("admission/power-limit", (*path, "metadata", "annotations", POWER_LIMIT), message)
    check_executor(review, annotations, (*path, "metadata", "annotations"))
    spec = template.get("spec") or {}
    for field in ("containers", "initContainers"):
        for index, container in enumerate(spec.get(field) or ()):
            at = (*path, "spec", field, index)
            if not container.get("image"):
                message = f"The container `{container.get('name', '')}` has no image."
                review.error("admission/no-image", at, message, "add `image`")
            if field == "initContainers" and container.get("name") == RUNTIME:
                message = "Dynamo cannot have its own container if several nodes run one replica."
                review.error("admission/runtime-sidecar", (*at, "name"), message)
    if all(container.get("name") != MAIN for container in spec.get("containers") or ()):
        review.error("admission/no-image", (*path, "spec", "containers"), f"The container `{MAIN}` is missing.")


def sidecar_exists_in_template(review: HubReview, component: HubComponent) -> None:
    """`frontendSidecar` names a container of each pod template."""
    name = component.spec.get("frontendSidecar")
    if name is None or not has_role_templates(component.spec):
        component_sidecar_exists(review, component)
        return
    for index, template in _templates(component):
        containers = (template.get("spec") or {}).get("containers") or ()
        if all(container.get("name") != name for container in containers):
            path = (*component.path, "roles", index, "podTemplate", "spec", "containers")
            message = f"`frontendSidecar: {name}` is not a container of this pod template."
            review.error("admission/sidecar-name", path, message)


def template_image_is_given(review: HubReview, component: HubComponent) -> None:
    if not has_role_templates(component.spec) and component.spec.get("type") != "lpx":
        component_image_is_given(review, component)


def template_runtime_version_is_known(review: HubReview, component: HubComponent) -> None:
    """Of each role that has an image; that of the init container `runtime` counts where there is one."""
    if review.origin is not None or review.old is not None or component.spec.get("runtimeVersionOverride"):
        return
    for image, path in _images(component):
        if image and runtime_version(image, "") is None:
            review.error("admission/runtime-version", (*path, "image"), *unknown_version(image))


def _images(component: HubComponent) -> Iterator[tuple[str, Path]]:
    for index, template in _templates(component):
        for place, container in enumerate((template.get("spec") or {}).get("containers") or ()):
            if container.get("name") == MAIN:
                path = (*component.path, "roles", index, "podTemplate", "spec", "containers", place)
                yield container.get("image") or "", path
    if not has_role_templates(component.spec):
        runtime = _runtime_index(component)
        if runtime is None:
            main, path = component.main()
            yield image_of(main), path
        else:
            path = (*component.path, "podTemplate", "spec", "initContainers", runtime)
            yield component.init_containers[runtime].get("image") or "", path


def _templates(component: HubComponent) -> Iterator[tuple[int, Tree]]:
    for index, role in enumerate(component.spec.get("roles") or ()):
        if role.get("podTemplate") is not None:
            yield index, role["podTemplate"]


def runtime_sidecar_fits(review: HubReview, component: HubComponent) -> None:
    """An init container `runtime` is Dynamo beside the engine of a worker on one node."""
    index = _runtime_index(component)
    if index is None:
        return
    path = (*component.path, "podTemplate", "spec", "initContainers", index)
    slug: ErrorSlug = "admission/runtime-sidecar"
    runtime = component.init_containers[index]
    if component.spec.get("type") not in WORKER_TYPES:
        message = f"An init container `{RUNTIME}` is only for components of type {', '.join(WORKER_TYPES)}."
        review.error(slug, (*path, "name"), message, "rename it")
    if runtime.get("restartPolicy") != "Always":
        message = f"The init container `{RUNTIME}` runs alongside the engine, and needs `restartPolicy: Always`."
        review.error(slug, path, message)
    main, main_path = component.main()
    if not (main or {}).get("image"):
        review.error(slug, main_path, f"Alongside `{RUNTIME}`, the engine needs a container `{MAIN}` with an image.")
    if component.spec.get("multinode") is not None:
        _refuse_with_runtime(review, (*component.path, "multinode"))
    checkpoint = component.experimental.get("checkpoint") or {}
    for field in ("gpuMemoryService", "failover", *(["checkpoint"] if checkpoint.get("enabled") else [])):
        if component.experimental.get(field) is not None:
            _refuse_with_runtime(review, (*component.path, "experimental", field))


def _refuse_with_runtime(review: HubReview, path: Path) -> None:
    message = f"`{path[-1]}` cannot yet be combined with Dynamo in an init container `{RUNTIME}`."
    review.error("admission/runtime-sidecar", path, message)


def _runtime_index(component: HubComponent) -> int | None:
    names = [container.get("name") for container in component.init_containers]
    return names.index(RUNTIME) if RUNTIME in names else None


def planner_knows_roles(review: HubReview) -> None:
    """A planner beside roles with pod templates must be able to read how many there are."""
    components = review.spec.get("components") or ()
    if not any(has_role_templates(item) for item in components):
        return
    for index, item in enumerate(components):
        containers = ((item.get("podTemplate") or {}).get("spec") or {}).get("containers") or ()
        image = next((container.get("image", "") for container in containers if container.get("name") == MAIN), "")
        version = runtime_version(image, item.get("runtimeVersionOverride") or "")
        if item.get("type") == "planner" and (version is None or version < PLANNER_READS_ROLES):
            message = "A planner of a runtime before 1.6.0 cannot read graphs whose roles have pod templates."
            review.error("admission/planner", ("spec", "components", index), message, "use an image of 1.6.0 or later")
