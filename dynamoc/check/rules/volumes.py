"""Volumes that pods on several nodes cannot share."""

from __future__ import annotations

from dynamoc.check.registry import rule
from dynamoc.kube.identity import identity
from dynamoc.kube.lenient import entries, mapping, text, texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.check.made import Made
    from dynamoc.stages.faults import Fault

    Tree = dict[str, Any]

_CACHES = ("cache", "model", "weights", "hf", "huggingface", "checkpoint")


@rule("check/claim-of-one-node")
def claims_of_one_node(made: Made) -> Iterator[Fault]:
    claims = {
        identity(value, "default")[2:]: value
        for value in (*made.others, *made.objects)
        if value.get("kind") == "PersistentVolumeClaim"
    }
    users: dict[tuple[str, str], int] = {}
    for workload in made.workloads:
        namespace = text(mapping(workload.item, "metadata").get("namespace")) or "default"
        for path, volume in entries(workload.template.spec, "volumes", workload.template.path):
            name = text(mapping(volume, "persistentVolumeClaim").get("claimName"))
            modes = texts(mapping(claims.get((namespace, name)), "spec").get("accessModes"))
            if not modes or set(modes) - {"ReadWriteOnce", "ReadWriteOncePod"}:
                continue
            key = (namespace, name)
            before, users[key] = users.get(key, 0), users.get(key, 0) + workload.template.pods
            if before <= 1 < users[key]:
                mode = modes[0]
                message = f"{users[key]} pods mount the claim `{name}`, which is {mode}: {_REASON[mode]}"
                where = (*path, "persistentVolumeClaim", "claimName")
                yield workload.fault("check/claim-of-one-node", where, message, "use a claim that is ReadWriteMany")


_REASON = {
    "ReadWriteOnce": "all of them must run on one node, or they wait forever.",
    "ReadWriteOncePod": "only one of them can run.",
}


@rule("check/host-path-cache")
def host_path_caches(made: Made) -> Iterator[Fault]:
    for workload in made.workloads:
        for path, volume in entries(workload.template.spec, "volumes", workload.template.path):
            directory = text(mapping(volume, "hostPath").get("path"))
            words = f"{text(volume.get('name'))}/{directory}".lower().replace("-", "/").replace("_", "/").split("/")
            if directory and any(word.startswith(_CACHES) for word in words):
                message = (
                    f"`{directory}` is a directory of the node: a pod that moves to another node starts without it, "
                    "and pods of other graphs see it."
                )
                where = (*path, "hostPath", "path")
                yield workload.fault("check/host-path-cache", where, message, "use a PersistentVolumeClaim")
