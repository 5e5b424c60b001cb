"""The pod around the container `main`."""

from __future__ import annotations

from dynamoc.golang.mergo import merge_pod_spec
from dynamoc.rules.epp import epp_volumes
from dynamoc.rules.images import add_pull_secrets
from dynamoc.rules.merged import pod_path, tell_lost, tell_lost_volumes
from dynamoc.rules.registry import rule
from dynamoc.tree import copy_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.rules.draft import Pod


@rule("pod/defaults", source="internal/dynamo/component_*.go GetBasePodSpec")
def pod_defaults(pod: Pod) -> None:
    """Sets restartPolicy and grace period, and the account and volumes of planner and EPP."""
    release = pod.release
    defaults = release["component-defaults"].get(pod.component.type, "")
    grace = release["grace-seconds/epp"] if defaults == "epp" else release["grace-seconds/default"]
    pod.spec = {"terminationGracePeriodSeconds": grace, "restartPolicy": "Always"}
    if defaults in ("planner", "epp"):
        pod.spec["serviceAccountName"] = release.of("service-account", defaults)
    if defaults == "epp":
        pod.spec["volumes"] = epp_volumes(pod)


@rule("pod/user-pod-spec", source="internal/dynamo/graph.go GenerateBasePodSpec")
def user_pod_spec(pod: Pod) -> None:
    """Merges `extraPodSpec` over the pod's defaults: empty values do not override, lists replace."""
    if pod.component.pod_spec is not None:
        defaults, whole = pod.spec, pod.release.has("merge/whole-pointers")
        pod.spec = merge_pod_spec(defaults, pod.component.pod_spec, replace_pointers=whole)
        _tell_lost(pod, defaults)


def _tell_lost(pod: Pod, defaults: dict[str, Any]) -> None:
    user = pod.component.pod_spec or {}
    tell_lost(pod, user, pod.spec, pod_path(pod))
    tell_lost_volumes(pod, defaults, user, pod_path(pod))


@rule("pod/main-container", source="internal/dynamo/graph.go GenerateBasePodSpec")
def main_container(pod: Pod) -> None:
    """Appends `main` after the user's containers, and its volumes after the user's volumes."""
    pod.spec.setdefault("containers", []).append(pod.main)
    if pod.volumes:
        pod.spec.setdefault("volumes", []).extend(pod.volumes)


@rule("pod/image-pull-secrets", source="internal/dynamo/graph.go GenerateBasePodSpec")
def image_pull_secrets(pod: Pod) -> None:
    """Adds the pull secrets that fit the image of mainContainer, after the user's own."""
    add_pull_secrets(pod, (pod.component.main or {}).get("image", ""))


@rule("pod/user-template", source="internal/dynamo/graph.go GenerateBasePodSpec")
def user_template(pod: Pod) -> None:
    """Merges `podTemplate.spec` without its containers over the pod's defaults: empty values do not override."""
    if pod.component.pod_spec is not None:
        defaults = pod.spec
        pod.spec = merge_pod_spec(defaults, pod.component.pod_spec)
        _tell_lost(pod, defaults)


@rule("pod/main-container-first", source="internal/dynamo/graph.go GenerateBasePodSpec")
def main_container_first(pod: Pod) -> None:
    """Puts `main` before the user's other containers, wherever the user wrote it."""
    pod.spec["containers"] = [pod.main, *copy_tree(pod.component.containers)]


@rule("pod/every-image-pull-secrets", source="internal/dynamo/graph.go generateBasePodSpecWithDefaultsAndOwnership")
def every_image_pull_secrets(pod: Pod) -> None:
    """Adds the pull secrets that fit the images of containers and init containers, after the user's own."""
    for container in (*pod.spec["containers"], *(pod.spec.get("initContainers") or ())):
        add_pull_secrets(pod, container.get("image", ""))


@rule("pod/all-image-pull-secrets", source="internal/dynamo/graph.go GenerateBasePodSpec")
def all_image_pull_secrets(pod: Pod) -> None:
    """Adds the pull secrets that fit the images of all containers, except init containers, after the user's own."""
    for container in pod.spec["containers"]:
        add_pull_secrets(pod, container.get("image", ""))
