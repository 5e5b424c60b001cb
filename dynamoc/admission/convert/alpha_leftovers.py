"""What v1beta1 cannot hold of a v1alpha1 component: collected on the way up, put back on the way down.

Facts: api/v1alpha1/shared_spec_conversion.go of release 1.4 (saveSharedAlphaOnlySpec,
fillSharedAlphaOnlyFromPreserved).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dynamoc.admission.convert import shared_fields, volume_mounts
from dynamoc.admission.convert.pod_template import (
    PROBES,
    SIDECAR,
    container_is_bare,
    extra_pod_spec_is_zero,
    find_container,
    main_container,
    pod_spec,
    ports_clash,
    secret_source,
)
from dynamoc.admission.convert.shared_fields import CHECKPOINT, SWITCHED, is_promoted, is_zero
from dynamoc.kube.merge import Tree
from dynamoc.reference.features import beta_names

# Fields without any place in v1beta1.
ALPHA_ONLY = ("dynamoNamespace", "autoscaling", "ingress", "annotations", "labels")

# Dedicated field -> field of `extraPodSpec.mainContainer` that says the same.
ORIGINS = beta_names("main")


def save(alpha: Tree, *, origins: bool) -> Tree:
    """The leftovers of a component, sparse. `origins`: also which of two places each field of main came from."""
    out = {key: alpha[key] for key in (*ALPHA_ONLY, "envFromSecret", "frontendSidecar") if key in alpha}
    out.update({key: alpha[key] for key, lost in _LOST.items() if key in alpha and lost(alpha[key])})
    if "subComponentType" in alpha and not is_promoted(alpha):
        out["subComponentType"] = alpha["subComponentType"]
    extra = alpha.get("extraPodSpec")
    if extra is not None and (extra_pod_spec_is_zero(extra) or _sidecar_clash(alpha)):
        out["extraPodSpec"] = extra
    main = (extra or {}).get("mainContainer")
    if main is not None and (origins or out or "name" in main or any(field in main for field in ORIGINS.values())):
        _save_origins(alpha, main, out)
    return out


def _disabled(feature: Tree) -> bool:
    return not feature.get("enabled")


def memory_lost(memory: Tree) -> bool:
    """v1beta1 has one quantity: no size beside `disabled`, and no section without either."""
    return bool(memory.get("disabled")) != is_zero(memory.get("size"))


# Fields of which v1beta1 holds some values and not others.
_LOST: dict[str, Callable[[Any], bool]] = {
    "resources": lambda tree: not shared_fields.survives(tree),
    "volumeMounts": lambda mounts: not volume_mounts.survive(mounts),
    "sharedMemory": memory_lost,
    "extraPodMetadata": lambda tree: not tree,
    "scalingAdapter": _disabled,
    "gpuMemoryService": _disabled,
    "failover": _disabled,
}


def _save_origins(alpha: Tree, main: Tree, out: Tree) -> None:
    saved_main = dict((out.get("extraPodSpec") or {}).get("mainContainer") or {})
    touched = "name" in main
    pairs = [*ORIGINS.items(), ("envFromSecret", "envFrom")]
    for dedicated, field in pairs:
        if dedicated in alpha or field in main:
            touched = True
            if dedicated in alpha:
                out[dedicated] = alpha[dedicated]
    if touched:
        fields = {"name", *(field for dedicated, field in pairs if dedicated in alpha or field in main)}
        saved_main.update({field: main[field] for field in fields if field in main})
        out["extraPodSpec"] = (out.get("extraPodSpec") or {}) | {"mainContainer": saved_main}


def _sidecar_clash(alpha: Tree) -> bool:
    """v1alpha1 refuses a `frontendSidecar` beside a container of its name; the operator keeps the evidence."""
    containers = (alpha.get("extraPodSpec") or {}).get("containers") or []
    return "frontendSidecar" in alpha and find_container(containers, SIDECAR) is not None


def restore(alpha: Tree, saved: Tree | None, beta_main: Tree | None) -> None:
    """Puts the leftovers back into `alpha`, as far as the v1beta1 side has not been edited since.

    `beta_main` is the container `main` of the v1beta1 side.
    """
    if saved is not None:
        for key in (*ALPHA_ONLY, "subComponentType"):
            if key not in alpha and key in saved:
                alpha[key] = saved[key]
        _restore_pod_fields(alpha, saved, beta_main is not None)
        for key in ("scalingAdapter", *SWITCHED, CHECKPOINT):
            if key not in alpha and key in saved and _disabled(saved[key]):
                alpha[key] = saved[key]
    _prune_extra_pod_spec(alpha, saved)


def _restore_pod_fields(alpha: Tree, saved: Tree, has_main: bool) -> None:
    _restore_memory(alpha, saved.get("sharedMemory"))
    if has_main:
        _restore_resources(alpha, saved.get("resources"))
    _restore_env_from_secret(alpha, saved.get("envFromSecret"), has_main)
    if "extraPodMetadata" not in alpha and saved.get("extraPodMetadata") == {}:
        alpha["extraPodMetadata"] = {}
    _restore_extra_pod_spec(alpha, saved)
    if has_main:
        _restore_origins(alpha, saved)
    main = (alpha.get("extraPodSpec") or {}).get("mainContainer")
    saved_main = (saved.get("extraPodSpec") or {}).get("mainContainer") or {}
    if main is not None and "name" not in main and "name" in saved_main:
        _set_main(alpha, name=saved_main["name"])


def _restore_memory(alpha: Tree, saved: Tree | None) -> None:
    if saved is None or not memory_lost(saved):
        return
    memory = alpha.get("sharedMemory")
    still_disabled = memory is not None and memory.get("disabled") and is_zero(memory.get("size"))
    if memory is None or (saved.get("disabled") and still_disabled):
        alpha["sharedMemory"] = saved


def _restore_resources(alpha: Tree, saved: Tree | None) -> None:
    if saved is None or shared_fields.survives(saved):
        return
    current = shared_fields.to_requirements(alpha.get("resources") or {})
    if shared_fields.equal(current, shared_fields.to_requirements(saved)):
        alpha["resources"] = saved


def _restore_env_from_secret(alpha: Tree, saved: str | None, has_main: bool) -> None:
    if saved is None or "envFromSecret" in alpha:
        return
    if saved == "":
        alpha["envFromSecret"] = ""
        return
    main = (alpha.get("extraPodSpec") or {}).get("mainContainer")
    if has_main and main is not None and main.get("envFrom") == [secret_source(saved)]:
        alpha["envFromSecret"] = saved
        _set_main(alpha, envFrom=None)


def _restore_extra_pod_spec(alpha: Tree, saved: Tree) -> None:
    extra = saved.get("extraPodSpec")
    if extra is None or not (extra_pod_spec_is_zero(extra) or _sidecar_clash(saved)):
        return
    if "extraPodSpec" not in alpha:
        alpha["extraPodSpec"] = extra
        return
    clash = find_container(extra.get("containers") or [], SIDECAR)
    containers = alpha["extraPodSpec"].get("containers") or []
    if clash is not None and find_container(containers, SIDECAR) is None:
        alpha["extraPodSpec"] = alpha["extraPodSpec"] | {"containers": [*containers, clash]}


def _restore_origins(alpha: Tree, saved: Tree) -> None:
    """Splits each field of main between its two v1alpha1 places as it was, where its value is still the same."""
    saved_main = (saved.get("extraPodSpec") or {}).get("mainContainer")
    if saved_main is None:
        return
    now, then = main_container(alpha), main_container(saved)
    if now.get("env") == then.get("env") and ("envs" in saved or "env" in saved_main):
        _split(alpha, "envs", saved.get("envs"), "env", saved_main.get("env"))
    if now.get("envFrom") == then.get("envFrom") and "envFromSecret" in saved:
        alpha["envFromSecret"] = saved["envFromSecret"]
    if shared_fields.equal(now.get("resources") or {}, then.get("resources") or {}) and (
        "resources" in saved or "resources" in saved_main
    ):
        _split(alpha, "resources", saved.get("resources"), "resources", saved_main.get("resources"))
    _restore_mount_origins(alpha, saved, saved_main, now, then)
    for probe in PROBES:
        own, over = saved.get(probe), saved_main.get(probe)
        if (own is not None or over is not None) and now.get(probe) == then.get(probe) and not ports_clash(own, over):
            _split(alpha, probe, own, probe, over)


def _restore_mount_origins(alpha: Tree, saved: Tree, saved_main: Tree, now: Tree, then: Tree) -> None:
    flat, saved_flat = alpha.get("volumeMounts") or [], saved.get("volumeMounts") or []
    if not saved_flat and "volumeMounts" not in saved_main:
        return
    current = volume_mounts.without_caches(now.get("volumeMounts") or [], flat)
    former = volume_mounts.without_caches(then.get("volumeMounts") or [], saved_flat)
    if list(map(volume_mounts.native_key, former)) == list(map(volume_mounts.native_key, current)):
        native = saved_main.get("volumeMounts")
        _split(
            alpha, "volumeMounts", volume_mounts.restore_origins(flat, saved_flat, native or []), "volumeMounts", native
        )


def _split(alpha: Tree, dedicated: str, value: Any, field: str, main_value: Any) -> None:
    if value is None or value == []:
        alpha.pop(dedicated, None)
    else:
        alpha[dedicated] = value
    _set_main(alpha, **{field: main_value})


def _set_main(alpha: Tree, **fields: Any) -> None:
    """Sets fields of `extraPodSpec.mainContainer`, which arises where it is missing; None removes a field."""
    extra = alpha.get("extraPodSpec") or {}
    main = (extra.get("mainContainer") or {}) | fields
    main = {key: value for key, value in main.items() if value is not None}
    alpha["extraPodSpec"] = extra | {"mainContainer": main}


def _prune_extra_pod_spec(alpha: Tree, saved: Tree | None) -> None:
    extra = alpha.get("extraPodSpec")
    if extra is None:
        return
    saved_extra = (saved or {}).get("extraPodSpec")
    if container_is_bare(extra.get("mainContainer")) and not _only_main_name(saved_extra):
        extra = pod_spec(extra)
        alpha["extraPodSpec"] = extra
    if extra_pod_spec_is_zero(extra) and not (saved_extra is not None and extra_pod_spec_is_zero(saved_extra)):
        del alpha["extraPodSpec"]


def _only_main_name(extra: Tree | None) -> bool:
    main = (extra or {}).get("mainContainer") or {}
    return "name" in main and container_is_bare(main) and not pod_spec(extra)
