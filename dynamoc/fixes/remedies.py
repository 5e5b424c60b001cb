"""What the one certain remedy of a finding is, where its name says it."""

from __future__ import annotations

from dynamoc.diagnostics.change import Change

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.diagnostics.catalog.slugs import Slug
    from dynamoc.diagnostics.finding import Finding, Path
    from dynamoc.fixes.nodes import Entry

#: fields that mean nothing, or that the API server or the operator refuses wherever they are
_REMOVED: dict[Slug, str] = {
    "admission/active-deadline": "activeDeadlineSeconds",
    "admission/ephemeral-containers": "ephemeralContainers",
    "admission/epp-multinode": "multinode",
    "admission/multinode-type": "multinode",
    "admission/origin-version": "nvidia.com/dynamo-operator-origin-version",
    "admission/overhead": "overhead",
    "admission/restart-policy": "restartPolicy",
    "cel/client-pods-are-not-supported": "extraClientPods",
    "cel/client-pods-need-inter-pod": "extraClientPods",
    "cel/client-pods-need-inter-pod-mode": "extraClientPods",
    "cel/restart-is-unset-at-creation": "restart",
    "component/dynamo-component-ignored": "dynamoComponent",
    "component/service-name-ignored": "serviceName",
    "container/renamed": "name",
    "graph/dynamo-graph-ignored": "dynamoGraph",
}
_WRITTEN: dict[Slug, object] = {"admission/epp-replicas": 1}


def change_of(finding: Finding) -> Change | None:
    """The change of a finding; None where there are several remedies, or none that is certain."""
    if finding.change is not None:
        return finding.change
    if finding.slug in _REMOVED:
        return Change("remove", old=_REMOVED[finding.slug])
    if finding.slug == "request/ignored" and finding.path and not _is_repeated(finding.path):
        return Change("remove", old=finding.path[-1])
    if finding.slug == "resources/gpu-request-ignored" and finding.related:
        # The limit counts, and is there.
        return Change("remove", old="gpu")
    if finding.slug in _WRITTEN:
        return Change("write", _WRITTEN[finding.slug])
    return None


def _is_repeated(path: Path) -> bool:
    """Whether a field of a request shows in the Job though nothing reads it: mounted, or in the Job's arguments."""
    return path[-1] == "configMapRef" or path[:2] == ("spec", "overrides")


def title_of(change: Change, entry: Entry | None) -> str:
    """What a change does, as an order."""
    if entry is None:
        return "Remove the comment"
    name = next((step for step in reversed(entry.path) if isinstance(step, str)), "")
    if change.kind == "rename":
        return f"Rename `{name}` to `{change.new}`"
    if change.kind == "remove":
        return f"Remove the item of `{name}`" if entry.key is None else f"Remove `{name}`"
    if change.kind == "quote":
        return f"Put the value of `{name}` in quotes"
    if change.kind == "list":
        return f"Write `{name}` as a list"
    written = change.new if isinstance(change.new, str) else str(change.new).lower()
    return f"Write `{name}: {written}`"
