"""From what the user wrote to what the API server stores: schema, conversion, and the operator's webhooks."""

from __future__ import annotations

from dynamoc.admission.cluster.previous import Before, is_stored, kept, may_be_stored, phases, updatable
from dynamoc.admission.convert import request
from dynamoc.admission.convert.kinds import KINDS
from dynamoc.admission.convert.operator import dialect_of
from dynamoc.admission.webhooks import defaults
from dynamoc.admission.webhooks.by_release import default, judge
from dynamoc.admission.webhooks.defaults import leaves_alone
from dynamoc.compiler.cluster import Cluster, Run, Stored
from dynamoc.compiler.losses import losses
from dynamoc.documents.findings.finding import ERROR, Refusal, format_path
from dynamoc.documents.schema.causes import ratcheted
from dynamoc.documents.schema.cel import CREATION
from dynamoc.documents.schema.check import check
from dynamoc.documents.schema.problem import Problem
from dynamoc.documents.schema.suggestions import value_hint
from dynamoc.documents.source.document import Document
from dynamoc.kube.go_types import HUB, PRINTED, Unreadable, load, typed_object
from dynamoc.kube.merge import Tree, at, copy_tree
from dynamoc.reference.releases import Release

#: what a conversion and back may put right
_WASHED = ("schema/enum", "schema/duplicate")
#: the same for a request, whose absent fields are there, empty
_WASHED_REQUEST = ("schema/required", "schema/duplicate")
REQUEST = "DynamoGraphDeploymentRequest"


def updated(run: Run, document: Document, version: str) -> Before | None:
    """The object that a document updates, for a document of an apiVersion; None where it cannot be one."""
    cluster, document = run.cluster, run.origins.updated(document)
    raw = {key: item for key, item in document.value.items() if key != "status"}
    unknown = "prune" if cluster.options.unknown_fields == "prune" else "warn"
    value, problems = check(
        cluster.release.name, raw["kind"], raw["apiVersion"], raw, unknown=unknown, webhook=_webhook(cluster, raw)
    )
    if run.report.take(document, [problem for problem in problems if not may_be_stored(problem.slug, raw)]):
        return None
    value["metadata"]["namespace"] = value["metadata"].get("namespace") or cluster.namespace
    try:
        stored = value if is_stored(raw) else defaulted(run, value, creation=True).value
        current = updatable(in_version(run, stored, version.rpartition("/")[2]))
        judged = in_version(run, stored, webhook_version(cluster.release, stored))
        return Before(document, {**judged, "status": _phases(cluster.release, document)}, current)
    except Refusal as refusal:
        run.report.find(document, refusal.slug, refusal.message, refusal.path, refusal.hint, severity=ERROR)
        return None


def _phases(release: Release, document: Document) -> Tree:
    """The part of the status that decides about updates; that of a request depends on the version."""
    if document.value["kind"] != REQUEST:
        return phases(document.value)
    status = _converted(release, document.value, "v1beta1").get("status")
    status = status if isinstance(status, dict) else {}
    return {"phase": status.get("phase") or status.get("state")}


def checked(run: Run, document: Document, before: Before | None) -> Tree | None:
    """Structural schema, defaults, pruning and CEL rules, as the API server applies them. `before` is updated."""
    cluster, options, release = run.cluster, run.cluster.options, run.cluster.release
    if options.running is None:
        run.report.take(document, defaults.tell(document.value, release))
    raw = document.value
    if before is not None:
        raw = before.updated_by(raw, keeps_scaled=options.omit_replicas)
    webhook = _webhook(cluster, raw)
    unknown_fields = options.unknown_fields
    value, problems = check(release.name, raw["kind"], raw["apiVersion"], raw, unknown=unknown_fields, webhook=webhook)
    if problems and webhook == "converted":
        if raw["kind"] == REQUEST:
            value, problems = _request_checked_again(run, value, problems, creation=before is None)
        else:
            value, problems = _checked_again(run, value, problems)
    if options.running is not None and options.running.holds(value):
        # Rules may have been added since the document was stored; what is stored is not judged again.
        problems = [problem for problem in problems if not problem.slug.startswith("cel/")]
    if before is not None:
        problems = [problem for problem in problems if problem.slug not in CREATION]
        problems = ratcheted(release.name, value, before.current, problems) if problems else []
    if run.report.take(document, problems, before):
        unknown = any(problem.slug in ("schema/api-version", "schema/unknown-kind") for problem in problems)
        if unknown or not options.past_errors:
            return None
        value = _without_faults(value, problems)
    metadata = value["metadata"]
    wanted = options.only_namespace
    if wanted and (metadata.get("namespace") or wanted) != wanted:
        message = f"The document sets namespace {metadata['namespace']}, the command line sets {wanted}."
        path, hint = ("metadata", "namespace"), "Remove one of the two."
        run.report.find(document, "input/namespace", message, path, hint)
        return None
    # An empty namespace does not count, for the API server as well.
    metadata["namespace"] = metadata.get("namespace") or cluster.namespace
    return run.origins.checked(document, value, options)


def _checked_again(run: Run, value: Tree, problems: list[Problem]) -> tuple[Tree, list[Problem]]:
    """The verdict on what the conversion for the mutating webhook made of values that the schema doesn't know.

    The API server validates after that webhook. The conversion writes some names of modes as the schema of the
    other version has them, and merges containers that are called main (api/v1alpha1/shared_spec_conversion.go,
    gmsModeFromV1beta1, buildPodTemplateToHub).
    """
    if any(problem.severity == ERROR and problem.slug not in _WASHED for problem in problems):
        return value, problems

    release, version = run.cluster.release, str(value["apiVersion"]).rpartition("/")[2]
    back = in_version(run, in_version(run, value, webhook_version(release, value)), version)
    again, remaining = check(release.name, value["kind"], value["apiVersion"], back, webhook="converted")
    if any(problem.severity == ERROR for problem in remaining):
        return value, problems
    return again, [problem for problem in problems if problem.severity != ERROR]


def _request_checked_again(
    run: Run, value: Tree, problems: list[Problem], *, creation: bool
) -> tuple[Tree, list[Problem]]:
    """The same for a request of v1alpha1: its image comes from the webhook, and what Go leaves out is there."""
    if any(problem.severity == ERROR and problem.slug not in _WASHED_REQUEST for problem in problems):
        return value, problems

    version = str(value["apiVersion"]).rpartition("/")[2]
    back = in_version(run, defaulted(run, value, creation=creation).value, version)
    again, remaining = check(run.cluster.release.name, REQUEST, value["apiVersion"], back, webhook="nothing")
    found = [problem for problem in problems if problem.severity != ERROR]
    if not any(problem.severity == ERROR for problem in remaining):
        return again, found
    return value, problems if any(problem.severity == ERROR for problem in problems) else [*found, *remaining]


def admitted(run: Run, document: Document, value: Tree, before: Before | None, *, is_clean: bool) -> Stored | None:
    """The document in the version that the operator's webhooks take, defaulted and judged by them.

    `is_clean` says that nothing was found in the document so far.
    """
    cluster, options, release = run.cluster, run.cluster.options, run.cluster.release
    stored = defaulted(run, value, creation=before is None)
    if run.trace is not None and before is None and is_clean:
        run.trace.defaulted[document] = stored.value
    if options.running is not None and options.running.holds(value):
        # What is stored already has been admitted, by rules that may have changed since.
        return _with_origins(run, document, value, adopted(run, stored))
    if before is not None:
        _tell_kept(run, document, before, value)
    problems = judge(
        release,
        value["kind"],
        stored.value,
        cluster.existing,
        origin=value,
        old=None if before is None else before.value,
        old_origin=None if before is None else before.document.value,
        kept=_kept_alpha(run, value, stored.value),
    )
    refused = run.report.take(document, problems, before)
    if not refused and value["kind"] in ("DynamoGraphDeployment", "DynamoComponentDeployment"):
        lost = losses(value, cluster.existing, converts=release.has("hub/v1beta1"))
        refused = run.report.take(document, lost, before)
    return None if refused and not options.past_errors else _with_origins(run, document, value, stored)


def adopted(run: Run, stored: Stored) -> Stored:
    """A document that an earlier release stored, with the annotations that it carries since."""
    running = run.cluster.options.running
    value = stored.value if running is None else running.adopt(stored.value)
    return stored if value is stored.value else Stored(value)


def _with_origins(run: Run, document: Document, value: Tree, stored: Stored) -> Stored:
    return Stored(run.origins.admitted(document, value, stored.value), stored.alpha)


def _tell_kept(run: Run, document: Document, before: Before, value: Tree) -> None:
    """What stays as it is in the object that exists by default, and is not so in a new one."""
    if not is_stored(before.document.value):
        return
    version = value["apiVersion"]
    alone = check(run.cluster.release.name, value["kind"], version, document.value, unknown="prune")[0]
    alone["metadata"]["namespace"] = value["metadata"]["namespace"]
    new = in_version(run, defaulted(run, alone, creation=True).value, version.rpartition("/")[2])
    paths = [path for path in kept(value, alone) if at(new, path) != at(value, path)]
    if paths:
        named = version == before.document.value["apiVersion"] and "components" not in value["spec"]
        related = tuple(before.document.place(path) for path in paths[:5]) if named else ()
        told = ", ".join(f"`{format_path(path)}`" for path in paths[:5]) + " and more" * (len(paths) > 5)
        message = f"The existing object keeps {told}, which this document does not set."
        run.report.find(document, "update/kept", message, ("metadata", "name"), related=related)


def defaulted(run: Run, value: Tree, *, creation: bool) -> Stored:
    """A document with what the mutating webhooks write, in the version that the webhooks take."""
    release, context = run.cluster.release, run.cluster.existing
    kind, taken = value["kind"], webhook_version(release, value)
    if value["apiVersion"].endswith(taken):
        return Stored(default(release, kind, value, context, creation=creation))

    # Some webhooks take what was written as it is, before others see it converted.
    written = default(release, kind, value, context, creation=creation)
    converted = in_version(run, written, taken)
    found = default(release, kind, converted, context, creation=creation)
    return Stored(found) if found == converted else _back_and_forth(run, found, written)


def _back_and_forth(run: Run, changed: Tree, written: Tree) -> Stored:
    """What a graph that the mutating webhook changed becomes on its way through the version it was written in.

    The API server converts it back to that version, and once more to store it. The way there and back moves the
    mount of a compilation cache behind the other mounts, and may change what the conversion keeps in its
    annotation; else it changes nothing. Where it can be seen to change nothing, the v1alpha1 view comes with it.
    """
    version, taken = (str(value["apiVersion"]).rpartition("/")[2] for value in (written, changed))
    if written["kind"] == REQUEST:
        return Stored(in_version(run, in_version(run, changed, version), taken))
    components = (changed.get("spec") or {}).get("components") or ()
    kept = any(name.startswith("nvidia.com/dgd-") for name in changed["metadata"].get("annotations") or ())
    if written["kind"] != "DynamoGraphDeployment" or not (
        kept or any("compilationCache" in component for component in components)
    ):
        return Stored(changed)
    # A value that knows its origin has another one on its way back.
    if version == "v1alpha1" and not run.origins.traces:
        view = dialect_of(run.cluster.release).unmoved(written, changed)
        if view is not None:
            return Stored(changed, view)
    return Stored(in_version(run, in_version(run, changed, version), taken))


def _webhook(cluster: Cluster, raw: Tree) -> str:
    """What the mutating webhook does to a document before its schema is asked (`documents/schema/schemas.py`)."""
    if leaves_alone(raw, cluster.existing):
        return "nothing"
    if raw["kind"] in ("DynamoGraphDeployment", REQUEST) and not raw["apiVersion"].endswith(
        webhook_version(cluster.release, raw)
    ):
        return "converted"
    return "patches"


def webhook_version(release: Release, value: Tree) -> str:
    """The version of the API that the webhooks take: that of the document itself where there is no conversion."""
    if value["kind"] == REQUEST and release.has("requests/v1beta1"):
        return "v1beta1"
    if not release.has("hub/v1beta1"):
        return str(value["apiVersion"]).rpartition("/")[2]
    return "v1alpha1" if release.has("admission/v1alpha1") else "v1beta1"


def _kept_alpha(run: Run, written: Tree, value: Tree) -> Tree | None:
    """What v1alpha1 says of a document that was written in v1beta1, where an annotation keeps some of it."""
    annotations = value["metadata"].get("annotations") or {}
    if not (written["apiVersion"] == value["apiVersion"] == "nvidia.com/v1beta1") or not any(
        key.endswith("-spec") for key in annotations
    ):
        return None
    kind = KINDS.get(value["kind"])
    return None if kind is None or kind.spec_key not in annotations else in_version(run, value, "v1alpha1")


def in_version(run: Run, value: Tree, version: str) -> Tree:
    """The document in another API version, as the operator's webhook converts it, if there is one for its kind."""
    return run.origins.converted(value, lambda given: _converted(run.cluster.release, given, version))


def _converted(release: Release, value: Tree, version: str) -> Tree:
    if value["kind"] == REQUEST:
        if not release.has("requests/v1beta1") or value["apiVersion"].endswith(version):
            return value
        convert = request.to_v1beta1 if version == "v1beta1" else request.to_v1alpha1
        return convert(value, release["request/conversion"])
    if not release.has("hub/v1beta1") or value["apiVersion"].endswith(version):
        return value
    if value["kind"] not in KINDS:
        return value
    dialect = dialect_of(release)
    return dialect.to_v1beta1(value) if version == "v1beta1" else dialect.to_v1alpha1(value)


def canonical(run: Run, document: Document, value: Tree) -> Tree:
    """The document as Go prints it, in the hub version without null fields: lists and maps that do not exist.

    Refusal where Go cannot read it: a quantity need only look like one before.
    """
    release = run.cluster.release
    form = HUB if release.has("hub/v1beta1") and value["kind"] != REQUEST else PRINTED
    try:
        found: Tree = typed_object(value, load(release.name, form))
    except Unreadable as error:
        what = f"must be {error.wanted}, not {error.value!r:.60}"
        message = f"{format_path(error.path)} {what}: the operator cannot read the document."
        hint = value_hint(str(error.value)) if "quantity" in error.wanted else None
        is_written_so = value["apiVersion"] == document.value["apiVersion"]
        raise Refusal("admission/unreadable", message, error.path if is_written_so else (), hint) from None
    return found


def _without_faults(value: Tree, problems: list[Problem]) -> Tree:
    """The document without the values that the schema refuses."""
    found: Tree = copy_tree(value)
    wrong = [problem for problem in problems if problem.severity == ERROR and problem.slug.startswith("schema/")]
    # What is missing has the path of its holder, and without a name no object exists.
    paths = {problem.path for problem in wrong if problem.slug != "schema/required" and problem.path[:1] == ("spec",)}
    # From the end of lists, whose items move up.
    for path in sorted(paths, key=lambda path: [(isinstance(step, int), step) for step in path], reverse=True):
        holder = at(found, path[:-1])
        if isinstance(holder, list) and isinstance(path[-1], int) and path[-1] < len(holder):
            del holder[path[-1]]
        elif isinstance(holder, dict):
            holder.pop(path[-1], None)
    return found
