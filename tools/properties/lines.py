"""`explain FILE:LINE` names each field of the output that another value on the line changes.

One value of a recorded input is replaced by another one that the API server and the operator accept, and both inputs
are rendered. What differs must be named by the answer for the line, unless that says what else the line decides.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dynamoc.compiler.explain.input_line import explain_line
from dynamoc.compiler.explain.selection import Unknown, find_field, object_title
from dynamoc.compiler.explain.traced import leaves
from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_documents
from dynamoc.documents.findings.answers import plain
from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source.document import Document
from dynamoc.documents.source.files import read_paths
from dynamoc.kube.merge import at, copy_tree
from tests.explain.corpora import SHARED

Tree = dict[str, Any]
Objects = dict[str, Tree]
Keys = tuple[Any, ...]
#: values of one kind, of which one may stand for another
_CHOICES = (
    ("frontend", "worker", "planner", "epp"),
    ("prefill", "decode"),
    ("vllm", "sglang", "trtllm"),
    ("nixl", "ib", "rdma"),
    ("etcd", "kubernetes"),
    ("ReadWriteOnce", "ReadWriteMany", "ReadOnlyMany"),
    ("Always", "IfNotPresent", "Never"),
)
#: fields by which a list knows its entries
_KEYS = ("mountPath", "name", "key", "topologyKey")


def main(share: float) -> tuple[int, int]:
    tried = broken = 0
    for corpus, options, file in inputs(share):
        for line, field, value, missing in _tried(file, options):
            tried += 1
            if missing:
                broken += 1
                print(f"{corpus} {options.target} {file}:{line} {field} = {value!r} leaves out {missing[:3]}")
    return tried, broken


def inputs(share: float) -> Iterator[tuple[str, Options, Path]]:
    """A share of the recorded inputs, each with one of its targets."""
    for meta_file in sorted(SHARED.glob("*/corpus.json")):
        folder, meta = meta_file.parent, json.loads(meta_file.read_text())
        if not (folder / "inputs").is_dir() or "operatorVersion" not in meta:
            continue
        config = meta.get("operatorConfig")
        for number, file in enumerate(sorted((folder / "inputs").glob("*.yaml"))):
            chance = random.Random(f"{folder.name}/{file.name}")
            if chance.random() < share:
                target = meta["targets"][number % len(meta["targets"])]
                yield (
                    folder.name,
                    Options(
                        operator_version=meta["operatorVersion"],
                        target=target,
                        operator_config=str(folder / config) if config else None,
                    ),
                    file,
                )


def _tried(file: Path, options: Options, most: int = 2) -> Iterator[tuple[int, str, Any, list[str]]]:
    """Line, field, new value, and what the answer leaves out, of some changes to a file."""
    documents, findings = read_paths([str(file)], Findings()), Findings()
    before = by_title(compile_documents(documents, options, findings))
    if findings.errors:
        return
    chance = random.Random(f"{file.name} again")
    places = [
        (number, path)
        for number, document in enumerate(documents)
        for path, leaf in leaves(document.value)
        if path not in (("apiVersion",), ("kind",)) and not isinstance(leaf, dict | list) and leaf is not None
    ]
    chance.shuffle(places)
    for number, path in places[: 2 * most]:
        found = changed(documents, (number, path), options, chance)
        if found is None or most == 0:
            continue
        most -= 1
        value, after = found
        line = documents[number].place(path).line
        answer = explain_line([str(file)], str(file), line, options, Findings())
        yield line, ".".join(map(str, path)), value, left_out(before, after, plain(answer))


def changed(
    documents: list[Document], where: tuple[int, tuple[str | int, ...]], options: Options, chance: random.Random
) -> tuple[Any, Objects] | None:
    """Another value that is accepted, and what is rendered with it; None where there is none."""
    number, path = where
    old = documents[number]
    for value in _others(at(old.value, path), chance):
        variant = copy_tree(old.value)
        at(variant, path[:-1])[path[-1]] = value
        others = list(documents)
        others[number] = Document(variant, old.file, old.index, old.marks, old.source)
        findings = Findings()
        objects = compile_documents(others, options, findings)
        if not findings.errors:
            return value, by_title(objects)
    return None


def _others(value: Any, chance: random.Random) -> list[Any]:
    if isinstance(value, bool):
        return [not value]
    found: list[Any]
    if isinstance(value, int):
        found = [value + 1, max(value - 1, 0), 2 * value]
    elif isinstance(value, float):
        found = [value / 2]
    else:
        found = [each for choices in _CHOICES if value in choices for each in choices]
        chance.shuffle(found)
        digits = "".join(each if each.isdigit() else " " for each in value).split()
        found += [value.replace(digits[-1], str(int(digits[-1]) + 1))] if digits else []
        found += [f"{value}-b", f"{value}b", f"b{value}", "other"]
    return [each for each in found if each != value]


def by_title(objects: list[Tree]) -> Objects:
    return {object_title(item): item for item in objects}


def left_out(before: Objects, after: Objects, answer: Tree) -> list[str]:
    """The fields that differ and that no effect of the answer names."""
    named: dict[str, list[str]] = {}
    for field in answer["fields"]:
        for effect in field["effects"]:
            if "object" in effect:
                named.setdefault(effect["object"], []).append(effect.get("field", ""))
    after = renamed(before, after)
    missing = []
    for title in sorted(before.keys() | after.keys()):
        sides = [objects[title] for objects in (before, after) if title in objects]
        known = {place for text in named.get(title, ()) for item in sides if (place := _place(item, text)) is not None}
        # Where the name of an entry changes, the entry stands elsewhere.
        entries = {place[:-1] for place in known if place and place[-1] in _KEYS and isinstance(place[-2], tuple)}
        one, two = fields_of(before.get(title)), fields_of(after.get(title))
        missing += [
            f"{title} {path}"
            for path in one.keys() | two.keys()
            if one.get(path, ...) != two.get(path, ...)
            and not any(path[: len(place)] == place for place in (*known, *entries))
            and not (path not in one and any(path[: len(place) - 1] == place[:-1] for place in entries))
        ]
    return missing


def _place(item: Tree, text: str) -> Keys | None:
    try:
        return keys_of(item, find_field(item, text) if text else ())
    except Unknown:
        return None


def fields_of(item: Tree | None) -> dict[Keys, Any]:
    """The leaves of an object, None for one that is not there."""
    return {} if item is None else {keys_of(item, path): leaf for path, leaf in leaves(item)}


def keys_of(item: Any, path: tuple[str | int, ...]) -> Keys:
    """A path in which an entry of a list is known by its name or mount path, and by how many up to it have the same."""
    keys: list[Any] = []
    for step in path:
        if isinstance(step, int):
            names = [_key(each) for each in item[: step + 1]]
            keys.append((names[-1], names.count(names[-1])))
        else:
            keys.append(step)
        item = item[step]
    return tuple(keys)


def _key(entry: Any) -> str:
    found = (entry.get(key) for key in _KEYS) if isinstance(entry, dict) else ()
    return next((each for each in found if isinstance(each, str)), "")


def renamed(before: Objects, after: Objects) -> Objects:
    """The objects under their names before, where only those of a kind have others, as many as before."""
    found = {title: item for title, item in after.items() if title in before}
    gone = [title for title in before if title not in after]
    new = [title for title in after if title not in before]
    for kind in {title.partition("/")[0] for title in (*gone, *new)}:
        olds, news = ([title for title in titles if title.partition("/")[0] == kind] for titles in (gone, new))
        found |= dict(zip(olds if len(olds) == len(news) else news, map(after.__getitem__, news), strict=True))
    return found
