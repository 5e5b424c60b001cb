"""What `kubectl apply` makes of a custom resource that exists: a three-way merge of JSON.

Source: k8s.io/apimachinery pkg/util/jsonmergepatch CreateThreeWayJSONMergePatch; RFC 7386.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]

_ABSENT: Any = object()


def applied(manifest: Tree, current: Tree, last: Tree) -> Tree:
    """`current` with what `manifest` says, and without what only `last` says, the manifest that was applied before.

    Mappings are merged key by key and everything else is replaced as a whole, lists too. A null deletes.
    """
    merged = {key: item for key, item in current.items() if key not in manifest and key not in last}
    for key, item in manifest.items():
        before = current.get(key, _ABSENT)
        if item is None:
            if key in last and last[key] is None and before is not _ABSENT:
                merged[key] = before
        elif not isinstance(item, dict):
            merged[key] = item
        elif isinstance(before, dict) or last.get(key) != item or _says_something(item):
            merged[key] = applied(item, _mapping(before), _mapping(last.get(key)))
        elif before is not _ABSENT:
            merged[key] = before
    return merged


def _says_something(manifest: Tree) -> bool:
    """Whether anything is left of a mapping without its nulls; an empty one says that it is empty."""
    return not manifest or any(
        _says_something(item) if isinstance(item, dict) else item is not None for item in manifest.values()
    )


def _mapping(value: Any) -> Tree:
    return value if isinstance(value, dict) else {}
