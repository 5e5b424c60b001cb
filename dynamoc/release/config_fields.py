"""The fields of `OperatorConfiguration` by dotted name: their types, and where an OperatorConfig keeps them.

Fields without an attribute are read and checked, but change no object. `featureGates.gmsSnapshot` is no field of the
operator's: it stands for the environment variable DYN_OPERATOR_ALLOW_GMS_SNAPSHOT, as the chart's value of that name.
Source: api/config/v1alpha1/types.go.
"""

from __future__ import annotations

from dynamoc.release.deltas import GONE

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
#: why the operator refuses its configuration: functions of `dynamoc.cluster.validation`
CHECKS: dict[str, tuple[str, ...]] = {
    "1.0": _CHECKS_1_0,
    "1.1": _CHECKS_1_1,
    "1.2": (*_CHECKS_1_1, "service_mesh"),
}
