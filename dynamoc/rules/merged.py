"""What of the user's a merge over the operator's defaults loses, reported: nothing in the output would show it.

A merge as the operator does it takes empty values for missing ones, and keeps the name of a port against a number.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.catalog.slugs import WarningSlug
    from dynamoc.diagnostics.finding import Path
    from dynamoc.rules.draft import Pod

    Tree = dict[str, Any]

VALUE_LOST: WarningSlug = "merge/value-lost"
_SHELLS = ("bash", "zsh", "ksh", "fish")


def tell_lost(pod: Pod, user: Tree, merged: Tree, path: Path) -> None:
    """Warns of values at `path` of the user's document that the merged tree does not have; lists replace others."""
    for key, value in user.items():
        kept = merged.get(key)
        if value.__class__ is dict and kept.__class__ is dict:
            tell_lost(pod, value, kept, (*path, key))
        elif value.__class__ is not list and value.__class__ is not dict and kept != value and key != "name":
            pod.operator.warn(
                VALUE_LOST,
                f"`{key}: {value}` has no effect: the operator merges it into its default, which stays "
                f"`{key}: {kept}`.",
                (*path, key),
                f"Write a value that is not zero, or remove `{key}`." if not value else f"Remove `{key}`.",
            )


def tell_lost_volumes(pod: Pod, defaults: Tree, user: Tree, path: Path) -> None:
    """Warns where the user's list of volumes replaces volumes that the operator's own mounts need."""
    if "volumes" not in user or not defaults.get("volumes"):
        return
    names = {volume.get("name") for volume in user["volumes"]}
    lost = [volume["name"] for volume in defaults["volumes"] if volume["name"] not in names]
    if lost:
        pod.operator.warn(
            "merge/volumes-lost",
            f"These volumes replace those of the operator: {' and '.join(lost)} of {pod.component.name} are "
            "mounted, but the pod does not have these volumes.",
            (*path, "volumes"),
            f"Add {' and '.join(lost)} to the list.",
            others=((*pod.component.path, "eppConfig"),) if pod.component.epp_config else (),
        )


def tell_other_shell(pod: Pod, before: list[str]) -> None:
    """Warns where the backend runs the words of a command by `sh` that were written for another shell."""
    shell = before[0].rpartition("/")[2] if before else ""
    after = pod.main.get("command") or []
    if shell in _SHELLS and after[:1] != before[:1]:
        pod.operator.warn(
            "command/other-shell",
            f"The operator runs this command with {after[0] if after else 'the image'}, not with {before[0]}: on "
            "several nodes, it writes the command line itself.",
            (*pod.component.main_path, "command"),
            f"Write the arguments so that sh can run them, or call {shell} in them: `{shell} -c '...'`.",
        )


def pod_path(pod: Pod) -> Path:
    """Where the user's document has the fields of the pod."""
    path = pod.component.path
    is_alpha = pod.component.main_path[len(path) : len(path) + 1] == ("extraPodSpec",)
    return (*path, "extraPodSpec") if is_alpha else (*path, "podTemplate", "spec")
