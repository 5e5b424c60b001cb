"""OperatorConfiguration of the newest release, the file that the operator is started with.

No CRD: the operator reads it by itself, ignores fields that it doesn't know, and fills in defaults.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from dynamoc.reference.models.base import Part

Port = Annotated[int, Field(ge=0, le=65535)]
Duration = str
"""A duration in Go's notation, e.g. `4h`, `1h30m`."""
Backend = Literal["kubernetes", "etcd"]


class MetricsServer(Part):
    """Where the operator serves its metrics."""

    bind_address: str | None = None
    port: Port | None = None
    secure: bool | None = None


class HealthProbeServer(Part):
    """Where the operator answers probes."""

    bind_address: str | None = None
    port: Port | None = None


class WebhookServer(Part):
    """Where the operator serves its webhooks."""

    bind_address: str | None = None
    host: str | None = None
    port: Port | None = None
    cert_dir: str | None = None
    cert_provision_mode: Literal["auto", "manual"] | None = None
    secret_name: str | None = None
    service_name: str | None = None


class Server(Part):
    """The servers of the operator."""

    metrics: MetricsServer | None = None
    health_probe: HealthProbeServer | None = None
    webhook: WebhookServer | None = None


class LeaderElection(Part):
    """Which of several operators works."""

    enabled: bool | None = None
    id: str | None = None
    namespace: str | None = None


class NamespaceScope(Part):
    """How operators of single namespaces announce themselves."""

    lease_duration: Duration | None = None
    lease_renew_interval: Duration | None = None


class Namespace(Part):
    """Which namespaces the operator serves."""

    restricted: str | None = None
    """The only namespace it serves; all of them if empty."""
    scope: NamespaceScope | None = None


class Grove(Part):
    """Whether Grove runs the components of a graph."""

    enabled: bool | None = None
    termination_delay: Duration | None = None


class Switch(Part):
    """Turns an integration on or off; detected in the cluster if not given."""

    enabled: bool | None = None


class Orchestrators(Part):
    """What the operator may build on."""

    grove: Grove | None = None
    lws: Switch | None = None
    kai_scheduler: Switch | None = None
    volcano_scheduler: Switch | None = None


class Infrastructure(Part):
    """Services that components use, and where in their containers the keys for TLS are."""

    nats_address: str | None = None
    etcd_address: str | None = None
    model_express_url: Annotated[str | None, Field(alias="modelExpressURL")] = None
    prometheus_endpoint: str | None = None
    nats_tls_ca_path: Annotated[str | None, Field(alias="natsTLSCAPath")] = None
    nats_tls_client_cert_path: Annotated[str | None, Field(alias="natsTLSClientCertPath")] = None
    nats_tls_client_key_path: Annotated[str | None, Field(alias="natsTLSClientKeyPath")] = None
    tcp_tls_cert_path: Annotated[str | None, Field(alias="tcpTLSCertPath")] = None
    tcp_tls_key_path: Annotated[str | None, Field(alias="tcpTLSKeyPath")] = None
    tcp_tls_ca_path: Annotated[str | None, Field(alias="tcpTLSCAPath")] = None
    tcp_tls_client_cert_path: Annotated[str | None, Field(alias="tcpTLSClientCertPath")] = None
    tcp_tls_client_key_path: Annotated[str | None, Field(alias="tcpTLSClientKeyPath")] = None
    tcp_tls_client_ca_path: Annotated[str | None, Field(alias="tcpTLSClientCAPath")] = None
    tcp_tls_server_name: Annotated[str | None, Field(alias="tcpTLSServerName")] = None


class Ingress(Part):
    """How frontends are exposed."""

    virtual_service_gateway: str | None = None
    controller_class_name: str | None = None
    controller_tls_secret_name: Annotated[str | None, Field(alias="controllerTLSSecretName")] = None
    host_suffix: str | None = None


class Rbac(Part):
    """ClusterRoles that the operator binds."""

    planner_cluster_role_name: str | None = None
    dgdr_profiling_cluster_role_name: str | None = None
    epp_cluster_role_name: str | None = None


class Mpi(Part):
    """The ssh key of multinode workers."""

    ssh_secret_name: str
    ssh_secret_namespace: str


class Seccomp(Part):
    """The seccomp profile of checkpointed containers."""

    disabled: bool | None = None
    profile: str | None = None


class Checkpoint(Part):
    """Whether workers are checkpointed; where to is what the snapshot operator knows."""

    enabled: bool | None = None
    seccomp: Seccomp | None = None


class Discovery(Part):
    """How components find each other."""

    backend: Backend | None = None


class Gpu(Part):
    """Discovery of the cluster's GPUs, for requests."""

    discovery_enabled: bool | None = None


class Logging(Part):
    """The operator's own log."""

    level: str | None = None
    format: str | None = None


class Security(Part):
    """Settings of the operator's servers."""

    enable_http2: Annotated[bool | None, Field(alias="enableHTTP2")] = None


class IstioMesh(Part):
    """How Istio talks to the endpoint picker."""

    tls_mode: str | None = None
    insecure_skip_verify: bool | None = None
    client_certificate: str | None = None
    private_key: str | None = None
    ca_certificates: str | None = None


class ServiceMesh(Part):
    """The mesh that the components are in."""

    enabled: bool | None = None
    provider: str | None = None
    """Only `istio` has an effect."""
    istio: IstioMesh | None = None


class Lpx(Part):
    """Components that run on language processing units."""

    enabled: bool | None = None
    model_registry_url: Annotated[str | None, Field(alias="modelRegistryURL")] = None


class OperatorConfiguration(Part):
    """What the operator is told at its start."""

    api_version: Literal["operator.config.dynamo.nvidia.com/v1alpha1"]
    kind: Literal["OperatorConfiguration"]
    server: Server | None = None
    leader_election: LeaderElection | None = None
    namespace: Namespace | None = None
    orchestrators: Orchestrators | None = None
    infrastructure: Infrastructure | None = None
    ingress: Ingress | None = None
    rbac: Rbac | None = None
    mpi: Mpi
    checkpoint: Checkpoint | None = None
    discovery: Discovery | None = None
    gpu: Gpu | None = None
    logging: Logging | None = None
    security: Security | None = None
    dra: Switch | None = None
    service_mesh: ServiceMesh | None = None
    lpx: Lpx | None = None
