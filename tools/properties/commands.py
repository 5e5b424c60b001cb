"""What the commands say of recorded inputs is what rendering says.

convert   renders the same in the other version of the API, or a warning names what is lost
diff      of an input with itself is empty; of an input with one value changed, pods restart whose templates differ
hover     what becomes of a field of a component, with only that component traced, is what `explain` says
requires  names all that the pods refer to
validate  of the library finds what the command finds
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import dynamoc
from dynamoc.analysis.requires.requirements import requirements_of
from dynamoc.compiler.explain.fate import Effects
from dynamoc.compiler.explain.selection import object_title
from dynamoc.compiler.explain.traced import leaves
from dynamoc.compiler.explain.traced_compilation import explain_documents
from dynamoc.compiler.objects import owner_of, related
from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_documents
from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source.files import read_paths
from dynamoc.kube.merge import at, copy_tree
from tools.fuzz.commands import command
from tools.properties.lines import by_title, changed, inputs, renamed

Tree = dict[str, Any]
Case = tuple[str, Options, Path]
Property = Callable[[Case], Iterator[str]]
"""Gives what breaks the property for a case, "" for what holds it."""


def tried(name: str, share: float) -> tuple[int, int]:
    """How many cases a property was tried on, and how many broke it, which are printed."""
    counted = broken = 0
    for case in inputs(share):
        for problem in PROPERTIES[name](case):
            counted += 1
            if problem:
                broken += 1
                print(f"{name}: {case[0]} {case[1].target} {case[2].name}: {problem}")
    return counted, broken


def _rendered(text: str, options: Options) -> tuple[list[Tree], Findings]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "input.yaml")
        file.write_text(text)
        findings = Findings()
        return compile_documents(read_paths([str(file)], findings), options, findings), findings


def _convert(case: Case) -> Iterator[str]:
    corpus, options, file = case
    if "requests" not in corpus:
        return
    text = file.read_text()
    before, findings = _rendered(text, options)
    if findings.errors:
        return
    to: Any = "v1alpha1" if "nvidia.com/v1beta1" in text else "v1beta1"
    made = dynamoc.convert(text, to=to)
    after, _ = _rendered(made.to_yaml(), options)
    is_silent = not any(each.slug in ("convert/lost", "convert/refused") for each in made.findings)
    yield f"convert --to {to} changes what is rendered" if is_silent and before != after else ""


def _diff(case: Case) -> Iterator[str]:
    _, options, file = case
    findings = Findings()
    documents = read_paths([str(file)], findings)
    before = compile_documents(documents, options, findings)
    if findings.errors:
        return
    yield "an input differs from itself" if dynamoc.diff(file, file, **_given(options)) else ""
    chance = random.Random(f"{file.name} diff")
    places = [
        (number, path)
        for number, document in enumerate(documents)
        for path, _ in leaves(document.value)
        if path[0] == "spec"
    ]
    number, path = chance.choice(places)
    found = changed(documents, (number, path), options, chance)
    if found is None:
        return
    values = [copy_tree(document.value) for document in documents]
    at(values[number], path[:-1])[path[-1]] = found[0]
    sides = ["\n---\n".join(json.dumps(value) for value in each) for each in ([d.value for d in documents], values)]
    difference = dynamoc.diff(*sides, **_given(options))
    if difference.refused or difference.skipped:
        return
    told = {object_title(item.old) for item in difference.objects if item.old and _restarts(item)}
    titled = by_title(before)
    after = renamed(titled, found[1])
    real = {
        title
        for title, item in titled.items()
        if item["kind"] in _WORKLOADS and (title not in after or _templates(item) != _templates(after[title]))
    }
    yield "" if told == real else f"{path} = {found[0]!r}: {sorted(told)} restart, templates of {sorted(real)} differ"


_WORKLOADS = ("PodCliqueSet", "LeaderWorkerSet", "Deployment")


def _restarts(item: Any) -> bool:
    """Whether pods of a workload are replaced, in place or by those of another generation."""
    if item.old["kind"] not in _WORKLOADS or not item.new:
        return item.old["kind"] in _WORKLOADS
    is_renamed = object_title(item.old) != object_title(item.new)
    return any(part.restarted.pods or (part.started.pods and is_renamed) for part in item.parts)


def _templates(item: Tree) -> list[Any]:
    """The pod templates of a workload."""
    spec = item.get("spec") or {}
    if item["kind"] == "PodCliqueSet":
        fields = ("labels", "annotations")
        return [[*map(each.get, fields), each["spec"]["podSpec"]] for each in spec["template"]["cliques"]]
    if item["kind"] == "LeaderWorkerSet":
        return [value for key, value in spec["leaderWorkerTemplate"].items() if key != "size"]
    return [spec["template"]] if item["kind"] == "Deployment" else []


def _hover(case: Case) -> Iterator[str]:
    _, options, file = case
    documents, findings = read_paths([str(file)], Findings()), Findings()
    whole = Effects(explain_documents(documents, options, findings))
    if findings.errors:
        return
    for document in documents:
        among = related(documents, [owner_of(document.value, options.namespace)], options.namespace)
        alone = Effects(explain_documents(among, options, Findings()))
        for path, _ in leaves(document.value):
            one, two = (
                {(each.how, each.path, each.step) for each in known.of(document.file, document.index, path)}
                for known in (whole, alone)
            )
            yield "" if one == two else f"{path} has other effects alone"


def _requires(case: Case) -> Iterator[str]:
    _, options, file = case
    documents, findings = read_paths([str(file)], Findings()), Findings()
    objects = compile_documents(documents, options, findings)
    if findings.errors:
        return
    needed = {(item.kind, item.name) for item in requirements_of(documents, options, Findings()).objects}
    missing = {each for item in objects for each in _references(item)} - needed
    yield f"leaves out {sorted(missing)}" if missing else ""


_REFERENCES = {
    ("secretKeyRef", "name"): "Secret",
    ("configMapKeyRef", "name"): "ConfigMap",
    ("secretRef", "name"): "Secret",
    ("configMapRef", "name"): "ConfigMap",
    ("secret", "secretName"): "Secret",
    ("configMap", "name"): "ConfigMap",
    ("persistentVolumeClaim", "claimName"): "PersistentVolumeClaim",
}


def _references(value: Any) -> Iterator[tuple[str, str]]:
    """Kind and name of what pods read and mount."""
    for step, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        for (holder, field), kind in _REFERENCES.items():
            if step == holder and isinstance(item, dict) and item.get(field):
                yield kind, item[field]
        if isinstance(value, dict) and step == "imagePullSecrets":
            yield from (("Secret", each["name"]) for each in item or () if each.get("name"))
        yield from _references(item)


def _validate(case: Case) -> Iterator[str]:
    _, options, file = case
    given = ["--operator-version", options.release.name, "--target", options.target]
    given += ["--operator-config", options.operator_config] if options.operator_config else []
    report = json.loads(command("validate", str(file), "-o", "json", *given).out)
    reported = [(each["slug"], each["severity"], each["message"]) for each in report["findings"]]
    library = sorted(
        {(each.slug, str(each.severity), each.whole_message) for each in dynamoc.validate(file, **_given(options))}
    )
    different = {*reported} ^ {*library}
    yield f"only one of both finds {sorted(different)[:2]}" if different and not report.get("notShown") else ""


def _given(options: Options) -> Any:
    given = {"release": options.release.name, "target": options.target}
    return {**given, "cluster": [options.operator_config]} if options.operator_config else given


PROPERTIES: dict[str, Property] = {
    "convert": _convert,
    "diff": _diff,
    "hover": _hover,
    "requires": _requires,
    "validate": _validate,
}
