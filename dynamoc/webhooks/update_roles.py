"""Updates of what came with 1.5: roles, fragments of Grove's objects, and what runs a graph's pods.

Source: internal/webhook/validation/shared_v1beta1.go validateDynamoComponentDeploymentSharedSpecUpdate,
validateComponentRolesUpdate; dynamographdeployment.go validateObjectMetaUpdate; shared_helpers.go
eppRuntimeCompatibilityUpdateError of operator 1.5.
"""

from __future__ import annotations

from dynamoc.model import provider
from dynamoc.model.experimental import node_count
from dynamoc.webhooks import update_pairs
from dynamoc.webhooks.hub import HubComponent
from dynamoc.webhooks.hub_component import picker_problem
from dynamoc.webhooks.hub_roles import is_misplaced
from dynamoc.webhooks.update_pairs import ANEW, Pair, change, old_spec, refuse, refuse_pair

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.webhooks.review import Review

    Tree = dict[str, Any]


def nodes_are_kept(review: Review, pair: Pair) -> None:
    """The number of nodes stays; only a `multinode` that is out of place may go."""
    old, new = node_count(pair.old), node_count(pair.new)
    if (old > 1) != (new > 1):
        goes = is_misplaced(pair.old) and pair.new.get("multinode") is None
        if not (goes and pair.old.get("type") == pair.new.get("type")):
            update_pairs.nodes_are_kept(review, pair)
        return
    if old != new and not is_misplaced(pair.new):
        message = f"`nodeCount` of `{pair.name}` is immutable: it is {old}, and would become {new}."
        refuse_pair(review, pair, "update/multinode", ("multinode", "nodeCount"), message)
    roles_are_kept(review, pair)


def roles_are_kept(review: Review, pair: Pair) -> None:
    """Roles keep their names; listing them, or no longer, must change nothing else."""
    old, new = pair.old.get("roles"), pair.new.get("roles")
    if (old is None) != (new is None):
        listed = pair.new if old is None else pair.old
        if not (provider.says_no_more(listed) and (pair.old if old is None else pair.new).get("multinode") is not None):
            message = f"`roles` of `{pair.name}` are added or removed, and set fields of their own."
            hint = "list the same roles without fields of their own first, and change them in the next update"
            refuse(review, "update/roles", (*pair.path, "roles"), message, hint, (*pair.old_path, "roles"))
        return
    before = {role.get("name", ""): (index, role) for index, role in enumerate(old or ())}
    for index, role in enumerate(new or ()):
        known = before.get(role.get("name", ""))
        if known is not None:
            paths = ((*pair.path, "roles", index), (*pair.old_path, "roles", known[0]))
            _override_is_kept(review, role.get("providerOverride"), known[1].get("providerOverride"), *paths)
    if sorted(before) != sorted(role.get("name", "") for role in new or ()):
        refuse_pair(review, pair, "update/roles", ("roles",), f"The names of `roles` of `{pair.name}` are immutable.")


def override_is_kept(review: Review, pair: Pair) -> None:
    old, new = pair.old.get("providerOverride"), pair.new.get("providerOverride")
    _override_is_kept(review, new, old, pair.path, pair.old_path)


def graph_override_is_kept(review: Review) -> None:
    old, new = old_spec(review).get("providerOverride"), review.spec.get("providerOverride")
    _override_is_kept(review, new, old, ("spec",), ("spec",))


def _override_is_kept(review: Review, new: Tree | None, old: Tree | None, path: Path, old_path: Path) -> None:
    for field in ("apiVersion", "target") if new is not None and old is not None else ():
        before, after = (old or {}).get(field), (new or {}).get(field)
        if before != after:
            message = f"`{field}` of a `providerOverride` is immutable: {change(before, after)}."
            where, there = (*path, "providerOverride", field), (*old_path, "providerOverride", field)
            refuse(review, "update/provider-override", where, message, f"write `{field}: {before}`", there)


def provider_is_kept(review: Review) -> None:
    """What runs the pods was chosen when the graph was created, and only the operator may note it later."""
    path: Path = ("metadata", "annotations", provider.PROVIDER)
    annotations = ((review.old or {}).get("metadata") or {}).get("annotations") or {}
    old, new = annotations.get(provider.PROVIDER), review.annotations.get(provider.PROVIDER)
    if old is None and new is not None:
        message = f"Only the operator writes the annotation `{provider.PROVIDER}`."
        refuse(review, "update/workload-provider", path, message, "delete it")
    elif old is not None and old != new:
        message = f"The annotation `{provider.PROVIDER}` is immutable: {change(old, new)}."
        refuse(review, "update/workload-provider", path, message, ANEW.format("graph"))


def picker_fits_runtime(review: Review, pair: Pair) -> None:
    """An EPP whose configuration never fitted its image may stay as it is, and change in nothing that tells them."""
    new, old = ({**spec, "image": _image(spec)} for spec in (pair.new, pair.old))
    told = ("type", "image", "runtimeVersionOverride", "eppConfig")
    problem = picker_problem(pair.new, new["image"]) if pair.new.get("type") == "epp" else None
    if problem is not None and any(new.get(field) != old.get(field) for field in told):
        path = (*pair.path, "eppConfig")
        refuse(review, "update/epp-config", path, *problem, (*pair.old_path, "eppConfig"))


def _image(spec: Tree) -> str:
    main, _ = HubComponent(spec, (), "", in_graph=True).main()
    image: str = (main or {}).get("image") or ""
    return image
