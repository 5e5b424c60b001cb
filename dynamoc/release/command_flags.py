"""The command-line flags of the operators before OperatorConfiguration, and what they find when they start.

Source: cmd/main.go of 0.4, 0.5 and 0.6.
"""

from __future__ import annotations

from dynamoc.release.deltas import GONE

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
