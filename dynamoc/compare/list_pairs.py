"""Which elements of two lists belong together, and whether anybody looks at their order.

Kubernetes knows most of its lists as maps: containers by name, mounts by path, ports by number. What is known by
nothing (rules, tolerations) is compared by its content.
"""

from __future__ import annotations

from dynamoc.tree import content

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.compare.path import Step

    Pair = tuple[int | None, int | None, Step]
    """Positions on both sides, and the step that names the element."""

#: Fields by which elements of a list are known, the best first; what the first leaves over is matched by the next.
_KEYS = {
    "volumeMounts": ("mountPath", "name"),
    "volumeDevices": ("devicePath",),
    "ports": ("name", "containerPort", "port"),
    "hostAliases": ("ip",),
    "items": ("key", "path"),
    "topologySpreadConstraints": ("topologyKey",),
    "ownerReferences": ("uid", "name"),
    "conditions": ("type",),
    "rules": ("host",),
    "paths": ("path",),
    "components": ("name",),
    "tolerations": (),
    "envFrom": (),
    "subjects": (),
}
_ANY_KEYS = ("name", "key", "id")

#: Lists of names whose order means nothing.
_SETS = frozenset(
    (
        "accessModes",
        "add",
        "apiGroups",
        "childCliqueNames",
        "cliqueNames",
        "drop",
        "finalizers",
        "nonResourceURLs",
        "resourceNames",
        "resources",
        "startsAfter",
        "supplementalGroups",
        "verbs",
    )
)

_MAPS = frozenset(("annotations", "data", "labels", "limits", "matchLabels", "nodeSelector", "requests", "stringData"))

#: Lists of objects that are read from the first to the last.
_ORDERED = {
    "initContainers": "init containers run one after the other",
    "envFrom": "if two sources have the same key, the later one wins",
    "http": "the first route that matches wins",
    "preferredDuringSchedulingIgnoredDuringExecution": None,
}


def is_set(name: str) -> bool:
    """Whether a list of scalars under this name is a set."""
    return name in _SETS


def is_elements(value: Any) -> bool:
    """Whether a value is a list of objects."""
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def is_map(name: str, value: Any) -> bool:
    """Whether a value is a map whose keys are the user's, and not fields of the API."""
    return name in _MAPS and isinstance(value, dict) and bool(value)


def pair_elements(name: str, old: list[Any], new: list[Any]) -> list[Pair]:
    """Elements of two lists of objects that belong together; in the order of `new`, then those that only `old` has."""
    # Ordered sets: both lists lose most of their elements one by one.
    left, right = dict.fromkeys(range(len(old))), dict.fromkeys(range(len(new)))
    partner: dict[int, tuple[int, Step]] = {}
    keys = _KEYS.get(name, _ANY_KEYS)
    for key in keys:
        if not left or not right:
            break
        _match(partner, left, right, _values(old, left, key), _values(new, right, key), key)
    alike: dict[str, list[int]] = {}
    for i in reversed(left) if right else ():
        alike.setdefault(content(old[i]), []).append(i)
    for j in list(right):
        if same := alike.get(content(new[j])):
            found = same.pop()
            partner[j] = (found, _step(new, j, keys))
            del left[found], right[j]
    if not any(_key_of(old[i], keys) for i in left) and not any(_key_of(new[j], keys) for j in right):
        # Known by nothing, and changed: take them as they come.
        for i, j in zip(list(left), list(right), strict=False):
            partner[j] = (i, j)
            del left[i], right[j]
    pairs: list[Pair] = [
        (partner[j][0], j, partner[j][1]) if j in partner else (None, j, _step(new, j, keys)) for j in range(len(new))
    ]
    return pairs + [(i, None, _step(old, i, keys)) for i in left]


def order_note(name: str, old: list[Any], new: list[Any]) -> tuple[bool, str]:
    """Whether another order of these elements means something, and why."""
    if name == "env":
        return _env_order(old, new)
    if name in _ORDERED:
        return True, _ORDERED[name] or "the order matters"
    return False, "Kubernetes ignores the order of this list"


def _values(items: list[Any], positions: dict[int, None], key: str) -> dict[Any, int]:
    """Positions by the value of a field, for elements that are alone with theirs."""
    # The protocol tells two ports of one number apart; the n-th of several alike belongs to the n-th of the other side.
    alone: dict[Any, int] = {}
    counts: dict[Any, int] = {}
    for position in positions:
        item = items[position]
        value = item.get(key) if isinstance(item, dict) else None
        if isinstance(value, str | int) and value != "":
            count = counts[value] = counts.get(value, 0) + 1
            alone[value if count == 1 else (value, count - 1)] = position
    return alone


def _match(
    partner: dict[int, tuple[int, Step]],
    left: dict[int, None],
    right: dict[int, None],
    old: dict[Any, int],
    new: dict[Any, int],
    key: str,
) -> None:
    for value, j in new.items():
        i = old.get(value)
        if i is not None:
            shown = value if not isinstance(value, tuple) else f"{value[0]}#{value[1] + 1}"
            partner[j] = (i, (key, str(shown)))
            del left[i], right[j]


def _key_of(item: Any, keys: tuple[str, ...]) -> tuple[str, str] | None:
    if isinstance(item, dict):
        for key in keys:
            if isinstance(item.get(key), str | int):
                return key, str(item[key])
    return None


def _step(items: list[Any], position: int, keys: tuple[str, ...]) -> Step:
    return _key_of(items[position], keys) or position


def _env_order(old: list[Any], new: list[Any]) -> tuple[bool, str]:
    """A variable sees with $(NAME) those above it only."""
    for items, others in ((old, new), (new, old)):
        places = {item.get("name"): place for place, item in enumerate(others) if isinstance(item, dict)}
        for place, item in enumerate(items):
            text = item.get("value") if isinstance(item, dict) else None
            if not isinstance(text, str) or "$(" not in text:
                continue
            for above, other in enumerate(items):
                name = other.get("name") if isinstance(other, dict) else None
                moved = (above < place) != (places.get(name, 0) < places.get(item.get("name"), 0))
                if name and f"$({name})" in text and moved:
                    return True, f"{item.get('name')} refers to $({name}), which must come before it"
    return False, "the order of variables matters only if one refers to another with $(NAME)"
