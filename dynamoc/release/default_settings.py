"""What the operator is configured with where nobody says anything: its own defaults, and its Helm chart's.

Attributes of `OperatorConfig` by dotted name. The chart is `dynamo-platform`, installed with default values as release
`dynamo-platform` in the namespace `dynamo-system`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    Setting = str | bool | None

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
    # The chart of 0.4 and 0.5 binds the operator to the namespace it is installed in. Graphs must then stand in that
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
