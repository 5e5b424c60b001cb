"""The pod template of v1beta1, from the fields of a v1alpha1 component.

Facts: api/v1alpha1/shared_spec_conversion.go of release 1.4 (hasPodTemplateContent, buildSharedPodTemplateFromAlpha).
"""

from __future__ import annotations

from dynamoc.convert import volume_mounts
from dynamoc.convert.main_container import MAIN, main_container, secret_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]

# The container that v1alpha1's `frontendSidecar` becomes.
SIDECAR = "sidecar-frontend"

# v1alpha1 field of `frontendSidecar` -> field of that container. `envFromSecret` is apart.
SIDECAR_FIELDS = {"image": "image", "args": "args", "envs": "env"}

# Each of these makes a pod template, even where it is empty; `extraPodSpec` does only with content.
_TRIGGERS = (
    "resources",
    "envs",
    "envFromSecret",
    "livenessProbe",
    "readinessProbe",
    "extraPodMetadata",
    "frontendSidecar",
)


def has_content(alpha: Tree) -> bool:
    return (
        any(key in alpha for key in _TRIGGERS)
        or not extra_pod_spec_is_zero(alpha.get("extraPodSpec"))
        or volume_mounts.need_pod_template(alpha.get("volumeMounts") or [])
    )


def build_pod_template(alpha: Tree, *, required: bool = False) -> Tree | None:
    """PodTemplateSpec, or None where nothing calls for one and it is not `required`."""
    if not required and not has_content(alpha):
        return None
    spec = pod_spec(alpha.get("extraPodSpec"))
    others = [container for container in spec.get("containers") or [] if container.get("name") != MAIN]
    spec["containers"] = [main_container(alpha), *others]
    if "frontendSidecar" in alpha and find_container(others, SIDECAR) is None:
        spec["containers"].append(sidecar_container(alpha["frontendSidecar"]))
    template: Tree = {"spec": spec}
    if alpha.get("extraPodMetadata"):
        template["metadata"] = dict(alpha["extraPodMetadata"])
    return template


def sidecar_container(sidecar: Tree) -> Tree:
    out: Tree = {"name": SIDECAR}
    out |= {field: sidecar[key] for key, field in SIDECAR_FIELDS.items() if key in sidecar}
    if sidecar.get("envFromSecret"):
        out["envFrom"] = [secret_source(sidecar["envFromSecret"])]
    return out


def pod_spec(extra: Tree | None) -> Tree:
    """`extraPodSpec` without `mainContainer`."""
    return {key: value for key, value in (extra or {}).items() if key != "mainContainer"}


def extra_pod_spec_is_zero(extra: Tree | None) -> bool:
    return not extra or (not pod_spec(extra) and container_is_bare(extra.get("mainContainer")))


def container_is_bare(container: Tree | None) -> bool:
    """Whether the container has nothing but a name."""
    return not container or (len(container) == 1 and "name" in container)


def find_container(containers: list[Tree], name: str) -> Tree | None:
    return next((container for container in containers if container.get("name", "") == name), None)


def template_is_zero(template: Tree) -> bool:
    return not template.get("metadata") and not any((template.get("spec") or {}).values())


def containers_of(template: Tree | None) -> list[Tree]:
    return ((template or {}).get("spec") or {}).get("containers") or []
