"""dynamoc for Python programs: `from dynamoc import render, validate, convert, explain, diff`, without streams."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack, get_args

from dynamoc.admission.convert.command import VERSIONS
from dynamoc.admission.convert.rewrite import converted, needs_conversion, refuse_foreign
from dynamoc.analysis.blocks import plain_text
from dynamoc.analysis.compare.answer import diff_answer
from dynamoc.analysis.compare.comparison import BUILT_IN, Conditions, target_text
from dynamoc.analysis.compare.line_causes import line_costs
from dynamoc.analysis.compare.renderings import Rendered, compare_sides, findings_of_both
from dynamoc.analysis.compare.result import Amount, ChangedLine, Comparison, ObjectChange, RefusedUpdate, Skipped
from dynamoc.analysis.compare.text import comparison_blocks, comparison_markdown
from dynamoc.analysis.requires.requirements import without_missing
from dynamoc.compiler.cluster import Trace
from dynamoc.compiler.explain.answer import Explanation
from dynamoc.compiler.explain.selection import Unknown, find_field, find_object
from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_documents
from dynamoc.documents.findings.answers import ABSENT, plain
from dynamoc.documents.findings.finding import Finding, Findings
from dynamoc.documents.source.document import Document
from dynamoc.interfaces.inputs import (
    InputError,
    Object,
    Rendering,
    Source,
    Standalone,
    Target,
    Version,
    answers,
    as_reported,
    choice,
    explanations,
    is_word,
    listed,
    listed_words,
    options_of,
    read,
)


class Arguments(TypedDict, total=False):
    """What `render` and `validate` take beside sources; the options of the command line have the same names."""

    release: str
    target: Target
    cluster: Iterable[Source]
    namespace: str | None
    created_by: str | None
    profiling_results: Mapping[str, str | os.PathLike[str]]
    deny: Iterable[str]
    warn: Iterable[str]
    allow: Iterable[str]
    include: Iterable[str]
    omit: Iterable[str]
    standalone: bool | Standalone


def render(*sources: Source, **arguments: Unpack[Arguments]) -> Rendering:
    """The objects that the operator would create for all sources, which together are one cluster.

    Raises InputError where the API server or the operator would refuse something, and ValueError, which lists the
    choices, for an argument that is not one of them. `release` is a name that `dynamoc --version --verbose` lists, or
    `latest`, the default: the newest release that was checked against recordings of the operator. `cluster` holds what
    `--cluster` takes, and objects.
    """
    objects, findings = _compiled(sources, arguments)
    if findings.errors:
        raise InputError(findings.items)
    return Rendering(objects, findings.items)


def validate(*sources: Source, **arguments: Unpack[Arguments]) -> list[Finding]:
    """Errors, warnings and notes on all sources, as `dynamoc validate` reports them. It takes what `render` takes."""
    return _compiled(sources, arguments)[1].items


def convert(*sources: Source, to: Version = "v1beta1", lossless: bool = False) -> Rendering:
    """The objects of all sources, graphs and components in the API version `to`, as the operator converts them.

    Other objects stay as they are. `findings` has what is lost; with `lossless`, the operator's annotation keeps it.
    Raises InputError for what cannot be converted, and ValueError for a version that does not exist.
    """
    version = VERSIONS[choice("to", to, get_args(Version))]
    findings = Findings()
    objects = []
    for document in read(sources, findings):
        refuse_foreign(document, findings)
        if needs_conversion(document.value, version):
            objects.append(converted(document, version, findings, lossless=lossless))
        else:
            objects.append(document.value)
    as_reported(findings)
    if findings.errors:
        raise InputError(findings.items)
    return Rendering(objects, findings.items)


def explain(
    *sources: Source, object: str, field: str | None = None, **arguments: Unpack[Arguments]
) -> list[Explanation]:
    """Where the value of a field comes from, for each value at or below it; of the whole object without a field.

    `object` is `kind/name` and `field` a path, as `dynamoc explain` takes them. Raises LookupError, which names what
    there is, where either does not exist, and what `render` raises.
    """
    given = _given(sources, arguments)
    trace = Trace()
    objects = _objects(given, trace)
    as_reported(given.findings)
    if given.findings.errors:
        raise InputError(given.findings.items)
    try:
        index = find_object(objects, object)
        path = find_field(objects[index], field) if field else ()
    except Unknown as unknown:
        raise LookupError(str(unknown)) from None
    return explanations(given.documents, given.options, given.context, objects, trace, (index, path))


def diff(
    old: Source | Iterable[Source],
    new: Source | Iterable[Source],
    *,
    ignore: Iterable[str] = (),
    use_ignores: bool = True,
    **arguments: Unpack[Arguments],
) -> Difference:
    """What differs between the objects of two sides, and what that restarts.

    `ignore` and `use_ignores` are the options of those names. Raises InputError where the API server or the operator
    would refuse something of the new side; what the old side lacks for an error counts as new. `passthrough` is on.
    """
    given = _given(tuple(listed(old)), arguments, "old ")
    before = Rendered(given.documents, given.options.place_passed(), given.findings, context=given.context)
    given = _given(tuple(listed(new)), arguments, "new ")
    after = Rendered(given.documents, given.options.place_passed(), given.findings, old=before, context=given.context)
    findings = findings_of_both(before.findings, after.findings)
    for side in (before.findings, findings):
        as_reported(side)
    if after.findings.errors:
        raise InputError(findings.items)
    patterns = [*BUILT_IN, *listed_words("ignore", ignore)] if use_ignores else []
    return Difference(compare_sides(before, after, given.options, patterns), findings.items, before, after)


@dataclass(eq=False, slots=True)
class _Given:
    """What a call hands over: sources that were read, and what its arguments mean."""

    documents: list[Document]
    options: Options
    findings: Findings
    context: list[Document]


def _compiled(sources: tuple[Source, ...], arguments: Arguments) -> tuple[list[Object], Findings]:
    given = _given(sources, arguments)
    objects = _objects(given)
    as_reported(given.findings)
    return objects, given.findings


def _objects(given: _Given, trace: Trace | None = None) -> list[Object]:
    """None where sources cannot be read. Errors are findings."""
    if given.findings.errors:
        return []
    documents, options, findings, context = given.documents, given.options, given.findings, given.context
    objects: list[Object] = compile_documents(documents, options, findings, trace, context=context)
    if options.strict_context:
        without_missing(objects, documents, options, findings, context=context)
    return objects


def _given(sources: tuple[Source, ...], arguments: Arguments, side: str = "") -> _Given:
    """Raises ValueError and TypeError for wrong arguments and sources."""
    if not sources:
        raise ValueError("there is no source: give a text, a path, a mapping or a model")
    given: dict[str, Any] = {**arguments}
    unknown = given.keys() - Arguments.__annotations__.keys()
    if unknown:
        raise TypeError(f"{min(unknown)} is not an argument; there are {', '.join(sorted(Arguments.__annotations__))}")
    cluster = list(listed(given.pop("cluster", ())))
    if "profiling_results" in given:
        given["profiling_result"] = answers(given.pop("profiling_results"))
    options = options_of([os.fspath(each) for each in cluster if is_word(each)], given)
    findings = Findings()
    documents = read(sources, findings, side)
    return _Given(documents, options, findings, _context([each for each in cluster if not is_word(each)], findings))


def _context(sources: Source | Iterable[Source], findings: Findings) -> list[Document]:
    """The documents of what exists, whose numbers are not those of the input."""
    own = Findings()
    documents = read(listed(sources), own, "context ")
    findings.take(own)
    return documents


class Difference:
    """Two renderings side by side. It is true where something differs.

    objects   those that differ, in install order, each with its `changes`, its `effect` and its `parts`
    refused   changes of the input that the API server takes on creation only
    skipped   documents of the old side that could not be rendered
    findings  errors of the old side, and warnings and notes that the new side brings
    """

    __slots__ = ("_comparison", "_sides", "findings")

    def __init__(self, comparison: Comparison, findings: list[Finding], before: Rendered, after: Rendered) -> None:
        self._comparison = comparison
        self._sides = before, after
        self.findings = findings

    def __bool__(self) -> bool:
        return not self._comparison.same

    @property
    def objects(self) -> list[ObjectChange]:
        return self._comparison.objects

    @property
    def refused(self) -> list[RefusedUpdate]:
        return self._comparison.refused

    @property
    def skipped(self) -> list[Skipped]:
        return self._comparison.skipped

    @property
    def restarted(self) -> Amount:
        """Pods that restart, and their GPUs."""
        return self._comparison.total("restarted")

    @property
    def started(self) -> Amount:
        """New pods, and their GPUs."""
        return self._comparison.total("started")

    @property
    def stopped(self) -> Amount:
        """Pods that stop and are not replaced, and their GPUs."""
        return self._comparison.total("stopped")

    @property
    def lines(self) -> list[ChangedLine] | None:
        """What each changed line of the input costs; None where a side is an export of a cluster."""
        if self._comparison.lines is None:
            self._comparison.lines = line_costs(*self._sides, self._comparison)
        return self._comparison.lines

    def _conditions(self) -> Conditions:
        after = self._sides[1]
        target = target_text(after.options.target, after.objects)
        return Conditions(after.options.release.name, target, self.findings)

    def to_dict(self) -> dict[str, Any]:
        """What `dynamoc diff -o json` prints below the names of the sides (docs/diff.md)."""
        options = self._sides[1].options
        self._comparison.lines = self.lines
        answer: dict[str, Any] = plain(
            diff_answer(self._comparison, (ABSENT, ABSENT), options.release.name, options.target)
        )
        return answer

    def to_text(self) -> str:
        """What `dynamoc diff` prints, without colours."""
        self._comparison.lines = self.lines
        return plain_text(comparison_blocks(self._comparison))

    def to_markdown(self, title: str = "dynamoc diff") -> str:
        """What `dynamoc diff -o markdown` prints."""
        self._comparison.lines = self.lines
        return comparison_markdown(self._comparison, title, conditions=self._conditions())
