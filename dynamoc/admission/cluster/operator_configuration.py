"""Reading an `OperatorConfiguration` as the operator does: decode, default, check, and exit if it refuses something.

The operator decodes without strictness (cmd/main.go LoadAndValidateOperatorConfig), so it drops unknown fields without
a word. They are warnings here, since whoever wrote them expected something of them. Of Go's `net/url`, there is what
decides whether an address is taken, and which host it has. Source: api/config/validation/validation.go.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any
from urllib.parse import unquote

from dynamoc.admission.cluster.config import API_VERSION, KIND, OperatorConfig, Report, fields_of, set_attribute
from dynamoc.admission.cluster.helm_values import operator_default
from dynamoc.kube.go import print_duration, try_duration
from dynamoc.kube.merge import Tree
from dynamoc.reference.configuration import BOOLEAN, CHECKS, DURATION, INTEGER, STRING, Field
from dynamoc.reference.releases import newest

_DIGITS = frozenset("0123456789")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_HEX = frozenset("0123456789abcdefABCDEF")
_HOST = _DIGITS | _LETTERS | frozenset("-_.~!$&'()*+,;=:[]<>\"")
_USER = _DIGITS | _LETTERS | frozenset("-._:~!$&'()*+,;=%@")


def parse_host(url: str) -> str:
    """The host, with its port, of `url.Parse(url)`; "" where it has none. ValueError where Go refuses the text."""
    if any(character < " " or character == "\x7f" for character in url):
        raise ValueError("invalid control character in URL")
    url, _, fragment = url.partition("#")
    _check_escapes(fragment)
    scheme, rest = _split_scheme(url)
    rest = rest.partition("?")[0]
    if not rest.startswith("/"):
        if scheme:
            return ""
        if ":" in rest.partition("/")[0]:
            raise ValueError("first path segment in URL cannot contain colon")
    host = ""
    if rest.startswith("//") and (scheme or not rest.startswith("///")):
        authority, slash, rest = rest[2:].partition("/")
        host = _authority_host(authority)
        rest = slash + rest
    _check_escapes(rest)
    return host


def registry_host(address: str) -> str | None:
    """The host that the operator compares, of an image or of a registry in a docker config; None where it finds none.

    A text without `://` gets a scheme first, so that `vllm/x:1` has the host `vllm`; `x:latest` has none, as `latest`
    is no port. Source: internal/common/url.go GetHost.
    """
    try:
        host = parse_host(address if "://" in address else f"dummy://{address}")
    except ValueError:
        return None
    return host or None


def _split_scheme(url: str) -> tuple[str, str]:
    for index, character in enumerate(url):
        if character in _LETTERS:
            continue
        if character == ":":
            if index == 0:
                raise ValueError("missing protocol scheme")
            return url[:index].lower(), url[index + 1 :]
        if index == 0 or not (character in _DIGITS or character in "+-."):
            break
    return "", url


def _authority_host(authority: str) -> str:
    user, at, host = authority.rpartition("@")
    if at and not all(character in _USER for character in user):
        raise ValueError("net/url: invalid userinfo")
    _check_escapes(user)
    if host.startswith("["):
        address, bracket, port = host.rpartition("]")
        if not bracket:
            raise ValueError("missing ']' in host")
        if not _valid_port(port):
            raise ValueError(f"invalid port {port!r} after host")
        host = address + bracket + port
    elif ":" in host:
        port = host[host.rindex(":") :]
        if not _valid_port(port):
            raise ValueError(f"invalid port {port!r} after host")
    return _unescape_host(host)


def _valid_port(port: str) -> bool:
    return not port or (port[0] == ":" and all(character in _DIGITS for character in port[1:]))


def _unescape_host(host: str) -> str:
    """Escapes are for bytes beyond ASCII only; a character that needs one must not be in a host."""
    if "%" in host:
        _check_escapes(host)
        for index, character in enumerate(host):
            if character == "%" and host[index + 1] in _DIGITS and int(host[index + 1]) < 8:
                raise ValueError(f"invalid URL escape {host[index : index + 3]!r}")

        host = unquote(host)
    for character in host:
        if character < "\x80" and character not in _HOST:
            raise ValueError(f"invalid character {character!r} in host name")
    return host


def _check_escapes(text: str) -> None:
    for index, character in enumerate(text):
        if character == "%" and not (len(text) > index + 2 and text[index + 1] in _HEX and text[index + 2] in _HEX):
            raise ValueError(f"invalid URL escape {text[index : index + 3]!r}")


_TLS_MODES = ("SIMPLE", "DISABLE", "ISTIO_MUTUAL", "MUTUAL")


@dataclass(eq=False, slots=True)
class Case:
    """A configuration with its fields as written, by dotted name, and where faults go."""

    config: OperatorConfig
    values: dict[str, Any]
    report: Report


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
        message = "`namespace.scope.leaseRenewInterval` must be shorter than `leaseDuration`, or the lease runs out."
        case.report.error("config/lease", ("namespace", "scope", "leaseRenewInterval"), message)


def mpi(case: Case) -> None:
    for name in ("mpi.sshSecretName", "mpi.sshSecretNamespace"):
        if not case.values.get(name):
            _required(name, None, case.report)


def model_express_url(case: Case) -> None:
    url = case.config.infrastructure.model_express_url
    try:
        parse_host(url)
    except ValueError as error:
        message = f"`infrastructure.modelExpressURL: {url}` is not a URL: {error}."
        hint = "give a scheme, as in `http://model-express.models.svc:8001`"
        case.report.error("config/url", ("infrastructure", "modelExpressURL"), message, hint)


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
        message = "`orchestrators.grove.terminationDelay` must not be negative."
        case.report.error("config/duration", ("orchestrators", "grove", "terminationDelay"), message)


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


_TYPES: dict[str, type] = {STRING: str, BOOLEAN: bool, INTEGER: int, DURATION: str}
_ARTICLES = {STRING: "a string", BOOLEAN: "true or false", INTEGER: "an integer", DURATION: "a duration such as `4h`"}


def read_operator_configuration(tree: Tree, release: str, report: Report) -> OperatorConfig:
    """The configuration that an operator of `release` starts with; what it would refuse goes to `report`."""
    fields = fields_of(release)
    if tree.get("kind", KIND) != KIND or tree.get("apiVersion", API_VERSION) != API_VERSION:
        message = f"The operator reads only a `{KIND}` of `{API_VERSION}`, and does not start with another kind."
        hint = f"write `apiVersion: {API_VERSION}` and `kind: {KIND}`"
        report.error(
            "config/wrong-kind", ("kind",) if tree.get("kind", KIND) != KIND else ("apiVersion",), message, hint
        )
    values = _leaves(tree, fields, report)
    config = operator_default(release)
    for name, value in values.items():
        attribute = fields[name][1]
        # Empty values make room for the operator's defaults.
        if attribute is not None and value is not None and value != "" and not (value == 0 and type(value) is int):
            set_attribute(config, attribute, print_duration(value) if type(value) is int else value)
    if values.get("checkpoint.seccomp.disabled"):
        config.checkpoint.seccomp_profile = ""
    config.checkpoint.cleanup_image = (
        config.checkpoint.cleanup_image.strip() or operator_default(release).checkpoint.cleanup_image
    )
    validate(config, values, release, report)
    return config


def _leaves(tree: Tree, fields: dict[str, Field], report: Report) -> dict[str, Any]:
    """Known fields of the right type by dotted name; durations as nanoseconds."""
    sections = {name[:index] for name in fields for index, letter in enumerate(name) if letter == "."}
    values: dict[str, Any] = {}
    pending: list[tuple[str, Tree]] = [("", tree)]
    while pending:
        prefix, section = pending.pop(0)
        for key, value in section.items():
            name = f"{prefix}{key}"
            if name in fields:
                _read_leaf(name, value, fields[name][0], values, report)
            elif name not in sections:
                _unknown(name, [*fields, *sections], report)
            elif isinstance(value, dict):
                pending.append((f"{name}.", value))
            elif value is not None:
                report.error("config/wrong-type", name.split("."), f"`{name}` must be a mapping.")
    return values


def _read_leaf(name: str, value: object, kind: str, values: dict[str, Any], report: Report) -> None:
    if value is None:
        return
    if type(value) is not _TYPES[kind]:
        report.error("config/wrong-type", name.split("."), f"`{name}` must be {_ARTICLES[kind]}, not {value!r}.")
    elif kind == DURATION:
        assert isinstance(value, str)
        nanoseconds = try_duration(value)
        if nanoseconds is None:
            message = f"`{name}: {value}` is not a duration as Go reads one; the operator does not start with it."
            hint = "a number needs a unit: `300ms`, `30s`, `15m`, `4h`, `1h30m`"
            report.error("config/duration", name.split("."), message, hint)
        else:
            values[name] = nanoseconds
    else:
        values[name] = value


def _unknown(name: str, known: list[str], report: Report) -> None:
    *above, last = name.split(".")
    prefix = ".".join([*above, ""])
    siblings = {other[len(prefix) :].split(".")[0] for other in known if other.startswith(prefix)}
    near = get_close_matches(last, sorted(siblings), 1)
    elsewhere = [other for other in sorted(known) if other.endswith(f".{last}")]
    hint = f"did you mean `{near[0]}`?" if near else f"did you mean `{elsewhere[0]}`?" if elsewhere else None
    report.warning(
        "config/unknown-field", (*above, last), f"The operator has no setting `{name}` and ignores it.", hint
    )
