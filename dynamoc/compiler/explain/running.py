"""Pods, and other objects that controllers make of rendered ones, found by the names that they have in a cluster.

Source of the names: Kubernetes pkg/controller/deployment/sync.go and apimachinery/pkg/util/rand (SafeEncodeString),
apiserver/pkg/storage/names (SimpleNameGenerator); LeaderWorkerSet pkg/controllers/pod_controller.go, whose groups are
StatefulSets; Grove operator/api/common/namegen.go and internal/controller/podclique/components/pod.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from dynamoc.compiler.explain.selection import Unknown, field_text, find_field, full_title, kinds_of, listed, words_of
from dynamoc.documents.findings.finding import Path
from dynamoc.kube.merge import Tree, at
from dynamoc.kube.names import WORKER_HASH_LABEL, entries, mapping, text, texts

Tokens = tuple[str, ...]
"""A pattern of names, in parts of which each may be the last of a name that is cut."""

#: what Kubernetes writes names with that it makes up, so that they spell no words
_RANDOM = "[bcdfghjklmnpqrstvwxz2456789]"
_HASH = f"{_RANDOM}{{1,10}}"
_SUFFIX = f"{_RANDOM}{{5}}"
_NUMBER = "[0-9]+"
_WORKER_HASH = "[0-9a-f]{8}"
#: where workloads have the labels of pods that the operator names for their worker hash
_LABELS = {
    "Deployment": ("spec", "template", "metadata", "labels"),
    "LeaderWorkerSet": ("spec", "leaderWorkerTemplate", "workerTemplate", "metadata", "labels"),
}
#: of the base of a generated name, the API server keeps so many characters
_KEPT = 58


@dataclass(eq=False, slots=True)
class Part:
    """Where a rendered object says what another is made from.

    index     of the rendered object
    path      of what the other is made from
    spec      its `spec`, below `path`
    metadata  what has its labels and annotations, below `path`
    hash      the worker hash in the name of the rendered object, where the other has a different one; else ""
    """

    index: int
    path: Path
    spec: tuple[str, ...] = ("spec",)
    metadata: tuple[str, ...] = ("metadata",)
    hash: str = field(default="", init=False)

    def find(self, item: Tree, wanted: str) -> Path:
        """The path in the rendered object that says what a field of the other is, or all of it for "".

        Raises `Unknown`.
        """
        first, _, rest = wanted.lstrip(".").partition(".")
        below = {"spec": self.spec, "metadata": self.metadata}.get(first, (first,) if first else ())
        there = field_text(item, self.path)
        return find_field(item, ".".join(filter(None, (there, *below, rest))))


def find_running(objects: list[Tree], wanted: str) -> Part | None:
    """What a Pod in a cluster, or another object that controllers make, is made from; None for what none is known.

    Raises `Unknown` where it may be made from several.
    """
    kind, namespace, name = words_of(wanted)
    found = find_parts(objects, kind, namespace, name)
    if len(found) < 2:
        return found[0] if found else None
    titles = [f"{full_title(objects[part.index])} {field_text(objects[part.index], part.path)}" for part in found]
    hint = "" if namespace else f" Write its namespace: `{kind}/NAMESPACE/{name}`."
    raise Unknown(f"{wanted} may be of more than one object: {listed(titles)}.{hint}")


def find_parts(objects: list[Tree], kind: str, namespace: str, name: str) -> list[Part]:
    """What an object of a kind with that name is made from; all that come into question.

    "" is any namespace. Where nothing has the name, what would with another worker hash: the cluster may run another
    version of a graph.
    """
    kinds = kinds_of(kind)
    there = [
        (index, item)
        for index, item in enumerate(objects)
        if not namespace or mapping(item, "metadata").get("namespace") == namespace
    ]
    found = [part for index, item in there for part in _parts(index, item, _text(_name(item)), kinds, name)]
    return found or [part for index, item in there for part in _other_versions(index, item, kinds, name)]


def _name(item: Tree) -> str:
    return text(mapping(item, "metadata").get("name"))


def _parts(index: int, item: Tree, own: Tokens, kinds: set[str], name: str) -> list[Part]:
    return [
        part
        for made, tokens, part in _made_of(index, item, own)
        if made in kinds and _fits(tokens, name) and isinstance(at(item, part.path), dict)
    ]


def _other_versions(index: int, item: Tree, kinds: set[str], name: str) -> list[Part]:
    known = text(mapping(item, *_LABELS.get(item["kind"], ())).get(WORKER_HASH_LABEL))
    start, mark, end = _name(item).rpartition(known or "-")
    if not known or not mark:
        return []
    found = _parts(index, item, (*_text(start), _WORKER_HASH, *_text(end)), kinds, name)
    for part in found:
        part.hash = known
    return found


def _fits(tokens: Tokens, name: str) -> bool:
    if re.fullmatch("".join(tokens), name):
        return True
    # Of a long name, the API server adds its five characters to the beginning.
    return tokens[-1] == _SUFFIX and len(name) == _KEPT + 5 and bool(re.fullmatch(_cut(tokens[:-1]), name[:_KEPT]))


def _cut(tokens: Tokens) -> str:
    """A pattern of all beginnings."""
    pattern = ""
    for token in reversed(tokens):
        pattern = f"(?:{token}{pattern})?"
    return pattern


def _text(name: str) -> Tokens:
    return tuple(map(re.escape, name))


def _made_of(index: int, item: Tree, name: Tokens) -> Iterator[tuple[str, Tokens, Part]]:
    """Kind, name, and part of what controllers make of an object with a name."""
    kind = item["kind"]
    template = Part(index, ("spec", "template"))
    if kind == "Deployment":
        yield "replicaset", (*name, "-", _HASH), Part(index, ())
        yield "pod", (*name, "-", _HASH, "-", _SUFFIX), template
    elif kind == "StatefulSet":
        yield "pod", (*name, "-", _NUMBER), template
    elif kind == "Job":
        yield "pod", (*name, "-", _SUFFIX), template
    elif kind == "LeaderWorkerSet":
        yield from _of_leader_worker_set(index, item, name)
    elif kind == "PodCliqueSet":
        yield from _of_pod_clique_set(index, item, name)


def _of_leader_worker_set(index: int, item: Tree, name: Tokens) -> Iterator[tuple[str, Tokens, Part]]:
    path = ("spec", "leaderWorkerTemplate")
    worker = Part(index, (*path, "workerTemplate"))
    leader = Part(index, (*path, "leaderTemplate")) if mapping(item, *path, "leaderTemplate") else worker
    group = (*name, "-", _NUMBER)
    yield "pod", group, leader
    yield "pod", (*group, "-", _NUMBER), worker


def _of_pod_clique_set(index: int, item: Tree, name: Tokens) -> Iterator[tuple[str, Tokens, Part]]:
    template, replica = mapping(item, "spec", "template"), (*name, "-", _NUMBER)
    scaled: dict[str, Tokens] = {}
    for path, group in entries(template, "podCliqueScalingGroups", ("spec", "template")):
        named = (*replica, "-", *_text(text(group.get("name"))))
        yield "podcliquescalinggroup", named, Part(index, path, spec=(), metadata=())
        scaled |= dict.fromkeys(texts(group.get("cliqueNames")), (*named, "-", _NUMBER))
    for path, clique in entries(template, "cliques", ("spec", "template")):
        own = text(clique.get("name"))
        named = (*scaled.get(own, replica), "-", *_text(own))
        yield "podclique", named, Part(index, path, metadata=())
        yield "pod", (*named, "-", _SUFFIX), Part(index, path, spec=("spec", "podSpec"), metadata=())
