"""`dynamoc diff`: what differs between two renderings, and what it restarts."""

from __future__ import annotations

from dynamoc.cli.compiler_options import compiler_options
from dynamoc.cli.conclusion import conclude
from dynamoc.cli.failure import DONE, IMPOSSIBLE, UsageError
from dynamoc.cli.findings import report
from dynamoc.cli.printing import limit_of, print_lines
from dynamoc.cli.sides import sides_of
from dynamoc.cluster.previous import Previous
from dynamoc.compare.cluster_defaults import is_export, is_made_by_operator
from dynamoc.compare.comparison import Terms, compare
from dynamoc.compare.conditions import Conditions, target_text
from dynamoc.compare.graph_updates import refused_updates
from dynamoc.compare.ignore import BUILT_IN
from dynamoc.compare.uncompared import Failures, comparable, errors_of
from dynamoc.compilation import Trace
from dynamoc.compiler import compile_documents
from dynamoc.diagnostics import Findings
from dynamoc.diagnostics.finding import ERROR
from dynamoc.diagnostics.printable import whole_lines
from dynamoc.kube.identity import identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamoc.cli.option_table import Values
    from dynamoc.cli.sides import Side
    from dynamoc.compare.changed_input import ChangedLine
    from dynamoc.compare.result import Comparison
    from dynamoc.compiler import Options, Tree
    from dynamoc.source.document import Document

DIFFERENT = 1


def diff(values: Values) -> int:
    """The exit code: 0 same, 1 different, 2 where errors of the new side keep something from being compared.

    Errors of the old side do not: what it lacks for them is new.
    """
    old, new = sides_of(
        values["paths"],
        values["exclude"],
        follows_links=values["load_restrictor"] == "none",
        all_files=values["all_files"],
    )
    options = compiler_options(values)
    before = _Rendered(old, compiler_options(values).place_passed())
    after = _Rendered(new, compiler_options(values).place_passed(), before)
    findings = _told(before.findings, after.findings)
    errors = findings.errors
    conclude(findings, values)
    report(findings, values, read=_text_of)
    failed = bool(after.findings.errors) or findings.errors > errors
    if failed and not values["keep_going"]:
        return IMPOSSIBLE
    comparison = _compared(before, after, _terms(values, options, before, after), options.namespace or "default")
    if not options.standalone:
        comparison.refused = refused_updates(after.documents, after.findings, options.namespace or "default")
    if _costs_lines(values) and not _has_exports(before, after):
        # A restart that nobody wants to see is one all the same.
        plain = {**values, "ignore": []}

        def terms() -> Terms:
            return _terms(plain, options, before, after)

        whole = _compared(before, after, terms(), options.namespace or "default") if values["ignore"] else comparison
        whole.refused = comparison.refused
        comparison.lines = _lines(whole, before, after, terms)
    conditions = Conditions(options.release.name, target_text(options.target, after.objects), findings.items)
    _write(comparison, old, new, values, conditions)
    if failed:
        return IMPOSSIBLE
    return DONE if comparison.same or values["exit_zero"] else DIFFERENT


def _costs_lines(values: Values) -> bool:
    """Whether the output tells of lines; the files of `kubectl diff` are not those that somebody wrote."""
    return not (values["summary"] or values["output"] == "unified" or values["all_files"])


def _has_exports(before: _Rendered, after: _Rendered) -> bool:
    """Whether a side shows what a cluster made of a graph: its lines are nobody's."""
    return any(is_export(document.value) for side in (before, after) for document in side.documents)


def _lines(
    comparison: Comparison, before: _Rendered, after: _Rendered, terms: Callable[[], Terms]
) -> list[ChangedLine]:
    from dynamoc.compare.anchors import Anchors
    from dynamoc.compare.line_costs import LineSide, line_costs

    old, new = (LineSide(side.documents, side.objects, side.owners) for side in (before, after))
    # A line is rendered many times, and in far less time than a process takes to start.
    after.options.jobs = 1
    anchors = Anchors(_text_of).behind
    return line_costs(old, new, comparison, after.options, terms, anchors)


def _compared(before: _Rendered, after: _Rendered, terms: Terms, namespace: str) -> Comparison:
    """The comparison without what the new side holds and could not render: it is not removed."""
    failed = Failures("new", after.documents, errors_of(after.findings.items), namespace)
    missing = Failures("old", before.documents, errors_of(before.findings.items), namespace)
    failed.files = {after.side.relative(file) for file in failed.files}
    kept = comparable(
        before.objects, before.owners, before.documents, namespace, failed, before.side.relative, after.objects
    )
    comparison = compare(kept, after.objects, terms)
    known = {(item.file, item.subject, item.reason) for item in failed.skipped}
    own = [item for item in missing.skipped if (item.file, item.subject, item.reason) not in known]
    comparison.skipped = [*failed.skipped, *own]
    return comparison


class _Rendered:
    """One side: its documents, and the objects that they become.

    The old side exists, and the new one updates it, which is shown even where the API server refuses that.
    """

    def __init__(self, side: Side, options: Options, old: _Rendered | None = None) -> None:
        self.side = side
        self.options = options
        self.findings = Findings()
        self.documents: list[Document] = side.documents(self.findings)
        existing = self.documents if old is None else old.documents
        if not options.standalone and (old is None or not old.findings.errors):
            options.previous = Previous(existing, options.namespace, Findings())
            options.refuse_updates = False
        trace = Trace()
        self.objects: list[Tree] = compile_documents(self.documents, options, self.findings, trace)
        if self.findings.progress is not None:
            # The other side has a line of its own.
            self.findings.progress.stop()
        self.owners = trace.owners
        applied = [document for document in self.documents if not is_made_by_operator(document.value)]
        self.given = frozenset(_identities(applied, options.namespace or "default"))


def _told(old: Findings, new: Findings) -> Findings:
    """Errors of both sides; of warnings and notes only those that the new side brings."""
    told = Findings()
    told.texts = {**old.texts, **new.texts}
    told.inputs.take(old.inputs)
    told.inputs.take(new.inputs)
    shared = {(item.slug, item.place, item.message) for item in new.items}
    known = {(item.slug, item.subject, item.message) for item in old.items if item.severity != ERROR}
    for item in old.items:
        if item.severity == ERROR and (item.slug, item.place, item.message) not in shared:
            told.add(item)
    for item in new.items:
        # Two states of an object are no conflict.
        if (item.slug, item.subject, item.message) not in known and item.slug != "update/conflict":
            told.add(item)
    return told


def _identities(documents: list[Document], namespace: str) -> list[tuple[str, str, str, str]]:
    found = [identity(document.value) for document in documents]
    return [(group, kind, where or namespace, name) for group, kind, where, name in found]


def _terms(values: Values, options: Options, before: _Rendered, after: _Rendered) -> Terms:
    patterns = [*BUILT_IN, *values["ignore"]] if values["use_ignores"] else []
    lasting = set(after.owners.values())
    owned = frozenset(made for made, owner in before.owners.items() if owner in lasting)
    try:
        if options.standalone:
            # The user applies everything himself.
            applied = frozenset(map(identity, (*before.objects, *after.objects)))
            return Terms(options.release, applied, owned, patterns, attended=False)
        return Terms(options.release, before.given | after.given, owned, patterns)
    except ValueError as error:
        raise UsageError(f"--ignore: {error}.") from None


def _write(comparison: Comparison, old: Side, new: Side, values: Values, conditions: Conditions) -> None:
    style = values["output"]
    if style == "text":
        from dynamoc.compare.text import text_lines

        print_lines(text_lines(comparison, summary=values["summary"]), values["color"])
        return
    from dynamoc.cli.output import write_stdout

    if style == "json":
        write_stdout(_json(comparison, old, new, conditions, values))
    elif style == "unified":
        from dynamoc.compare.unified import unified

        write_stdout(whole_lines(unified(comparison)))
    else:
        from dynamoc.compare.markdown import markdown

        title = f"dynamoc diff {old.label} → {new.label}"
        text = markdown(comparison, title, limit_of(values), summary=values["summary"], conditions=conditions)
        write_stdout(whole_lines(text))


def _json(comparison: Comparison, old: Side, new: Side, conditions: Conditions, values: Values) -> str:
    import json

    from dynamoc.compare.machine import FORMAT, VERSION, comparison_record

    record = {
        "format": FORMAT,
        "version": VERSION,
        "old": old.label,
        "new": new.label,
        "operatorVersion": conditions.release,
        "target": values["target"],
        **comparison_record(comparison),
    }
    if values["summary"]:
        del record["objects"], record["lines"]
    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"


def _text_of(place: str) -> str | None:
    """Excerpts come from disk, or from the revision that a file was read from."""
    import os

    if os.path.lexists(place):
        from dynamoc.source.files import text_again

        return text_again(place)
    from dynamoc.compare.revisions import text_at

    return text_at(place)
