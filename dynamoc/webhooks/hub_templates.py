"""Rules of 1.6 for pod templates of roles, and for Dynamo in an init container of its own.

Source: internal/webhook/validation/shared_v1beta1.go validateComponentRoles, validateComponentRoleSpec,
validateSharedExperimentalSpec; internal/dynamo/component_dynamo_sidecar.go ValidateDynamoSidecar;
planner_runtime_features.go of operator 1.6.
"""

from __future__ import annotations

from dynamoc.kube.names import runtime_version
from dynamoc.model.graph import RUNTIME
from dynamoc.model.provider import has_role_templates
from dynamoc.release.runtime_versions import PLANNER_READS_ROLES
from dynamoc.webhooks import hub_component
from dynamoc.webhooks.hub import MAIN
from dynamoc.webhooks.hub_component import unknown_version
from dynamoc.webhooks.hub_experimental import POWER_LIMIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.diagnostics.catalog.slugs import ErrorSlug
    from dynamoc.diagnostics.finding import Path
    from dynamoc.webhooks.hub import HubComponent, HubReview

    Tree = dict[str, Any]

_EXECUTOR = "nvidia.com/vllm-distributed-executor-backend"
_WORKERS = ("worker", "prefill", "decode")


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
    executor = annotations.get(_EXECUTOR)
    if executor is not None and executor.lower() not in ("mp", "ray"):
        message = f"The annotation `{_EXECUTOR}` must be `mp` or `ray`, not {executor!r}."
        review.error("admission/executor-backend", (*path, "metadata", "annotations", _EXECUTOR), message)
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


def sidecar_exists(review: HubReview, component: HubComponent) -> None:
    """`frontendSidecar` names a container of each pod template."""
    name = component.spec.get("frontendSidecar")
    if name is None or not has_role_templates(component.spec):
        hub_component.sidecar_exists(review, component)
        return
    for index, template in _templates(component):
        containers = (template.get("spec") or {}).get("containers") or ()
        if all(container.get("name") != name for container in containers):
            path = (*component.path, "roles", index, "podTemplate", "spec", "containers")
            message = f"`frontendSidecar: {name}` is not a container of this pod template."
            review.error("admission/sidecar-name", path, message)


def image_is_given(review: HubReview, component: HubComponent) -> None:
    if not has_role_templates(component.spec) and component.spec.get("type") != "lpx":
        hub_component.image_is_given(review, component)


def runtime_version_is_known(review: HubReview, component: HubComponent) -> None:
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
            yield (main or {}).get("image") or "", path
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
    if component.spec.get("type") not in _WORKERS:
        message = f"An init container `{RUNTIME}` is only for components of type {', '.join(_WORKERS)}."
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
