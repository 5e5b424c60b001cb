"""The frontend as a sidecar of another component."""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal
from dynamoc.golang.mergo import merge_container
from dynamoc.kube.names import image_version
from dynamoc.rules.container import base_container, container_of
from dynamoc.rules.env import infrastructure_env, merge_env, secret_source
from dynamoc.rules.images import add_pull_secrets
from dynamoc.rules.registry import rule
from dynamoc.tree import copy_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.rules.draft import Pod

    Tree = dict[str, Any]


@rule("sidecar/frontend", source="internal/dynamo/graph.go generateFrontendSidecar")
def frontend_sidecar(pod: Pod) -> None:
    """Adds the container `sidecar-frontend` with the defaults of a frontend if `frontendSidecar` is set.

    Its image is the user's; args replace the default, envs merge by name.
    """
    wanted = pod.component.frontend_sidecar
    if wanted is None:
        return
    container = base_container(pod, "frontend")
    container["name"] = pod.release["frontend-sidecar-container"]
    container["image"] = wanted.get("image", "")
    if wanted.get("args"):
        container["args"] = copy_tree(wanted["args"])
    if wanted.get("envFromSecret") is not None:
        container["envFrom"] = [secret_source(wanted["envFromSecret"])]
    if wanted.get("envs"):
        container["env"] = merge_env(container["env"], wanted["envs"])
    container["env"] = merge_env(infrastructure_env(pod.operator.config), container["env"])
    pod.spec["containers"].append(container)
    add_pull_secrets(pod, container["image"])


@rule("sidecar/shared-mounts", source="internal/dynamo/graph.go GenerateBasePodSpec")
def shared_mounts(pod: Pod) -> None:
    """Remembers the mounts of `main` that a frontend sidecar shares: those from before backend and shared memory."""
    pod.shared_mounts = copy_tree(pod.main.get("volumeMounts") or [])


@rule("sidecar/frontend-defaults", source="internal/dynamo/graph.go mergeFrontendSidecarDefaults")
def frontend_defaults(pod: Pod) -> None:
    """Gives the container that `frontendSidecar` names the defaults of a frontend, in its place.

    The user's fields win as in `main`, but probes merge field by field. The mounts of `main` are added by volume.
    """
    name = pod.component.sidecar
    if name is None:
        return
    for index, user in enumerate(pod.spec["containers"]):
        if user.get("name") == name:
            pod.spec["containers"][index] = _with_defaults(pod, user)
            # `main` itself may be named; the pod must know its new self.
            if user is pod.main:
                pod.main = pod.spec["containers"][index]
            return
    raise Refusal(
        "sidecar/no-such-container",
        f'frontendSidecar refers to "{name}", but podTemplate does not have this container; '
        "the operator fails to render the pod.",
        (*pod.component.path, "frontendSidecar"),
        "Use the name of one of podTemplate.spec.containers.",
    )


def _with_defaults(pod: Pod, user: Tree) -> Tree:
    if pod.release.has("sidecar/runtime-of-its-own"):
        base = container_of(pod, "frontend", user["name"], image_version(user.get("image", "")))
    else:
        base = base_container(pod, "frontend")
    base["name"] = user["name"]
    container = merge_container(base, user)
    container["env"] = merge_env(base["env"], user.get("env"))
    container["env"] = merge_env(infrastructure_env(pod.operator.config), container["env"])
    known = {mount.get("name", "") for mount in container.get("volumeMounts") or ()}
    for mount in pod.shared_mounts:
        if mount["name"] not in known:
            known.add(mount["name"])
            container.setdefault("volumeMounts", []).append(copy_tree(mount))
    return container
