"""The claim of a service: there, a field of the service; today, a volume and a claim that users write."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.generations.component import Tell

    Tree = dict[str, Any]

_NEEDED = ("size", "volumeAccessMode")


def add_claim(claim: Any, default: str, pod: Tree, main: Tree, tell: Tell) -> list[Tree]:
    """Mounts a service's claim into `main`; the claim itself where the operator created it, without a namespace.

    Source: internal/controller/common.go constructPVC, getPvcName; the volume has the name of the claim.
    """
    if not isinstance(claim, dict):
        return []
    name, point = claim.get("name") or default, claim.get("mountPoint")
    if not point:
        message = f"The claim `{name}` has no `mountPoint`: it is not mounted."
        tell(("pvc",), "convert/no-successor", message, "add `mountPoint`")
        return []
    pod["volumes"] = [{"name": name, "persistentVolumeClaim": {"claimName": name}}]
    main["volumeMounts"] = [{"name": name, "mountPath": point}]
    if not claim.get("create"):
        _tell_not_created(claim, name, tell)
        return []
    missing = [field for field in _NEEDED if not claim.get(field)]
    if missing:
        message = f"The claim `{name}` is not part of the output: it has no {' and no '.join(missing)}."
        tell(("pvc",), "convert/no-successor", message, f"add {' and '.join(missing)}, or create the claim")
        return []
    message = f"No operator creates claims of components any more: `{name}` is a PersistentVolumeClaim of the output."
    tell(("pvc", "create"), "convert/claim", message)
    return [_claim(name, claim)]


def _tell_not_created(claim: Tree, name: str, tell: Tell) -> None:
    if claim.get("size"):
        message = f"`size` has no effect without `create: true`: the claim `{name}` must exist."
        hint = "add `create: true` and `volumeAccessMode`, or remove `size`"
        tell(("pvc", "size"), "convert/no-successor", message, hint)


def _claim(name: str, claim: Tree) -> Tree:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name},
        "spec": {
            "accessModes": [claim["volumeAccessMode"]],
            "resources": {"requests": {"storage": claim["size"]}},
            "storageClassName": claim.get("storageClass") or "",
        },
    }
