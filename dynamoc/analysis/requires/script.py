"""Requirements as a script for any POSIX shell, which asks a cluster what of them is missing."""

from __future__ import annotations

from collections.abc import Iterator
from shlex import quote

from dynamoc.analysis.requires.needs import (
    BRINGERS,
    INPUT,
    KUBERNETES,
    RENDER,
    Need,
    Requirement,
    Requirements,
    need_text,
    requirement_title,
)
from dynamoc.analysis.requires.pods import LABEL
from dynamoc.reference.features import read_data
from dynamoc.reference.releases import Release

_NEVER_ASKED = (RENDER, INPUT, KUBERNETES)


def script(found: Requirements, release: Release) -> str:
    """The text of the script, which asks for all that stands in neither the input nor the output."""
    lines = "".join(f"{line}\n" for line in _checks(found))
    return read_data("scripts/check-cluster.txt").replace("{release}", release.name).replace("@checks@", lines)


def _checks(found: Requirements) -> Iterator[str]:
    for api in found.apis:
        if api.by not in _NEVER_ASKED:
            yield _line("api", f"{api.group}/{api.version}", api.kind, _why(api.needs, api.by))
    for item in found.objects:
        # The name of what only the operator asks for may be one of several.
        if item.by not in _NEVER_ASKED and not (item.asked and item.kind == "DaemonSet"):
            yield from _object(item)
    for address in found.addresses:
        if address.service is not None and address.by not in _NEVER_ASKED:
            namespace, name = address.service
            title = f"Service/{name} ({namespace}), which is {address.variable}"
            yield _line("object", title, _why(address.needs, address.by), "Service", name, namespace)
    for named in found.nodes:
        if named.what == LABEL:
            yield _line("labelled", named.name, _why(named.needs, None))
    for resource, (most, total) in found.resources.items():
        yield _line("capacity", resource, str(most), str(total))


def _object(item: Requirement) -> Iterator[str]:
    title, why = requirement_title(item), _why(item.needs, item.by)
    kind = f"{item.kind}.{item.group}" if item.group else item.kind
    optional = "optional " if item.optional else ""
    yield optional + _line("object", title, why, kind, item.name, item.namespace)
    for key, free in sorted(item.keys.items()):
        prefix = "optional " if free or item.optional else ""
        yield prefix + _line("key", title, why, kind, item.name, item.namespace, key)


def _why(needs: list[Need], by: str | None) -> str:
    need = needs[0]
    place = f" at {need.place}" if need.place else ""
    others = f", and {len(needs) - 1} more" if len(needs) > 1 else ""
    bringer = f"; {BRINGERS[by]} provides it" if by else ""
    return f"{need_text(need)}{place}{others}{bringer}"


def _line(*words: str) -> str:
    return " ".join(quote(word) for word in words)
