"""What the API server says to an update, whatever the kind.

Source: k8s.io/apiserver pkg/registry/rest/update.go BeforeUpdate, pkg/registry/generic/registry/store.go Update.
"""

from __future__ import annotations

from dynamoc.webhooks.update_pairs import refuse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.webhooks.review import Review


def judge(review: Review) -> None:
    old = (review.old or {}).get("metadata") or {}
    for field in ("resourceVersion", "uid"):
        new, known = review.metadata.get(field), old.get(field)
        if new and known and new != known:
            message = f"`{field}` is {new}, but the existing object has {known}: it is not the object that was read."
            refuse(review, "update/conflict", ("metadata", field), message, f"delete `{field}`")
    if old.get("deletionTimestamp"):
        message = "The object is being deleted: the API server accepts this update, but it disappears with the object."
        review.warn("update/deleting", ("metadata", "name"), message, "wait until it is gone, and apply it again")
        review.problems[-1].old_path = ("metadata", "deletionTimestamp")
