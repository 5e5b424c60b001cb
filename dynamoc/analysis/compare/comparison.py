"""Two sets of objects: which belong together, what differs, what that does, and how many pods it touches."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property

from dynamoc.analysis.compare.applied import (
    filled,
    is_export,
    is_of_graph,
    is_orphaned,
    settle_applied,
    settle_unattended,
)
from dynamoc.analysis.compare.default_pods import with_own
from dynamoc.analysis.compare.effects import Generations, count_pods, is_of_generation, is_same_but_for, judge
from dynamoc.analysis.compare.pod_counts import Claims, gpu_claims
from dynamoc.analysis.compare.result import Change, Comparison, Generation, ObjectChange, Skipped, Steps
from dynamoc.analysis.compare.trees import compare_trees, is_same, words
from dynamoc.documents.findings.finding import ERROR, Finding
from dynamoc.documents.source.document import Document
from dynamoc.documents.source.files import WILDCARDS
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import GROVE_SETS, Identity, identity
from dynamoc.reference.releases import Release

#: What only a cluster writes, or dynamoc for Flux: objects from a cluster or from files can be compared with those
#: that are rendered.
BUILT_IN = (
    "status", "metadata.creationTimestamp", "metadata.generation", "metadata.managedFields",
    "metadata.ownerReferences", "metadata.resourceVersion", "metadata.selfLink", "metadata.uid",
    "metadata.annotations[kubectl.kubernetes.io/last-applied-configuration]",
    "metadata.annotations[nvidia.com/last-applied-*]",
    "metadata.annotations[kustomize.toolkit.fluxcd.io/substitute]",
)  # fmt: skip


class Terms:
    """What a comparison depends on beside the objects.

    release  the operator that brings the new objects into the cluster
    given    identities of objects that the user applies himself, past the operator
    owned    identities of old objects whose graph or component is on the new side as well: what the operator does not
             make of it any more, nothing deletes
    ignores  changes to leave out
    attended whether an operator runs, which removes old generations and hands changes on
    rewrites whether it is another release than before, which writes what is left of old generations, too
    claims   GPUs of claim templates in the cluster, which neither side has
    """

    def __init__(
        self,
        release: Release,
        given: frozenset[Identity] = frozenset(),
        owned: frozenset[Identity] = frozenset(),
        ignores: list[str] | None = None,
        *,
        attended: bool = True,
        rewrites: bool = False,
        claims: Claims | None = None,
    ) -> None:
        self.rewrites = rewrites
        self.claims = claims or {}
        self.release = release
        self.given = given
        self.owned = owned
        self.ignores = [Pattern(text) for text in ignores or ()]
        self.attended = attended


def compare(old: list[Tree], new: list[Tree], terms: Terms) -> Comparison:
    """The differences between two renderings, in the order of the new one; what only the old one has comes last."""
    old, new = with_own(old), with_own(new)
    comparison = Comparison()
    generations = Generations(old, new)
    side = _Sides(old, new, generations, terms)
    for before, after in _pairs(old, new, generations):
        if _is_foreign(before, after):
            comparison.foreign.append(before or after or {})
            continue
        item = side.compare(before, after)
        if item is None:
            comparison.unchanged += 1
            continue
        comparison.objects.append(item)
    comparison.generations = [item for item in generations.changed.values() if item.objects]
    comparison.ignored = [(pattern.text, pattern.count) for pattern in terms.ignores]
    return comparison


def _is_foreign(old: Tree | None, new: Tree | None) -> bool:
    """Whether one side alone has the object, as part of an export that shows more of a cluster than graphs."""
    alone = old if new is None else new if old is None else None
    return alone is not None and is_export(alone) and not is_of_graph(alone)


class _Sides:
    """The two sets of objects that are being compared."""

    def __init__(self, old: list[Tree], new: list[Tree], generations: Generations, terms: Terms) -> None:
        self._generations = generations
        self._terms = terms
        self._old_claims, self._new_claims = ({**terms.claims, **gpu_claims(side)} for side in (old, new))
        self._grove = {item["metadata"].get("namespace") for item in new if item.get("kind") in GROVE_SETS}

    def compare(self, old: Tree | None, new: Tree | None) -> ObjectChange | None:
        """The difference between two objects that belong together, None without one."""
        if old is None or new is None:
            item = ObjectChange(old, new, [])
        else:
            found = self._changes(old, new)
            if found is None:
                return None
            item = found
        left, rewrites = self._left_behind(item), self._terms.rewrites
        if old is not None and new is None:
            item.orphaned = (left is not None and not rewrites) or not self._terms.attended
            item.orphaned = item.orphaned or (identity(old) in self._terms.owned and is_orphaned(old))
        count_pods(item, self._old_claims, self._new_claims, beside=left is not None, rewrites=rewrites)
        if left is not None:
            left.stays.add(item.stays)
            left.attended = self._terms.attended
        return item

    def _left_behind(self, item: ObjectChange) -> Generation | None:
        """The generation that comes beside the workers of an old object, where the operator lets these run on."""
        attended = self._terms.attended
        if item.old is None or (attended and not self._terms.release.has("rollout/leaves-multinode-generation")):
            return None
        if item.new is not None:
            generation = self._generations.of(item.old, item.new) if item.renamed else None
        else:
            # The groups of a component have been one object since, which keeps their number.
            generation = self._generations.of_old(item.old) if item.old["kind"] == "LeaderWorkerSet" else None
        if generation is None or (attended and not self._generations.is_multinode(generation)):
            return None
        return generation

    def _changes(self, old: Tree, new: Tree) -> ObjectChange | None:
        if is_same(old, new):
            return None
        old, new = filled(old, new)
        renamed = old["metadata"].get("name") != new["metadata"].get("name")
        generation = self._generations.of(old, new) if renamed else self._generations.within(new)
        same_text = (lambda a, b: is_same_but_for(generation, a, b)) if generation else None
        changes = compare_trees(old, new, same_text)
        if generation:
            changes = [change for change in changes if not is_of_generation(change, generation)]
        kind, name = new["kind"], new["metadata"].get("name", "")
        changes = [change for change in changes if not is_ignored(self._terms.ignores, kind, name, change)]
        if not changes and not renamed:
            return None
        item = ObjectChange(old, new, changes, renamed=renamed)
        for change in changes:
            self._judge(change, old, renamed=renamed)
        item.settle()
        if generation and renamed:
            generation.objects.append(item)
        return item

    def _judge(self, change: Change, old: Tree, *, renamed: bool) -> None:
        judge(old["kind"], change, old)
        # A renamed object is created again: everything reaches it.
        if not renamed and identity(old) not in self._terms.given:
            on_grove = old["metadata"].get("namespace") in self._grove
            settle_applied(change, old, self._terms.release, on_grove=on_grove)
        if not self._terms.attended:
            settle_unattended(change, old)


def _pairs(old: list[Tree], new: list[Tree], generations: Generations) -> list[tuple[Tree | None, Tree | None]]:
    """Objects of one identity; and those whose identities differ by the hash of a worker generation."""
    before = {identity(item): item for item in old}
    after = [(identity(item), item) for item in new]
    lasting = {key for key, _ in after}
    renamed: dict[Identity, Tree | None] = {}
    for key, item in before.items():
        if key not in lasting:
            timeless = generations.timeless(item, new=False)
            # Two objects that differ in their hash only cannot be distinguished without it.
            renamed[timeless] = None if timeless in renamed else item
    pairs: list[tuple[Tree | None, Tree | None]] = []
    taken: set[Identity] = set()
    for key, item in after:
        found = before.get(key) or renamed.pop(generations.timeless(item, new=True), None)
        if found is not None:
            taken.add(identity(found))
        pairs.append((found, item))
    return pairs + [(item, None) for key, item in before.items() if key not in taken]


@dataclass(eq=False, slots=True)
class Conditions:
    """The release and the target that objects were rendered for, and the findings.

    release   `1.4`; of an upgrade, `1.0 → 1.4`
    target    `grove`, and what `auto` came to
    """

    release: str
    target: str
    findings: list[Finding]

    def text(self) -> str:
        return f"Operator {self.release}, target {self.target}"


def target_text(target: str, objects: list[Tree]) -> str:
    """The target, and for `auto` what runs the pods of the objects."""
    if target != "auto":
        return target
    kinds = {item.get("kind") for item in objects}
    if kinds & {*GROVE_SETS}:
        return "grove (auto)"
    return "lws (auto)" if "LeaderWorkerSet" in kinds else "plain (auto)" if "Deployment" in kinds else "auto"


class Failures:
    """The documents and files of one side that errors stand against."""

    def __init__(self, side: str, documents: list[Document], findings: list[Finding], namespace: str) -> None:
        self.skipped: list[Skipped] = []
        #: identities of documents, and files that could not be read
        self.documents: set[Identity] = set()
        self.files: set[str] = set()
        seen: set[tuple[str, str | None]] = set()
        for error in (item for item in findings if item.severity == ERROR):
            file = error.place.file if error.place else ""
            if error.slug == "read/unreadable":
                file = error.subject or ""
            found = [item for item in documents if item.file == file and _subject(item) == error.subject]
            self.documents.update(identity(item.value, namespace or "default") for item in found)
            if file and not found:
                self.files.add(file)
            subject = error.subject if found else None
            if (file, subject) not in seen:
                seen.add((file, subject))
                self.skipped.append(Skipped(side, file, subject, error.message))


def comparable(
    objects: list[Tree],
    owners: dict[Identity, Identity],
    documents: list[Document],
    namespace: str,
    failures: Failures,
    counterpart: Callable[[str], str],
    others: list[Tree],
) -> list[Tree]:
    """The objects of one side without those whose document the other side has, and could not render.

    `counterpart` names the file of the other side that a file belongs to; `others` are the objects of the other side,
    which may hold one that several documents share.
    """
    if not failures.documents and not failures.files:
        return objects
    known = {identity(item, "default") for item in others}
    files = {identity(document.value, namespace or "default"): document.file for document in documents}

    def is_comparable(item: Tree) -> bool:
        if identity(item, "default") in known:
            return True
        own = identity(item, namespace or "default")
        owner = owners.get(identity(item, "default"), own)
        if owner in failures.documents or own in failures.documents:
            return False
        return owner not in files or counterpart(files[owner]) not in failures.files

    return [item for item in objects if is_comparable(item)]


def _subject(document: Document) -> str:
    value = document.value
    return f"{value.get('kind')}/{(value.get('metadata') or {}).get('name', '')}"


class Pattern:
    """One pattern, and how many changes it has matched. Raises ValueError where it is empty or has an open bracket.

    It is a path as the output prints it, with `*` for any part of one step, and `**` for any number of steps, at its
    end too where nothing else is said: `metadata.labels`, `**.env[DYN_*]`, `Service/*:spec.ports`.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.count = 0
        subject, colon, path = text.partition(":")
        # A colon may also be in a key; kinds are written with a capital.
        if not colon or not (subject[:1].isupper() or subject.startswith("*/")):
            subject, path = "", text
        kind, _, name = subject.partition("/")
        self._kind, self._name = kind or "*", name or "*"
        self._steps = _split(path)
        # A word that each path that matches has, and most paths do not.
        self._needed = next((word for step in self._steps[::-1] if WILDCARDS.isdisjoint(word := step.strip("[]"))), "")

    @cached_property
    def _path(self) -> re.Pattern[str]:
        return re.compile("".join(map(_expression, self._steps)))

    def matches(self, kind: str, name: str, path: str) -> bool:
        """Whether it is about a place of an object, or one above it."""
        fits = self._needed in path and _fits(kind, self._kind) and _fits(name, self._name)
        return fits and bool(self._path.match(path))


def _fits(word: str, pattern: str) -> bool:
    if pattern == "*" or WILDCARDS.isdisjoint(pattern):
        return pattern in ("*", word)
    return fnmatchcase(word, pattern)


def first(patterns: Iterable[Pattern], kind: str, name: str, steps: Steps) -> Pattern | None:
    """The first pattern that matches a place of an object."""
    path = "".join(f"{word}\0" for word in words(steps))
    return next((pattern for pattern in patterns if pattern.matches(kind, name, path)), None)


def is_ignored(patterns: list[Pattern], kind: str, name: str, change: Change) -> bool:
    """Whether a pattern matches; the first that does counts the change."""
    pattern = first(patterns, kind, name, change.steps)
    if pattern is not None:
        pattern.count += 1
    return pattern is not None


def _expression(step: str) -> str:
    """A step of a pattern as a regular expression. Only `*` and `?` are special: brackets are part of paths."""
    if step == "**":
        return r"(?:[^\0]*\0)*"
    bare = step.removeprefix("[").removesuffix("]") if step.startswith("[") else step
    text = re.escape(bare).replace(r"\*", r"[^\0]*").replace(r"\?", r"[^\0]")
    # A key with dots is printed in brackets as well.
    return rf"\[?{text}\]?\0" if step.startswith("[") else rf"{text}\0"


def _split(path: str) -> list[str]:
    """`a.b[c.d].e` as `a`, `b`, `[c.d]`, `e`."""
    parts: list[str] = []
    rest = path
    while rest:
        if rest[0] == "[":
            end = rest.find("]")
            if end < 0:
                raise ValueError(f"{path!r} has an open bracket")
            parts.append(rest[: end + 1])
            rest = rest[end + 1 :].removeprefix(".")
            continue
        cut = min((place for place in (rest.find("."), rest.find("[")) if place >= 0), default=len(rest))
        parts.append(rest[:cut])
        rest = rest[cut:].removeprefix(".") if rest[cut : cut + 1] == "." else rest[cut:]
    if not parts or not all(parts):
        raise ValueError(f"{path!r} is not a path")
    return parts
