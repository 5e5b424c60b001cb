"""The pipeline: all documents of one cluster to its objects, each through its stages, in the order of this page."""

from __future__ import annotations

from collections.abc import Sequence

from dynamoc.admission.cluster.config import OperatorConfig
from dynamoc.admission.cluster.context import ClusterContext, foreign
from dynamoc.admission.cluster.objects import duplicates, existing, is_dynamo, may_be_early
from dynamoc.admission.operator import Standalone
from dynamoc.compiler.assumptions import check_base_model, reason, tell_assumptions, tell_surroundings
from dynamoc.compiler.cluster import Checker, Cluster, Origins, Reporter, Run, Stored, Trace
from dynamoc.compiler.generations.kinds import refusal
from dynamoc.compiler.objects import COMPILED_KINDS, judge_objects, lowered
from dynamoc.compiler.options import Options, without_operator
from dynamoc.compiler.output import output, passed
from dynamoc.compiler.requests import generated, tell_collisions, tell_refused_graphs
from dynamoc.compiler.stored import REQUEST, admitted, adopted, checked, in_version, updated
from dynamoc.documents.findings.finding import ERROR, Findings, Refusal
from dynamoc.documents.source.document import Document
from dynamoc.kube.limits import hint, limit
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import Identity, identity, mapping


def compile_cluster(
    documents: list[Document],
    options: Options,
    config: OperatorConfig,
    context: Sequence[Document],
    findings: Findings,
    *,
    trace: Trace | None = None,
    checker: Checker | None = None,
    origins: Origins | None = None,
    standalone: Standalone | None = None,
) -> list[Tree]:
    """The objects of documents that are one cluster, in the order of the output. Of no use where there are errors.

    `context` are documents that say what exists beside them. `standalone` collects the losses of several clusters.
    """
    report, origins = Reporter(options, findings), origins or Origins()
    _refuse_duplicates(documents, options, report)
    compiled = [document for document in documents if is_dynamo(document.value)]
    others = [document for document in documents if not is_dynamo(document.value)]
    # What the API server refuses is neither there nor part of the output.
    others, known = _existing(others, options, report)
    known += _existing(context, options, report)[1]
    known += _checkpoints(compiled, options)
    release = origins.release(options.release)
    cluster = Cluster(
        options,
        release,
        config,
        documents,
        context,
        ClusterContext(
            known,
            config,
            release,
            options.target,
            namespace=options.namespace or "default",
            strict=options.strict_context,
            generate_secrets=options.generate_secrets,
            created_by=options.created_by,
            apis=options.apis,
            kube_minor=options.kube_minor,
        ),
        _graphs([*compiled, *others, *context], options.namespace),
        standalone or without_operator(options),
    )
    run = Run(cluster, report, trace, checker, origins)
    if checker is not None:
        checker.others(run, _owned(others, options))
    tell_surroundings(cluster, others, compiled, findings)
    _tell_snapshots(run, _owned(others, options))
    # By identity and not by file order: the same inputs in another order must give the same bytes.
    compiled.sort(key=lambda document: identity(document.value, cluster.namespace))
    tell_collisions(run, compiled)
    _use(compiled, options)
    compiled = _owned(compiled, options)
    rendered: list[tuple[Document, list[Tree]]] = []
    count = 0
    for document in compiled:
        found = compile_document(run, document)
        rendered.append((document, found))
        count += len(found)
        if _is_too_much(run, document, count):
            break
        if findings.progress is not None:
            findings.progress.step("Rendering", len(rendered), len(compiled))
    taken = [document for document, objects in rendered if objects]
    tell_assumptions([*taken, *_owned(others, options)], options, cluster.existing, findings)
    if trace is not None:
        trace.note(rendered, cluster.namespace)
    objects = output(run, rendered, others, compiled)
    if cluster.standalone is not None and standalone is None:
        cluster.standalone.tell(findings)
    return objects


def compile_document(run: Run, document: Document) -> list[Tree]:
    """The objects of one document, none where it is refused."""
    before = run.refusals
    try:
        objects = stages(run, document)
    except Refusal as refused:
        run.report.find(document, refused.slug, refused.message, refused.path, refused.hint, severity=ERROR)
        return []
    except Exception:
        # Stages count on what the stages before them have refused.
        if run.cluster.options.past_errors and run.refusals > before:
            return []
        raise
    return [] if run.refusals > before and not run.cluster.options.past_errors else objects


def stages(run: Run, document: Document) -> list[Tree]:
    """One document: checked by its schema, stored as the webhooks leave it, lowered to objects that are judged."""
    cluster, options, found = run.cluster, run.cluster.options, run.report.findings.items
    run.origins.begin(document)
    start = len(found)
    if may_be_early(document.value) and _is_early(run, document):
        return []
    previous = options.previous and options.previous.get(document.value, options.namespace)
    before = updated(run, previous, document.value["apiVersion"]) if previous else None
    if previous and before is None:
        return []
    stored = None if before is not None else _taken_over(run, document)
    if stored is None:
        value = checked(run, document, before)
        stored = None if value is None else admitted(run, document, value, before, is_clean=len(found) == start)
    if stored is None:
        return []
    if run.trace is not None:
        newest = in_version(run, stored.value, cluster.release.api_versions[-1])
        run.trace.stored[identity(stored.value, "default")] = newest
    if document.value["kind"] not in COMPILED_KINDS:
        return _passed_through(run, document, stored.value)
    start = len(found)
    value = run.origins.lowering(run, document, stored.value)
    try:
        objects = lowered(run, document, Stored(value, stored.alpha), before)
    finally:
        run.origins.lowered()
    judged = judge_objects(run, document, objects)
    if run.checker is not None:
        run.checker.rendered(run, document, run.origins.plain(stored.value), judged)
    if document.value["kind"] == REQUEST:
        objects = _with_graphs(run, document, objects)
    if not objects and len(found) == start:
        _tell_unrendered(run, document)
    if not options.include_intermediate:
        objects = [item for item in objects if item["kind"] != "DynamoComponentDeployment"]
    return objects


def _passed_through(run: Run, document: Document, value: Tree) -> list[Tree]:
    """A document of the operator that nothing is made of; none where it would do nothing."""
    standalone = run.cluster.standalone
    if standalone is not None and standalone.leaves_out(document.value):
        return []
    if document.value["kind"] == "DynamoModel" and _is_unserved(run, document, value):
        return []
    _tell_unrendered(run, document)
    return [passed(document, run.cluster.options)] if run.cluster.options.passthrough else []


def _with_graphs(run: Run, document: Document, objects: list[Tree]) -> list[Tree]:
    """The objects of a request, with those of the graphs that it leads to where these are asked for."""
    if run.cluster.options.through != "pods":
        tell_refused_graphs(run, document, objects)
        return objects
    graphs = [item for item in objects if item["kind"] == "DynamoGraphDeployment"]
    for graph in graphs:
        objects = objects + stages(run, generated(document, graph))
    if run.cluster.standalone is not None:
        objects = [item for item in objects if item["kind"] != "DynamoGraphDeployment"]
    return objects


def _taken_over(run: Run, document: Document) -> Stored | None:
    """The document as an earlier release left it, where it is known what the webhooks make of it."""
    running = run.cluster.options.running
    known = None if running is None else running.defaulted.get(document)
    return None if known is None else adopted(run, Stored(known))


def _is_early(run: Run, document: Document) -> bool:
    """Whether a document is of Dynamo 0.1 to 0.3, which is an error; reports what else is wrong with it."""
    problems = refusal(document.value)
    return problems is not None and run.report.take(document, problems)


def _is_unserved(run: Run, document: Document, value: Tree) -> bool:
    """Whether a DynamoModel is refused because no graph serves its base model; reports it where none does."""
    cluster = run.cluster
    others = [item.value for item in (*cluster.documents, *cluster.context)]
    strict = cluster.options.strict_context
    return run.report.take(document, check_base_model(value, others, cluster.namespace, strict=strict))


def _tell_unrendered(run: Run, document: Document) -> None:
    run.report.find(document, "input/not-rendered", reason(document.value), ("kind",))


def _tell_snapshots(run: Run, others: list[Document]) -> None:
    """Kinds of the operator that pass through because other words than Dynamo name them."""
    for document in others:
        if document.value["kind"].startswith("PodSnapshot") and document.value["apiVersion"].startswith("nvidia."):
            _tell_unrendered(run, document)


def _is_too_much(run: Run, document: Document, objects: int) -> bool:
    """Whether the output has more objects than it may have, which is an error."""
    most = limit("objects")
    if objects > most:
        message = f"The output has more than {most:,} objects, the limit `objects`."
        run.report.find(document, "output/too-large", message, (), f"Render fewer files at once. {hint('objects')}")
    return objects > most


def _refuse_duplicates(documents: list[Document], options: Options, report: Reporter) -> None:
    for document, other in duplicates(documents, options.namespace):
        name = ("metadata", "name")
        message = f"{document.value['kind']}/{identity(document.value, 'default')[3]} is in the input twice."
        report.find(document, "input/duplicate", message, name, "Remove one of the two.", (other.place(name),))


def _existing(documents: Sequence[Document], options: Options, report: Reporter) -> tuple[list[Document], list[Tree]]:
    """The documents that a cluster can hold, and the objects that these are; reports why others are not.

    One that means a kind of the operator and names something else is an error.
    """
    held: list[Document] = []
    found: list[Tree] = []
    release = options.release.name
    for document in documents:
        value = document.value
        if "dynamo" in value["kind"].lower() or "nvidia" in value["apiVersion"]:
            problem = foreign(value, release)
            if problem is not None and report.take(document, [problem]):
                continue
        known, problems = existing(value, release)
        report.take(document, problems)
        if known is not None:
            held.append(document)
            found.append(known)
    return held, found


def _checkpoints(documents: list[Document], options: Options) -> list[Tree]:
    """The DynamoCheckpoints that graphs find, with the status of those that exist already.

    What is wrong with one is reported in its turn.
    """
    found = [document.value for document in documents if document.value["kind"] == "DynamoCheckpoint"]
    if options.previous is not None:
        found = options.previous.checkpoints(found, options.namespace)
    values = (existing(value, options.release.name)[0] for value in found)
    return [value for value in values if value is not None]


def _owned(documents: list[Document], options: Options) -> list[Document]:
    """Those of the part of the run that is compiled."""
    return [document for document in documents if options.owns(document.value)]


def _use(documents: list[Document], options: Options) -> None:
    """Other parts of the run use what the command line has for their documents."""
    for document in documents:
        if not options.owns(document.value):
            options.used_results.add(mapping(document.value, "metadata").get("name", ""))
            if options.previous is not None:
                options.previous.get(document.value, options.namespace)


def _graphs(documents: list[Document], namespace: str | None) -> frozenset[Identity]:
    kinds = (document for document in documents if document.value["kind"] == "DynamoGraphDeployment")
    return frozenset(identity(document.value, namespace or "default") for document in kinds)
