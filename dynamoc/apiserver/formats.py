"""Names in generated objects that have a format of their own."""

from __future__ import annotations

from dynamoc.schema.string_patterns import ALPHANUMERIC

_KEY = ALPHANUMERIC + "-_."


def is_config_key(text: str) -> bool:
    """A key of a ConfigMap or Secret (k8s.io/apimachinery/pkg/util/validation IsConfigMapKey)."""
    return 0 < len(text) <= 253 and not text.strip(_KEY) and text != "." and not text.startswith("..")


def is_path_segment(text: str) -> bool:
    """Names in RBAC: anything that can stand in a URL's path (k8s.io/apimachinery/pkg/api/validation/path)."""
    return text not in ("", ".", "..") and "/" not in text and "%" not in text
