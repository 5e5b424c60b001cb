"""The fields of a v1alpha1 component that the pod template of v1beta1 says.

Facts: api/v1alpha1/shared_spec_conversion.go of release 1.4 (decomposePodTemplateFromHub and what it calls).
"""

from __future__ import annotations

from dynamoc.convert import resources, volume_mounts
from dynamoc.convert.main_container import MAIN, PROBES
from dynamoc.convert.pod_template import SIDECAR, SIDECAR_FIELDS, container_is_bare, containers_of, find_container

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]


def add_pod_fields(beta: Tree, alpha: Tree, saved: Tree | None) -> None:
    """Adds to `alpha` what the pod template says; `saved` are the leftovers of the v1alpha1 original, if any."""
    sidecar = _saved_sidecar(beta, saved)
    template = beta.get("podTemplate")
    if template is None:
        if sidecar is not None:
            alpha["frontendSidecar"] = sidecar
        return
    metadata = template.get("metadata") or {}
    pod_metadata = {key: metadata[key] for key in ("annotations", "labels") if metadata.get(key)}
    if pod_metadata:
        alpha["extraPodMetadata"] = pod_metadata
    main = find_container(containers_of(template), MAIN)
    # Only the first `main` is the main container; a second one stays a sidecar.
    others = [container for container in containers_of(template) if container is not main]
    if sidecar is not None:
        others = _add_sidecar(alpha, sidecar, others)
    rest = _add_main_fields(main, alpha)
    extra = {key: value for key, value in (template.get("spec") or {}).items() if key != "containers"}
    if others:
        extra["containers"] = others
    if rest:
        extra["mainContainer"] = rest
    if extra:
        alpha["extraPodSpec"] = extra


def _saved_sidecar(beta: Tree, saved: Tree | None) -> Tree | None:
    """The v1alpha1 sidecar, where the reference is still to the container that conversion made of it."""
    return (saved or {}).get("frontendSidecar") if beta.get("frontendSidecar") == SIDECAR else None


def _add_sidecar(alpha: Tree, sidecar: Tree, others: list[Tree]) -> list[Tree]:
    container = find_container(others, SIDECAR)
    if container is None:
        alpha["frontendSidecar"] = sidecar
        return others
    alpha["frontendSidecar"] = _sidecar_fields(container, sidecar)
    return [other for other in others if other.get("name") != SIDECAR]


def _sidecar_fields(container: Tree, saved: Tree) -> Tree:
    out = {key: container[field] for key, field in SIDECAR_FIELDS.items() if field in container}
    secret = _only_secret(container.get("envFrom") or [])
    if secret is not None:
        out["envFromSecret"] = secret
    elif saved.get("envFromSecret") == "":
        out["envFromSecret"] = ""
    return out


def _only_secret(sources: list[Tree]) -> str | None:
    if len(sources) != 1 or "secretRef" not in sources[0] or "configMapRef" in sources[0] or sources[0].get("prefix"):
        return None
    return str(sources[0]["secretRef"].get("name", ""))


def _add_main_fields(main: Tree | None, alpha: Tree) -> Tree | None:
    """Moves what has a dedicated field; returns the rest, the `mainContainer` of v1alpha1."""
    if main is None:
        return None
    rest = {key: value for key, value in main.items() if key != "name"}
    dedicated = resources.from_requirements(rest.get("resources") or {})
    if dedicated is not None:
        alpha["resources"] = dedicated
        del rest["resources"]
    if "volumeMounts" in rest:
        mounts = volume_mounts.from_native(rest.pop("volumeMounts"))
        alpha["volumeMounts"] = volume_mounts.with_missing(alpha.get("volumeMounts") or [], mounts)
    if "env" in rest:
        alpha["envs"] = rest.pop("env")
    for probe in PROBES:
        if probe in rest:
            alpha[probe] = rest.pop(probe)
    return None if container_is_bare(rest) else rest
