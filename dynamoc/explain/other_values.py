"""Other values that a field of the input may have: what a schema or the operator lists, and what is like its own."""

from __future__ import annotations

import re

from dynamoc.model.provider import COMPONENT, GROVE, PROVIDER
from dynamoc.release import RELEASES, get_release
from dynamoc.tree import at
from dynamoc.webhooks.known_annotations import DISCOVERY_MODE, EXECUTOR_BACKEND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.release.registry import Release

#: what v1alpha1 says as sub types of a worker
SUB_TYPES = ("prefill", "decode")
#: fields of Kubernetes whose values its API server knows, and no CRD lists
KUBERNETES = {
    "imagePullPolicy": ("Always", "IfNotPresent", "Never"),
    "restartPolicy": ("Always", "OnFailure", "Never"),
    "dnsPolicy": ("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"),
    "preemptionPolicy": ("Never", "PreemptLowerPriority"),
    "terminationMessagePolicy": ("File", "FallbackToLogsOnError"),
}
_WORDS: dict[Any, tuple[str, ...]] = {
    **KUBERNETES,
    "accessModes": ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"),
    "effect": ("NoSchedule", "PreferNoSchedule", "NoExecute"),
    "medium": ("", "Memory"),
    "mountPropagation": ("None", "HostToContainer", "Bidirectional"),
    "operator": ("Exists", "Equal", "In", "NotIn", "DoesNotExist"),
    "protocol": ("TCP", "UDP", "SCTP"),
    "scheme": ("HTTP", "HTTPS"),
    "subComponentType": SUB_TYPES,
    "nvidia.com/dynamo-checkpoint-startup-policy": ("Immediate", "WaitForCheckpoint"),
    "nvidia.com/dynamo-discovery-backend": ("kubernetes", "etcd"),
    DISCOVERY_MODE: ("pod", "container"),
    EXECUTOR_BACKEND: ("mp", "ray"),
    PROVIDER: (GROVE, COMPONENT),
}


def listed_values(document: Any, path: Path, release: Release) -> list[Any]:
    """The values that the schema, Kubernetes or the operator lists for a field; images of other runtime versions."""
    kind = (str(document.get("apiVersion", "")), str(document.get("kind", "")))
    value, field = at(document, path), next((step for step in reversed(path) if isinstance(step, str)), "")
    found = [*_choices(release.name, kind, path), *_WORDS.get(field, ())]
    if field == "componentType":
        found += release["component-defaults"]
    elif field == "image" and isinstance(value, str):
        # The version of the runtime decides what the operator may ask of it.
        name, colon, tag = value.rpartition(":")
        if colon and tag[:1].isdigit():
            found += [f"{name}:{version}" for version in (*_recorded(), release.version)]
    return list(dict.fromkeys(found))


def _recorded() -> list[str]:
    """Versions of the releases that are known best, which stand for all that images may be."""
    found = (get_release(name) for name in RELEASES)
    return [release.version for release in found if release.exactness == "recorded"]


def values_like(value: Any) -> Iterator[Any]:
    """The next number, a longer text."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield value + 1
        yield from (value - 1,) if value > 0 else ()
        yield 2 * value
    elif isinstance(value, str) and value in ("true", "false"):
        yield "false" if value == "true" else "true"
    elif isinstance(value, str):
        # `64Gi` becomes `65Gi`, and `runtime:1.4.0` becomes `runtime:1.4.1`.
        number = re.search(r"\d+(?=\D*$)", value)
        if number is not None:
            yield f"{value[: number.start()]}{int(number[0]) + 1}{value[number.end() :]}"
        yield from (f"{value}x", f"{value}1", f"x{value}") if value else ()
        yield "other"


def _choices(release: str, kind: tuple[str, str], path: Path) -> tuple[Any, ...]:
    """The values that the schema allows for a field, where it counts them."""
    from dynamoc.schema.data import load

    schema = load(release)
    number = schema["kinds"].get(kind[0], {}).get(kind[1])
    if number is None:
        return ()
    node = schema["nodes"][number]
    for step in path:
        below = node.get("items") if isinstance(step, int) else node.get("props", {}).get(step, node.get("extra"))
        if below is None:
            return ()
        node = schema["nodes"][below]
    return tuple(node.get("enum", ()))
