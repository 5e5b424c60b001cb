"""Metadata of generated objects, by kind (k8s.io/apimachinery/pkg/api/validation/objectmeta.go)."""

from __future__ import annotations

from dynamoc.apiserver.formats import is_path_segment
from dynamoc.kube.names import is_dns_label, is_dns_service_name, is_dns_subdomain, is_label_key, is_label_value
from dynamoc.schema.metadata import ANNOTATIONS_LIMIT
from dynamoc.schema.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from dynamoc.diagnostics.finding import Path

    Tree = dict[str, Any]

_SUBDOMAIN = "a DNS subdomain: up to 253 lower-case letters, digits, `-` and `.`"
_SERVICE = "a DNS-1035 label: up to 63 lower-case letters, digits and `-`, the first a letter, the last no `-`"
_FINALIZERS = ("foregroundDeletion", "orphan", "kubernetes")
_SEGMENT = "a name without `/` and `%`"

#: Kinds whose names are not DNS subdomains.
NAMES: dict[str, tuple[Callable[[str], bool], str]] = {
    "Service": (is_dns_service_name, _SERVICE),
    "Role": (is_path_segment, _SEGMENT),
    "RoleBinding": (is_path_segment, _SEGMENT),
    "ClusterRole": (is_path_segment, _SEGMENT),
    "ClusterRoleBinding": (is_path_segment, _SEGMENT),
}


def check_metadata(value: Tree, problems: list[Problem]) -> None:
    """Name, namespace, labels and annotations of an object."""
    metadata = value.get("metadata") or {}
    path: Path = ("metadata",)
    name = metadata.get("name") or ""
    fits, format_ = NAMES.get(value.get("kind", ""), (is_dns_subdomain, _SUBDOMAIN))
    if not fits(name):
        message = f"The name `{name}` of the {value.get('kind')} must be {format_}; it has {len(name)} characters."
        limit = 63 if fits is is_dns_service_name else 253
        problems.append(Problem("admission/object-name", (*path, "name"), message, excess=_excess(name, limit)))
    namespace = metadata.get("namespace")
    if namespace and not is_dns_label(namespace):
        message = f"The namespace `{namespace}` must be up to 63 lower-case letters, digits and `-`."
        problems.append(Problem("admission/object-name", (*path, "namespace"), message))
    check_labels(metadata.get("labels"), (*path, "labels"), problems)
    check_annotations(metadata.get("annotations"), (*path, "annotations"), problems)
    problems += [
        Problem("admission/finalizer", (*path, "finalizers", index), f"The finalizer `{text}` must be `domain/name`.")
        for index, text in enumerate(metadata.get("finalizers") or ())
        if text not in _FINALIZERS and not ("/" in text and is_label_key(text))
    ]


def check_labels(labels: dict[str, str] | None, path: Path, problems: list[Problem]) -> None:
    """Labels, or a selector, which has the same format."""
    for key, value in (labels or {}).items():
        if not is_label_key(key):
            problems.append(Problem("admission/label-key", (*path, key), f"`{key}` cannot be the key of a label."))
        if value is not None and not is_label_value(value):
            message = (
                f"The value `{value}` of the label `{key}` must be up to 63 letters, digits, `-`, `_` and `.`, with a "
                f"letter or digit at both ends; it has {len(value)} characters."
            )
            problems.append(Problem("admission/label-value", (*path, key), message, excess=_excess(value, 63)))


def check_annotations(annotations: dict[str, str] | None, path: Path, problems: list[Problem]) -> None:
    size = 0
    for key, value in (annotations or {}).items():
        if not is_label_key(key.lower()):
            message = f"`{key}` cannot be the key of an annotation."
            problems.append(Problem("admission/annotation-key", (*path, key), message))
        size += len(key) + len(value or "")
    if size > ANNOTATIONS_LIMIT // 4:
        size = sum(len(key.encode()) + len((value or "").encode()) for key, value in (annotations or {}).items())
    if size > ANNOTATIONS_LIMIT:
        message = f"The annotations have {size} bytes in total; the API server accepts {ANNOTATIONS_LIMIT}."
        problems.append(Problem("admission/annotation-size", path, message))


def _excess(text: str, limit: int) -> int:
    """By how many characters a text is too long, which then is what is wrong with it."""
    return max(0, len(text) - limit)
