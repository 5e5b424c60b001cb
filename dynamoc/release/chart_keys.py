"""The keys that the values of the Helm chart `dynamo-platform` know.

A dict lists the keys of a mapping; None takes whatever stands below.
Source: values.yaml and templates of deploy/cloud/helm/platform up to 0.6, deploy/helm/charts/platform since 1.0.
"""

from __future__ import annotations

from dynamoc.release.chart_values import TLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Known = dict[str, Any]

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
