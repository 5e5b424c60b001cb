"""Fields of a pod that few have: name resolution, host names, gates, priority, security contexts, shared resources.

Source: k8s.io/kubernetes/pkg/apis/core/validation ValidatePodSpec, ValidateSecurityContext of 1.34.
"""

from __future__ import annotations

from ipaddress import ip_address

from dynamoc.documents.apiserver.fields import check_choice
from dynamoc.documents.findings.finding import WARNING, Path
from dynamoc.documents.schema.problem import Problem
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import is_dns_subdomain, is_label_key
from dynamoc.kube.quantity import compare, total
from dynamoc.reference.slugs import ErrorSlug

_DNS_POLICIES = ("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None")


def check_settings(spec: Tree, path: Path, problems: list[Problem]) -> None:
    _check_dns(spec, path, problems)
    for index, alias in enumerate(spec.get("hostAliases") or ()):
        _check_alias(alias, (*path, "hostAliases", index), problems)
    _check_gates(spec, path, problems)
    _check_priority(spec, path, problems)
    _check_namespaces(spec, path, problems)
    if spec.get("ephemeralContainers"):
        message = "A pod cannot be created with `ephemeralContainers`."
        problems.append(Problem("admission/ephemeral-containers", (*path, "ephemeralContainers"), message, "delete it"))
    if spec.get("resources"):
        _check_resources(spec["resources"], (*path, "resources"), problems)
        _check_sums(spec, (*path, "resources"), problems)


def _check_dns(spec: Tree, path: Path, problems: list[Problem]) -> None:
    slug: ErrorSlug = "admission/dns-config"
    config, at = spec.get("dnsConfig") or {}, (*path, "dnsConfig")
    check_choice(spec, "dnsPolicy", _DNS_POLICIES, "admission/dns-policy", path, problems)
    servers, searches = config.get("nameservers") or (), config.get("searches") or ()
    if spec.get("dnsPolicy") == "None" and not servers:
        message = "`dnsPolicy: None` needs `dnsConfig.nameservers`."
        problems.append(Problem("admission/dns-policy", (*path, "dnsPolicy"), message))
    if len(servers) > 3:
        problems.append(
            Problem(slug, (*at, "nameservers"), f"A pod can have at most 3 name servers, not {len(servers)}.")
        )
    if len(searches) > 32 or len(" ".join(searches)) > 2048:
        message = "`searches` can have at most 32 domains and 2048 characters."
        problems.append(Problem(slug, (*at, "searches"), message))
    problems += [
        Problem(slug, (*at, "nameservers", index), f"`{server}` is not an IP address.")
        for index, server in enumerate(servers)
        if not _is_address(server)
    ]
    problems += [
        Problem(slug, (*at, "searches", index), f"`{domain}` is not a DNS domain.")
        for index, domain in enumerate(searches)
        # A single dot is the root; underscores are for services.
        if domain != "." and not is_dns_subdomain(domain.removesuffix(".").replace("_", "a"))
    ]
    problems += [
        Problem(slug, (*at, "options", index), "An option of `dnsConfig` needs `name`.")
        for index, option in enumerate(config.get("options") or ())
        if not option.get("name")
    ]


def _check_alias(alias: Tree, path: Path, problems: list[Problem]) -> None:
    slug: ErrorSlug = "admission/host-alias"
    address = alias.get("ip") or ""
    if not _is_address(address):
        problems.append(Problem(slug, (*path, "ip") if address else path, f"`ip: {address}` is not an IP address."))
    problems += [
        Problem(slug, (*path, "hostnames", index), f"`{name}` must be a DNS subdomain.")
        for index, name in enumerate(alias.get("hostnames") or ())
        if not is_dns_subdomain(name)
    ]


def _is_address(text: str) -> bool:
    text = str(text)
    if "." in text and ":" not in text:
        # Go's old parser, which the API server still takes here, reads past leading zeros.
        text = ".".join(part.lstrip("0") or part[-1:] for part in text.split("."))
    try:
        ip_address(text)
    except ValueError:
        return False
    return "%" not in text


def _check_gates(spec: Tree, path: Path, problems: list[Problem]) -> None:
    for field, key in (("readinessGates", "conditionType"), ("schedulingGates", "name")):
        names: set[str] = set()
        for index, gate in enumerate(spec.get(field) or ()):
            name = gate.get(key) or ""
            if field == "schedulingGates" and name in names:
                problems.append(Problem("admission/gate", (*path, field, index), f"Two gates are called `{name}`."))
            names.add(name)
            if not is_label_key(name):
                message = (
                    f"`{key}: {name}` must consist of letters, digits, `-`, `_` and `.`, optionally after a domain."
                )
                problems.append(Problem("admission/gate", (*path, field, index), message))
    if spec.get("schedulingGates") and spec.get("nodeName"):
        message = "A pod with `schedulingGates` has no node: its pods are refused."
        problems.append(Problem("admission/gate", (*path, "nodeName"), message, "delete one of them", WARNING))


def _check_priority(spec: Tree, path: Path, problems: list[Problem]) -> None:
    policies = ("Never", "PreemptLowerPriority")
    check_choice(spec, "preemptionPolicy", policies, "admission/preemption-policy", path, problems)
    if spec.get("preemptionPolicy") == "Never" and not spec.get("priorityClassName"):
        message = "`preemptionPolicy: Never` comes from a PriorityClass: pods that name it themselves are refused."
        hint = "write the `priorityClassName` of one that has it"
        problems.append(Problem("admission/preemption-policy", (*path, "preemptionPolicy"), message, hint, WARNING))
    if spec.get("overhead"):
        message = "`overhead` comes from a RuntimeClass: pods that name another are refused."
        problems.append(Problem("admission/overhead", (*path, "overhead"), message, "delete it", WARNING))
    if spec.get("priority"):
        # A template may have it; the admission plugin Priority computes another number for each pod.
        message = (
            f"`priority: {spec['priority']}` must come from a PriorityClass: the API server rejects pods that "
            "set a number."
        )
        hint = "write `priorityClassName` instead"
        problems.append(Problem("admission/priority", (*path, "priority"), message, hint, WARNING))


def _check_namespaces(spec: Tree, path: Path, problems: list[Problem]) -> None:
    """Namespaces of the node that exclude others."""
    if spec.get("shareProcessNamespace") and spec.get("hostPID"):
        message = "`shareProcessNamespace` and `hostPID` cannot be combined."
        problems.append(Problem("admission/process-namespace", (*path, "shareProcessNamespace"), message))
    users = spec.get("hostUsers")
    if users is not None and not users:
        for field in ("hostNetwork", "hostPID", "hostIPC"):
            if spec.get(field):
                message = f"`hostUsers: false` cannot be combined with `{field}`."
                problems.append(Problem("admission/user-namespace", (*path, "hostUsers"), message))


def _check_resources(resources: Tree, path: Path, problems: list[Problem]) -> None:
    """Resources of the whole pod (validatePodResources): CPU, memory and huge pages."""
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    for section, amounts in (("limits", limits), ("requests", requests)):
        problems += [
            Problem("admission/resource-name", (*path, section, name), f"`{name}` is not a resource of a whole pod.")
            for name in amounts
            if name not in ("cpu", "memory") and not name.startswith("hugepages-")
        ]
    for name, amount in requests.items():
        if name in limits and compare(amount, limits[name]) > 0:
            message = f"The request for `{name}`, {amount}, is above its limit, {limits[name]}."
            problems.append(Problem("admission/request-above-limit", (*path, "requests", name), message))


def _check_sums(spec: Tree, path: Path, problems: list[Problem]) -> None:
    """What the containers ask for together fits into the pod's request, and each limit into the pod's limit."""
    limits = spec["resources"].get("limits") or {}
    requests = {**limits, **(spec["resources"].get("requests") or {})}
    running = [*(spec.get("containers") or ())]
    running += [item for item in spec.get("initContainers") or () if item.get("restartPolicy") == "Always"]
    for name, amount in requests.items():
        asked = [_own(container).get(name) for container in running]
        if compare(total([item for item in asked if item is not None]), amount) > 0:
            message = f"The containers ask for more `{name}` together than the pod's {amount}."
            problems.append(Problem("admission/request-above-limit", (*path, "requests", name), message))
    for name, amount in limits.items():
        for container in running:
            own = ((container.get("resources") or {}).get("limits") or {}).get(name)
            if own is not None and compare(own, amount) > 0:
                message = f"The limit for `{name}` of the container `{container.get('name', '')}`, {own}, is above the "
                message += f"pod's, {amount}."
                problems.append(Problem("admission/request-above-limit", (*path, "limits", name), message))


def _own(container: Tree) -> Tree:
    """Requests of a container; a limit without a request is one."""
    resources = container.get("resources") or {}
    return {**(resources.get("limits") or {}), **(resources.get("requests") or {})}


_IDS = ("runAsUser", "runAsGroup", "fsGroup")
_SYSCTL = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_./")
#: Namespaces of the node, and the sysctls that belong to them.
_OF_THE_NODE = (("hostIPC", ("kernel.shm", "kernel.msg", "kernel.sem", "fs.mqueue.")), ("hostNetwork", ("net.",)))
#: What a pod for Windows cannot have: of the pod, of its containers, and of the pod's own fields.
_LINUX_POD = (
    "appArmorProfile", "fsGroup", "fsGroupChangePolicy", "runAsGroup", "runAsUser", "seLinuxOptions",
    "seccompProfile", "supplementalGroups", "supplementalGroupsPolicy", "sysctls",
)  # fmt: skip
_LINUX_CONTAINER = (
    "allowPrivilegeEscalation", "appArmorProfile", "capabilities", "privileged", "procMount",
    "readOnlyRootFilesystem", "runAsGroup", "runAsUser", "seLinuxOptions", "seccompProfile",
)  # fmt: skip


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
