"""The Helm chart `dynamo-platform`: the keys that its values know, defaults, templates that read them, and checks.

Templates and checks are functions of `helm_chart.py` and `helm_values.py` in `admission/cluster/`.
Source: deploy/cloud/helm/platform up to 0.6, deploy/helm/charts/platform since 1.0: values.yaml,
components/operator/templates, templates/validate-values.yaml.
"""

from __future__ import annotations

from typing import Any

from dynamoc.reference.features import read_rows
from dynamoc.reference.releases import GONE, ORDER

Path = tuple[str | int, ...]

Known = dict[str, Any]


OPERATOR = "dynamo-operator"
MESH = (OPERATOR, "dynamo", "serviceMesh")
_DELAY = (OPERATOR, "dynamo", "groveTerminationDelay")
_STORAGE = (OPERATOR, "checkpoint", "storage")
_CLEANUP_IMAGE = (OPERATOR, "checkpoint", "cleanupImage")

#: values.yaml, as far as templates read it
VALUES: dict[str, dict[Path, Any]] = {
    "0.4": {
        _DELAY: "15m",
        (OPERATOR, "dynamo", "ingress", "tlsSecretName"): "my-tls-secret",
        (OPERATOR, "dynamo", "mpiRun", "secretName"): "mpi-run-ssh-secret",
        (OPERATOR, "dynamo", "internalImages", "debugger"): "python:3.12-slim",
    },
    "0.6": {_DELAY: "4h"},
    "1.0": {
        (OPERATOR, "dynamo", "internalImages", "debugger"): GONE,
        (OPERATOR, "upgradeCRD"): True,
        (OPERATOR, "discoveryBackend"): "kubernetes",
        (OPERATOR, "gpuDiscovery", "enabled"): True,
        (OPERATOR, "nats", "enabled"): True,
        (*_STORAGE, "type"): "pvc",
        (*_STORAGE, "pvc", "pvcName"): "snapshot-pvc",
        (*_STORAGE, "pvc", "basePath"): "/checkpoints",
    },
    "1.1": {(*_STORAGE, "type"): GONE, (*_STORAGE, "pvc", "pvcName"): GONE, (*_STORAGE, "pvc", "basePath"): GONE},
    "1.2": {
        (OPERATOR, "nats", "enabled"): GONE,
        ("global", "nats", "install"): True,
        (*MESH, "enabled"): False,
        (*MESH, "istio", "insecureSkipVerify"): True,
        (OPERATOR, "checkpoint", "seccomp", "profile"): "profiles/block-iouring.json",
    },
    "1.3": {_CLEANUP_IMAGE: "busybox:1.36"},
    "1.4": {("global", "nats", "install"): GONE},
    "1.5": {_CLEANUP_IMAGE: GONE},
}

#: the parts of the template for OperatorConfiguration, by what they write
TEMPLATES: dict[str, dict[str, str]] = {
    "1.0": {
        "leaderElection": "leader_election",
        "namespace": "namespace",
        "orchestrators": "orchestrators",
        "infrastructure": "infrastructure",
        "ingress": "ingress",
        "rbac, mpi": "roles",
        "infrastructure.natsAddress": "nats_of_operator",
        "checkpoint": "checkpoint_storage",
    },
    "1.1": {"checkpoint": "checkpoint_switch"},
    "1.2": {
        "infrastructure.natsAddress": "nats_of_platform",
        "checkpoint.storage": "checkpoint_claim",
        "featureGates": "snapshot_gate",
        "serviceMesh": "service_mesh_if_enabled",
    },
    "1.3": {
        "checkpoint.cleanupImage": "cleanup_image",
        "orchestrators.volcanoScheduler": "volcano",
        "serviceMesh": "service_mesh",
    },
    "1.4": {"featureGates": GONE},
    "1.5": {"checkpoint.storage": GONE, "checkpoint.cleanupImage": GONE, "infrastructure.*TLS*": "tls"},
}
_1_0 = ("backend_is_known", "one_leader_election")
_1_2 = (*_1_0, "nothing_removed", "claim_is_named")
#: why `helm install` fails
CHECKS: dict[str, tuple[str, ...]] = {
    "1.0": _1_0,
    "1.2": _1_2,
    "1.3": (*_1_2, "restricted_without_crds", "one_scheduler"),
}

#: values of the operator's chart that its configuration calls by the same names
TLS = (
    "natsTLSCAPath", "natsTLSClientCertPath", "natsTLSClientKeyPath", "tcpTLSCertPath", "tcpTLSKeyPath",
    "tcpTLSCAPath", "tcpTLSClientCertPath", "tcpTLSClientKeyPath", "tcpTLSClientCAPath", "tcpTLSServerName",
)  # fmt: skip

#: Values that the chart refuses since 1.2, and what took their place.
REMOVED: dict[tuple[str, ...], str | None] = {
    ("nats", "enabled"): "global.nats.install",
    ("etcd", "enabled"): "global.etcd.install",
    ("grove", "enabled"): "global.grove.install",
    ("kai-scheduler", "enabled"): "global.kai-scheduler.install",
    (OPERATOR, "nats", "enabled"): "global.nats.install",
    (OPERATOR, "webhook", "enabled"): None,
    (OPERATOR, "webhook", "certGenerator"): None,
    (OPERATOR, "webhook", "certificateValidity"): None,
    (OPERATOR, "dynamo", "mpiRun", "sshKeygen"): None,
    (OPERATOR, "checkpoint", "readyForCheckpointFilePath"): None,
    (OPERATOR, "dynamo", "internalImages"): None,
    (OPERATOR, "dynamo", "enableRestrictedSecurityContext"): None,
}


def _known(rows: list[list[str]], release: str) -> Known:
    known: Known = {}
    for path, since, *until in rows:
        if ORDER.index(since) <= ORDER.index(release) < (ORDER.index(until[0]) if until else len(ORDER)):
            *above, key = path.split(".")
            section = known
            for step in above:
                section = section.setdefault(step, {})
            section[key] = None
    return known


def _by_release() -> dict[str, Known]:
    rows = read_rows("chart-keys.txt")
    changes = {release for _, *releases in rows for release in releases}
    return {release: _known(rows, release) for release in ORDER if release in changes}


#: the keys of values.yaml, and those below each; None takes whatever is below
KNOWN = _by_release()
