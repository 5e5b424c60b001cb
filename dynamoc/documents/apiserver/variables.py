"""Variables of containers (k8s.io/kubernetes/pkg/apis/core/validation, ValidateEnv and ValidateEnvFrom).

Resources of containers (k8s.io/kubernetes/pkg/apis/core/validation, ValidateContainerResourceRequirements).
"""

from __future__ import annotations

from dynamoc.documents.apiserver.fields import either, is_config_key
from dynamoc.documents.findings.finding import Path
from dynamoc.documents.schema.problem import Problem
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import is_dns_label, is_dns_subdomain, is_env_var_name, is_label_key
from dynamoc.kube.quantity import canonical, compare, sign, value

_FIELDS = (
    "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName",
    "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs",
)  # fmt: skip
_VOLUME_FIELDS = ("metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid")
_SUBSCRIPTED = ("metadata.annotations", "metadata.labels")
_RESOURCES = ("cpu", "memory", "ephemeral-storage")
_SIZES = ("1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei")
_SOURCES = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef")


def check_env(container: Tree, path: Path, problems: list[Problem]) -> None:
    """`env` and `envFrom` of a container."""
    for index, variable in enumerate(container.get("env") or ()):
        # Most are a name and a value.
        if "valueFrom" in variable or not is_env_var_name(variable.get("name") or ""):
            _check_variable(variable, (*path, "env", index), problems)
    for index, source in enumerate(container.get("envFrom") or ()):
        _check_env_source(source, (*path, "envFrom", index), problems)


def _check_variable(variable: Tree, path: Path, problems: list[Problem]) -> None:
    name, source = variable.get("name") or "", variable.get("valueFrom")
    if not name:
        message = "An environment variable has no name."
        problems.append(Problem("admission/env-name", path, message, "add `name`"))
    elif not is_env_var_name(name):
        message = f"The variable name {name!r} must be printable ASCII without `=`."
        problems.append(
            Problem("admission/env-name", (*path, "name"), message, "use letters, digits, `_`, `-` and `.`")
        )
    if source is None:
        return
    if variable.get("value"):
        message = f"The variable `{name}` has both `value` and `valueFrom`."
        problems.append(Problem("admission/env-value", path, message, "delete one of them"))
    # The API server drops `fileKeyRef` first: the feature gate EnvFiles is alpha in 1.34.
    kinds = [kind for kind, reference in source.items() if reference is not None and kind != "fileKeyRef"]
    if len(kinds) != 1:
        dropped = ", as API servers up to 1.34 drop `fileKeyRef`" if source.get("fileKeyRef") is not None else ""
        message = f"`valueFrom` of the variable `{name}` has {len(kinds)} sources{dropped}; it must have exactly one."
        hint = f"write one of {', '.join(_SOURCES)}"
        problems.append(Problem("admission/env-value", (*path, "valueFrom"), message, hint))
    for kind in kinds:
        _check_value_source(kind, source[kind], (*path, "valueFrom", kind), problems)


def _check_value_source(kind: str, reference: Tree, path: Path, problems: list[Problem]) -> None:
    if kind == "fieldRef":
        check_field_ref(reference, path, problems)
    elif kind == "resourceFieldRef":
        check_resource_ref(reference, path, problems)
    elif kind in ("secretKeyRef", "configMapKeyRef"):
        _check_name(kind, reference, path, problems)
        key = reference.get("key") or ""
        if not is_config_key(key):
            what = (
                f"`key: {key}` must consist of letters, digits, `-`, `_` and `.`." if key else f"`{kind}` needs `key`."
            )
            problems.append(Problem("admission/env-value", (*path, "key") if key else path, what))


def check_field_ref(reference: Tree, path: Path, problems: list[Problem], *, volume: bool = False) -> None:
    """A field of the pod that the kubelet can pass to a container; volumes know fewer than variables."""
    version, field = reference.get("apiVersion") or "v1", reference.get("fieldPath") or ""
    base, subscript = _subscripted(field)
    known = _VOLUME_FIELDS if volume else _FIELDS
    message = None
    if version != "v1":
        message = f"`apiVersion: {version}` of a `fieldRef` must be v1."
    elif not field:
        message = "`fieldRef` needs `fieldPath`."
    elif subscript is None and base not in known:
        message = f"`fieldPath: {field}` must be {either(known)}"
        message += "." if volume else ", or `metadata.labels['KEY']` or `metadata.annotations['KEY']`."
    elif subscript is not None and base not in _SUBSCRIPTED:
        message = f"`fieldPath: {field}`: only labels and annotations have keys in brackets."
    elif subscript is not None and not is_label_key(subscript.lower() if base == _SUBSCRIPTED[0] else subscript):
        message = f"`fieldPath: {field}`: `{subscript}` cannot be the key of a label or an annotation."
    if message is not None:
        problems.append(Problem("admission/field-ref", path, message))


def _subscripted(field: str) -> tuple[str, str | None]:
    """k8s.io/kubernetes/pkg/fieldpath SplitMaybeSubscriptedPath"""
    base, bracket, rest = field.partition("['")
    return (base, rest[:-2]) if bracket and rest.endswith("']") and base else (field, None)


def check_resource_ref(reference: Tree, path: Path, problems: list[Problem], *, volume: bool = False) -> None:
    """A request or limit of a container, in units that its resource has."""
    resource = reference.get("resource") or ""
    section, _, name = resource.partition(".")
    huge = name.startswith("hugepages-")
    if volume and not reference.get("containerName"):
        problems.append(
            Problem("admission/resource-ref", path, "`resourceFieldRef` of a volume needs `containerName`.")
        )
    elif section not in ("limits", "requests") or (name not in _RESOURCES and not huge):
        message = f"`resource: {resource}` must be `limits.` or `requests.` with {either(_RESOURCES)} or a huge page."
        problems.append(Problem("admission/resource-ref", (*path, "resource") if resource else path, message))
    divisor = reference.get("divisor")
    if divisor in (None, "", "0", 0):
        return
    units = ("1m", "1") if name == "cpu" else _SIZES
    if canonical(divisor) not in units:
        message = f"`divisor: {divisor}` of `{resource}` must be {either(units)}."
        problems.append(Problem("admission/resource-ref", (*path, "divisor"), message))


def _check_env_source(source: Tree, path: Path, problems: list[Problem]) -> None:
    prefix = source.get("prefix") or ""
    if prefix and not is_env_var_name(prefix):
        message = f"`prefix: {prefix}` must be printable ASCII without `=`."
        problems.append(Problem("admission/env-name", (*path, "prefix"), message))
    kinds = [kind for kind in ("configMapRef", "secretRef") if source.get(kind) is not None]
    if len(kinds) != 1:
        message = f"An entry of `envFrom` has {len(kinds)} sources; it must have exactly one."
        problems.append(Problem("admission/env-source", path, message, "write `configMapRef` or `secretRef`"))
    for kind in kinds:
        _check_name(kind, source[kind], (*path, kind), problems)


def _check_name(kind: str, reference: Tree, path: Path, problems: list[Problem]) -> None:
    name = reference.get("name") or ""
    if not name:
        problems.append(Problem("admission/env-source", path, f"`{kind}` needs `name`."))
    elif not is_dns_subdomain(name):
        message = f"`name: {name}` must be a DNS subdomain: lower-case letters, digits, `-` and `.`."
        problems.append(Problem("admission/env-source", (*path, "name"), message))


_STANDARD = ("cpu", "memory", "ephemeral-storage")


def check_resources(resources: Tree, claims: frozenset[str], path: Path, problems: list[Problem]) -> None:
    """Limits, requests, and claims, which must be declared in the pod."""
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    for section, amounts in (("limits", limits), ("requests", requests)):
        for name, quantity in amounts.items():
            _check_amount(name, quantity, (*path, section, name), problems)
    for name, quantity in requests.items():
        _check_request(name, quantity, limits.get(name), (*path, "requests", name), problems)
    _check_huge_pages({**limits, **requests}, path, problems)
    seen: set[tuple[str, str]] = set()
    for index, claim in enumerate(resources.get("claims") or ()):
        key = (claim.get("name", ""), claim.get("request", ""))
        if key[0] not in claims:
            message = f"The pod has no resource claim `{key[0]}`."
            problems.append(Problem("admission/claim-name", (*path, "claims", index), message))
        elif key in seen or (key[0], "") in seen or (not key[1] and any(name == key[0] for name, _ in seen)):
            message = f"The resource claim `{key[0]}` is listed twice."
            problems.append(Problem("admission/claim-name", (*path, "claims", index), message))
        if key[1] and not is_dns_label(key[1]):
            message = f"`request: {key[1]}` must be up to 63 lower-case letters, digits and `-`."
            problems.append(Problem("admission/claim-name", (*path, "claims", index, "request"), message))
        seen.add(key)


def _check_amount(name: str, quantity: str | int | float, path: Path, problems: list[Problem]) -> None:
    if not _is_container_resource(name):
        message = f"`{name}` is not a resource of a container: it is neither {', '.join(_STANDARD)} nor `domain/name`."
        hint = "write `nvidia.com/gpu`" if name in ("gpu", "gpus", "nvidia.com/gpus") else None
        problems.append(Problem("admission/resource-name", path, message, hint))
        return
    try:
        if sign(quantity) < 0:
            message = f"`{name}: {quantity}` must not be negative."
            problems.append(Problem("admission/resource-amount", path, message, "write 0 or more"))
        elif name.startswith("hugepages-") and not _is_of_pages(name, quantity):
            message = f"`{name}: {quantity}` must be a whole number of pages."
            problems.append(Problem("admission/resource-amount", path, message))
        elif not _is_native(name) and not _is_whole(quantity):
            message = f"`{name}: {quantity}` must be a whole number."
            problems.append(Problem("admission/resource-amount", path, message, "write a whole number, such as 1"))
    except ValueError:
        problems.append(Problem("admission/resource-amount", path, f"`{name}: {quantity}` is not a quantity."))


def _check_request(
    name: str, quantity: str | int | float, limit: str | int | float | None, path: Path, problems: list[Problem]
) -> None:
    """A request lies within the limit; of resources that are not shared, it is the limit."""
    limit_path = (*path[:-2], "limits", name)
    shared = _is_native(name) and not name.startswith("hugepages-")
    try:
        if limit is None:
            if not shared:
                message = f"A request for `{name}` needs a limit of the same amount."
                problems.append(
                    Problem("admission/request-above-limit", path, message, f"add `{name}: {quantity}` to `limits`")
                )
        elif not shared and compare(quantity, limit) != 0:
            message = f"The request for `{name}`, {quantity}, must equal its limit, {limit}."
            problems.append(Problem("admission/request-above-limit", path, message, others=(limit_path,)))
        elif compare(quantity, limit) > 0:
            message = f"The request for `{name}`, {quantity}, is above its limit, {limit}."
            problems.append(Problem("admission/request-above-limit", path, message, others=(limit_path,)))
    except ValueError:
        # Told already, as an amount that is not a quantity.
        return


def _check_huge_pages(amounts: Tree, path: Path, problems: list[Problem]) -> None:
    huge = [name for name in amounts if name.startswith("hugepages-")]
    if huge and not ("cpu" in amounts or "memory" in amounts):
        message = f"`{huge[0]}` needs `cpu` or `memory` too."
        problems.append(Problem("admission/resource-amount", path, message))


def _is_of_pages(name: str, quantity: str | int | float) -> bool:
    try:
        page = value(name.removeprefix("hugepages-"))
    except ValueError:
        return True
    return page > 0 and value(quantity) % page == 0


def _is_container_resource(name: str) -> bool:
    if "/" not in name:
        return name in _STANDARD or (name.startswith("hugepages-") and _is_quantity(name.removeprefix("hugepages-")))
    # Quotas count under `requests.`, so no resource may be called so.
    return is_label_key(name) and not (name.startswith("requests.") and not _is_native(name))


def _is_quantity(text: str) -> bool:
    try:
        return value(text) > 0
    except ValueError:
        return False


def _is_native(name: str) -> bool:
    return "/" not in name or "kubernetes.io/" in name


def _is_whole(quantity: str | int | float) -> bool:
    text = str(quantity)
    if text.isdigit():
        return True

    # What is not whole prints in milli, micro or nano units.
    return canonical(quantity)[-1] not in "mun"
