"""Why some fields never have an effect, where it takes knowledge of the operator to tell."""

from __future__ import annotations

from dynamoc.diagnostics.finding import format_path
from dynamoc.tree import at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.options import Options

_METADATA = ("metadata", "annotations")
_ENABLE_GROVE = "nvidia.com/enable-grove"


def why_ignored(document: Any, path: Path, options: Options) -> str | None:
    """A sentence on a field without effect, None where nothing is known of it."""
    value = at(document, path)
    if value is None or value == {} or value == []:
        return "It is empty, which is the same as leaving it out."
    if path[:2] == _METADATA and path[-1] == _ENABLE_GROVE and options.target != "auto":
        return f"--target {options.target} decides what runs the pods; with --target auto, the annotation would."
    if path[-3:] == ("resources", "requests", "gpu") and not options.release.has("resources/gpu-request"):
        return (
            f"Release {options.release.name} ignores requests.gpu of a component: Kubernetes uses the limit as "
            "the request for GPUs."
        )
    return _not_enabled(document, path)


def _not_enabled(document: Any, path: Path) -> str | None:
    """What stands in a block that nobody switched on."""
    if "ingress" not in path[:-1] or path[-1] == "enabled":
        return None
    depth = path.index("ingress") + 1
    block = at(document, path[:depth])
    if isinstance(block, dict) and not block.get("enabled"):
        return f"{format_path(path[:depth])} is not enabled with `enabled: true`."
    return None
