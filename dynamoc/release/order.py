"""The rules that shape a pod, in the order of each release.

The part before the slash is the module below `dynamoc/rules/` that holds the rule.
"""

from __future__ import annotations

#: internal/dynamo/graph.go GenerateBasePodSpec of operator 0.4
_0_4 = (
    # the container `main`: defaults of the component type, then the user; the component's own environment comes last
    "container/defaults",
    "container/user-main-container-alone",
    "env/service-beside-main-container",
    "probes/service",
    "resources/service",
    "env/from-secret",
    # behind what the user wrote, so that nobody can override it
    "env/infrastructure-last",
    "storage/claim",
    # a part of the memory limit, which must be settled before
    "storage/shared-memory-of-limit",
    "backend/container",
    # the pod: defaults of the component type, then the user's pod spec over it
    "pod/defaults",
    "pod/user-pod-spec",
    "pod/main-container",
    "pod/image-pull-secrets",
    "backend/pod",
    "sorting/pod-spec",
)

#: internal/dynamo/graph.go GenerateBasePodSpec of operator 0.5
_0_5 = (
    "container/defaults",
    "container/user-main-container",
    # below mainContainer's, unlike in any later release
    "env/service-below-container",
    "probes/service",
    "resources/service",
    "env/from-secret",
    "env/infrastructure-last",
    "storage/claim",
    "storage/shared-memory",
    "backend/container",
    "pod/defaults",
    "pod/user-pod-spec",
    "pod/main-container",
    "pod/image-pull-secrets",
    "backend/pod",
    "sorting/pod-spec",
)

#: internal/dynamo/graph.go GenerateBasePodSpec of operator 0.6
_0_6 = (
    # the container `main`: defaults of the component type, then the user, most specific last
    "container/defaults",
    "container/user-main-container",
    "env/service",
    "probes/service",
    "resources/service",
    "env/from-secret",
    "env/infrastructure",
    "storage/volume-mounts",
    "storage/shared-memory",
    "backend/container",
    # the pod: defaults of the component type, then the user's pod spec over it
    "pod/defaults",
    "pod/user-pod-spec",
    "pod/main-container",
    "pod/image-pull-secrets",
    "backend/pod",
    # last, so that nothing depends on the order in which lists were put together
    "sorting/pod-spec",
)

#: internal/dynamo/graph.go GenerateBasePodSpec of operator 1.0
_1_0 = (
    # the container `main`: defaults of the component type, then the user, most specific last
    "container/defaults",
    "container/user-main-container",
    "env/service",
    # whole probes of the service beat those of mainContainer, which were merged field by field
    "probes/service",
    "resources/service",
    "env/from-secret",
    # below what the user wrote, so that anybody can override it
    "env/infrastructure",
    "storage/volume-mounts",
    "storage/shared-memory",
    # sees the final command, environment and mounts of the container
    "backend/container",
    # the pod: defaults of the component type, then the user's pod spec over it
    "pod/defaults",
    "pod/user-pod-spec",
    "security/pod-security-context",
    "discovery/service-account",
    # `main` comes after the user's own containers, and its volumes after the user's
    "pod/main-container",
    "pod/image-pull-secrets",
    "backend/pod",
    "checkpoint/restore",
    "sidecar/frontend",
)

#: internal/dynamo/graph.go GenerateBasePodSpec, checkpoint/podspec.go InjectCheckpointIntoPodSpec of operator 1.1
_1_1 = (
    # the container `main`: defaults of the component type, then the user, most specific last
    "container/defaults",
    "container/user-main-container",
    "env/service",
    # whole probes of the service beat those of mainContainer, which were merged field by field
    "probes/service",
    "resources/service",
    "env/from-secret",
    # below what the user wrote, so that anybody can override it
    "env/infrastructure",
    "storage/volume-mounts",
    "backend/container",
    "pod/defaults",
    "pod/user-pod-spec",
    "security/pod-security-context",
    "discovery/service-account",
    "pod/main-container",
    # in place of the user's own volumes and mounts for it
    "volumes/shared-memory",
    "pod/image-pull-secrets",
    "backend/pod",
    "sidecar/frontend",
    # the engines of a failover are copies of the first container, which already uses the sidecar then
    "first_gms/sidecar",
    "first_gms/failover",
    "shared_snapshot/restore-main",
)

#: internal/dynamo/graph.go GenerateBasePodSpec of operator 1.2
_1_2 = (
    "container/defaults",
    "container/user-main",
    "volumes/complete-mounts",
    # unchecked, so that it may be mounted twice
    "volumes/compilation-cache-mount-appended",
    "env/infrastructure",
    "sidecar/shared-mounts",
    "inter_pod_gms/load-format",
    "backend/container",
    "pod/defaults",
    "pod/user-template",
    "security/pod-security-context",
    "discovery/service-account",
    "volumes/compilation-cache-volume-by-name",
    "volumes/shared-memory",
    "pod/main-container-first",
    "sidecar/frontend-defaults",
    "backend/pod",
    "volumes/claims-of-mounts",
    "pod/all-image-pull-secrets",
    "gms/intra-pod",
    "failover/intra-pod",
    "shared_snapshot/restore",
)

#: internal/dynamo/graph.go GenerateBasePodSpec of operators 1.3 and 1.4
_1_3 = (
    # the container `main`: defaults of the component type, then podTemplate's container over them
    "container/defaults",
    "container/user-main",
    "volumes/compilation-cache-mount",
    "volumes/complete-mounts",
    "env/infrastructure",
    # before backend and shared memory add mounts that only `main` needs
    "sidecar/shared-mounts",
    # before the backend quotes the command line for a shell
    "inter_pod_gms/load-format",
    "backend/container",
    "snapshot/probe-cadence",
    # the pod: defaults of the component type, then podTemplate's spec over them
    "pod/defaults",
    "pod/user-template",
    "security/pod-security-context",
    "discovery/service-account",
    "volumes/compilation-cache-volume",
    "volumes/shared-memory",
    "pod/main-container-first",
    "sidecar/frontend-defaults",
    "backend/pod",
    # sorts all volumes, those of the backend too
    "volumes/claims-of-mounts",
    "pod/all-image-pull-secrets",
    # the engines of a failover are copies of a `main` that already uses the sidecar
    "gms/intra-pod",
    "failover/intra-pod",
    "snapshot/restore",
)

#: internal/dynamo/graph.go GenerateBasePodSpec of operator 1.5, which leaves pods that start from a snapshot to others
_1_5 = tuple(name for name in _1_3 if not name.startswith("snapshot/"))

#: internal/dynamo/graph.go generateBasePodSpecWithDefaultsAndOwnership of operator 1.6
_1_6 = (
    "runtime_sidecar/defaults",
    "container/user-main-and-ports",
    "volumes/compilation-cache-mount",
    "volumes/complete-mounts",
    "runtime_sidecar/infrastructure",
    "sidecar/shared-mounts",
    # before the backend names them in flags, and before mpirun lists what it forwards
    "multinode_aliases/leader-and-rank",
    "inter_pod_gms/load-format",
    "runtime_sidecar/backend-container",
    "pod/defaults",
    "pod/user-template",
    "security/pod-security-context",
    "discovery/service-account",
    "volumes/compilation-cache-volume",
    "volumes/shared-memory",
    "pod/main-container-first",
    "runtime_sidecar/backend-pod",
    "sidecar/frontend-defaults",
    "volumes/claims-of-mounts",
    "pod/every-image-pull-secrets",
    "gms/intra-pod",
    "failover/intra-pod",
)

#: Rules that do nothing unless a component has a block `experimental`; their modules are not even imported then.
EXPERIMENTAL = frozenset(
    (
        "inter_pod_gms/load-format",
        "snapshot/probe-cadence",
        "gms/intra-pod",
        "failover/intra-pod",
        "snapshot/restore",
        "shared_snapshot/restore",
    )
)

POD_RULES: dict[str, tuple[str, ...]] = {
    "0.4": _0_4,
    "0.5": _0_5,
    "0.6": _0_6,
    "1.0": _1_0,
    "1.1": _1_1,
    "1.2": _1_2,
    "1.3": _1_3,
    "1.5": _1_5,
    "1.6": _1_6,
}
