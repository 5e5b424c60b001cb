"""The Helm chart `dynamo-platform`: the keys that its values know, defaults, templates that read them, and checks.

A dict lists the keys of a mapping; None takes whatever stands below. Templates and checks are functions of
`helm_chart.py` and `helm_values.py` in `admission/cluster/`.
Source: deploy/cloud/helm/platform up to 0.6, deploy/helm/charts/platform since 1.0: values.yaml,
components/operator/templates, templates/validate-values.yaml.
"""

from __future__ import annotations

from typing import Any

from dynamoc.reference.releases import GONE

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
    "natsTLSCAPath",
    "natsTLSClientCertPath",
    "natsTLSClientKeyPath",
    "tcpTLSCertPath",
    "tcpTLSKeyPath",
    "tcpTLSCAPath",
    "tcpTLSClientCertPath",
    "tcpTLSClientKeyPath",
    "tcpTLSClientCAPath",
    "tcpTLSServerName",
)

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


_SWITCH: Known = {"enabled": None, "install": None}
_DYNAMO: Known = {
    "groveTerminationDelay": None,
    "components": None,
    "dockerRegistry": None,
    "ingress": {"enabled": None, "className": None, "tlsSecretName": None},
    "istio": {"enabled": None, "gateway": None},
    "ingressHostSuffix": None,
    "virtualServiceSupportsHTTPS": None,
    "metrics": {"prometheusEndpoint": None, "podMonitors": None},
    "mpiRun": {"secretName": None},
}
_DYNAMO_0_4: Known = {
    **{key: value for key, value in _DYNAMO.items() if key not in ("metrics", "mpiRun")},
    "imageBuilder": None,
    "internalImages": {"debugger": None},
    "enableRestrictedSecurityContext": None,
    "dynamoIngressSuffix": None,
}
_OPERATOR: Known = {
    "enabled": None,
    "natsAddr": None,
    "etcdAddr": None,
    "modelExpressURL": None,
    "namespaceRestriction": {"enabled": None, "targetNamespace": None},
    "controllerManager": None,
    "imagePullSecrets": None,
    "nameOverride": None,
    "fullnameOverride": None,
    "kubernetesClusterDomain": None,
    "metricsService": None,
}
_LEASE: Known = {
    "namespaceRestriction": {
        **_OPERATOR["namespaceRestriction"],
        "lease": {"duration": None, "renewInterval": None},
    },
    "gpuDiscovery": {"enabled": None},
    "discoveryBackend": None,
    "upgradeCRD": None,
    "env": None,
    "webhook": None,
}
_BUNDLED: Known = {"grove": None, "kai-scheduler": None, "etcd": None, "nats": None}
_MESH: Known = {
    "enabled": None,
    "provider": None,
    "istio": dict.fromkeys(("tlsMode", "insecureSkipVerify", "clientCertificate", "privateKey", "caCertificates")),
}
_GLOBAL: Known = {"etcd": _SWITCH, "kai-scheduler": _SWITCH, "grove": _SWITCH}
_GLOBAL_1_3: Known = {**_GLOBAL, "nats": _SWITCH, "volcano-scheduler": {"enabled": None}}
#: with keys that the chart refuses by name
_OPERATOR_1_2: Known = {
    **_OPERATOR,
    **_LEASE,
    "nats": None,
    "dynamo": {
        **_DYNAMO,
        "serviceMesh": _MESH,
        "internalImages": None,
        "enableRestrictedSecurityContext": None,
        "mpiRun": {"secretName": None, "sshKeygen": None},
    },
}
_CHECKPOINT_1_2: Known = {
    "enabled": None,
    "readyForCheckpointFilePath": None,
    "seccomp": {"disabled": None, "profile": None},
    "storage": None,
}
KNOWN: dict[str, Known] = {
    "0.4": {
        "etcd": None,
        "nats": None,
        "global": None,
        "dynamo-operator": {
            **{key: value for key, value in _OPERATOR.items() if key != "modelExpressURL"},
            "dynamo": {**_DYNAMO_0_4, "enableLWS": None},
        },
    },
    "0.5": {**_BUNDLED, "global": None, "dynamo-operator": {**_OPERATOR, "dynamo": _DYNAMO_0_4}},
    "0.6": {
        **_BUNDLED,
        "global": None,
        "dynamo-operator": {
            **_OPERATOR,
            "dynamo": {
                **_DYNAMO,
                "internalImages": {"debugger": None},
                "enableRestrictedSecurityContext": None,
                "dynamoIngressSuffix": None,
                "mpiRun": {"secretName": None, "sshKeygen": None},
            },
        },
    },
    "1.0": {
        **_BUNDLED,
        "global": _GLOBAL,
        "dynamo-operator": {
            **_OPERATOR,
            **_LEASE,
            "nats": {"enabled": None},
            "dynamo": _DYNAMO,
            "checkpoint": {
                "enabled": None,
                "readyForCheckpointFilePath": None,
                "storage": {
                    "type": None,
                    "pvc": {"pvcName": None, "basePath": None},
                    "s3": {"uri": None, "credentialsSecretRef": None},
                    "oci": {"uri": None, "credentialsSecretRef": None},
                },
            },
        },
    },
    "1.1": {
        **_BUNDLED,
        "global": _GLOBAL,
        "dynamo-operator": {
            **_OPERATOR,
            **_LEASE,
            "nats": {"enabled": None},
            "dynamo": _DYNAMO,
            "checkpoint": {"enabled": None},
        },
    },
    "1.2": {
        **_BUNDLED,
        "global": {**_GLOBAL, "nats": _SWITCH},
        "dynamo-operator": {
            **_OPERATOR_1_2,
            "featureGates": {"gmsSnapshot": None},
            "checkpoint": _CHECKPOINT_1_2,
        },
    },
    "1.3": {
        **_BUNDLED,
        "global": _GLOBAL_1_3,
        "dynamo-operator": {
            **_OPERATOR_1_2,
            "featureGates": {"gmsSnapshot": None},
            "checkpoint": {**_CHECKPOINT_1_2, "cleanupImage": None},
        },
    },
    "1.4": {
        **_BUNDLED,
        "global": _GLOBAL_1_3,
        "dynamo-operator": {
            **_OPERATOR_1_2,
            "planner": None,
            "checkpoint": {**_CHECKPOINT_1_2, "cleanupImage": None},
        },
    },
    "1.5": {
        **_BUNDLED,
        "global": {**_GLOBAL_1_3, "snapshot": _SWITCH},
        "snapshot": None,
        "dynamo-operator": {
            **_OPERATOR_1_2,
            **dict.fromkeys(TLS),
            "planner": None,
            "checkpoint": {key: _CHECKPOINT_1_2[key] for key in ("enabled", "readyForCheckpointFilePath", "seccomp")},
        },
    },
    "1.6": {
        **_BUNDLED,
        "global": {**_GLOBAL_1_3, "snapshot": _SWITCH},
        "snapshot": None,
        "dynamo-operator": {
            **_OPERATOR_1_2,
            **dict.fromkeys(TLS),
            "lpx": {"enabled": None, "modelRegistryURL": None},
            "planner": None,
            "checkpoint": {key: _CHECKPOINT_1_2[key] for key in ("enabled", "readyForCheckpointFilePath", "seccomp")},
        },
    },
}
