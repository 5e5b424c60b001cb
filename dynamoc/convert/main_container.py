"""The container `main` of a component, from the fields of v1alpha1 that v1beta1 says in its pod template.

Facts: api/v1alpha1/shared_spec_conversion.go of release 1.4 (buildMainContainerFromDedicated,
mergeExtraPodSpecMainContainer), and mergo 0.3.16 for the merge.
"""

from __future__ import annotations

from dynamoc.convert import resources, volume_mounts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]

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
        requirements = resources.to_requirements(alpha["resources"])
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
