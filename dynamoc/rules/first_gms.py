"""GPU memory service and failover as release 1.1 brought them: for v1alpha1, in the pod only.

Both take the first container of the pod for the engine, and that is the user's where `extraPodSpec` has containers.
Source: internal/dra/dra.go ApplyClaim, internal/gms/gms.go, internal/dynamo/failover.go of release 1.1.
"""

from __future__ import annotations

from dynamoc.rules.dra import SHARED_CLAIM, claim_template_name
from dynamoc.rules.failover import run_two_engines
from dynamoc.rules.gms import CONTROL_DIR, SERVER, SERVER_MODULE, attach_directory, memory_container
from dynamoc.rules.registry import rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.rules.draft import Pod

    Tree = dict[str, Any]


@rule("first_gms/sidecar", source="internal/dynamo/graph.go GenerateBasePodSpec of release 1.1")
def sidecar(pod: Pod) -> None:
    """Moves the GPUs of the first container into a claim that it shares with the sidecar `gms-server`.

    The engine starts once the server reports in the shared directory that it is ready, within 5 minutes.
    """
    if not (pod.component.spec.get("gpuMemoryService") or {}).get("enabled"):
        return
    engine = pod.spec["containers"][0]
    share_gpus(pod.spec, engine, claim_template_name(pod.owner, pod.service))
    add_server(pod.spec, engine)


def share_gpus(spec: Tree, engine: Tree, template: str) -> None:
    """A claim in place of `nvidia.com/gpu`, and a toleration; nothing where the pod has a claim of that name."""
    claims = spec.setdefault("resourceClaims", [])
    if any(claim.get("name") == SHARED_CLAIM for claim in claims):
        return
    resources = engine.setdefault("resources", {})
    for part in ("limits", "requests"):
        amounts = resources.get(part) or {}
        amounts.pop("nvidia.com/gpu", None)
        if part in resources and not amounts:
            del resources[part]
    resources.setdefault("claims", []).append({"name": SHARED_CLAIM})
    taint = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
    spec.setdefault("tolerations", []).append(taint)
    claims.append({"name": SHARED_CLAIM, "resourceClaimTemplateName": template})


def add_server(spec: Tree, engine: Tree) -> None:
    """Source: internal/gms/gms.go EnsureServerSidecar."""
    attach_directory(spec, engine)
    server = memory_container(SERVER, SERVER_MODULE, engine.get("image", ""))
    ready = {"command": ["test", "-f", f"{CONTROL_DIR}/gms-ready"]}
    server["startupProbe"] = {"exec": ready, "periodSeconds": 1, "failureThreshold": 300}
    initial = spec.setdefault("initContainers", [])
    if all(container.get("name") != SERVER for container in initial):
        initial.append(server)


@rule("first_gms/failover", source="internal/dynamo/failover.go buildFailoverPod of release 1.1")
def failover(pod: Pod) -> None:
    """Replaces the first container with two engines if `failover` is enabled."""
    if (pod.component.spec.get("failover") or {}).get("enabled"):
        run_two_engines(pod, (*pod.component.path, "failover"))
