"""Names: what Kubernetes accepts and how the operator derives them; labels, namespaces, and what makes two objects one.

The checks follow k8s.io/apimachinery/pkg/util/validation; lengths count bytes, as in Go. The last functions read
objects whose shape is not checked: what is not as it should be counts as absent.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from dynamoc.kube.go import parse_strict_semver
from dynamoc.kube.merge import Tree
from dynamoc.kube.text import hex_digest
from dynamoc.kube.tracing import HUB, NOT_EARLY, naming

#: group, kind, namespace, name; the version does not make another object
Identity = tuple[str, str, str, str]

Path = tuple[str | int, ...]

#: objects of graphs repeat few keys many times
_REMEMBERED = 1024
_LOWER = "abcdefghijklmnopqrstuvwxyz"
_DIGITS = "0123456789"
_ALNUM = _LOWER + _LOWER.upper() + _DIGITS
_DNS = _LOWER + _DIGITS
_IN_LABEL = _DNS + "-"
_IN_SUBDOMAIN = _DNS + "-."
_IN_NAME = _ALNUM + "-_."


def is_dns_label(text: str) -> bool:
    """RFC 1123 label: `a-z`, `0-9` and `-`, an alphanumeric at both ends, at most 63."""
    return 0 < len(text) <= 63 and not text.strip(_IN_LABEL) and text[0] != "-" and text[-1] != "-"


def is_dns_subdomain(text: str) -> bool:
    """RFC 1123 subdomain: labels of any length joined by dots, at most 253 in all."""
    if not 0 < len(text) <= 253 or text.strip(_IN_SUBDOMAIN) or text[0] in "-." or text[-1] in "-.":
        return False
    return ".." not in text and ".-" not in text and "-." not in text


def is_dns_service_name(text: str) -> bool:
    """RFC 1035 label, which Services need: like an RFC 1123 label, but it starts with a letter."""
    return is_dns_label(text) and text[0] in _LOWER


def is_port_name(text: str) -> bool:
    """IANA service name: at most 15, `a-z`, `0-9` and `-`, at least one letter, no `-` at the ends or doubled."""
    return is_dns_label(text) and len(text) <= 15 and "--" not in text and text.strip(_DIGITS + "-") != ""


def is_label_value(text: str) -> bool:
    """Empty, or at most 63 of alphanumerics, `-`, `_` and `.` with an alphanumeric at both ends."""
    return not text or _is_qualified(text)


@lru_cache(_REMEMBERED)
def is_label_key(text: str) -> bool:
    """Qualified name of a label or annotation: like a label value, optionally after a DNS subdomain and a slash."""
    prefix, slash, name = text.rpartition("/")
    return _is_qualified(name) and (not slash or is_dns_subdomain(prefix))


def is_env_var_name(text: str, *, relaxed: bool = True) -> bool:
    """A name that a container's variable may have.

    Since Kubernetes 1.32 any printable ASCII but `=` is fine (IsRelaxedEnvVarName); before, or with `relaxed=False`,
    alphanumerics, `-`, `_` and `.` that do not start with a digit, and neither `.` nor `..` (IsEnvVarName).
    """
    if relaxed:
        return bool(text) and text.isascii() and text.isprintable() and "=" not in text
    if not text or text.strip(_IN_NAME) or text[0] in _DIGITS:
        return False
    return text != "." and not text.startswith("..")


def lower(text: str) -> str:
    """Go's strings.ToLower, which maps rune by rune: a capital I with a dot becomes `i`, not `i` and a dot above."""
    if text.isascii():
        return text.lower()
    return "".join("i" if char == "\u0130" else char.lower() for char in text)


def kube_resource_name(text: str) -> str:
    """A name for objects whose names cannot have dots, such as Services.

    Source: internal/dynamo/graph.go NormalizeKubeResourceName of release 1.4.
    """
    return lower(text.replace(".", "-"))


@naming("kube/names/dynamo-namespace", "api/v1alpha1 ComputeDynamoNamespace", NOT_EARLY)
def dynamo_namespace(is_global: bool, namespace: str, graph: str) -> str:
    """The Dynamo namespace of a component; a graph's dots would split the endpoints' paths, so they become hyphens."""
    return "dynamo" if is_global else f"{namespace}-{graph.replace('.', '-')}"


@naming("kube/names/model-hash", "internal/dynamo/model_service.go HashModelName", NOT_EARLY)
def model_hash(model: str) -> str:
    """8 hex digits that identify a model in labels and names."""
    return _sha256(model)[:8]


@naming(
    "kube/names/discovery-label-value",
    "internal/discovery/resource.go getK8sDiscoveryLabelValue",
    (HUB,),
    when="discovery/short-label",
)
def discovery_label_value(service_account: str) -> str:
    """A ServiceAccount's name as label value: beyond 63 characters, a hash replaces the end."""
    if len(service_account) <= 63:
        return service_account
    return f"{service_account[:54]}-{_sha256(service_account)[:8]}"


def runtime_version(image: str, override: str) -> tuple[int, int, int] | None:
    """The version of the Dynamo runtime: the override, else the image's tag; None if it is not a semantic version.

    A tag may have a leading `v` and a suffix such as `-cuda13`; an override that does not parse is not
    replaced by the tag. Source: internal/runtimeversion of release 1.4.
    """
    if not override:
        return image_version(image)
    version = parse_strict_semver(override)
    return None if version is None else version.core


def image_version(image: str) -> tuple[int, int, int] | None:
    """The version in an image's tag, with or without a leading `v`; None if the tag is anything else."""
    tag = _image_tag(image).strip()
    version = parse_strict_semver(tag[1:] if tag[:1] in ("v", "V") else tag)
    return None if version is None else version.core


def _image_tag(image: str) -> str:
    reference = image.strip().partition("@")[0]
    _, colon, tag = reference.rpartition(":")
    return tag if colon and "/" not in tag else ""


def _is_qualified(text: str) -> bool:
    return 0 < len(text) <= 63 and not text.strip(_IN_NAME) and text[0] in _ALNUM and text[-1] in _ALNUM


def _sha256(text: str) -> str:
    return hex_digest(text.encode())


def identity(value: Tree, namespace: str = "") -> Identity:
    """The identity of an object; `namespace` is taken where it names none. Its shape may be unchecked."""
    metadata = value.get("metadata")
    if metadata.__class__ is not dict:
        metadata = {}
    group = _text(value.get("apiVersion")).rpartition("/")[0]
    return group, _text(value.get("kind")), _text(metadata.get("namespace")) or namespace, _text(metadata.get("name"))


def _text(value: Any) -> str:
    return "" if value is None else str(value)


GRAPH_LABEL = "nvidia.com/dynamo-graph-deployment-name"
COMPONENT_LABEL = "nvidia.com/dynamo-component"
NAMESPACE_LABEL = "nvidia.com/dynamo-namespace"
TYPE_LABEL = "nvidia.com/dynamo-component-type"
SUB_TYPE_LABEL = "nvidia.com/dynamo-sub-component-type"
CLASS_LABEL = "nvidia.com/dynamo-component-class"
SELECTOR_LABEL = "nvidia.com/selector"
WORKER_HASH_LABEL = "nvidia.com/dynamo-worker-hash"
MODEL_HASH_LABEL = "nvidia.com/dynamo-base-model-hash"
METRICS_LABEL = "nvidia.com/metrics-enabled"
DISCOVERY_BACKEND_LABEL = "nvidia.com/dynamo-discovery-backend"
DISCOVERY_ENABLED_LABEL = "nvidia.com/dynamo-discovery-enabled"
DISCOVERY_LABELS = {DISCOVERY_BACKEND_LABEL: "kubernetes", DISCOVERY_ENABLED_LABEL: "true"}

#: kinds of Grove that hold a whole graph; release 0.4 has the second
GROVE_SETS = ("PodCliqueSet", "PodGangSet")

#: Kinds without a namespace whose names don't say so. Kinds that begin with `Cluster` never have one.
_CLUSTER_SCOPED = frozenset((
    "APIService", "CSIDriver", "CSINode", "CertificateSigningRequest", "CustomResourceDefinition", "DeviceClass",
    "FlowSchema", "GatewayClass", "IngressClass", "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding",
    "MutatingWebhookConfiguration", "Namespace", "Node", "PersistentVolume", "PriorityClass",
    "PriorityLevelConfiguration", "ResourceSlice", "RuntimeClass", "StorageClass", "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding", "ValidatingWebhookConfiguration", "VolumeAttachment",
))  # fmt: skip
#: (group, kind) of custom resources without a namespace that are beside graphs
_CLUSTER_SCOPED_RESOURCES = frozenset((("scheduling.run.ai", "Queue"), ("scheduling.volcano.sh", "Queue")))


def is_namespaced(value: Tree) -> bool:
    """Whether an object lives in a namespace, as far as kind and group show it."""
    kind = str(value.get("kind", ""))
    group = str(value.get("apiVersion", "")).rpartition("/")[0]
    if kind.startswith("Cluster") or kind in _CLUSTER_SCOPED:
        return False
    return (group, kind) not in _CLUSTER_SCOPED_RESOURCES


def with_namespace(value: Tree, namespace: str) -> Tree:
    """The object itself, or a shallow copy with `namespace` where it names none and has to live in one."""
    metadata = value.get("metadata")
    if not isinstance(metadata, dict) or metadata.get("namespace") or not is_namespaced(value):
        return value
    return {**value, "metadata": {**metadata, "namespace": namespace}}


def mapping(value: Any, *keys: str) -> Tree:
    """The mapping below `keys`, an empty one by default."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def entries(value: Any, key: str, path: Path = ()) -> list[tuple[Path, Tree]]:
    """The mappings of the list at `key`, each with its path."""
    items = value.get(key) if isinstance(value, dict) else None
    if not isinstance(items, list):
        return []
    return [((*path, key, index), item) for index, item in enumerate(items) if isinstance(item, dict)]


def texts(value: Any) -> list[str]:
    """The texts of a list."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def whole(value: Any, default: int = 1) -> int:
    """A whole number, 0 where it is negative."""
    return max(value, 0) if isinstance(value, int) and not isinstance(value, bool) else default
