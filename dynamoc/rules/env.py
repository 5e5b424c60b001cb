"""Environment of the container `main`."""

from __future__ import annotations

from dynamoc.rules.registry import rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.cluster.config import OperatorConfig
    from dynamoc.rules.draft import Pod

    Tree = dict[str, Any]


#: variables to attributes of the configuration (internal/dynamo/graph.go AddTransportTLSEnvVars since 1.5)
_TLS = (
    ("NATS_TLS_CA_CERT_PATH", "nats_tls_ca_path"),
    ("NATS_TLS_CLIENT_CERT_PATH", "nats_tls_client_cert_path"),
    ("NATS_TLS_CLIENT_KEY_PATH", "nats_tls_client_key_path"),
    ("DYN_TCP_TLS_CERT_PATH", "tcp_tls_cert_path"),
    ("DYN_TCP_TLS_KEY_PATH", "tcp_tls_key_path"),
    ("DYN_TCP_TLS_CA_CERT_PATH", "tcp_tls_ca_path"),
    ("DYN_TCP_TLS_CLIENT_CERT_PATH", "tcp_tls_client_cert_path"),
    ("DYN_TCP_TLS_CLIENT_KEY_PATH", "tcp_tls_client_key_path"),
    ("DYN_TCP_TLS_CLIENT_CA_CERT_PATH", "tcp_tls_client_ca_path"),
    ("DYN_TCP_TLS_SERVER_NAME", "tcp_tls_server_name"),
)


def merge_env(common: list[Tree] | None, specific: list[Tree] | None) -> list[Tree]:
    """Both lists by name, `specific` over `common`, later entries over earlier ones, sorted by name.

    Source: internal/dynamo/graph.go MergeEnvs.
    """
    merged = {variable.get("name", ""): variable for variable in common or ()}
    merged.update((variable.get("name", ""), variable) for variable in specific or ())
    return [merged[name] for name in sorted(merged, key=str.encode)]


def address_env(config: OperatorConfig) -> list[Tree]:
    """Addresses from the operator's configuration, those that are set."""
    infrastructure = config.infrastructure
    addresses = (
        ("NATS_SERVER", infrastructure.nats_address),
        ("ETCD_ENDPOINTS", infrastructure.etcd_address),
        ("MODEL_EXPRESS_URL", infrastructure.model_express_url),
        ("PROMETHEUS_ENDPOINT", infrastructure.prometheus_endpoint),
    )
    return [{"name": name, "value": value} for name, value in addresses if value]


def infrastructure_env(config: OperatorConfig) -> list[Tree]:
    """Addresses from the operator's configuration, and paths of certificates and keys, those that are set."""
    keys = ((name, getattr(config.tls, attribute)) for name, attribute in _TLS)
    return [*address_env(config), *({"name": name, "value": value} for name, value in keys if value)]


@rule("env/service", source="internal/dynamo/graph.go GenerateBasePodSpec, MergeEnvs")
def service_env(pod: Pod) -> None:
    """Puts the component's `envs` (with the graph's `envs` below them) over everything set so far."""
    pod.main["env"] = merge_env(pod.main.get("env"), pod.component.env)


@rule("env/service-below-container", source="internal/dynamo/graph.go GenerateBasePodSpec, MergeEnvs")
def service_env_below_container(pod: Pod) -> None:
    """Puts the component's `envs` (with the graph's `envs` below them) below everything set so far.

    A variable of `mainContainer` or of the component type wins.
    """
    _tell_defaults_win(pod)
    pod.main["env"] = merge_env(pod.component.env, pod.main.get("env"))


@rule("env/service-beside-main-container", source="internal/dynamo/graph.go GenerateBasePodSpec, MergeEnvs")
def service_env_beside_main_container(pod: Pod) -> None:
    """Puts the component's `envs` below everything set so far, but only with a `mainContainer`."""
    if pod.component.main is None:
        if pod.component.env:
            pod.operator.warn(
                "env/ignored",
                f"The operator ignores the environment of {pod.component.name}, which has no mainContainer.",
                (*pod.component.path, "envs"),
                "Add extraPodSpec.mainContainer.",
            )
        return
    service_env_below_container(pod)


def _tell_defaults_win(pod: Pod) -> None:
    """The user asked for other values than the operator's, and does not get them."""
    user = {variable.get("name") for variable in (pod.component.main or {}).get("env") or ()}
    asked = {variable.get("name", ""): variable for variable in pod.component.env}
    for variable in pod.main.get("env") or ():
        name = variable["name"]
        if name in asked and asked[name] != variable and name not in user:
            pod.operator.warn(
                "env/default-wins",
                f"The operator overrides {name}; the value in envs has no effect.",
                (*pod.component.path, "envs"),
                f"Set {name} in extraPodSpec.mainContainer.env.",
            )


@rule("env/from-secret", source="internal/dynamo/graph.go GenerateBasePodSpec")
def env_from_secret(pod: Pod) -> None:
    """Appends the Secret of `envFromSecret` to the `envFrom` of the container."""
    if pod.component.env_from_secret is not None:
        pod.main.setdefault("envFrom", []).append(secret_source(pod.component.env_from_secret))


def secret_source(name: str) -> Tree:
    return {"secretRef": {"name": name} if name else {}}


@rule("env/infrastructure", source="internal/dynamo/graph.go addStandardEnvVars")
def infrastructure(pod: Pod) -> None:
    """Adds the addresses of NATS, etcd, Model Express and Prometheus where the operator is configured with them.

    Anything that the user or a default already set wins.
    """
    pod.main["env"] = merge_env(infrastructure_env(pod.operator.config), pod.main.get("env"))


@rule("env/infrastructure-last", source="internal/dynamo/graph.go addStandardEnvVars")
def infrastructure_last(pod: Pod) -> None:
    """Appends the addresses that the operator is configured with; one that the user set is then there twice.

    Of two variables with the same name, Kubernetes uses the last. After sorting, that is
    the operator's, except in long lists.
    """
    env = pod.main.setdefault("env", [])
    known = {variable.get("name") for variable in env}
    for variable in infrastructure_env(pod.operator.config):
        if variable["name"] in known:
            pod.operator.warn(
                "env/set-twice",
                f"The operator sets {variable['name']} too; the last one wins, which may not be yours.",
                pod.component.path,
                f"Remove {variable['name']}, or configure the operator.",
            )
        env.append(variable)
