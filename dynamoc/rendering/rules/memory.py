"""GPU memory service inside the pod, and GPUs by claims of Dynamic Resource Allocation.

Source: internal/gms/gms.go, internal/dra/dra.go and internal/dynamo/graph.go GenerateBasePodSpec since 1.2.
"""

from __future__ import annotations

from dynamoc.admission.graph import enabled_checkpoint, gpu_memory_service, is_intra_pod_gms
from dynamoc.documents.findings.finding import Path, Refusal
from dynamoc.kube import quantity
from dynamoc.kube.merge import Tree
from dynamoc.rendering.rules.draft import Pod, rule
from dynamoc.rendering.rules.snapshot_storage import add_once

#: the claim that all clients of one pod's GPU memory share
SHARED_CLAIM = "intrapod-shared-gpu"
DEFAULT_DEVICE_CLASS = "gpu.nvidia.com"


def is_gpu_resource(name: str) -> bool:
    """`nvidia.com/gpu`, `gpu`, `…/gpu`, a MIG slice, or `gpu.…`, whatever the case (isGPUResourceName)."""
    name = name.lower()
    return name == "gpu" or name.endswith("/gpu") or "/mig-" in name or name.startswith("gpu.")


def scalar_gpus(resources: Tree | None, path: Path) -> int:
    """GPUs that limits, else requests, count; of several GPU resources the first by name.

    Raises `Refusal` for a fraction. Source: ExtractGPUCountFromResourceRequirements.
    """
    for part in ("limits", "requests"):
        amounts = (resources or {}).get(part) or {}
        names = sorted((name for name in amounts if is_gpu_resource(name)), key=str.encode)
        if names:
            amount = amounts[names[0]]
            count = quantity.value(amount)
            if quantity.compare(amount, str(count)):
                raise Refusal(
                    "dra/fractional-gpu",
                    f"{names[0]}: {amount} is not a whole number of GPUs; the operator fails to render the component.",
                    (*path, part, names[0]),
                )
            return count
    return 0


def remove_gpu_resources(container: Tree) -> None:
    """Takes GPUs out of limits and requests: where a claim brings them, the scheduler must not count them twice."""
    resources = container.get("resources") or {}
    for part in ("limits", "requests"):
        amounts = resources.get(part) or {}
        for name in [name for name in amounts if is_gpu_resource(name)]:
            del amounts[name]
        if part in resources and not amounts:
            del resources[part]


def use_shared_claim(container: Tree) -> None:
    """Gives the container the pod's shared claim in place of GPUs."""
    remove_gpu_resources(container)
    claims = container.setdefault("resources", {}).setdefault("claims", [])
    if all(claim.get("name") != SHARED_CLAIM for claim in claims):
        claims.append({"name": SHARED_CLAIM})


def tolerate_gpu_taint(spec: Tree) -> None:
    """The device plugin would add this toleration for `nvidia.com/gpu`; claims go past it."""
    tolerations = spec.setdefault("tolerations", [])
    if all((item.get("key"), item.get("effect")) != ("nvidia.com/gpu", "NoSchedule") for item in tolerations):
        tolerations.append({"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"})


def claim_from_template(spec: Tree, template: str) -> None:
    """Makes the pod's shared claim one made from `template`, in the place of a claim of that name."""
    claim = {"name": SHARED_CLAIM, "resourceClaimTemplateName": template}
    claims = spec.setdefault("resourceClaims", [])
    for index, existing in enumerate(claims):
        if existing.get("name") == SHARED_CLAIM:
            claims[index] = claim
            return
    claims.append(claim)


def claim_template_name(owner: str, component: str) -> str:
    return f"{owner}-{component.lower()}-gpu"


def device_requests(name: str, device_class: str, gpus: int) -> Tree:
    """The spec of a ResourceClaimTemplate for `gpus` devices of one class, under the request name `name`."""
    exactly = {"deviceClassName": device_class, "allocationMode": "ExactCount"}
    # Go leaves a count of zero out.
    count = {"count": gpus} if gpus else {}
    return {"spec": {"devices": {"requests": [{"name": name, "exactly": {**exactly, **count}}]}}}


def exact_request(request: Tree) -> Tree | None:
    """What a device request asks for exactly, None where it lists alternatives.

    resource.k8s.io/v1beta1 has the fields in the request itself; the API server gives the operator v1.
    """
    exactly: Tree | None = request.get("exactly")
    return request if exactly is None and "deviceClassName" in request else exactly


CONTROL_DIR = "/gms-intrapod-control"
SERVER = "gms-server"
SERVER_MODULE = "gpu_memory_service.cli.server"
SOCKET_DIR_ENV = "GMS_SOCKET_DIR"
_MOUNT = {"name": "gms-intrapod-control", "mountPath": CONTROL_DIR}
_ENV = {"name": SOCKET_DIR_ENV, "value": CONTROL_DIR}
_NEWER = {"name": "DYN_GMS_USE_V1", "value": "true"}


@rule("gms/intra-pod", source="internal/dynamo/graph.go GenerateBasePodSpec, internal/dra/dra.go ApplyClaim")
def intra_pod(pod: Pod) -> None:
    """Moves the GPUs of `main` into a claim that it shares with the sidecar `gms-server`.

    `extraClientContainers` are attached too. The user's environment, mount and volume with the same names give
    way. Since 1.5, server and clients speak the newer protocol where `checkpoint` is enabled.
    """
    service = gpu_memory_service(pod.component.spec)
    if service is None or not is_intra_pod_gms(pod.component.spec):
        return
    extra = service.get("extraClientContainers") or []
    if pod.release.has("gms/clients-must-exist"):
        check_clients(extra, pod.spec["containers"], (*pod.component.path, "experimental", "gpuMemoryService"))
    use_shared_claim(pod.spec["containers"][0])
    tolerate_gpu_taint(pod.spec)
    claim_from_template(pod.spec, claim_template_name(pod.owner, pod.service))
    newer = pod.release.has("gms/newer-with-snapshots")
    newer = newer and enabled_checkpoint(pod.component.spec, pod.release) is not None
    attach(pod.spec, pod.spec["containers"][0], extra, newer=newer)


def attach(spec: Tree, target: Tree, extra: list[str], *, newer: bool = False) -> None:
    """The sidecar with the target's image, and target and extra containers as its clients (EnsureServerSidecar)."""
    attach_client(spec, target, newer=newer)
    initial = spec.setdefault("initContainers", [])
    if all(container.get("name") != SERVER for container in initial):
        initial.append(memory_container(SERVER, SERVER_MODULE, target.get("image", "")))
        if newer:
            _put(initial[-1], "env", dict(_NEWER))
    for container in spec["containers"]:
        if container.get("name") in extra:
            attach_client(spec, container, newer=newer)


def attach_client(spec: Tree, container: Tree, *, newer: bool = False) -> None:
    """Socket directory as volume, mount and environment, and the shared claim (EnsureClient, EnableV1)."""
    _put(spec, "volumes", {"name": _MOUNT["name"], "emptyDir": {}})
    _put(container, "volumeMounts", dict(_MOUNT))
    _put(container, "env", dict(_ENV))
    if newer:
        _put(container, "env", dict(_NEWER))
    use_shared_claim(container)


def check_clients(extra: list[str], containers: list[Tree], path: Path) -> None:
    """Raises `Refusal` for names given twice or of no container (gmsExtraClientContainersError)."""
    known = {container.get("name") for container in containers}
    missing = [name for name in extra if name not in known]
    if missing or len(set(extra)) < len(extra):
        raise Refusal(
            "gms/extra-clients",
            "extraClientContainers must name containers of podTemplate, each once; the operator fails to render the "
            f"component{f', it has no {missing[0]}' if missing else ''}.",
            (*path, "extraClientContainers"),
        )


def attach_directory(spec: Tree, container: Tree) -> None:
    """The socket directory, where the user has nothing of its name (EnsureSharedVolume of release 1.1)."""
    add_once(spec, "volumes", {"name": _MOUNT["name"], "emptyDir": {}})
    add_once(container, "volumeMounts", dict(_MOUNT))
    add_once(container, "env", dict(_ENV))


def memory_container(name: str, module: str, image: str) -> Tree:
    """An init container that keeps running, so that it starts before the engines and stops after them."""
    return {
        "name": name,
        **({"image": image} if image else {}),
        "command": ["python3", "-m", module],
        "env": [dict(_ENV)],
        "volumeMounts": [dict(_MOUNT)],
        "resources": {"claims": [{"name": SHARED_CLAIM}]},
        "restartPolicy": "Always",
    }


def _put(owner: Tree, field: str, entry: Tree) -> None:
    """In the place of the first entry of that name, else at the end."""
    entries = owner.setdefault(field, [])
    for index, existing in enumerate(entries):
        if existing.get("name") == entry["name"]:
            entries[index] = entry
            return
    entries.append(entry)
