"""The pod template of v1beta1 and its container `main`, made of the fields of a v1alpha1 component, and back.

Facts: api/v1alpha1/shared_spec_conversion.go of release 1.4, and mergo 0.3.16 for the merge.
"""

from __future__ import annotations

from dynamoc.admission.convert import shared_fields, volume_mounts
from dynamoc.kube.merge import Tree
from dynamoc.reference.features import beta_names

MAIN = "main"
PROBES = ("livenessProbe", "readinessProbe")


def main_container(alpha: Tree) -> Tree:
    """Dedicated fields with `extraPodSpec.mainContainer` merged over them."""
    out = _dedicated(alpha)
    over = (alpha.get("extraPodSpec") or {}).get("mainContainer")
    if over is not None:
        env, mounts = out.get("env") or [], out.get("volumeMounts") or []
        merge_over(out, over)
        out["env"] = merge_env(env, over.get("env") or [])
        out["volumeMounts"] = (over.get("volumeMounts") or []) + mounts
        if "startupProbe" in over:
            out["startupProbe"] = over["startupProbe"]
    out["name"] = MAIN
    return {key: value for key, value in out.items() if value != []}


def _dedicated(alpha: Tree) -> Tree:
    out: Tree = {"name": MAIN}
    if "resources" in alpha:
        requirements = shared_fields.to_requirements(alpha["resources"])
        if requirements:
            out["resources"] = requirements
    if "envs" in alpha:
        out["env"] = alpha["envs"]
    if alpha.get("envFromSecret"):
        out["envFrom"] = [secret_source(alpha["envFromSecret"])]
    for probe in PROBES:
        if probe in alpha:
            out[probe] = alpha[probe]
    if "volumeMounts" in alpha:
        out["volumeMounts"] = volume_mounts.to_native(alpha["volumeMounts"])
    return out


def secret_source(name: str) -> Tree:
    """An entry of `envFrom` that takes all of the Secret."""
    return {"secretRef": {"name": name}}


def merge_env(common: list[Tree], specific: list[Tree]) -> list[Tree]:
    """By name; `specific` wins in the place of `common`, what it adds comes last."""
    out: list[Tree] = []
    places: dict[str, int] = {}
    for index, variable in enumerate([*common, *specific]):
        name = variable.get("name", "")
        if index >= len(common) and name in places:
            out[places[name]] = variable
        else:
            places[name] = len(out)
            out.append(variable)
    return out


def merge_over(base: Tree, over: Tree) -> None:
    """Merges `over` into `base` as mergo does with override: structs and maps by field, lists and scalars replaced.

    Go's zero values never override: not even a `false` or `0` behind a pointer wins against what is there already.
    """
    for key, value in over.items():
        old = base.get(key)
        if old is None or (value and value.__class__ is not dict and key != "port"):
            base[key] = value
        elif value.__class__ is dict:
            base[key] = merged = dict(old)
            merge_over(merged, value)
        elif key == "port":
            base[key] = _merge_port(old, value)


def _merge_port(old: int | str, value: int | str) -> int | str:
    """IntOrString is a struct to mergo, whose type tag is zero for a number: a number never overrides a name."""
    if value.__class__ is old.__class__:
        return value or old
    return value if value.__class__ is str else old


def ports_clash(base: Tree | None, over: Tree | None) -> bool:
    """Whether merging the two probes leaves a port that is a name and, unseen, a number: no port of Go's equals it."""
    if not base or not over:
        return False
    for key in base.keys() & over.keys():
        old, value = base[key], over[key]
        if key == "port" and old.__class__ is not value.__class__ and 0 not in (old, value):
            return True
        if old.__class__ is dict and value.__class__ is dict and ports_clash(old, value):
            return True
    return False


# The container that v1alpha1's `frontendSidecar` becomes.
SIDECAR = "sidecar-frontend"

# v1alpha1 field of `frontendSidecar` -> field of that container. `envFromSecret` is apart.
SIDECAR_FIELDS = beta_names("sidecar")

# Each of these makes a pod template, even where it is empty; `extraPodSpec` does only with content.
_TRIGGERS = ("resources", "envs", "envFromSecret", *PROBES, "extraPodMetadata", "frontendSidecar")


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
    dedicated = shared_fields.from_requirements(rest.get("resources") or {})
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
