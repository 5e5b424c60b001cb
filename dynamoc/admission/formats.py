"""Names as the API server takes them in generated objects, where dynamoc.schema.metadata has no word for them yet.

Source: k8s.io/apimachinery/pkg/util/validation.
"""

from __future__ import annotations

from dynamoc.schema.patterns import ALPHANUMERIC, DIGITS, LOWER, consists_of, is_dns_label

LABEL_LIMIT = 63
_LETTERS = LOWER[:26]


def is_label(text: str) -> bool:
    """A DNS-1123 label: names of containers, volumes and namespaces."""
    return len(text) <= LABEL_LIMIT and is_dns_label(text)


def is_service_name(text: str) -> bool:
    """A DNS-1035 label: as above, and a letter comes first."""
    return is_label(text) and text[0] in _LETTERS


def is_env_name(text: str) -> bool:
    """Since Kubernetes 1.32 any printable ASCII but `=` (IsRelaxedEnvVarName)."""
    return text != "" and "=" not in text and all(" " <= character <= "~" for character in text)


def is_port_name(text: str) -> bool:
    """An IANA service name (IsValidPortName)."""
    return len(text) <= 15 and is_dns_label(text) and "--" not in text and not consists_of(text, DIGITS + "-")


def is_config_key(text: str) -> bool:
    """A key of a ConfigMap or Secret."""
    return 0 < len(text) <= 253 and consists_of(text, ALPHANUMERIC + "-_.") and text not in (".", "..")


def is_path_segment(text: str) -> bool:
    """Names in RBAC: anything that can stand in a URL's path."""
    return text not in ("", ".", "..") and "/" not in text and "%" not in text
