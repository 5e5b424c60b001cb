"""The frontend as a sidecar of another component."""

from __future__ import annotations

from dynamoc.kube.tree import copy_tree
from dynamoc.rules.container import base_container
from dynamoc.rules.env import infrastructure_env, merge_env, secret_source
from dynamoc.rules.images import add_pull_secrets
from dynamoc.rules.registry import rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.rules.draft import Pod


@rule("sidecar/frontend", source="internal/dynamo/graph.go generateFrontendSidecar")
def frontend_sidecar(pod: Pod) -> None:
    """Adds the container `sidecar-frontend` with the defaults of a frontend where `frontendSidecar` is set.

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
