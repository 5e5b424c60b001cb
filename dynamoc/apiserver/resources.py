"""Resources of containers (k8s.io/kubernetes/pkg/apis/core/validation, ValidateContainerResourceRequirements)."""

from __future__ import annotations

from dynamoc.golang.quantity import compare, sign, value
from dynamoc.kube.names import is_dns_label, is_label_key
from dynamoc.schema.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path

    Tree = dict[str, Any]

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
        # Told already, as an amount that is no quantity.
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
    from dynamoc.golang.quantity import canonical

    # What is not whole prints in milli, micro or nano units.
    return canonical(quantity)[-1] not in "mun"
