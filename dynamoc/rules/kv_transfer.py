"""`kvTransferPolicy`: workers learn where in the cluster they run, and which peers they may take KV blocks from.

The operator writes this into the pod template of workers before it renders them, so that it is part of their hash.
Source: internal/dynamo/graph.go applyKvTransferPolicyToWorkerComponent, component_worker.go of release 1.4.
"""

from __future__ import annotations

from dynamoc.rules.env import merge_env

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.release.registry import Release

    Tree = dict[str, Any]

_MOUNT_PATH = "/etc/dynamo/topology"
_VOLUME = "topology-labels"
_LABEL_KEY = "nvidia.com/topology-label-key"
_TOPOLOGY_NAME = "nvidia.com/topology-cluster-topology-name"
_ENV = (
    "DYN_KV_TRANSFER_DOMAIN",
    "DYN_KV_TRANSFER_ENFORCEMENT",
    "DYN_KV_TRANSFER_PREFERRED_WEIGHT",
    "DYN_TOPOLOGY_ENABLED",
    "DYN_TOPOLOGY_MOUNT_PATH",
)


def worker_policy(graph_spec: Tree, component_type: str) -> Tree | None:
    """The policy of the graph for a component of that type, None where it has none."""
    policy: Tree | None = (graph_spec.get("experimental") or {}).get("kvTransferPolicy")
    if not policy or component_type not in ("worker", "prefill", "decode"):
        return None
    return policy if policy.get("labelKey") or policy.get("clusterTopologyName") else None


def transfer_env(env: list[Tree] | None, policy: Tree) -> list[Tree]:
    """The environment of `main`, sorted by name, with the policy in place of anything that the user set for it."""
    variables = [
        {"name": "DYN_KV_TRANSFER_DOMAIN", "value": policy.get("domain", "")},
        {"name": "DYN_KV_TRANSFER_ENFORCEMENT", "value": policy.get("enforcement") or "required"},
        {"name": "DYN_TOPOLOGY_ENABLED", "value": "true"},
        {"name": "DYN_TOPOLOGY_MOUNT_PATH", "value": _MOUNT_PATH},
    ]
    weight = policy.get("preferredWeight")
    if weight is not None:
        variables.append({"name": "DYN_KV_TRANSFER_PREFERRED_WEIGHT", "value": float32_text(weight)})
    return merge_env([variable for variable in env or () if variable.get("name") not in _ENV], variables)


def transfer_mounts(mounts: list[Tree] | None) -> list[Tree]:
    """The mounts of `main` with the topology directory last, in place of others of its name or path."""
    kept = [mount for mount in mounts or () if mount.get("name") != _VOLUME and mount.get("mountPath") != _MOUNT_PATH]
    return [*kept, {"name": _VOLUME, "mountPath": _MOUNT_PATH, "readOnly": True}]


def transfer_volumes(volumes: list[Tree] | None, policy: Tree, domains: list[str]) -> list[Tree]:
    """The pod's volumes with the topology labels last: one file for the policy's label, or one for each domain."""
    if policy.get("labelKey"):
        labels = [(policy.get("domain", ""), policy["labelKey"])]
    else:
        labels = [(domain, f"nvidia.com/dynamo-topology.{domain}") for domain in domains]
    items = [{"path": path, "fieldRef": {"fieldPath": f"metadata.labels['{label}']"}} for path, label in labels]
    volume = {"name": _VOLUME, "downwardAPI": {"items": items} if items else {}}
    return [*(volume for volume in volumes or () if volume.get("name") != _VOLUME), volume]


def apply_to_template(template: Tree, policy: Tree, domains: list[str], runtime: Tree | None = None) -> None:
    """Writes the policy into a `podTemplate`; a missing container `main` is made, ahead of the others.

    What publishes the topology is `main`, or `runtime` where Dynamo is a container of its own.
    """
    spec = template.setdefault("spec", {})
    containers = spec.setdefault("containers", [])
    main = next((container for container in containers if container.get("name") == "main"), None)
    if main is None:
        main = {"name": "main"}
        containers.insert(0, main)
    publisher = main if runtime is None else runtime
    publisher["env"] = transfer_env(publisher.get("env"), policy)
    publisher["volumeMounts"] = transfer_mounts(publisher.get("volumeMounts"))
    spec["volumes"] = transfer_volumes(spec.get("volumes"), policy, domains)


def mark_topology(annotations: dict[str, str], policy: Tree | None, release: Release) -> None:
    """Replaces the annotations of the topology label controller by those of the policy, if there is one.

    Only the operator may say what that controller copies from nodes to pods.
    """
    for key in release["topology/annotations"]:
        annotations.pop(key, None)
    if policy is None:
        return
    if policy.get("labelKey"):
        annotations[_LABEL_KEY] = policy["labelKey"]
    if policy.get("clusterTopologyName"):
        annotations[_TOPOLOGY_NAME] = policy["clusterTopologyName"]


def float32_text(number: float) -> str:
    """The shortest decimal digits that read back as the same float32, without exponent (strconv.FormatFloat 'f').

    For weights, which lie between 0 and 1.
    """
    from struct import pack, unpack

    wanted = pack("<f", number)
    exact: float = unpack("<f", wanted)[0]
    text = ""
    for digits in range(1, 10):
        text = f"{exact:.{digits}g}"
        if pack("<f", float(text)) == wanted:
            break
    if "e" not in text:
        return text
    from decimal import Decimal

    return format(Decimal(text), "f")
