"""Two trees field by field: what was added, removed, changed, or is in another order.

Kubernetes knows most of its lists as maps: containers by name, mounts by path, ports by number. What is known by
nothing (rules, tolerations) is compared by its content. A step of a path is a key (`"spec"`), a position (`3`), or the
field that an element is known by and its value (`("name", "main")`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from dynamoc.analysis.compare.result import ADDED, CHANGED, ORDER, REMOVED, REORDERED, Change, Step, Steps
from dynamoc.kube.merge import content

SameText = Callable[[str, str], bool]
"""Whether two texts that differ say the same, such as names of two worker generations."""

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
        *("accessModes", "add", "apiGroups", "childCliqueNames", "cliqueNames", "drop", "finalizers"),
        *("nonResourceURLs", "resourceNames", "resources", "startsAfter", "supplementalGroups", "verbs"),
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
        _match(partner, left, right, _element_values(old, left, key), _element_values(new, right, key), key)
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


def _element_values(items: list[Any], positions: dict[int, None], key: str) -> dict[Any, int]:
    """Positions by the value of a field, for elements that are alone with theirs."""
    # The protocol distinguishes two ports of one number; the n-th of several alike belongs to the other side's n-th.
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


def compare_trees(old: Any, new: Any, same_text: SameText | None = None) -> list[Change]:
    """The fields that differ, in the order of keys; lists of the new side in their own order."""
    found: list[Change] = []
    _values((), old, new, same_text, found)
    return found


def is_same(old: Any, new: Any) -> bool:
    """Equality by which 1 is not true, as it is to Python."""
    if old.__class__ is str and new.__class__ is str:
        return bool(old == new)
    return old == new and repr(old) == repr(new)


def _values(steps: Steps, old: Any, new: Any, same_text: SameText | None, found: list[Change]) -> None:
    if is_same(old, new):
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({**old, **new}):
            _member(steps, key, old, new, same_text, found)
    elif isinstance(old, list) and isinstance(new, list):
        _lists(steps, old, new, same_text, found)
    elif not (same_text and isinstance(old, str) and isinstance(new, str) and same_text(old, new)):
        found.append(Change(steps, CHANGED, old, new))


def _member(steps: Steps, key: str, old: Any, new: Any, same_text: SameText | None, found: list[Change]) -> None:
    left, right = old.get(key), new.get(key)
    if left is right:
        return
    below = (*steps, key)
    # A list or a map that comes or goes is reported element by element, as one that grows or shrinks.
    if left is None and (is_elements(right) or is_map(key, right)):
        left = type(right)()
    if right is None and (is_elements(left) or is_map(key, left)):
        right = type(left)()
    if left is None:
        found.append(Change(below, ADDED, new=right))
    elif right is None:
        found.append(Change(below, REMOVED, left))
    else:
        _values(below, left, right, same_text, found)


def _lists(steps: Steps, old: list[Any], new: list[Any], same_text: SameText | None, found: list[Change]) -> None:
    name = steps[-1] if steps and isinstance(steps[-1], str) else ""
    if any(not isinstance(item, dict) for item in (*old, *new)):
        found += _scalars(steps, name, old, new, same_text)
        return
    pairs = pair_elements(name, old, new)
    for i, j, step in pairs:
        below = (*steps, step)
        if i is None:
            assert j is not None
            found.append(Change(below, ADDED, new=new[j]))
        elif j is None:
            found.append(Change(below, REMOVED, old[i]))
        else:
            _values(below, old[i], new[j], same_text, found)
    found += _order(steps, name, [(i, j) for i, j, _ in pairs if i is not None and j is not None], old, new)


def _order(steps: Steps, name: str, pairs: list[tuple[int, int]], old: list[Any], new: list[Any]) -> Iterator[Change]:
    """What both sides have, in another order. Elements that came or went move no others."""
    before = [i for i, _ in pairs]
    if before == sorted(before):
        return
    counts, note = order_note(name, old, new)
    change = Change(
        steps, REORDERED, [_label(old[i]) for i in sorted(before)], [_label(old[i]) for i in before], note=note
    )
    if not counts:
        change.effect = ORDER
    yield change


def _label(item: dict[str, Any]) -> Any:
    return next((item[key] for key in ("name", "mountPath", "containerPort", "key") if key in item), item)


def _scalars(steps: Steps, name: str, old: list[Any], new: list[Any], same_text: SameText | None) -> Iterator[Change]:
    if is_set(name):
        for item in old:
            if item not in new:
                yield Change((*steps, ("", str(item))), REMOVED, item)
        for item in new:
            if item not in old:
                yield Change((*steps, ("", str(item))), ADDED, new=item)
    elif not (same_text and len(old) == len(new) and all(map(_same(same_text), old, new))):
        # An argument's place is its meaning: the list changes as a whole.
        yield Change(steps, CHANGED, old, new)


def _same(same_text: SameText) -> Callable[[Any, Any], bool]:
    return lambda old, new: old == new or (isinstance(old, str) and isinstance(new, str) and same_text(old, new))


Pair = tuple[int | None, int | None, Step]
"""Positions on both sides, and the step that names the element."""

_TEMPLATES = ("template", "leaderTemplate", "workerTemplate")


def format_steps(steps: Steps) -> str:
    """`spec.template.spec.containers[main].env[DYN_SYSTEM_PORT].value`; keys with dots or slashes are in brackets."""
    text = ""
    for step in steps:
        if isinstance(step, tuple):
            text += f"[{step[1]}]"
        elif isinstance(step, int) or "." in step or "/" in step or not step:
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text


def named_steps(value: Any, path: Iterable[str | int]) -> Steps:
    """A path with positions as one that calls elements by their names, where they have one; it may lead nowhere."""
    steps: list[Step] = []
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            value = None
        name = value.get("name") if isinstance(step, int) and isinstance(value, dict) else None
        steps.append(step if name is None else ("name", str(name)))
    return tuple(steps)


def short_steps(steps: Steps) -> str:
    """A path for people: what is in a pod has a path from the pod, wherever its template is."""
    for at, step in enumerate(steps):
        if step == "podSpec" or (step == "spec" and at and steps[at - 1] in _TEMPLATES):
            return f"pod {format_steps(steps[at + 1 :])}" if steps[at + 1 :] else "pod"
        if step == "metadata" and at and steps[at - 1] in _TEMPLATES:
            return f"pod {format_steps(steps[at + 1 :])}"
        if step in ("labels", "annotations") and at and isinstance(steps[at - 1], tuple):
            # A clique has the labels of its pods.
            return f"pod {format_steps(steps[at:])}"
    return format_steps(steps)


def plain_steps(steps: Steps) -> list[str | int | dict[str, str]]:
    """The path for programs: elements as `{"name": "main"}`."""
    return [{step[0]: step[1]} if isinstance(step, tuple) else step for step in steps]


def words(steps: Steps) -> list[str]:
    """What a pattern sees of each step: keys as they are, elements and positions in brackets."""
    return [step if isinstance(step, str) else f"[{step[1] if isinstance(step, tuple) else step}]" for step in steps]
