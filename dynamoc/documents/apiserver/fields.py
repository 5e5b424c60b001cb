"""Rules for single fields of generated objects, as rows of a table; formats of names; metadata by kind.

Source: k8s.io/apimachinery/pkg/api/validation/objectmeta.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from dynamoc.documents.findings.edits import Change, other_case
from dynamoc.documents.findings.finding import Path
from dynamoc.documents.schema.metadata import ANNOTATIONS_LIMIT
from dynamoc.documents.schema.problem import ALPHANUMERIC, Problem
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import is_dns_label, is_dns_service_name, is_dns_subdomain, is_label_key, is_label_value
from dynamoc.reference.slugs import ErrorSlug, Slug

Rule = Callable[[Any], str | None]
"""What is wrong with a value, or None; a field that is missing is None."""

Table = tuple[tuple[ErrorSlug, str, Rule], ...]
"""Slug, path with `[]` behind lists, and the rule for the field at its end."""


def check_choice(
    owner: Tree, field: str, known: tuple[str, ...], slug: Slug, path: Path, problems: list[Problem]
) -> None:
    """A field that is not set takes its default; any other word than the known ones is refused."""
    word = owner.get(field)
    if word not in (None, "", *known):
        message = f"`{field}: {word}` must be {either(known)}."
        problems.append(Problem(slug, (*path, field), message, change=in_known_case(word, known)))


def in_known_case(word: Any, known: tuple[str, ...]) -> Change | None:
    """Writes a word as it is known, where only its case is wrong."""
    return other_case(word, known)


def either(words: tuple[str, ...]) -> str:
    """`A, B or C`."""
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


_KEY = ALPHANUMERIC + "-_."


def is_config_key(text: str) -> bool:
    """A key of a ConfigMap or Secret (k8s.io/apimachinery/pkg/util/validation IsConfigMapKey)."""
    return 0 < len(text) <= 253 and not text.strip(_KEY) and text != "." and not text.startswith("..")


def is_path_segment(text: str) -> bool:
    """Names in RBAC: anything that can be in a URL's path (k8s.io/apimachinery/pkg/api/validation/path)."""
    return text not in ("", ".", "..") and "/" not in text and "%" not in text


def check_table(value: dict[str, Any], table: Table, problems: list[Problem], path: Path = ()) -> None:
    for slug, field, rule in table:
        for at, found in places(value, field, path):
            wrong = rule(found)
            if wrong is not None:
                message = f"`{at[-1]}: {found}` {wrong}." if found else f"`{at[-1]}` {wrong}."
                change = rule.correction(found) if isinstance(rule, OneOf) else None
                problems.append(Problem(slug, at, message, change=change))


def places(value: dict[str, Any], field: str, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Each place where `field` leads, and what is there; a field is looked for in mappings that are there."""
    return _at(value, tuple(field.split(".")), path)


def _at(value: Any, steps: tuple[str, ...], path: Path) -> Iterator[tuple[Path, Any]]:
    step, rest = steps[0], steps[1:]
    name = step.removesuffix("[]")
    found = value.get(name)
    if name == step:
        if not rest:
            yield (*path, name), found
        elif isinstance(found, dict):
            yield from _at(found, rest, (*path, name))
        return
    for index, item in enumerate(found or ()):
        if not rest:
            yield (*path, name, index), item
        elif isinstance(item, dict):
            yield from _at(item, rest, (*path, name, index))


class OneOf:
    """A field that takes one of a few words, and has a default where it is not set."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self._words = words

    def __call__(self, value: Any) -> str | None:
        return None if value in (None, "", *self._words) else f"must be {either(self._words)}"

    def correction(self, value: Any) -> Change | None:
        """The word that is meant, where only its case is wrong."""
        return in_known_case(value, self._words)


def one_of(*words: str) -> Rule:
    return OneOf(words)


def required(value: Any) -> str | None:
    return None if value not in (None, "", [], 0) else "is missing"


def at_least(least: int, most: int | None = None) -> Rule:
    """A number that may be missing."""
    limits = f"must be at least {least}" if most is None else f"must lie between {least} and {most}"
    return lambda value: None if value is None or (value >= least and (most is None or value <= most)) else limits


def fits(check: Callable[[str], bool], what: str) -> Rule:
    """A text that may be missing."""
    return lambda value: None if not value or check(value) else f"must be {what}"


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
