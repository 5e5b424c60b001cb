"""What v1alpha1 cannot hold of a v1beta1 component: collected on the way down, put back on the way up.

Facts: api/v1alpha1/shared_spec_conversion.go of release 1.4 (saveSharedHubOnlySpec, restoreSharedHubOnlyFields).
"""

from __future__ import annotations

from dynamoc.admission.convert import shared_fields, volume_mounts
from dynamoc.admission.convert.pod_template import (
    MAIN,
    SIDECAR,
    SIDECAR_FIELDS,
    build_pod_template,
    container_is_bare,
    containers_of,
    find_container,
    merge_over,
    template_is_zero,
)
from dynamoc.admission.convert.shared_fields import CHECKPOINT, SWITCHED
from dynamoc.kube.merge import Tree

# Metadata of a pod template that v1alpha1's `extraPodMetadata` holds.
_PROJECTED_METADATA = ("annotations", "labels")


def save(beta: Tree, alpha: Tree) -> Tree:
    """The leftovers of `beta`, sparse; `alpha` is what it has been converted to."""
    out: Tree = {}
    if "frontendSidecar" in beta and "frontendSidecar" not in alpha:
        out["frontendSidecar"] = beta["frontendSidecar"]
    if "podTemplate" in beta:
        template = _save_template(beta["podTemplate"], build_pod_template(alpha), out.get("frontendSidecar") or "")
        if template is not None:
            out["podTemplate"] = template
    experimental = beta.get("experimental")
    if experimental is not None:
        if _beta_only(experimental):
            out["experimental"] = experimental
        elif "grove" in experimental:
            out["experimental"] = {"grove": experimental["grove"]}
    return out


def _beta_only(experimental: Tree) -> bool:
    return not any(key in experimental for key in (*SWITCHED, CHECKPOINT))


def _save_template(template: Tree, projected: Tree | None, sidecar: str) -> Tree | None:
    """`projected` is the template that the v1alpha1 fields alone would come back with."""
    metadata = {key: value for key, value in template.get("metadata", {}).items() if key not in _PROJECTED_METADATA}
    containers, projection = containers_of(template), containers_of(projected)
    names = _names(containers)
    reordered = projected is not None and names != [
        name for name in _names(projection) if name != MAIN or MAIN in names
    ]
    # An entry without containers says that the original had no `main`, or nothing at all in its template.
    marker = (MAIN not in names and MAIN in _names(projection)) or (projected is None and template_is_zero(template))
    named_sidecar = sidecar != "" and sidecar in names
    if not (metadata or marker or reordered or named_sidecar or containers != projection):
        return None
    saved = [
        kept
        for container in containers
        for kept in (_save_container(container, find_container(projection, container.get("name", ""))),)
        if reordered
        or container.get("name", "") == sidecar
        or not container_is_bare(kept)
        or _main_key_needed(container, find_container(projection, MAIN))
    ]
    if not (metadata or saved or marker):
        return None
    out: Tree = {}
    if metadata:
        out["metadata"] = metadata
    if saved:
        out["spec"] = {"containers": saved}
    return out


def _names(containers: list[Tree]) -> list[str]:
    return [container.get("name", "") for container in containers]


def _save_container(container: Tree, projected: Tree | None) -> Tree:
    if projected is None:
        return container
    name = {"name": container["name"]} if "name" in container else {}
    if name.get("name") == MAIN:
        # v1alpha1 says every other field of main; a mount keeps only its name and path there.
        mounts = container.get("volumeMounts")
        return name | {"volumeMounts": _sparse_mounts(mounts, projected.get("volumeMounts") or [])} if mounts else name
    if container == projected:
        return name
    out = {key: value for key, value in container.items() if key not in SIDECAR_FIELDS.values()}
    if out.get("envFrom") == projected.get("envFrom"):
        out.pop("envFrom", None)
    return out


def _sparse_mounts(mounts: list[Tree], projected: list[Tree]) -> list[Tree]:
    return [
        {key: mount[key] for key in ("name", "mountPath") if key in mount}
        if volume_mounts.find_native(projected, mount) == mount
        else mount
        for mount in mounts
    ]


def _main_key_needed(container: Tree, projected: Tree | None) -> bool:
    """Whether main must be named so that the way up doesn't take it, or a mount of it, for a by-product."""
    if container.get("name") != MAIN:
        return False
    if container_is_bare(container):
        return True
    mounts = container.get("volumeMounts") or []
    return any(
        volume_mounts.find_native(mounts, mount) is None for mount in (projected or {}).get("volumeMounts") or []
    )


def restore(beta: Tree, saved: Tree | None, alpha: Tree) -> None:
    """Puts the leftovers back into `beta`, as far as `alpha`, where it comes from, has not been edited since."""
    if saved is None:
        return
    if "podTemplate" in saved:
        template = _restore_template(beta, saved["podTemplate"], alpha)
        if template or template_is_zero(saved["podTemplate"]):
            beta["podTemplate"] = template
        else:
            beta.pop("podTemplate", None)
    _restore_sidecar_name(beta, saved)
    experimental = saved.get("experimental")
    if experimental is not None and "experimental" not in beta:
        if _beta_only(experimental):
            beta["experimental"] = experimental
    elif experimental is not None and "grove" in experimental and "grove" not in beta["experimental"]:
        beta["experimental"] = beta["experimental"] | {"grove": experimental["grove"]}


def _restore_sidecar_name(beta: Tree, saved: Tree) -> None:
    if "frontendSidecar" in beta or "frontendSidecar" not in saved:
        return
    name = saved["frontendSidecar"]
    had_container = find_container(containers_of(saved.get("podTemplate")), name) is not None
    if not had_container or find_container(containers_of(beta.get("podTemplate")), name) is not None:
        beta["frontendSidecar"] = name


def _restore_template(beta: Tree, saved: Tree, alpha: Tree) -> Tree:
    template = beta.get("podTemplate") or {}
    saved_containers = containers_of(saved)
    containers = _without_by_products(containers_of(template), saved_containers, beta, alpha)
    containers += [
        container
        for container in saved_containers
        if not container_is_bare(container)
        and find_container(containers, container.get("name", "")) is None
        and not (container.get("name") == SIDECAR and "frontendSidecar" not in alpha)
    ]
    containers = _restore_sidecar_fields(containers, saved_containers, alpha.get("frontendSidecar"))
    containers = _restore_order(containers, saved_containers)
    containers = _restore_mounts(containers, find_container(saved_containers, MAIN), alpha)
    spec = {key: value for key, value in (template.get("spec") or {}).items() if key != "containers"}
    if containers:
        spec["containers"] = containers
    metadata = {key: value for key, value in saved.get("metadata", {}).items() if key not in _PROJECTED_METADATA}
    metadata |= {key: value for key, value in template.get("metadata", {}).items() if key in _PROJECTED_METADATA}
    out: Tree = {}
    if metadata:
        out["metadata"] = metadata
    if spec:
        out["spec"] = spec
    return out


def _without_by_products(containers: list[Tree], saved: list[Tree], beta: Tree, alpha: Tree) -> list[Tree]:
    """Without a cache mount and a main container that only the way through v1alpha1 made."""
    saved_main = find_container(saved, MAIN)
    cache = volume_mounts.cache_key(beta.get("compilationCache"))
    if cache is not None and not _mounts_path((saved_main or {}).get("volumeMounts"), cache):
        own_main = (alpha.get("extraPodSpec") or {}).get("mainContainer") or {}
        if not _mounts_path(own_main.get("volumeMounts"), cache):
            containers = [_without_mount(container, cache) for container in containers]
    if saved_main is None and ("resources" not in alpha or shared_fields.survives(alpha["resources"])):
        containers = [container for container in containers if not _is_by_product(container, cache)]
    return list(containers)


def _mounts_path(mounts: list[Tree] | None, key: tuple[str, str]) -> bool:
    return any(volume_mounts.native_key(mount) == key for mount in mounts or [])


def _without_mount(container: Tree, key: tuple[str, str] | None) -> Tree:
    if container.get("name") != MAIN or "volumeMounts" not in container:
        return container
    mounts = [mount for mount in container["volumeMounts"] if volume_mounts.native_key(mount) != key]
    rest = {name: value for name, value in container.items() if name != "volumeMounts"}
    return rest | {"volumeMounts": mounts} if mounts else rest


def _is_by_product(container: Tree, cache: tuple[str, str] | None) -> bool:
    return container.get("name") == MAIN and container_is_bare(_without_mount(container, cache))


def _restore_sidecar_fields(containers: list[Tree], saved: list[Tree], sidecar: Tree | None) -> list[Tree]:
    kept = find_container(saved, SIDECAR)
    current = find_container(containers, SIDECAR)
    if sidecar is None or kept is None or current is None or container_is_bare(kept):
        return containers
    over = {key: value for key, value in kept.items() if key != "name" and key not in SIDECAR_FIELDS.values()}
    secret = sidecar.get("envFromSecret")
    if (
        secret
        and "envFrom" in over
        and not (_secret_names(current.get("envFrom") or []) == _secret_names(over["envFrom"]) == [secret])
    ):
        del over["envFrom"]
    merged = dict(current)
    merge_over(merged, over)
    return [merged if container is current else container for container in containers]


def _secret_names(sources: list[Tree]) -> list[str | None]:
    return [source["secretRef"].get("name", "") if "secretRef" in source else None for source in sources]


def _restore_order(containers: list[Tree], saved: list[Tree]) -> list[Tree]:
    names = _names(saved)
    if len(saved) < 2 or len(saved) != len(containers) or not set(_names(containers)) <= set(names):
        return containers
    remaining = list(containers)
    out = []
    for name in names:
        container = find_container(remaining, name)
        if container is not None:
            out.append(container)
            remaining = [other for other in remaining if other is not container]
    return out + remaining


def _restore_mounts(containers: list[Tree], saved_main: Tree | None, alpha: Tree) -> list[Tree]:
    """Gives mounts that are in v1alpha1's flat list the fields back which that list has no room for."""
    flat = {volume_mounts.flat_key(mount) for mount in alpha.get("volumeMounts") or []}
    saved = (saved_main or {}).get("volumeMounts") or []
    main = find_container(containers, MAIN)
    if not flat or not saved or main is None or "volumeMounts" not in main:
        return containers
    own_main = (alpha.get("extraPodSpec") or {}).get("mainContainer") or {}
    flat -= {volume_mounts.native_key(mount) for mount in own_main.get("volumeMounts") or []}
    mounts = []
    for mount in main["volumeMounts"]:
        kept = volume_mounts.find_native(saved, mount) if volume_mounts.native_key(mount) in flat else None
        own = {key: mount[key] for key in ("name", "mountPath") if key in mount}
        mounts.append(
            mount if kept is None else {k: v for k, v in kept.items() if k not in ("name", "mountPath")} | own
        )
    return [container | {"volumeMounts": mounts} if container is main else container for container in containers]
