"""The operator's configuration: every setting that changes what the operator creates.

Attributes are named after the fields of `OperatorConfiguration` (operator.config.dynamo.nvidia.com/v1alpha1), in snake
case and with the same nesting: `config.infrastructure.nats_address` is `infrastructure.natsAddress`. Settings of
release 0.6 are command-line flags; they stand where `OperatorConfiguration` has them.

Source: api/config/v1alpha1/types.go of releases 1.0 to 1.4, cmd/main.go of release 0.6.

Setting attributes of an OperatorConfig by dotted name, so that defaults and fields can be tables.

The fields of `OperatorConfiguration` that a release reads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dynamoc.documents.findings.finding import ERROR, WARNING, Finding, Findings, Path, Place
from dynamoc.reference.configuration import FIELDS, Field, Setting
from dynamoc.reference.releases import merged
from dynamoc.reference.slugs import ErrorSlug, Severity, Slug, WarningSlug

Locate = Callable[[Path], Place | None]


@dataclass(eq=False, slots=True)
class Orchestrator:
    """A tri-state switch: True and False are the administrator's word, None lets the operator look for the API."""

    enabled: bool | None = None


class Grove(Orchestrator):
    """`termination_delay` as Go prints a duration, e.g. `4h0m0s`; "" leaves it out of the PodCliqueSet."""

    __slots__ = ("termination_delay",)

    def __init__(self) -> None:
        super().__init__()
        self.termination_delay = ""


class Orchestrators:
    """`volcano_scheduler` is a setting since 1.3."""

    __slots__ = ("grove", "kai_scheduler", "lws", "volcano_scheduler")

    def __init__(self) -> None:
        self.grove = Grove()
        self.lws = Orchestrator()
        self.kai_scheduler = Orchestrator()
        self.volcano_scheduler = Orchestrator()


class Infrastructure:
    """Addresses that pods get as environment; "" leaves the variable out."""

    __slots__ = ("etcd_address", "model_express_url", "nats_address", "prometheus_endpoint")

    def __init__(self) -> None:
        self.nats_address = ""
        self.etcd_address = ""
        self.model_express_url = ""
        self.prometheus_endpoint = ""


class Tls:
    """Where pods find certificates and keys for NATS and for TCP between components, since 1.5; "" for none."""

    __slots__ = (
        "nats_tls_ca_path",
        "nats_tls_client_cert_path",
        "nats_tls_client_key_path",
        "tcp_tls_ca_path",
        "tcp_tls_cert_path",
        "tcp_tls_client_ca_path",
        "tcp_tls_client_cert_path",
        "tcp_tls_client_key_path",
        "tcp_tls_key_path",
        "tcp_tls_server_name",
    )

    def __init__(self) -> None:
        for name in self.__slots__:
            setattr(self, name, "")

    nats_tls_ca_path: str
    nats_tls_client_cert_path: str
    nats_tls_client_key_path: str
    tcp_tls_cert_path: str
    tcp_tls_key_path: str
    tcp_tls_ca_path: str
    tcp_tls_client_cert_path: str
    tcp_tls_client_key_path: str
    tcp_tls_client_ca_path: str
    tcp_tls_server_name: str


class Discovery:
    """`backend` is `kubernetes` or `etcd`; release 0.6 knows etcd only."""

    __slots__ = ("backend",)

    def __init__(self) -> None:
        self.backend = ""


class Ingress:
    """What a frontend gets where it says nothing itself. `virtual_service_supports_https` is a flag of 0.6."""

    __slots__ = (
        "controller_class_name",
        "controller_tls_secret_name",
        "host_suffix",
        "virtual_service_gateway",
        "virtual_service_supports_https",
    )

    def __init__(self) -> None:
        self.virtual_service_gateway = ""
        self.controller_class_name = ""
        self.controller_tls_secret_name = ""
        self.host_suffix = ""
        self.virtual_service_supports_https = False


class IstioMesh:
    """TLS settings of the EPP's DestinationRule."""

    __slots__ = ("ca_certificates", "client_certificate", "insecure_skip_verify", "private_key", "tls_mode")

    def __init__(self) -> None:
        self.tls_mode = "SIMPLE"
        self.insecure_skip_verify = True
        self.client_certificate = ""
        self.private_key = ""
        self.ca_certificates = ""


class ServiceMesh:
    """Since 1.2; without the provider `istio` there is none. `enabled` is tri-state as an orchestrator's, since 1.3."""

    __slots__ = ("enabled", "istio", "provider")

    def __init__(self) -> None:
        self.enabled: bool | None = None
        self.provider = ""
        self.istio = IstioMesh()

    @property
    def wanted(self) -> bool:
        """Whether the administrator asks for mesh resources; the API must be there too (types.go IsEnabled)."""
        return self.enabled is not False and self.provider == "istio"


class Rbac:
    """ClusterRoles that RoleBindings refer to. `epp_cluster_role_name` came with 1.0."""

    __slots__ = ("dgdr_profiling_cluster_role_name", "epp_cluster_role_name", "planner_cluster_role_name")

    def __init__(self) -> None:
        self.planner_cluster_role_name = ""
        self.dgdr_profiling_cluster_role_name = ""
        self.epp_cluster_role_name = ""


class Namespace:
    """`restricted` names the only namespace that the operator looks at, "" means the whole cluster."""

    __slots__ = ("restricted",)

    def __init__(self) -> None:
        self.restricted = ""


class Mpi:
    """The key pair for mpirun. `secret_present`: release 0.6 copies a Secret that its Helm chart made beforehand."""

    __slots__ = ("secret_present", "ssh_secret_name", "ssh_secret_namespace")

    def __init__(self) -> None:
        self.ssh_secret_name = ""
        self.ssh_secret_namespace = ""
        self.secret_present = True


class CheckpointClaim:
    """`create` and what follows came with 1.2."""

    __slots__ = ("access_mode", "base_path", "create", "pvc_name", "size", "storage_class_name")

    def __init__(self) -> None:
        self.pvc_name = ""
        self.base_path = ""
        self.create = False
        self.size = ""
        self.storage_class_name = ""
        self.access_mode = ""


class CheckpointBucket:
    """S3 or OCI storage; read and ignored since 1.1."""

    __slots__ = ("credentials_secret_ref", "uri")

    def __init__(self) -> None:
        self.uri = ""
        self.credentials_secret_ref = ""


class CheckpointStorage:
    """`type` is `pvc`, `s3` or `oci`; since 1.1 also "", which leaves storage to the snapshot agent."""

    __slots__ = ("oci", "pvc", "s3", "type")

    def __init__(self) -> None:
        self.type = ""
        self.pvc = CheckpointClaim()
        self.s3 = CheckpointBucket()
        self.oci = CheckpointBucket()


class Checkpoint:
    """`ready_for_checkpoint_file_path` went with 1.1, `cleanup_image` came with 1.3; the profile can be set since 1.2.

    `gms_snapshot` is the environment variable DYN_OPERATOR_ALLOW_GMS_SNAPSHOT of the operators 1.2 and 1.3.
    `seccomp_profile` is the profile in effect, "" where it is turned off (types.go EffectiveSeccompProfile).
    """

    __slots__ = (
        "cleanup_image",
        "enabled",
        "gms_snapshot",
        "ready_for_checkpoint_file_path",
        "seccomp_profile",
        "storage",
    )

    def __init__(self) -> None:
        self.enabled = False
        self.gms_snapshot = False
        self.ready_for_checkpoint_file_path = ""
        self.cleanup_image = ""
        self.seccomp_profile = ""
        self.storage = CheckpointStorage()


class Images:
    """`debugger` is the environment variable INTERNAL_IMAGES_DEBUGGER of the 0.6 operator."""

    __slots__ = ("debugger",)

    def __init__(self) -> None:
        self.debugger = ""


class OperatorConfig:
    """The configuration that a running operator has: read, defaulted, and checked.

    A new one is empty; `dynamoc.admission.cluster.helm_values` knows the defaults of each release.
    `Orchestrator` objects tell what the administrator said; what the cluster then offers is `Capabilities`.
    `gpu_discovery` only matters to DynamoGraphDeploymentRequests; `lpx_enabled` came with 1.6.
    """

    __slots__ = (
        "checkpoint",
        "discovery",
        "dra",
        "gpu_discovery",
        "images",
        "infrastructure",
        "ingress",
        "lpx_enabled",
        "mpi",
        "namespace",
        "orchestrators",
        "rbac",
        "service_mesh",
        "tls",
    )

    def __init__(self) -> None:
        self.infrastructure = Infrastructure()
        self.tls = Tls()
        self.discovery = Discovery()
        self.orchestrators = Orchestrators()
        self.dra = Orchestrator()
        self.ingress = Ingress()
        self.service_mesh = ServiceMesh()
        self.rbac = Rbac()
        self.namespace = Namespace()
        self.mpi = Mpi()
        self.checkpoint = Checkpoint()
        self.gpu_discovery = True
        self.lpx_enabled = False
        self.images = Images()


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


class Report:
    """Collects findings about one document.

    `origins` maps a dotted name of the operator's configuration to the path of the user's document that it came from,
    where the two differ (Helm values).
    """

    __slots__ = ("_findings", "_locate", "_subject", "origins")

    def __init__(self, findings: Findings, locate: Locate, subject: str) -> None:
        self._findings = findings
        self._locate = locate
        self._subject = subject
        self.origins: dict[str, Path] | None = None

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
