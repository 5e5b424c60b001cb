"""Environment of the container `main`, and `kvTransferPolicy`, which is part of the hash of workers.

Source: internal/dynamo/graph.go applyKvTransferPolicyToWorkerComponent, component_worker.go of release 1.4.
"""

from __future__ import annotations

from decimal import Decimal
from struct import pack, unpack

from dynamoc.admission.cluster.config import OperatorConfig
from dynamoc.kube.merge import Tree
from dynamoc.reference.releases import Release
from dynamoc.rendering.rules.draft import Pod, rule

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


_MOUNT_PATH = "/etc/dynamo/topology"
_VOLUME = "topology-labels"
_LABEL_KEY = "nvidia.com/topology-label-key"
_TOPOLOGY_NAME = "nvidia.com/topology-cluster-topology-name"
_ENV = (
    "DYN_KV_TRANSFER_DOMAIN",
    "DYN_KV_TRANSFER_ENFORCEMENT",
    "DYN_KV_TRANSFER_PREFERRED_WEIGHT",
    "DYN_TOPOLOGY_ENABLED",
    "DYN_TOPOLOGY_MOUNT_PATH",
)


def worker_policy(graph_spec: Tree, component_type: str) -> Tree | None:
    """The policy of the graph for a component of that type, None where it has none."""
    policy: Tree | None = (graph_spec.get("experimental") or {}).get("kvTransferPolicy")
    if not policy or component_type not in ("worker", "prefill", "decode"):
        return None
    return policy if policy.get("labelKey") or policy.get("clusterTopologyName") else None


def transfer_env(env: list[Tree] | None, policy: Tree) -> list[Tree]:
    """The environment of `main`, sorted by name, with the policy in place of anything that the user set for it."""
    variables = [
        {"name": "DYN_KV_TRANSFER_DOMAIN", "value": policy.get("domain", "")},
        {"name": "DYN_KV_TRANSFER_ENFORCEMENT", "value": policy.get("enforcement") or "required"},
        {"name": "DYN_TOPOLOGY_ENABLED", "value": "true"},
        {"name": "DYN_TOPOLOGY_MOUNT_PATH", "value": _MOUNT_PATH},
    ]
    weight = policy.get("preferredWeight")
    if weight is not None:
        variables.append({"name": "DYN_KV_TRANSFER_PREFERRED_WEIGHT", "value": float32_text(weight)})
    return merge_env([variable for variable in env or () if variable.get("name") not in _ENV], variables)


def transfer_mounts(mounts: list[Tree] | None) -> list[Tree]:
    """The mounts of `main` with the topology directory last, in place of others of its name or path."""
    kept = [mount for mount in mounts or () if mount.get("name") != _VOLUME and mount.get("mountPath") != _MOUNT_PATH]
    return [*kept, {"name": _VOLUME, "mountPath": _MOUNT_PATH, "readOnly": True}]


def transfer_volumes(volumes: list[Tree] | None, policy: Tree, domains: list[str]) -> list[Tree]:
    """The pod's volumes with the topology labels last: one file for the policy's label, or one for each domain."""
    if policy.get("labelKey"):
        labels = [(policy.get("domain", ""), policy["labelKey"])]
    else:
        labels = [(domain, f"nvidia.com/dynamo-topology.{domain}") for domain in domains]
    items = [{"path": path, "fieldRef": {"fieldPath": f"metadata.labels['{label}']"}} for path, label in labels]
    volume = {"name": _VOLUME, "downwardAPI": {"items": items} if items else {}}
    return [*(volume for volume in volumes or () if volume.get("name") != _VOLUME), volume]


def apply_to_template(template: Tree, policy: Tree, domains: list[str], runtime: Tree | None = None) -> None:
    """Writes the policy into a `podTemplate`; a missing container `main` is made, ahead of the others.

    What publishes the topology is `main`, or `runtime` where Dynamo is a separate container.
    """
    spec = template.setdefault("spec", {})
    containers = spec.setdefault("containers", [])
    main = next((container for container in containers if container.get("name") == "main"), None)
    if main is None:
        main = {"name": "main"}
        containers.insert(0, main)
    publisher = main if runtime is None else runtime
    publisher["env"] = transfer_env(publisher.get("env"), policy)
    publisher["volumeMounts"] = transfer_mounts(publisher.get("volumeMounts"))
    spec["volumes"] = transfer_volumes(spec.get("volumes"), policy, domains)


def mark_topology(annotations: dict[str, str], policy: Tree | None, release: Release) -> None:
    """Replaces the annotations of the topology label controller by those of the policy, if there is one.

    Only the operator may say what that controller copies from nodes to pods.
    """
    for key in release["topology/annotations"]:
        annotations.pop(key, None)
    if policy is None:
        return
    if policy.get("labelKey"):
        annotations[_LABEL_KEY] = policy["labelKey"]
    if policy.get("clusterTopologyName"):
        annotations[_TOPOLOGY_NAME] = policy["clusterTopologyName"]


def float32_text(number: float) -> str:
    """The shortest decimal digits that read back as the same float32, without exponent (strconv.FormatFloat 'f').

    For weights, which lie between 0 and 1.
    """
    wanted = pack("<f", number)
    exact: float = unpack("<f", wanted)[0]
    text = ""
    for digits in range(1, 10):
        text = f"{exact:.{digits}g}"
        if pack("<f", float(text)) == wanted:
            break
    if "e" not in text:
        return text

    return format(Decimal(text), "f")
