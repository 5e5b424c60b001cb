"""The operator's settings: fields of `OperatorConfiguration`, flags before it, defaults of both, and annotations.

Fields by dotted name: their types, and the attribute of OperatorConfig that keeps them; fields without one are read and
checked, but change no object. `featureGates.gmsSnapshot` is no field of the operator's: it stands for the environment
variable DYN_OPERATOR_ALLOW_GMS_SNAPSHOT, as the chart's value of that name. The chart's defaults are those of release
`dynamo-platform` in the namespace `dynamo-system`.
Source: api/config/v1alpha1/types.go; cmd/main.go of 0.4, 0.5 and 0.6.
"""

from __future__ import annotations

from dynamoc.reference.features import read_rows
from dynamoc.reference.releases import GONE, ORDER

Setting = str | bool | None


STRING = "string"
BOOLEAN = "boolean"
INTEGER = "integer"
DURATION = "duration"
Field = tuple[str, str | None]
"""Of a field, its type; of a flag, its key in camel case; and the attribute of OperatorConfig, None without effect."""


def _by_release(file: str) -> dict[str, dict[str, Field]]:
    """What each release adds, and takes away, of the rows of a file: name, word, attribute, since, until."""
    found: dict[str, dict[str, Field]] = {}
    for name, word, attribute, since, *until in read_rows(file):
        found.setdefault(since, {})[name] = word, None if attribute == "-" else attribute
        for release in until:
            found.setdefault(release, {})[name] = GONE
    return {release: found[release] for release in ORDER if release in found}


FIELDS = _by_release("configuration-fields.txt")
_CHECKS_1_0 = (
    "ports", "leader_election", "leases", "mpi", "model_express_url", "discovery", "checkpoint", "cluster_roles",
    "termination_delay",
)  # fmt: skip
_CHECKS_1_1 = tuple(check for check in _CHECKS_1_0 if check != "checkpoint")
#: why the operator refuses its configuration: functions of `dynamoc.admission.cluster.operator_configuration`
CHECKS: dict[str, tuple[str, ...]] = {
    "1.0": _CHECKS_1_0,
    "1.1": _CHECKS_1_1,
    "1.2": (*_CHECKS_1_1, "service_mesh"),
}


#: cmd/main.go, consts.go and generatePodTemplateSpec up to 0.6, api/config/v1alpha1/defaults.go
#: SetDefaultsOperatorConfiguration since 1.0
OPERATOR: dict[str, dict[str, Setting]] = {
    "0.4": {
        "discovery.backend": "etcd",
        "orchestrators.grove.termination_delay": "15m0s",
        "mpi.ssh_secret_name": "mpi-run-ssh-secret",
        "images.debugger": "python:3.12-slim",
    },
    "0.6": {"mpi.ssh_secret_name": ""},
    "1.0": {
        "discovery.backend": "kubernetes",
        "images.debugger": "",
        "checkpoint.ready_for_checkpoint_file_path": "/tmp/ready-for-checkpoint",
        "checkpoint.seccomp_profile": "profiles/block-iouring.json",
        "checkpoint.storage.type": "pvc",
        "checkpoint.storage.pvc.pvc_name": "snapshot-pvc",
        "checkpoint.storage.pvc.base_path": "/checkpoints",
    },
    "1.1": {
        # Snapshots are stored where the agent of the node says.
        "checkpoint.ready_for_checkpoint_file_path": "",
        "checkpoint.storage.type": "",
        "checkpoint.storage.pvc.pvc_name": "",
        "checkpoint.storage.pvc.base_path": "",
    },
    "1.3": {"checkpoint.cleanup_image": "busybox:1.36"},
    "1.5": {"checkpoint.cleanup_image": ""},
}

#: deploy/cloud/helm/platform up to 0.6, deploy/helm/charts/platform since 1.0: values.yaml, templates
CHART: dict[str, dict[str, Setting]] = {
    # The chart of 0.4 and 0.5 binds the operator to the namespace it is installed in. Graphs must then be in that
    # one, and nothing else changes; here any will do.
    "0.4": {
        "infrastructure.nats_address": "nats://dynamo-platform-nats.dynamo-system:4222",
        "infrastructure.etcd_address": "dynamo-platform-etcd.dynamo-system:2379",
    },
    "0.6": {
        "orchestrators.grove.termination_delay": "4h0m0s",
        "mpi.ssh_secret_name": "mpi-run-ssh-secret",
        "mpi.ssh_secret_namespace": "dynamo-system",
        "rbac.planner_cluster_role_name": "dynamo-platform-dynamo-operator-planner",
        "rbac.dgdr_profiling_cluster_role_name": "dynamo-platform-dynamo-operator-dgdr-profiling",
    },
    "1.0": {
        "infrastructure.nats_address": "nats://dynamo-platform-nats.dynamo-system.svc.cluster.local:4222",
        "infrastructure.etcd_address": "",
        "orchestrators.grove.enabled": False,
        "orchestrators.kai_scheduler.enabled": False,
        "rbac.epp_cluster_role_name": "dynamo-platform-dynamo-operator-epp",
    },
    "1.3": {
        "orchestrators.volcano_scheduler.enabled": False,
        "service_mesh.enabled": False,
    },
    # The chart no longer installs NATS by default.
    "1.4": {"infrastructure.nats_address": ""},
}


#: flags without an attribute change no object, or only requests
FLAGS = _by_release("configuration-flags.txt")
#: what is no flag, but can be written as one, and its attribute
SURROUNDINGS: dict[str, dict[str, str]] = {
    "0.4": {"groveDetected": "orchestrators.grove.enabled", "internalImagesDebugger": "images.debugger"},
    "0.5": {"kaiDetected": "orchestrators.kai_scheduler.enabled"},
    "0.6": {"mpiSecretPresent": "mpi.secret_present"},
}


ANNOTATIONS: dict[str, dict[str, bool]] = {
    "1.0": {
        "nvidia.com/dynamo-discovery-backend": True,
        "nvidia.com/dynamo-operator-origin-version": True,
        "nvidia.com/vllm-distributed-executor-backend": True,
    },
    "1.1": {"nvidia.com/dynamo-kube-discovery-mode": True},
    "1.3": {
        "nvidia.com/dynamo-checkpoint-startup-policy": True,
        "nvidia.com/grove-update-strategy": True,
        "nvidia.com/volcano-queue": True,
    },
    "1.5": {"nvidia.com/workload-provider": True},
}
