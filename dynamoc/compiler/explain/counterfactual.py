"""What would be rendered if a field of the input were another, or not there.

Numbers and switches decide without being copied: `multinode.nodeCount` gives a component other kinds of pods,
`enabled: true` makes an object. What is copied may decide as well: an image is part of the hash in a name. What changes
with another value is what a field decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dynamoc.admission.adapters import COMPONENT, GROVE, PROVIDER
from dynamoc.admission.webhooks.hub_roles import DISCOVERY_MODE, EXECUTOR_BACKEND
from dynamoc.compiler.compile import compile_cluster
from dynamoc.compiler.explain.selection import name_of, object_title, step_text
from dynamoc.compiler.explain.traced_compilation import Explained
from dynamoc.compiler.options import read_surroundings
from dynamoc.documents.findings.finding import ERROR, Finding, Findings, Path
from dynamoc.documents.schema.schemas import load
from dynamoc.documents.source.document import Document
from dynamoc.kube.merge import MISSING, Tree, at, copy_tree
from dynamoc.reference.releases import RELEASES, Release, get_release

Name = tuple[Any, Any]
"""What only things of the same kind have in common, and what one of them has alone."""

Changes = list[tuple[str, str]]
"""Object and field of each value that is another, as `explain` names them; the field is "" for a whole object."""

#: what v1alpha1 says as sub types of a worker
SUB_TYPES = ("prefill", "decode")
#: fields of Kubernetes whose values its API server knows, and no CRD lists
KUBERNETES = {
    "imagePullPolicy": ("Always", "IfNotPresent", "Never"),
    "restartPolicy": ("Always", "OnFailure", "Never"),
    "dnsPolicy": ("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"),
    "preemptionPolicy": ("Never", "PreemptLowerPriority"),
    "terminationMessagePolicy": ("File", "FallbackToLogsOnError"),
}
_WORDS: dict[Any, tuple[str, ...]] = {
    **KUBERNETES,
    "accessModes": ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"),
    "effect": ("NoSchedule", "PreferNoSchedule", "NoExecute"),
    "medium": ("", "Memory"),
    "mountPropagation": ("None", "HostToContainer", "Bidirectional"),
    "operator": ("Exists", "Equal", "In", "NotIn", "DoesNotExist"),
    "protocol": ("TCP", "UDP", "SCTP"),
    "scheme": ("HTTP", "HTTPS"),
    "subComponentType": SUB_TYPES,
    "nvidia.com/dynamo-checkpoint-startup-policy": ("Immediate", "WaitForCheckpoint"),
    "nvidia.com/dynamo-discovery-backend": ("kubernetes", "etcd"),
    DISCOVERY_MODE: ("pod", "container"),
    EXECUTOR_BACKEND: ("mp", "ray"),
    PROVIDER: (GROVE, COMPONENT),
}


def listed_values(document: Any, path: Path, release: Release) -> list[Any]:
    """The values that the schema, Kubernetes or the operator lists for a field; images of other runtime versions."""
    kind = (str(document.get("apiVersion", "")), str(document.get("kind", "")))
    value, field = at(document, path), next((step for step in reversed(path) if isinstance(step, str)), "")
    found = [*_choices(release.name, kind, path), *_WORDS.get(field, ())]
    if field == "componentType":
        found += release["component-defaults"]
    elif field == "image" and isinstance(value, str):
        # The version of the runtime decides what the operator may ask of it.
        name, colon, tag = value.rpartition(":")
        if colon and tag[:1].isdigit():
            found += [f"{name}:{version}" for version in (*_recorded(), release.version)]
    return list(dict.fromkeys(found))


def _recorded() -> list[str]:
    """Versions of the releases that are known best, which stand for all that images may be."""
    found = (get_release(name) for name in RELEASES)
    return [release.version for release in found if release.exactness == "recorded"]


def values_like(value: Any) -> Iterator[Any]:
    """The next number, a longer text."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield value + 1
        yield from (value - 1,) if value > 0 else ()
        yield 2 * value
    elif isinstance(value, str) and value in ("true", "false"):
        yield "false" if value == "true" else "true"
    elif isinstance(value, str):
        # `64Gi` becomes `65Gi`, and `runtime:1.4.0` becomes `runtime:1.4.1`.
        number = re.search(r"\d+(?=\D*$)", value)
        if number is not None:
            yield f"{value[: number.start()]}{int(number[0]) + 1}{value[number.end() :]}"
        yield from (f"{value}x", f"{value}1", f"x{value}") if value else ()
        yield "other"


def _choices(release: str, kind: tuple[str, str], path: Path) -> tuple[Any, ...]:
    """The values that the schema allows for a field, where it counts them."""
    schema = load(release)
    number = schema["kinds"].get(kind[0], {}).get(kind[1])
    if number is None:
        return ()
    node = schema["nodes"][number]
    for step in path:
        below = node.get("items") if isinstance(step, int) else node.get("props", {}).get(step, node.get("extra"))
        if below is None:
            return ()
        node = schema["nodes"][below]
    return tuple(node.get("enum", ()))


#: so many other values of a field are tried, beside those that a schema or a table lists
_ENOUGH = 2


@dataclass(eq=False, slots=True)
class Outcome:
    """What a change of the input leads to.

    how       `changed` (another value) or `removed`
    refused   what the API server or the operator says to it, None where they take it
    warned    a warning that depends on it, None without
    changes   of the output
    """

    how: str
    refused: str | None
    warned: str | None
    changes: Changes


class Counterfactuals:
    """Renders variants of some documents, which were explained."""

    def __init__(self, documents: list[Document], explained: Explained) -> None:
        self.documents = documents
        self.options = explained.options
        self.objects, self.findings = explained.objects, explained.found

    def outcomes(self, number: int, path: Path) -> list[Outcome]:
        """What the removal of a field of a document leads to, and each of some other values."""
        return [self._outcome("removed", number, path, MISSING), *self.others(number, path)]

    def others(self, number: int, path: Path) -> list[Outcome]:
        """What other values of a field lead to: all that a schema or a table lists, and some that are like its own."""
        document = self.documents[number].value
        value = at(document, path)
        listed = [other for other in listed_values(document, path, self.options.release) if other != value]
        found = [self._outcome("changed", number, path, other) for other in listed]
        accepted = 0
        for other in values_like(value):
            found.append(self._outcome("changed", number, path, other))
            accepted += found[-1].refused is None
            if accepted == _ENOUGH:
                break
        return found

    def _outcome(self, how: str, number: int, path: Path, value: Any) -> Outcome:
        changed = list(self.documents)
        old = changed[number]
        variant = copy_tree(old.value)
        holder = at(variant, path[:-1])
        if value is MISSING:
            del holder[path[-1]]
        elif isinstance(at(old.value, path), dict):
            # The name of a service of v1alpha1 is a key.
            renamed = {value if key == path[-1] else key: item for key, item in holder.items()}
            holder.clear()
            holder.update(renamed)
        else:
            holder[path[-1]] = value
        changed[number] = Document(variant, old.file, old.index, old.marks, old.source)
        objects, findings = self._render(changed)
        # What is refused as it is may be asked all the same.
        known = {item.message for item in self.findings}
        errors = (item.message for item in findings if item.severity == ERROR and item.message not in known)
        refused = next(errors, None)
        if refused is not None:
            return Outcome(how, refused, None, [])
        return Outcome(how, None, self._new_warning(findings), changes(self.objects, objects))

    def _render(self, documents: list[Document]) -> tuple[list[Tree], list[Finding]]:
        findings = Findings()
        config, context = read_surroundings(self.options, findings)
        return compile_cluster(documents, self.options, config, context, findings), findings.items

    def _new_warning(self, findings: list[Finding]) -> str | None:
        before, after = _warnings(self.findings), _warnings(findings)
        changed = before.keys() ^ after.keys()
        return next((message for key, message in {**after, **before}.items() if key in changed), None)


def _warnings(findings: list[Finding]) -> dict[tuple[str, Path], str]:
    return {(item.slug, item.path): item.message for item in findings if item.severity != ERROR}


def changes(before: list[Tree], after: list[Tree]) -> Changes:
    """What differs between two renderings. Where the name of an object or of an entry changes, only the name does."""
    found: Changes = []
    for one, two in _pairs([(_identity(item), item) for item in before], [(_identity(item), item) for item in after]):
        if one is None or two is None:
            found.append((object_title(one or two or {}), ""))
        else:
            found += [(object_title(one), field) for field in _differences(one, two, "")]
    return found


def _identity(item: Tree) -> Name:
    metadata = item["metadata"]
    return (item["kind"], item["apiVersion"]), (metadata.get("namespace", ""), metadata.get("name", ""))


def _pairs(before: list[tuple[Name, Any]], after: list[tuple[Name, Any]]) -> list[tuple[Any, Any]]:
    """What belongs together of named things, None for what has no partner.

    Equal names do, and of one kind those that are left, in their order, where it is as many on both sides.
    """
    others = dict(after)
    found: list[tuple[Any, Any]] = []
    left: dict[Any, tuple[list[Any], list[Any]]] = {}
    for name, item in before:
        if name in others:
            found.append((item, others.pop(name)))
        else:
            left.setdefault(name[0], ([], []))[0].append(item)
    for name, item in others.items():
        left.setdefault(name[0], ([], []))[1].append(item)
    for gone, new in left.values():
        if len(gone) == len(new):
            found += zip(gone, new, strict=True)
        else:
            found += [*((item, None) for item in gone), *((None, item) for item in new)]
    return found


def _differences(one: Any, two: Any, text: str) -> list[str]:
    """What differs below a field; entries that come into a list are not named, but the list is."""
    if isinstance(one, dict) and isinstance(two, dict):
        found = [step_text(text, one, key) for key in {**one, **two} if (key in one) != (key in two)]
        both = [key for key in one if key in two and one[key] != two[key]]
        shared = [(step_text(text, one, key), one[key], two[key]) for key in both]
    elif isinstance(one, list) and isinstance(two, list):
        if len(one) != len(two) and not any(isinstance(item, dict) for item in (*one, *two)):
            # Words that move say no more.
            return [text]
        found, shared = [], []
        for left, right in _entries(one, two):
            if left is None or right is None:
                found.append(text if left is None else step_text(text, one, left))
            elif one[left] != two[right]:
                shared.append((step_text(text, one, left), one[left], two[right]))
    else:
        return [] if one.__class__ is two.__class__ and one == two else [text]
    below = (each for field, left, right in shared for each in _differences(left, right, field))
    return list(dict.fromkeys((*found, *below)))


def _entries(one: list[Any], two: list[Any]) -> list[tuple[int | None, int | None]]:
    """The indices of what belongs together in two lists: by name where each entry has one, else by place."""
    names = [[name_of(item) if isinstance(item, dict) else None for item in items] for items in (one, two)]
    if all(None not in known and len(set(known)) == len(known) for known in names):
        before, after = ([(("", name), index) for index, name in enumerate(known)] for known in names)
        return _pairs(before, after)
    places = range(max(len(one), len(two)))
    return [(at if at < len(one) else None, at if at < len(two) else None) for at in places]
