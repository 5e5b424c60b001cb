"""ObjectMeta, which the API server decodes and validates apart from the schema of a custom resource.

Decoding is strict (unknown fields are reported), a wrong type refuses the object; names, labels and annotations
follow k8s.io/apimachinery, pkg/api/validation/objectmeta.go and pkg/util/validation.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from dynamoc.documents.schema.messages import wrong_type
from dynamoc.documents.schema.problem import ALPHANUMERIC, DIGITS, LOWER, Problem, consists_of, is_dns_label
from dynamoc.kube.merge import Chain, copy_tree, unrolled
from dynamoc.reference.slugs import ErrorSlug

ANNOTATIONS_LIMIT = 256 * 1024
_STRINGS = frozenset({"name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "creationTimestamp"})
_STRINGS |= {"deletionTimestamp"}
_INTEGERS = frozenset({"generation", "deletionGracePeriodSeconds"})
_MAPS = frozenset({"labels", "annotations"})
_LISTS = frozenset({"ownerReferences", "finalizers", "managedFields"})
#: called with the key and the place of an unknown field
TellUnknown = Callable[[str, Chain], None]
FIELDS = _STRINGS | _INTEGERS | _MAPS | _LISTS


def check(
    value: Any,
    errors: list[Problem],
    tell_unknown: TellUnknown,
    at: Chain = None,
    *,
    named: bool = True,
) -> dict[str, Any]:
    """The metadata without unknown fields and nulls. `named` demands a name, as of a whole object."""
    chain = (at, "metadata")
    if value is None:
        value = {}
    if value.__class__ is not dict:
        _wrong_type(value, "object", chain, errors)
        return {}
    out = {}
    for key, item in value.items():
        if key not in FIELDS:
            tell_unknown(key, chain)
        elif item is not None and _has_type(key, item, chain, errors):
            out[key] = item if item.__class__ is str else copy_tree(item)
    _check_names(out, chain, errors, named=named and value.get("name") in (None, ""))
    return out


def check_embedded(
    value: dict[str, Any], errors: list[Problem], tell_unknown: TellUnknown, at: Chain
) -> dict[str, Any]:
    """apiVersion, kind and metadata of an embedded resource; the first two are required and not empty."""
    out: dict[str, Any] = {}
    for key in ("apiVersion", "kind"):
        item = value.get(key)
        if not item or item.__class__ is not str:
            _invalid("schema/required", f"An embedded object needs `{key}`, a non-empty string.", (at, key), errors)
        else:
            out[key] = item
    if "metadata" in value:
        out["metadata"] = check(value["metadata"], errors, tell_unknown, at, named=False)
    return out


def _has_type(key: str, item: Any, chain: Chain, errors: list[Problem]) -> bool:
    if key in _MAPS:
        return _is_string_map(item, (chain, key), errors)
    wanted, name = (str, "string") if key in _STRINGS else (int, "integer") if key in _INTEGERS else (list, "array")
    if item.__class__ is not wanted:
        _wrong_type(item, name, (chain, key), errors)
        return False
    if key.endswith("Timestamp") and not _is_timestamp(str(item)):
        message = f'`{key}` must be a time such as "2025-01-31T12:00:00Z", but is {item!r}.'
        _invalid("schema/format", message, (chain, key), errors)
        return False
    return True


def _is_timestamp(text: str) -> bool:
    """RFC 3339 as Go reads it: a date, `T`, a time with seconds and an optional fraction, `Z` or an offset."""
    zone = 1 if text.endswith("Z") else 6
    seconds, dot, fraction = text[:-zone].partition(".")
    marks = seconds[4:5] + seconds[7:8] + seconds[10:11] + seconds[13:14] + seconds[16:17]
    if len(seconds) != 19 or marks != "--T::" or (dot and not (fraction and consists_of(fraction, DIGITS))):
        return False
    if zone == 6 and (text[-6] not in "+-" or text[-3] != ":"):
        return False
    try:
        datetime.fromisoformat(seconds + text[-zone:].replace("Z", "+00:00"))
    except ValueError:
        return False
    return True


def _is_string_map(value: Any, chain: Chain, errors: list[Problem]) -> bool:
    if value.__class__ is not dict:
        _wrong_type(value, "object", chain, errors)
        return False
    good = True
    for key, item in value.items():
        # A null becomes the empty string where Go decodes into a map of strings.
        if item is not None and item.__class__ is not str:
            _wrong_type(item, "string", (chain, key), errors)
            good = False
    return good


def _check_names(meta: dict[str, Any], chain: Chain, errors: list[Problem], *, named: bool) -> None:
    name = meta.get("name", "")
    if name:
        if not is_subdomain(name):
            _invalid("schema/name", _subdomain_message("name", name), (chain, "name"), errors, _name_hint(name))
    elif named:
        made_up = " `generateName` is for `kubectl create`: `kubectl apply` rejects it." * bool(
            meta.get("generateName")
        )
        _invalid("schema/name", f"The object has no name.{made_up}", (chain, "name"), errors, "write `metadata.name`")
    prefix = meta.get("generateName", "")
    if prefix and not is_subdomain(prefix.removesuffix("-")):
        _invalid("schema/name", _subdomain_message("generateName", prefix), (chain, "generateName"), errors)
    namespace = meta.get("namespace", "")
    if namespace and not (is_dns_label(namespace) and len(namespace) <= 63):
        message = (
            f"The namespace {namespace!r} is not a DNS label: up to 63 lower-case letters, digits and `-`, "
            "with a letter or digit at both ends."
        )
        _invalid("schema/name", message, (chain, "namespace"), errors, _name_hint(namespace))
    _check_labels(meta, chain, errors)
    _check_annotations(meta, chain, errors)


def _check_labels(meta: dict[str, Any], chain: Chain, errors: list[Problem]) -> None:
    labels = meta.get("labels")
    if not labels:
        return
    for key, value in labels.items():
        if not is_qualified_name(key):
            _invalid("schema/label", _key_message("label", key), ((chain, "labels"), key), errors)
        if value is None:
            labels[key] = ""
        elif not is_label_value(value):
            message = (
                f"The value {value!r} of the label `{key}` must be empty or up to 63 letters, digits, `-`, `_` "
                "and `.`, with a letter or digit at both ends."
            )
            _invalid("schema/label", message, ((chain, "labels"), key), errors)


def _check_annotations(meta: dict[str, Any], chain: Chain, errors: list[Problem]) -> None:
    annotations = meta.get("annotations")
    if not annotations:
        return
    size = 0
    for key, value in annotations.items():
        # The API server compares annotation keys in lower case.
        if not is_qualified_name(key.lower()):
            _invalid("schema/annotation", _key_message("annotation", key), ((chain, "annotations"), key), errors)
        if value is None:
            annotations[key] = ""
        size += len(key.encode()) + len((value or "").encode())
    if size > ANNOTATIONS_LIMIT:
        message = f"The annotations have {size} bytes in total, more than the {ANNOTATIONS_LIMIT} that are allowed."
        _invalid("schema/annotation", message, (chain, "annotations"), errors)


def is_subdomain(text: str) -> bool:
    """A DNS-1123 subdomain: up to 253 characters, labels of any length joined by dots."""
    if is_dns_label(text):
        return len(text) <= 253
    return len(text) <= 253 and "." in text and all(is_dns_label(part) for part in text.split("."))


def is_qualified_name(text: str) -> bool:
    """A label or annotation key: an optional DNS subdomain and `/`, then a name of up to 63 characters."""
    prefix, slash, name = text.rpartition("/")
    if slash and not is_subdomain(prefix):
        return False
    return name != "" and is_label_value(name)


def is_label_value(text: str) -> bool:
    if text == "":
        return True
    return (
        len(text) <= 63
        and consists_of(text, ALPHANUMERIC + "-_.")
        and text[0] in ALPHANUMERIC
        and text[-1] in ALPHANUMERIC
    )


def _name_hint(name: str) -> str | None:
    guess = "".join(letter if letter in LOWER + "-." else "-" for letter in name.lower()).strip("-.")
    return f"write `{guess}`" if is_subdomain(guess) else None


def _subdomain_message(field: str, text: str) -> str:
    return (
        f"The {field} {text!r} is not a DNS subdomain: up to 253 lower-case letters, digits, `-` and `.`, "
        "with a letter or digit at both ends of each part."
    )


def _key_message(noun: str, key: str) -> str:
    return (
        f"The {noun} key {key!r} must be up to 63 letters, digits, `-`, `_` and `.`, with a letter or digit at both "
        "ends, optionally after a DNS subdomain and `/`."
    )


def _wrong_type(value: Any, wanted: str, chain: Chain, errors: list[Problem]) -> None:
    errors.append(wrong_type(value, {"type": wanted}, unrolled(chain)))


def _invalid(slug: ErrorSlug, message: str, chain: Chain, errors: list[Problem], hint: str | None = None) -> None:
    errors.append(Problem(slug, unrolled(chain), message, hint))
