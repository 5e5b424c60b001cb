"""OperatorConfiguration, the file that the operator is started with, as of release 1.0.

No CRD: the operator reads it by itself, ignores fields that it doesn't know, and fills in the defaults named here.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from dynamoc.api.base import Part, default

Port = Annotated[int, Field(ge=0, le=65535)]
Duration = str
"""A duration in Go's notation, e.g. `4h`, `1h30m`."""
Backend = Literal["kubernetes", "etcd"]


class MetricsServer(Part):
    """Where the operator serves its metrics."""

    bind_address: Annotated[str | None, default("0.0.0.0")] = None
    port: Annotated[Port | None, default(8080)] = None
    secure: Annotated[bool | None, default(True)] = None


class HealthProbeServer(Part):
    """Where the operator answers probes."""

    bind_address: Annotated[str | None, default("0.0.0.0")] = None
    port: Annotated[Port | None, default(8081)] = None


class WebhookServer(Part):
    """Where the operator serves its webhooks."""

    bind_address: str | None = None
    host: Annotated[str | None, default("0.0.0.0")] = None
    port: Annotated[Port | None, default(9443)] = None
    cert_dir: Annotated[str | None, default("/tmp/k8s-webhook-server/serving-certs")] = None
    cert_provision_mode: Annotated[Literal["auto", "manual"] | None, default("auto")] = None
    secret_name: Annotated[str | None, default("webhook-server-cert")] = None
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

    lease_duration: Annotated[Duration | None, default("30s")] = None
    lease_renew_interval: Annotated[Duration | None, default("10s")] = None


class Namespace(Part):
    """Which namespaces the operator serves."""

    restricted: str | None = None
    """The only namespace it serves; all of them if empty."""
    scope: NamespaceScope | None = None


class Switch(Part):
    """Turns an integration on or off; detected in the cluster if not given."""

    enabled: bool | None = None


class Grove(Switch):
    """Whether Grove runs the components of a graph."""

    termination_delay: Annotated[Duration | None, default("15m")] = None


class Orchestrators(Part):
    """What the operator may build on."""

    grove: Grove | None = None
    lws: Switch | None = None
    kai_scheduler: Switch | None = None


class Infrastructure(Part):
    """Addresses that every component is given."""

    nats_address: str | None = None
    etcd_address: str | None = None
    model_express_url: Annotated[str | None, Field(alias="modelExpressURL")] = None
    prometheus_endpoint: str | None = None


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


class CheckpointClaim(Part):
    """A claim that holds checkpoints."""

    pvc_name: Annotated[str | None, default("snapshot-pvc")] = None
    base_path: Annotated[str | None, default("/checkpoints")] = None


class CheckpointBucket(Part):
    """Object storage that holds checkpoints."""

    uri: str | None = None
    credentials_secret_ref: str | None = None


class CheckpointStorage(Part):
    """Where checkpoints are kept."""

    type: Annotated[Literal["pvc", "s3", "oci"] | None, default("pvc")] = None
    pvc: CheckpointClaim | None = None
    s3: CheckpointBucket | None = None
    oci: CheckpointBucket | None = None


class Checkpoint(Part):
    """Whether and where workers are checkpointed."""

    enabled: bool | None = None
    ready_for_checkpoint_file_path: Annotated[str | None, default("/tmp/ready-for-checkpoint")] = None
    storage: CheckpointStorage | None = None


class Discovery(Part):
    """How components find each other."""

    backend: Annotated[Backend | None, default("kubernetes")] = None


class Gpu(Part):
    """Discovery of the cluster's GPUs, for requests."""

    discovery_enabled: Annotated[bool | None, default(True)] = None


class Logging(Part):
    """The operator's own log."""

    level: Annotated[str | None, default("info")] = None
    format: Annotated[str | None, default("json")] = None


class Security(Part):
    """Settings of the operator's servers."""

    enable_http2: Annotated[bool | None, Field(alias="enableHTTP2")] = None


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
