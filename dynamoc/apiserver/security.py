"""Security contexts of pods and containers (k8s.io/kubernetes/pkg/apis/core/validation, ValidateSecurityContext)."""

from __future__ import annotations

from dynamoc.apiserver.choices import check_choice
from dynamoc.schema.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.catalog.slugs import ErrorSlug
    from dynamoc.diagnostics.finding import Path

    Tree = dict[str, Any]

_IDS = ("runAsUser", "runAsGroup", "fsGroup")
_SYSCTL = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_./")
#: Namespaces of the node, and the sysctls that belong to them.
_OF_THE_NODE = (("hostIPC", ("kernel.shm", "kernel.msg", "kernel.sem", "fs.mqueue.")), ("hostNetwork", ("net.",)))
#: What a pod for Windows cannot have: of the pod, of its containers, and of the pod's own fields.
_LINUX_POD = (
    "appArmorProfile",
    "fsGroup",
    "fsGroupChangePolicy",
    "runAsGroup",
    "runAsUser",
    "seLinuxOptions",
    "seccompProfile",
    "supplementalGroups",
    "supplementalGroupsPolicy",
    "sysctls",
)
_LINUX_CONTAINER = (
    "allowPrivilegeEscalation",
    "appArmorProfile",
    "capabilities",
    "privileged",
    "procMount",
    "readOnlyRootFilesystem",
    "runAsGroup",
    "runAsUser",
    "seLinuxOptions",
    "seccompProfile",
)


def check_pod_security(spec: Tree, path: Path, problems: list[Problem]) -> None:
    """The security context of the pod."""
    context = spec.get("securityContext") or {}
    at = (*path, "securityContext")
    _check_ids(context, at, problems)
    for index, group in enumerate(context.get("supplementalGroups") or ()):
        _check_id("supplementalGroups", group, (*at, "supplementalGroups", index), problems)
    slug: ErrorSlug = "admission/security-policy"
    check_choice(context, "supplementalGroupsPolicy", ("Merge", "Strict"), slug, at, problems)
    check_choice(context, "fsGroupChangePolicy", ("OnRootMismatch", "Always"), slug, at, problems)
    check_choice(context, "seLinuxChangePolicy", ("Recursive",), slug, at, problems)
    _check_profiles(context, at, problems)
    _check_sysctls(spec, context.get("sysctls") or (), (*at, "sysctls"), problems)
    if spec.get("os") is not None and not spec["os"].get("name"):
        problems.append(Problem("admission/pod-os", (*path, "os"), "`os` needs `name`."))
    check_choice(spec.get("os") or {}, "name", ("linux", "windows"), "admission/pod-os", (*path, "os"), problems)
    if (spec.get("os") or {}).get("name") == "windows":
        _check_windows(context, _LINUX_POD, at, problems)
        problems += [
            Problem("admission/pod-os", (*path, field), f"A Windows pod cannot have `{field}`.")
            for field in ("hostPID", "hostIPC", "hostUsers", "shareProcessNamespace")
            if spec.get(field) is not None
        ]


def check_container_security(container: Tree, spec: Tree, path: Path, problems: list[Problem]) -> None:
    """The security context of a container of this pod."""
    context = container.get("securityContext") or {}
    at = (*path, "securityContext")
    _check_ids(context, at, problems)
    _check_profiles(context, at, problems)
    _check_privileges(context, at, problems)
    check_choice(context, "procMount", ("Default", "Unmasked"), "admission/proc-mount", at, problems)
    users = spec.get("hostUsers")
    if context.get("procMount") == "Unmasked" and (users is None or users):
        message = "`procMount: Unmasked` needs `hostUsers: false` in the pod."
        problems.append(Problem("admission/proc-mount", (*at, "procMount"), message))
    if (spec.get("os") or {}).get("name") == "windows":
        _check_windows(context, _LINUX_CONTAINER, at, problems)


def _check_ids(context: Tree, path: Path, problems: list[Problem]) -> None:
    for field in _IDS:
        if context.get(field) is not None:
            _check_id(field, context[field], (*path, field), problems)


def _check_id(field: str, number: int, path: Path, problems: list[Problem]) -> None:
    if not 0 <= number <= 2147483647:
        problems.append(Problem("admission/user-id", path, f"`{field}: {number}` must be between 0 and 2147483647."))


def _check_profiles(context: Tree, path: Path, problems: list[Problem]) -> None:
    for field, what in (("seccompProfile", "seccomp"), ("appArmorProfile", "AppArmor")):
        profile = context.get(field)
        if profile is None:
            continue
        at, local = (*path, field), profile.get("localhostProfile")
        known = ("Localhost", "RuntimeDefault", "Unconfined")
        slug: ErrorSlug = "admission/seccomp-profile" if what == "seccomp" else "admission/apparmor-profile"
        if not profile.get("type"):
            problems.append(Problem(slug, at, f"`{field}` needs `type`."))
        check_choice(profile, "type", known, slug, at, problems)
        if (profile.get("type") == "Localhost") != bool(local):
            message = f"`{field}` must have a `localhostProfile` if its type is Localhost, and only then."
            problems.append(Problem(slug, at, message))
        elif what == "AppArmor" and local and (local != local.strip() or len(local) > 4095):
            message = f"`localhostProfile: {local}` must have no blanks at its ends."
            problems.append(Problem(slug, (*at, "localhostProfile"), message))
        elif what == "seccomp" and local and (local.startswith("/") or ".." in local.split("/")):
            message = f"`localhostProfile: {local}` must be a relative path without `..`."
            problems.append(Problem(slug, (*at, "localhostProfile"), message))


def _check_sysctls(spec: Tree, sysctls: list[Tree] | tuple[()], path: Path, problems: list[Problem]) -> None:
    names: set[str] = set()
    for index, sysctl in enumerate(sysctls):
        name = sysctl.get("name") or ""
        segments = name.replace("/", ".").split(".")
        fits = not set(name) - _SYSCTL and all(
            part and part[0] not in "-_" and part[-1] not in "-_" for part in segments
        )
        if not name or len(name) > 253 or not fits:
            message = f"The sysctl {name!r} must consist of lower-case words separated by `.` or `/`."
            problems.append(Problem("admission/sysctl", (*path, index), message))
        elif name in names:
            problems.append(Problem("admission/sysctl", (*path, index), f"The sysctl `{name}` is set twice."))
        for field, prefixes in _OF_THE_NODE:
            if spec.get(field) and name.replace("/", ".").startswith(prefixes):
                message = f"The sysctl `{name}` cannot be combined with `{field}: true`: it is the node's own."
                problems.append(Problem("admission/sysctl", (*path, index), message))
        names.add(name)


def _check_privileges(context: Tree, path: Path, problems: list[Problem]) -> None:
    escalation = context.get("allowPrivilegeEscalation")
    # Not `is False`: a traced value is equal to it, but another object.
    if escalation is not None and not escalation:
        capabilities = (context.get("capabilities") or {}).get("add") or ()
        if context.get("privileged") or "CAP_SYS_ADMIN" in capabilities:
            message = "`allowPrivilegeEscalation: false` contradicts a privileged container."
            problems.append(Problem("admission/privileges", path, message))


def _check_windows(context: Tree, fields: tuple[str, ...], path: Path, problems: list[Problem]) -> None:
    for field in fields:
        if context.get(field) is not None:
            message = f"A Windows pod cannot have `securityContext.{field}`."
            hint = "delete `os`: the operator's pods are for Linux"
            problems.append(Problem("admission/pod-os", (*path, field), message, hint))
