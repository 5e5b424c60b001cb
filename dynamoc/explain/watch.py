"""Who put a value where it stands: rules and builders, told by comparing before and after.

A **rule** changes a pod (`dynamoc.rules`). A **builder** is a function of `dynamoc.lower` that returns objects or parts
of them; its name is the module's and its own. Neither knows that it is watched.
"""

from __future__ import annotations

import sys

from dynamoc.explain.origin import BUILDER, RULE, Origin
from dynamoc.explain.steps import builder_name
from dynamoc.rules.registry import rule_of
from dynamoc.explain.traced import READS, origin_of, plain, retrace, traced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, FrameType
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.rules.draft import Pod
    from dynamoc.rules.registry import Rule

    Slot = tuple[Any, Any, Any]
    """A scalar in its container: the container, the key or index, the scalar."""

_LOWER = "dynamoc.lower."
#: hand on what they are given
_NO_BUILDERS = ("dynamoc.lower.document", "dynamoc.lower.hub.document", "dynamoc.lower.early.document")
_MISSING = object()
#: lists that are known by a field of their items
_KEYS = ("name", "mountPath", "topologyKey", "key")


class Removed:
    """A value that a rule took away, and the rule."""

    __slots__ = ("rule", "value")

    def __init__(self, rule: str, value: Any) -> None:
        self.rule = rule
        self.value = value


class Watch:
    """What has been seen of one document's compilation.

    removed   values of the user that a rule took away or replaced
    """

    def __init__(self, document: Any) -> None:
        self.document = document
        self.removed: list[Removed] = []
        self._claimed: dict[int, tuple[Any, Any]] = {}
        self._pods: dict[int, tuple[Pod, dict[Path, Any]]] = {}
        self._builders: dict[CodeType, str | Rule | None] = {}

    # --- builders

    def __enter__(self) -> Watch:
        READS.clear()
        self._outer = sys.getprofile()
        sys.setprofile(self._event)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(self._outer)

    def _event(self, frame: FrameType, event: str, result: Any) -> None:
        if event != "return":
            return
        code = frame.f_code
        name: Any = self._builders.get(code, _MISSING)
        if name is _MISSING:
            name = self._builders[code] = self._name(frame)
        if name is None:
            return
        if name.__class__ is not str:
            self.rule_applied(frame.f_locals[code.co_varnames[0]], name)
            return
        if name == "":
            if code.co_name == "_alpha_view" and result.__class__ is dict:
                # What went through an annotation as JSON lost its origin there.
                retrace(result, self.document.value, None)
            return
        local = frame.f_locals
        for argument in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
            self._claim(local.get(argument), name, returned=False)
        self._claim(result, name, returned=True)

    def _name(self, frame: FrameType) -> str | Rule | None:
        """The builder's name, "" for what hands documents on, the rule, or None for all others."""
        module = frame.f_globals.get("__name__", "")
        if module.startswith("dynamoc.rules."):
            return rule_of(frame.f_code)
        if not module.startswith(_LOWER) or frame.f_code.co_name[0] == "<":
            return None
        return "" if module in _NO_BUILDERS else builder_name(module, frame.f_code.co_name)

    def _claim(self, tree: Any, builder: str, *, returned: bool) -> None:
        """What nobody claimed before in a tree that a builder returned, or was given and may have changed."""
        kind = tree.__class__
        if kind is tuple or (kind is list and tree and hasattr(tree[0], "value")):
            for item in tree:
                self._claim(item, builder, returned=returned)
        elif kind is dict or kind is list:
            self._claim_container(tree, builder, returned=returned)
        elif returned and hasattr(tree, "component") and hasattr(tree, "value"):
            self._claim(tree.value, builder, returned=True)

    def _claim_container(self, tree: Any, builder: str, *, returned: bool) -> None:
        known = self._claimed.get(id(tree))
        before = None if known is None else known[1]
        is_dict = tree.__class__ is dict
        for key, item in list(tree.items() if is_dict else enumerate(tree)):
            kind = item.__class__
            if kind is dict or kind is list:
                self._claim_container(item, builder, returned=returned)
                continue
            if before is not None and _held(before, key) is item:
                continue
            origin = origin_of(item)
            if origin is None:
                tree[key] = traced(item, Origin(BUILDER, name=builder, step=builder, inputs=_inputs(item)))
            elif returned and item is not _held(before, key):
                tree[key] = traced(item, origin.put(builder))
        self._remember(tree)

    def _remember(self, tree: Any) -> None:
        self._claimed[id(tree)] = (tree, dict(tree) if tree.__class__ is dict else list(tree))

    # --- rules

    def rule_applied(self, pod: Pod, rule: Rule) -> None:
        """Compares the pod with what it was before the rule."""
        _, before = self._pods.get(id(pod), (pod, {}))
        after: dict[Path, Slot] = {}
        for name in ("main", "spec", "volumes", "shared_mounts"):
            _slots(getattr(pod, name), (name,), after)
        moved: set[int] = set()
        for path, (tree, key, item) in after.items():
            old = before.get(path)
            if old is item:
                continue
            known = self._claimed.get(id(tree))
            if known is not None and _held(known[1], key) is item and path not in before:
                moved.add(id(item))
                continue
            tree[key] = self._put(rule.name, item, old)
        self._note_removed(rule.name, before, after)
        for tree in {id(tree): tree for tree, _, _ in after.values()}.values():
            self._remember(tree)
        self._pods[id(pod)] = (pod, {path: tree[key] for path, (tree, key, _) in after.items()})

    def _put(self, rule: str, item: Any, old: Any) -> Any:
        """The value, put by the rule; the earlier value at its place is remembered where it was another."""
        origin = origin_of(item)
        lost = old if old is not None and (old != item or old.__class__ is not item.__class__) else None
        if origin is None:
            inputs = _inputs(item)
            earlier = origin_of(lost)
            if earlier is not None and _contains(item, lost):
                inputs = (*inputs, earlier)
            return traced(item, Origin(RULE, name=rule, step=rule, before=lost, inputs=_distinct(inputs)))
        return traced(item, origin.put(rule, lost))

    def _note_removed(self, rule: str, before: dict[Path, Any], after: dict[Path, Slot]) -> None:
        kept = {id(tree[key]) for tree, key, _ in after.values()} | {id(item) for _, _, item in after.values()}
        for path, item in before.items():
            if id(item) not in kept and origin_of(item) is not None and path[0] != "shared_mounts":
                self.removed.append(Removed(rule, item))


def _held(container: Any, key: Any) -> Any:
    if container.__class__ is dict:
        return container.get(key, _MISSING)
    if container.__class__ is list and key < len(container):
        return container[key]
    return _MISSING


def _slots(tree: Any, path: Path, found: dict[Path, Slot]) -> None:
    """The scalars of a tree by path. Items of lists are known by name, so that they may move."""
    if tree.__class__ is dict:
        for key, item in tree.items():
            if item.__class__ is dict or item.__class__ is list:
                _slots(item, (*path, key), found)
            else:
                found[*path, key] = (tree, key, item)
        return
    for index, item in enumerate(tree):
        if item.__class__ is dict or item.__class__ is list:
            _slots(item, (*path, _item_key(item, index, path)), found)
        else:
            found[*path, index] = (tree, index, item)


def _item_key(item: Any, index: int, path: Path) -> str | int:
    if item.__class__ is dict:
        field = "mountPath" if path[-1] == "volumeMounts" else "name"
        name = item.get(field)
        if name.__class__ is str:
            return plain(name)  # type: ignore[no-any-return]
    return index


def _inputs(value: Any) -> tuple[Origin, ...]:
    """Origins of the values that lately became part of a text, as far as this is that text."""
    if value.__class__ is not str or not value:
        return ()
    return _distinct(tuple(read.origin for read in READS if origin_of(read) is not None and _contains(value, read)))


def _distinct(origins: tuple[Origin, ...]) -> tuple[Origin, ...]:
    return tuple({origin.key(): origin for origin in origins}.values())


def _contains(whole: Any, part: Any) -> bool:
    """Whether a text holds another as a word, or as several."""
    if whole.__class__ is not str:
        return False
    text, word = str(plain(whole)).lower(), str(plain(part)).lower()
    start = text.find(word) if word else -1
    while start >= 0:
        end = start + len(word)
        before, behind = text[start - 1 : start], text[end : end + 1]
        if not (before.isalnum() and word[0].isalnum()) and not (behind.isalnum() and word[-1].isalnum()):
            return True
        start = text.find(word, start + 1)
    return False
