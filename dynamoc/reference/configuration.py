"""The operator's settings: fields of `OperatorConfiguration`, flags before it, defaults of both, and annotations.

Fields by dotted name: their types, and the attribute of OperatorConfig that keeps them; fields without one are read and
checked, but change no object. `featureGates.gmsSnapshot` is no field of the operator's: it stands for the environment
variable DYN_OPERATOR_ALLOW_GMS_SNAPSHOT, as the chart's value of that name. The chart's defaults are those of release
`dynamo-platform` in the namespace `dynamo-system`.
Source: api/config/v1alpha1/types.go; cmd/main.go of 0.4, 0.5 and 0.6.
"""

from __future__ import annotations

from dynamoc.reference.releases import GONE

Setting = str | bool | None


STRING = "string"
BOOLEAN = "boolean"
INTEGER = "integer"
DURATION = "duration"
Field = tuple[str, str | None]
_1_0: dict[str, Field] = {
    "apiVersion": (STRING, None),
    "kind": (STRING, None),
    "server.metrics.bindAddress": (STRING, None),
    "server.metrics.port": (INTEGER, None),
    "server.metrics.secure": (BOOLEAN, None),
    "server.healthProbe.bindAddress": (STRING, None),
    "server.healthProbe.port": (INTEGER, None),
    "server.webhook.bindAddress": (STRING, None),
    "server.webhook.port": (INTEGER, None),
    "server.webhook.host": (STRING, None),
    "server.webhook.certDir": (STRING, None),
    "server.webhook.certProvisionMode": (STRING, None),
    "server.webhook.secretName": (STRING, None),
    "server.webhook.serviceName": (STRING, None),
    "leaderElection.enabled": (BOOLEAN, None),
    "leaderElection.id": (STRING, None),
    "leaderElection.namespace": (STRING, None),
    "namespace.restricted": (STRING, "namespace.restricted"),
    "namespace.scope.leaseDuration": (DURATION, None),
    "namespace.scope.leaseRenewInterval": (DURATION, None),
    "orchestrators.grove.enabled": (BOOLEAN, "orchestrators.grove.enabled"),
    "orchestrators.grove.terminationDelay": (DURATION, "orchestrators.grove.termination_delay"),
    "orchestrators.lws.enabled": (BOOLEAN, "orchestrators.lws.enabled"),
    "orchestrators.kaiScheduler.enabled": (BOOLEAN, "orchestrators.kai_scheduler.enabled"),
    "infrastructure.natsAddress": (STRING, "infrastructure.nats_address"),
    "infrastructure.etcdAddress": (STRING, "infrastructure.etcd_address"),
    "infrastructure.modelExpressURL": (STRING, "infrastructure.model_express_url"),
    "infrastructure.prometheusEndpoint": (STRING, "infrastructure.prometheus_endpoint"),
    "ingress.virtualServiceGateway": (STRING, "ingress.virtual_service_gateway"),
    "ingress.controllerClassName": (STRING, "ingress.controller_class_name"),
    "ingress.controllerTLSSecretName": (STRING, "ingress.controller_tls_secret_name"),
    "ingress.hostSuffix": (STRING, "ingress.host_suffix"),
    "rbac.plannerClusterRoleName": (STRING, "rbac.planner_cluster_role_name"),
    "rbac.dgdrProfilingClusterRoleName": (STRING, "rbac.dgdr_profiling_cluster_role_name"),
    "rbac.eppClusterRoleName": (STRING, "rbac.epp_cluster_role_name"),
    "mpi.sshSecretName": (STRING, "mpi.ssh_secret_name"),
    "mpi.sshSecretNamespace": (STRING, "mpi.ssh_secret_namespace"),
    "checkpoint.enabled": (BOOLEAN, "checkpoint.enabled"),
    "checkpoint.readyForCheckpointFilePath": (STRING, "checkpoint.ready_for_checkpoint_file_path"),
    "checkpoint.storage.type": (STRING, "checkpoint.storage.type"),
    "checkpoint.storage.pvc.pvcName": (STRING, "checkpoint.storage.pvc.pvc_name"),
    "checkpoint.storage.pvc.basePath": (STRING, "checkpoint.storage.pvc.base_path"),
    "checkpoint.storage.s3.uri": (STRING, "checkpoint.storage.s3.uri"),
    "checkpoint.storage.s3.credentialsSecretRef": (STRING, "checkpoint.storage.s3.credentials_secret_ref"),
    "checkpoint.storage.oci.uri": (STRING, "checkpoint.storage.oci.uri"),
    "checkpoint.storage.oci.credentialsSecretRef": (STRING, "checkpoint.storage.oci.credentials_secret_ref"),
    "discovery.backend": (STRING, "discovery.backend"),
    "gpu.discoveryEnabled": (BOOLEAN, "gpu_discovery"),
    "logging.level": (STRING, None),
    "logging.format": (STRING, None),
    "security.enableHTTP2": (BOOLEAN, None),
}
_1_1: dict[str, Field] = {"checkpoint.readyForCheckpointFilePath": GONE}
_1_2: dict[str, Field] = {
    "dra.enabled": (BOOLEAN, "dra.enabled"),
    "serviceMesh.provider": (STRING, "service_mesh.provider"),
    "serviceMesh.istio.tlsMode": (STRING, "service_mesh.istio.tls_mode"),
    "serviceMesh.istio.insecureSkipVerify": (BOOLEAN, "service_mesh.istio.insecure_skip_verify"),
    "serviceMesh.istio.clientCertificate": (STRING, "service_mesh.istio.client_certificate"),
    "serviceMesh.istio.privateKey": (STRING, "service_mesh.istio.private_key"),
    "serviceMesh.istio.caCertificates": (STRING, "service_mesh.istio.ca_certificates"),
    "featureGates.gmsSnapshot": (BOOLEAN, "checkpoint.gms_snapshot"),
    "checkpoint.seccomp.disabled": (BOOLEAN, None),
    "checkpoint.seccomp.profile": (STRING, "checkpoint.seccomp_profile"),
    "checkpoint.storage.pvc.create": (BOOLEAN, "checkpoint.storage.pvc.create"),
    "checkpoint.storage.pvc.size": (STRING, "checkpoint.storage.pvc.size"),
    "checkpoint.storage.pvc.storageClassName": (STRING, "checkpoint.storage.pvc.storage_class_name"),
    "checkpoint.storage.pvc.accessMode": (STRING, "checkpoint.storage.pvc.access_mode"),
}
_1_3: dict[str, Field] = {
    "orchestrators.volcanoScheduler.enabled": (BOOLEAN, "orchestrators.volcano_scheduler.enabled"),
    "serviceMesh.enabled": (BOOLEAN, "service_mesh.enabled"),
    "checkpoint.cleanupImage": (STRING, "checkpoint.cleanup_image"),
}
_1_4: dict[str, Field] = {"featureGates.gmsSnapshot": GONE}
_1_5: dict[str, Field] = {
    "infrastructure.natsTLSCAPath": (STRING, "tls.nats_tls_ca_path"),
    "infrastructure.natsTLSClientCertPath": (STRING, "tls.nats_tls_client_cert_path"),
    "infrastructure.natsTLSClientKeyPath": (STRING, "tls.nats_tls_client_key_path"),
    "infrastructure.tcpTLSCertPath": (STRING, "tls.tcp_tls_cert_path"),
    "infrastructure.tcpTLSKeyPath": (STRING, "tls.tcp_tls_key_path"),
    "infrastructure.tcpTLSCAPath": (STRING, "tls.tcp_tls_ca_path"),
    "infrastructure.tcpTLSClientCertPath": (STRING, "tls.tcp_tls_client_cert_path"),
    "infrastructure.tcpTLSClientKeyPath": (STRING, "tls.tcp_tls_client_key_path"),
    "infrastructure.tcpTLSClientCAPath": (STRING, "tls.tcp_tls_client_ca_path"),
    "infrastructure.tcpTLSServerName": (STRING, "tls.tcp_tls_server_name"),
    **{
        name: GONE
        for name in (*_1_0, *_1_2, *_1_3)
        if name.startswith("checkpoint.storage.") or name == "checkpoint.cleanupImage"
    },
}
_1_6: dict[str, Field] = {"lpx.enabled": (BOOLEAN, "lpx_enabled"), "lpx.modelRegistryURL": (STRING, None)}
FIELDS: dict[str, dict[str, Field]] = {
    "1.0": _1_0,
    "1.1": _1_1,
    "1.2": _1_2,
    "1.3": _1_3,
    "1.4": _1_4,
    "1.5": _1_5,
    "1.6": _1_6,
}
_CHECKS_1_0 = (
    "ports",
    "leader_election",
    "leases",
    "mpi",
    "model_express_url",
    "discovery",
    "checkpoint",
    "cluster_roles",
    "termination_delay",
)
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


#: key in camel case, attribute of OperatorConfig; flags without an attribute change no object, or only requests
Flag = tuple[str, str | None]
_0_4: dict[str, Flag] = {
    "restrictedNamespace": ("restrictedNamespace", "namespace.restricted"),
    "natsAddr": ("natsAddr", "infrastructure.nats_address"),
    "etcdAddr": ("etcdAddr", "infrastructure.etcd_address"),
    "istio-virtual-service-gateway": ("istioVirtualServiceGateway", "ingress.virtual_service_gateway"),
    "virtual-service-supports-https": ("virtualServiceSupportsHTTPS", "ingress.virtual_service_supports_https"),
    "ingress-controller-class-name": ("ingressControllerClassName", "ingress.controller_class_name"),
    "ingress-controller-tls-secret-name": ("ingressControllerTLSSecretName", "ingress.controller_tls_secret_name"),
    "ingress-host-suffix": ("ingressHostSuffix", "ingress.host_suffix"),
    "grove-termination-delay": ("groveTerminationDelay", "orchestrators.grove.termination_delay"),
    "metrics-bind-address": ("metricsBindAddress", None),
    "health-probe-bind-address": ("healthProbeBindAddress", None),
    "leader-elect": ("leaderElect", None),
    "leader-election-id": ("leaderElectionID", None),
    "metrics-secure": ("metricsSecure", None),
    "enable-http2": ("enableHTTP2", None),
    "enable-lws": ("enableLWS", "orchestrators.lws.enabled"),
}
_0_5: dict[str, Flag] = {
    "enable-lws": GONE,
    "model-express-url": ("modelExpressURL", "infrastructure.model_express_url"),
}
_0_6: dict[str, Flag] = {
    "prometheus-endpoint": ("prometheusEndpoint", "infrastructure.prometheus_endpoint"),
    "mpi-run-ssh-secret-name": ("mpiRunSecretName", "mpi.ssh_secret_name"),
    "mpi-run-ssh-secret-namespace": ("mpiRunSecretNamespace", "mpi.ssh_secret_namespace"),
    "planner-cluster-role-name": ("plannerClusterRoleName", "rbac.planner_cluster_role_name"),
    "dgdr-profiling-cluster-role-name": ("dgdrProfilingClusterRoleName", "rbac.dgdr_profiling_cluster_role_name"),
    "leader-election-namespace": ("leaderElectionNamespace", None),
}
FLAGS: dict[str, dict[str, Flag]] = {"0.4": _0_4, "0.5": _0_5, "0.6": _0_6}

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
