"""What makes the operator refuse its configuration, and exit (api/config/validation/validation.go)."""

from __future__ import annotations

from dynamoc.cluster.go_url import parse_host
from dynamoc.release.config_fields import CHECKS
from dynamoc.release.deltas import newest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.cluster.config import OperatorConfig
    from dynamoc.cluster.config_findings import Report

_TLS_MODES = ("SIMPLE", "DISABLE", "ISTIO_MUTUAL", "MUTUAL")


class Case:
    """A configuration with its fields as written, by dotted name, and where faults go."""

    __slots__ = ("config", "report", "values")

    def __init__(self, config: OperatorConfig, values: dict[str, Any], report: Report) -> None:
        self.config = config
        self.values = values
        self.report = report


def validate(config: OperatorConfig, values: dict[str, Any], release: str, report: Report) -> None:
    """Every fault, where the operator would list them all. `values` are the fields as written, by dotted name."""
    case = Case(config, values, report)
    for check in newest(CHECKS, release):
        globals()[check](case)


def ports(case: Case) -> None:
    for name in ("server.metrics.port", "server.healthProbe.port", "server.webhook.port"):
        if not 0 <= case.values.get(name, 0) <= 65535:
            case.report.error(
                "config/port", name.split("."), f"`{name}: {case.values[name]}` must be between 0 and 65535."
            )


def leader_election(case: Case) -> None:
    if case.values.get("leaderElection.enabled") and not case.values.get("leaderElection.id"):
        _required("leaderElection.id", "leader election is enabled", case.report)


def leases(case: Case) -> None:
    """In an operator bound to one namespace only."""
    if not case.config.namespace.restricted:
        return
    duration = case.values.get("namespace.scope.leaseDuration") or 30_000_000_000
    interval = case.values.get("namespace.scope.leaseRenewInterval") or 10_000_000_000
    for name, value in (("leaseDuration", duration), ("leaseRenewInterval", interval)):
        if value <= 0:
            case.report.error(
                "config/lease", ("namespace", "scope", name), f"`namespace.scope.{name}` must be positive."
            )
    if interval >= duration > 0:
        case.report.error(
            "config/lease",
            ("namespace", "scope", "leaseRenewInterval"),
            "`namespace.scope.leaseRenewInterval` must be shorter than `leaseDuration`, or the lease runs out.",
        )


def mpi(case: Case) -> None:
    for name in ("mpi.sshSecretName", "mpi.sshSecretNamespace"):
        if not case.values.get(name):
            _required(name, None, case.report)


def model_express_url(case: Case) -> None:
    url = case.config.infrastructure.model_express_url
    try:
        parse_host(url)
    except ValueError as error:
        case.report.error(
            "config/url",
            ("infrastructure", "modelExpressURL"),
            f"`infrastructure.modelExpressURL: {url}` is not a URL: {error}.",
            "give a scheme, as in `http://model-express.models.svc:8001`",
        )


def discovery(case: Case) -> None:
    _one_of("discovery.backend", case.config.discovery.backend, ("kubernetes", "etcd"), case.report)


def checkpoint(case: Case) -> None:
    if not case.config.checkpoint.enabled:
        return
    storage = case.config.checkpoint.storage
    _one_of("checkpoint.storage.type", storage.type, ("pvc", "s3", "oci"), case.report)
    for kind, bucket in (("s3", storage.s3), ("oci", storage.oci)):
        if storage.type == kind and not bucket.uri:
            _required(f"checkpoint.storage.{kind}.uri", f"checkpoints are stored in {kind}", case.report)


def cluster_roles(case: Case) -> None:
    if case.config.namespace.restricted:
        return
    for name in ("rbac.plannerClusterRoleName", "rbac.dgdrProfilingClusterRoleName", "rbac.eppClusterRoleName"):
        if not case.values.get(name):
            _required(name, "the operator is cluster-wide", case.report)


def termination_delay(case: Case) -> None:
    if case.values.get("orchestrators.grove.terminationDelay", 0) < 0:
        case.report.error(
            "config/duration",
            ("orchestrators", "grove", "terminationDelay"),
            "`orchestrators.grove.terminationDelay` must not be negative.",
        )


def service_mesh(case: Case) -> None:
    mesh = case.config.service_mesh
    if not mesh.wanted:
        return
    _one_of("serviceMesh.istio.tlsMode", mesh.istio.tls_mode, _TLS_MODES, case.report)
    if mesh.istio.tls_mode == "MUTUAL":
        for name in ("clientCertificate", "privateKey"):
            if not case.values.get(f"serviceMesh.istio.{name}"):
                _required(f"serviceMesh.istio.{name}", "`tlsMode` is MUTUAL", case.report)


def _required(name: str, why: str | None, report: Report) -> None:
    reason = f", because {why}" if why else ""
    report.error("config/required", name.split("."), f"`{name}` is required{reason}; the operator exits without it.")


def _one_of(name: str, value: str, allowed: tuple[str, ...], report: Report) -> None:
    if value not in allowed:
        listed = ", ".join(f"`{item}`" for item in allowed)
        report.error("config/unsupported", name.split("."), f"`{name}: {value}` must be one of {listed}.")
