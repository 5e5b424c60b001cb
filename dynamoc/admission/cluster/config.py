"""The operator's configuration: every setting that changes what the operator creates, and the fields that say them.

Attributes are named after the fields of `OperatorConfiguration` (operator.config.dynamo.nvidia.com/v1alpha1), in snake
case and with the same nesting: `config.infrastructure.nats_address` is `infrastructure.natsAddress`. Settings of
release 0.6 are command-line flags; they stand where `OperatorConfiguration` has them.
Source: api/config/v1alpha1/types.go of releases 1.0 to 1.4, cmd/main.go of release 0.6.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from dynamoc.documents.findings.finding import ERROR, WARNING, Finding, Findings, Path, Place
from dynamoc.reference.configuration import FIELDS, Field, Setting
from dynamoc.reference.releases import merged
from dynamoc.reference.slugs import ErrorSlug, Severity, Slug, WarningSlug

Locate = Callable[[Path], Place | None]


@dataclass(eq=False, slots=True)
class Orchestrator:
    """A tri-state switch: True and False are the administrator's word, None lets the operator look for the API."""

    enabled: bool | None = None


@dataclass(eq=False, slots=True)
class Grove(Orchestrator):
    """`termination_delay` as Go prints a duration, e.g. `4h0m0s`; "" leaves it out of the PodCliqueSet."""

    termination_delay: str = ""


@dataclass(eq=False, slots=True)
class Orchestrators:
    """`volcano_scheduler` is a setting since 1.3."""

    grove: Grove = field(default_factory=Grove)
    lws: Orchestrator = field(default_factory=Orchestrator)
    kai_scheduler: Orchestrator = field(default_factory=Orchestrator)
    volcano_scheduler: Orchestrator = field(default_factory=Orchestrator)


@dataclass(eq=False, slots=True)
class Infrastructure:
    """Addresses that pods get as environment; "" leaves the variable out."""

    nats_address: str = ""
    etcd_address: str = ""
    model_express_url: str = ""
    prometheus_endpoint: str = ""


@dataclass(eq=False, slots=True)
class Tls:
    """Where pods find certificates and keys for NATS and for TCP between components, since 1.5; "" for none."""

    nats_tls_ca_path: str = ""
    nats_tls_client_cert_path: str = ""
    nats_tls_client_key_path: str = ""
    tcp_tls_cert_path: str = ""
    tcp_tls_key_path: str = ""
    tcp_tls_ca_path: str = ""
    tcp_tls_client_cert_path: str = ""
    tcp_tls_client_key_path: str = ""
    tcp_tls_client_ca_path: str = ""
    tcp_tls_server_name: str = ""


@dataclass(eq=False, slots=True)
class Discovery:
    """`backend` is `kubernetes` or `etcd`; release 0.6 knows etcd only."""

    backend: str = ""


@dataclass(eq=False, slots=True)
class Ingress:
    """What a frontend gets where it says nothing itself. `virtual_service_supports_https` is a flag of 0.6."""

    virtual_service_gateway: str = ""
    controller_class_name: str = ""
    controller_tls_secret_name: str = ""
    host_suffix: str = ""
    virtual_service_supports_https: bool = False


@dataclass(eq=False, slots=True)
class IstioMesh:
    """TLS settings of the EPP's DestinationRule."""

    tls_mode: str = "SIMPLE"
    insecure_skip_verify: bool = True
    client_certificate: str = ""
    private_key: str = ""
    ca_certificates: str = ""


@dataclass(eq=False, slots=True)
class ServiceMesh:
    """Since 1.2; without the provider `istio` it is absent. `enabled` is tri-state as an orchestrator's, since 1.3."""

    enabled: bool | None = None
    provider: str = ""
    istio: IstioMesh = field(default_factory=IstioMesh)

    @property
    def wanted(self) -> bool:
        """Whether the administrator asks for mesh resources; the API must be there too (types.go IsEnabled)."""
        return self.enabled is not False and self.provider == "istio"


@dataclass(eq=False, slots=True)
class Rbac:
    """ClusterRoles that RoleBindings refer to. `epp_cluster_role_name` came with 1.0."""

    planner_cluster_role_name: str = ""
    dgdr_profiling_cluster_role_name: str = ""
    epp_cluster_role_name: str = ""


@dataclass(eq=False, slots=True)
class Namespace:
    """`restricted` names the only namespace that the operator looks at, "" means the whole cluster."""

    restricted: str = ""


@dataclass(eq=False, slots=True)
class Mpi:
    """The key pair for mpirun. `secret_present`: release 0.6 copies a Secret that its Helm chart made beforehand."""

    ssh_secret_name: str = ""
    ssh_secret_namespace: str = ""
    secret_present: bool = True


@dataclass(eq=False, slots=True)
class CheckpointClaim:
    """`create` and what follows came with 1.2."""

    pvc_name: str = ""
    base_path: str = ""
    create: bool = False
    size: str = ""
    storage_class_name: str = ""
    access_mode: str = ""


@dataclass(eq=False, slots=True)
class CheckpointBucket:
    """S3 or OCI storage; read and ignored since 1.1."""

    uri: str = ""
    credentials_secret_ref: str = ""


@dataclass(eq=False, slots=True)
class CheckpointStorage:
    """`type` is `pvc`, `s3` or `oci`; since 1.1 also "", which leaves storage to the snapshot agent."""

    type: str = ""
    pvc: CheckpointClaim = field(default_factory=CheckpointClaim)
    s3: CheckpointBucket = field(default_factory=CheckpointBucket)
    oci: CheckpointBucket = field(default_factory=CheckpointBucket)


@dataclass(eq=False, slots=True)
class Checkpoint:
    """`ready_for_checkpoint_file_path` went with 1.1, `cleanup_image` came with 1.3; the profile can be set since 1.2.

    `gms_snapshot` is the environment variable DYN_OPERATOR_ALLOW_GMS_SNAPSHOT of the operators 1.2 and 1.3.
    `seccomp_profile` is the profile in effect, "" where it is turned off (types.go EffectiveSeccompProfile).
    """

    enabled: bool = False
    gms_snapshot: bool = False
    ready_for_checkpoint_file_path: str = ""
    cleanup_image: str = ""
    seccomp_profile: str = ""
    storage: CheckpointStorage = field(default_factory=CheckpointStorage)


@dataclass(eq=False, slots=True)
class Images:
    """`debugger` is the environment variable INTERNAL_IMAGES_DEBUGGER of the 0.6 operator."""

    debugger: str = ""


@dataclass(eq=False, slots=True)
class OperatorConfig:
    """The configuration that a running operator has: read, defaulted, and checked.

    A new one is empty; `dynamoc.admission.cluster.helm_values` knows the defaults of each release.
    `Orchestrator` objects hold what the administrator set; what the cluster then offers is `Capabilities`.
    `gpu_discovery` only matters to DynamoGraphDeploymentRequests; `lpx_enabled` came with 1.6.
    """

    infrastructure: Infrastructure = field(default_factory=Infrastructure)
    tls: Tls = field(default_factory=Tls)
    discovery: Discovery = field(default_factory=Discovery)
    orchestrators: Orchestrators = field(default_factory=Orchestrators)
    dra: Orchestrator = field(default_factory=Orchestrator)
    ingress: Ingress = field(default_factory=Ingress)
    service_mesh: ServiceMesh = field(default_factory=ServiceMesh)
    rbac: Rbac = field(default_factory=Rbac)
    namespace: Namespace = field(default_factory=Namespace)
    mpi: Mpi = field(default_factory=Mpi)
    checkpoint: Checkpoint = field(default_factory=Checkpoint)
    gpu_discovery: bool = True
    lpx_enabled: bool = False
    images: Images = field(default_factory=Images)


def apply(config: OperatorConfig, settings: dict[str, Setting]) -> None:
    """Set each `section.attribute` of `settings`. A wrong name is a mistake in a table: AttributeError."""
    for name, value in settings.items():
        set_attribute(config, name, value)


def set_attribute(config: OperatorConfig, name: str, value: Setting) -> None:
    owner: object = config
    *sections, last = name.split(".")
    for section in sections:
        owner = getattr(owner, section)
    setattr(owner, last, value)


def get_attribute(config: OperatorConfig, name: str) -> object:
    value: object = config
    for section in name.split("."):
        value = getattr(value, section)
    return value


API_VERSION = "operator.config.dynamo.nvidia.com/v1alpha1"
KIND = "OperatorConfiguration"


def fields_of(release: str) -> dict[str, Field]:
    """Dotted name to (type, attribute) for a release that reads an OperatorConfiguration, {} for one that doesn't."""
    return merged(FIELDS, release)


@dataclass(eq=False, slots=True)
class Report:
    """Collects findings about one document.

    `origins` maps a dotted name of the operator's configuration to the path of the user's document that it came from,
    where the two differ (Helm values).
    """

    _findings: Findings
    _locate: Locate
    _subject: str
    origins: dict[str, Path] | None = field(default=None, init=False)

    def error(self, slug: ErrorSlug, path: Sequence[str], message: str, hint: str | None = None) -> None:
        self._add(ERROR, slug, path, message, hint)

    def warning(self, slug: WarningSlug, path: Sequence[str], message: str, hint: str | None = None) -> None:
        self._add(WARNING, slug, path, message, hint)

    def _add(self, severity: Severity, slug: Slug, path: Sequence[str], message: str, hint: str | None) -> None:
        origin: Path = tuple(path)
        if self.origins is not None:
            origin = self.origins.get(".".join(path), ())
        place = self._locate(origin)
        finding = Finding(slug, message, severity=severity, place=place, hint=hint, path=origin, subject=self._subject)
        self._findings.add(finding)
