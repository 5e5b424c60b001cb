"""What minors of Kubernetes judge otherwise than the newest one that dynamoc knows.

Source: the default of each feature gate in k8s.io/kubernetes/pkg/features/kube_features.go of 1.34, which names the
minor of every change. A cluster may set gates otherwise.
"""

from __future__ import annotations

from dynamoc.apiserver.field_table import places
from dynamoc.diagnostics.finding import ERROR, WARNING
from dynamoc.kube.names import is_dns_subdomain, is_env_var_name
from dynamoc.schema.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from dynamoc.diagnostics.catalog.slugs import ErrorSlug, Severity
    from dynamoc.diagnostics.finding import Path

    Tree = dict[str, Any]

OLDEST, NEWEST = 30, 34

#: Fields of pods that the API server drops without a word before a minor.
DROPPED = (
    ("hostUsers", 33),  # UserNamespacesSupport
    ("resources", 34),  # PodLevelResources
    ("resourceClaims", 34),  # DynamicResourceAllocation
    ("containers[].resources.claims", 34),
    ("initContainers[].resources.claims", 34),
    ("securityContext.supplementalGroupsPolicy", 33),  # SupplementalGroupsPolicy
    ("securityContext.seLinuxChangePolicy", 33),  # SELinuxChangePolicy
    ("containers[].securityContext.procMount", 33),  # ProcMountType
    ("initContainers[].securityContext.procMount", 33),
    ("containers[].volumeMounts[].recursiveReadOnly", 31),  # RecursiveReadOnlyMounts
    ("initContainers[].volumeMounts[].recursiveReadOnly", 31),
)


def _is_plain_env_name(name: str) -> bool:
    return is_env_var_name(name, relaxed=False)


def _is_plain_domain(domain: str) -> bool:
    return is_dns_subdomain(domain.removesuffix("."))


def _is_a_second(seconds: int) -> bool:
    return seconds > 0


_ENV = "letters, digits, `-`, `_` and `.`, the first no digit"
#: Formats that are wider since a minor: slug, field, the minor, the format before it, and how that reads.
NARROWER: tuple[tuple[ErrorSlug, str, int, Callable[[Any], bool], str], ...] = (
    # RelaxedEnvironmentVariableValidation
    ("admission/env-name", "containers[].env[].name", 32, _is_plain_env_name, _ENV),
    ("admission/env-name", "initContainers[].env[].name", 32, _is_plain_env_name, _ENV),
    ("admission/env-name", "containers[].envFrom[].prefix", 32, _is_plain_env_name, _ENV),
    ("admission/env-name", "initContainers[].envFrom[].prefix", 32, _is_plain_env_name, _ENV),
    # RelaxedDNSSearchValidation
    ("admission/dns-config", "dnsConfig.searches[]", 33, _is_plain_domain, "a DNS subdomain"),
    # PodLifecycleSleepActionAllowZero
    ("admission/lifecycle-sleep", "containers[].lifecycle.preStop.sleep.seconds", 33, _is_a_second, "at least 1"),
    ("admission/lifecycle-sleep", "containers[].lifecycle.postStart.sleep.seconds", 33, _is_a_second, "at least 1"),
)


def minor_of(version: str) -> int | None:
    """34 for `1.34`, `v1.34.2`, `1.34+` and `1.34.2-eks-1`; None where it is no version from `OLDEST` on."""
    major, _, rest = version.removeprefix("v").partition(".")
    minor = rest.partition(".")[0].removesuffix("+")
    known = major == "1" and minor.isascii() and minor.isdigit() and len(minor) < 4 and int(minor) >= OLDEST
    return int(minor) if known else None


def in_minor(value: Tree, problems: list[Problem], minor: int) -> list[Problem]:
    """The problems of the newest minor, as an older one has them; it drops fields before it looks at them."""
    found = problems
    for path, spec, severity in _pods(value):
        dropped = [
            place
            for field, since in DROPPED
            if minor < since
            for place, given in places(spec, field, path)
            if given is not None
        ]
        found = [item for item in found if not any(item.path[: len(place)] == place for place in dropped)]
        found += [_dropped(place, minor) for place in dropped]
        known = {(item.slug, item.path) for item in found}
        for slug, field, since, fits, what in NARROWER:
            for place, text in places(spec, field, path) if minor < since else ():
                if text not in (None, "") and not fits(text) and (slug, place) not in known:
                    message = f"`{place[-1]}: {text}` must be {what}, before Kubernetes 1.{since}."
                    found.append(Problem(slug, place, message, None, severity))
    return found


def _dropped(place: Path, minor: int) -> Problem:
    message = f"The API server of Kubernetes 1.{minor} drops `{place[-1]}`: it has no effect."
    return Problem("admission/dropped-field", place, message, None, WARNING)


def _pods(value: Tree) -> Iterator[tuple[Path, Tree, Severity]]:
    """Path and spec of each kind of pod, and how bad it is that the pod is refused."""
    kind, spec = value.get("kind"), value.get("spec") or {}
    if kind in ("Deployment", "Job"):
        yield ("spec", "template", "spec"), (spec.get("template") or {}).get("spec") or {}, ERROR
    elif kind == "LeaderWorkerSet":
        templates = spec.get("leaderWorkerTemplate") or {}
        for role in ("leaderTemplate", "workerTemplate"):
            if templates.get(role):
                yield ("spec", "leaderWorkerTemplate", role, "spec"), templates[role].get("spec") or {}, WARNING
    elif kind in ("PodCliqueSet", "PodGangSet"):
        for index, clique in enumerate((spec.get("template") or {}).get("cliques") or ()):
            path = ("spec", "template", "cliques", index, "spec", "podSpec")
            yield path, (clique.get("spec") or {}).get("podSpec") or {}, WARNING
