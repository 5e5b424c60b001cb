"""The stages of the pipeline, in the order in which they run: check, admit, adapt, render, judge, merge."""

from __future__ import annotations

from dynamoc.cluster.identity import Merged, duplicates, identity, is_dynamo
from dynamoc.diagnostics.finding import ERROR, NOTE, WARNING, Finding, Refusal, format_path
from dynamoc.kube.scope import with_namespace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.cluster.config import OperatorConfig
    from dynamoc.cluster.identity import Identity
    from dynamoc.cluster.previous import Before
    from dynamoc.diagnostics.finding import Findings, Path
    from dynamoc.model.standalone import Standalone
    from dynamoc.options import Options
    from dynamoc.schema.problem import Problem
    from dynamoc.source.document import Document

    Tree = dict[str, Any]

#: kinds that the operator turns into other objects
COMPILED_KINDS = ("DynamoGraphDeployment", "DynamoComponentDeployment", "DynamoCheckpoint")

#: what a conversion and back may put right
_WASHED = ("schema/enum", "schema/duplicate")


class Trace:
    """What a compilation did on the way.

    stored  the documents as the operator stores them: in its version, and defaulted
    owners  the document that each object was made from; for one that several make, the first
    """

    __slots__ = ("owners", "stored")

    def __init__(self) -> None:
        self.stored: dict[Identity, Tree] = {}
        self.owners: dict[Identity, Identity] = {}

    def note(self, made: list[tuple[Document, list[Tree]]], namespace: str | None) -> None:
        for document, objects in made:
            owner = identity(document.value, namespace)
            for item in objects:
                self.owners.setdefault(identity(item, None), owner)


def without_operator(options: Options) -> Standalone | None:
    """What collects the losses of a rendering that stands alone, None where the operator is there."""
    if not options.standalone:
        return None
    from dynamoc.model.standalone import Standalone

    return Standalone(stable_names=options.stable_names)


class Compilation:
    """One cluster being compiled: documents in, objects out.

    Each stage is a method: `existing`, `checked`, `admitted`, `in_version`, `lowered`; `dynamoc explain` extends them.
    """

    def __init__(
        self,
        options: Options,
        config: OperatorConfig,
        context: list[Document],
        findings: Findings,
        trace: Trace | None = None,
        standalone: Standalone | None = None,
    ) -> None:
        self.options = options
        self.release = options.release
        self.config = config
        self.context = context
        self.findings = findings
        self.trace = trace
        self.standalone = standalone or without_operator(options)
        #: what the document in work updates, None where it creates an object
        self.before: Before | None = None

    def run(self, documents: list[Document]) -> list[Tree]:
        from dynamoc.cluster.context import ClusterContext, capabilities
        from dynamoc.emit.order import sort_objects, sort_with_queues

        self._refuse_duplicates(documents)
        compiled: list[Document] = []
        others: list[Document] = []
        for document in documents:
            (compiled if is_dynamo(document.value) else others).append(document)
        options = self.options
        # What the API server refuses is neither there nor part of the output.
        known: list[Tree] = []
        others = [document for document in others if self._exists(document, known)]
        for document in self.context:
            self._exists(document, known)
        self.cluster = ClusterContext(
            [*known, *self._checkpoints(compiled)],
            self.config,
            self.release,
            options.target,
            namespace=options.namespace or "default",
            strict=options.strict_context,
            generate_secrets=options.generate_secrets,
        )
        self.capabilities = capabilities(options.target, self.config, self.release, self.cluster)
        self._tell_surroundings(others)
        # By identity and not by file order: the same inputs in another order must give the same bytes.
        compiled.sort(key=lambda document: identity(document.value, self.options.namespace))
        made = [(document, self._compile(document)) for document in compiled]
        if self.trace is not None:
            self.trace.note(made, self.options.namespace)
        objects = self._merge(made)
        if self.options.passthrough:
            objects += [with_namespace(document.value, self.options.namespace or "default") for document in others]
        if self.standalone is not None:
            self.standalone.tell(self.findings)
            return sort_with_queues(objects)
        return sort_objects(objects)

    def _exists(self, document: Document, known: list[Tree]) -> bool:
        """Whether a cluster can hold an object, which then joins `known`; tells why where it cannot."""
        from dynamoc.cluster.existing import existing

        value, problems = existing(document.value, self.release.name)
        self._take(document, problems)
        if value is not None:
            known.append(value)
        return value is not None

    def _checkpoints(self, documents: list[Document]) -> list[Tree]:
        """The DynamoCheckpoints that graphs find, with the status of those that exist already.

        What is wrong with one is told in its turn.
        """
        previous = self.options.previous
        found = [document.value for document in documents if document.value["kind"] == "DynamoCheckpoint"]
        if previous is not None:
            found = previous.checkpoints(found, self.options.namespace)
        if not found:
            return []
        from dynamoc.cluster.existing import existing

        values = (existing(value, self.release.name)[0] for value in found)
        return [value for value in values if value is not None]

    def _tell_surroundings(self, others: list[Document]) -> None:
        """What keeps the operator from starting, and Secrets among the inputs that it cannot read."""
        for setting, group in self.capabilities.missing:
            message = f"The configuration demands {setting}, but the cluster lacks the API {group}; the operator exits."
            hint = f"Install what serves {group}, or set {setting} to false."
            self.findings.add(Finding("config/missing-api", ERROR, message, hint=hint))
        if any(document.value["kind"] == "Secret" for document in (*others, *self.context)):
            for name, reason in self.cluster.broken_pull_secrets():
                message = f"The operator finds no pull secret in Secret {name}: {reason}."
                self.findings.add(Finding("context/broken-pull-secret", WARNING, message))

    def _compile(self, document: Document) -> list[Tree]:
        """The objects of one document, none where it is refused."""
        before = self.findings.errors
        try:
            objects = self.stages(document)
        except Refusal as refusal:
            self._find(document, ERROR, refusal.slug, refusal.message, refusal.path, refusal.hint)
            return []
        return [] if self.findings.errors > before else objects

    def stages(self, document: Document) -> list[Tree]:
        self.before = None
        previous = self.options.previous
        known = previous and previous.get(document.value, self.options.namespace)
        if known:
            self.before = self.existing(known, document.value["apiVersion"])
            if self.before is None:
                return []
        value = self.checked(document)
        if value is None:
            return []
        admitted = self.admitted(document, value)
        if admitted is None:
            return []
        if self.trace is not None:
            self.trace.stored[identity(admitted, None)] = self.in_version(admitted, self.release.api_versions[-1])
        if document.value["kind"] not in COMPILED_KINDS:
            if self.standalone is not None and self.standalone.leaves_out(document.value):
                return []
            namespace = admitted["metadata"]["namespace"]
            return [with_namespace(document.value, namespace)] if self.options.passthrough else []
        objects = self.lowered(document, admitted)
        self._judge(document, objects)
        if not self.options.include_intermediate:
            objects = [item for item in objects if item["kind"] != "DynamoComponentDeployment"]
        return objects

    def existing(self, document: Document, version: str) -> Before | None:
        """The object that a document updates, for a document of an apiVersion; None where it cannot be one."""
        from dynamoc.cluster.previous import Before, is_stored, may_be_stored, phases, updatable
        from dynamoc.schema import check

        raw = {key: item for key, item in document.value.items() if key != "status"}
        unknown = "prune" if self.options.unknown_fields == "prune" else "warn"
        value, problems = check(
            self.release.name,
            raw["kind"],
            raw["apiVersion"],
            raw,
            unknown=unknown,
            webhook=self._webhook(raw),
        )
        if self._take(document, [problem for problem in problems if not may_be_stored(problem.slug, raw)]):
            return None
        value["metadata"]["namespace"] = value["metadata"].get("namespace") or self.options.namespace or "default"
        try:
            stored = value if is_stored(raw) else self.defaulted(value, creation=True)
            current = updatable(self.in_version(stored, version.rpartition("/")[2]))
            judged = {**self.in_version(stored, self._webhook_version(stored)), "status": phases(document.value)}
            return Before(document, judged, current)
        except Refusal as refusal:
            self._find(document, ERROR, refusal.slug, refusal.message, refusal.path, refusal.hint)
            return None

    def checked(self, document: Document) -> Tree | None:
        """Structural schema, defaults, pruning and CEL rules, as the API server applies them."""
        from dynamoc.schema import check

        raw = document.value if self.before is None else self.before.updated_by(document.value)
        value, problems = check(
            self.release.name,
            raw["kind"],
            raw["apiVersion"],
            raw,
            unknown=self.options.unknown_fields,
            webhook=self._webhook(raw),
        )
        if problems and self._webhook(raw) == "converted":
            value, problems = self._checked_again(value, problems)
        if self.options.running is not None:
            # Rules may have been added since the document was stored; what is stored is not judged again.
            problems = [problem for problem in problems if not problem.slug.startswith("cel/")]
        if self.before is not None:
            from dynamoc.schema.cel import CREATION
            from dynamoc.schema.transitions import ratcheted

            problems = [problem for problem in problems if problem.slug not in CREATION]
            problems = ratcheted(self.release.name, value, self.before.current, problems) if problems else []
        if self._take(document, problems):
            return None
        metadata = value["metadata"]
        wanted = self.options.namespace
        if wanted and (metadata.get("namespace") or wanted) != wanted:
            self._find(
                document,
                ERROR,
                "input/namespace",
                f"The document says namespace {metadata['namespace']}, the command line says {wanted}.",
                ("metadata", "namespace"),
                "Drop one of the two.",
            )
            return None
        # An empty namespace is none, for the API server as well.
        metadata["namespace"] = metadata.get("namespace") or wanted or "default"
        return value

    def _checked_again(self, value: Tree, problems: list[Problem]) -> tuple[Tree, list[Problem]]:
        """The verdict on what the conversion for the mutating webhook made of values that the schema doesn't know.

        The API server validates after that webhook. The conversion writes some names of modes as the schema of the
        other version has them, and merges containers that are called main (api/v1alpha1/shared_spec_conversion.go,
        gmsModeFromV1beta1, buildPodTemplateToHub).
        """
        if any(problem.severity == ERROR and problem.slug not in _WASHED for problem in problems):
            return value, problems
        from dynamoc.schema import check

        version = str(value["apiVersion"]).rpartition("/")[2]
        back = self.in_version(self.in_version(value, self._webhook_version(value)), version)
        again, remaining = check(self.release.name, value["kind"], value["apiVersion"], back, webhook="converted")
        if any(problem.severity == ERROR for problem in remaining):
            return value, problems
        return again, [problem for problem in problems if problem.severity != ERROR]

    def admitted(self, document: Document, value: Tree) -> Tree | None:
        """The document in the version that the operator's webhooks take, defaulted and judged by them."""
        from dynamoc.admission.webhooks import judge

        before = self.before
        defaulted = self.defaulted(value, creation=before is None)
        if self.options.running is not None:
            # What is stored already has been admitted, by rules that may have changed since.
            return self.options.running.adopt(defaulted)
        if before is not None:
            self._tell_kept(document, before, value)
        problems = judge(
            self.release,
            value["kind"],
            defaulted,
            self.cluster,
            origin=value,
            old=None if before is None else before.value,
            old_origin=None if before is None else before.document.value,
            kept=self._kept_alpha(value, defaulted),
        )
        return None if self._take(document, problems) else defaulted

    def _tell_kept(self, document: Document, before: Before, value: Tree) -> None:
        """What stays as it is in the object that exists because nobody says otherwise, and is not so in a new one."""
        from dynamoc.cluster.previous import at, is_stored, kept
        from dynamoc.schema import check

        if not is_stored(before.document.value):
            return
        version = value["apiVersion"]
        alone = check(self.release.name, value["kind"], version, document.value, unknown="prune")[0]
        alone["metadata"]["namespace"] = value["metadata"]["namespace"]
        new = self.in_version(self.defaulted(alone, creation=True), version.rpartition("/")[2])
        paths = [path for path in kept(value, alone) if at(new, path) != at(value, path)]
        if paths:
            named = version == before.document.value["apiVersion"] and "components" not in value["spec"]
            related = tuple(before.document.place(path) for path in paths[:5]) if named else ()
            told = ", ".join(f"`{format_path(path)}`" for path in paths[:5]) + " and more" * (len(paths) > 5)
            message = f"The object that exists keeps {told}, of which this document says nothing."
            self._find(document, NOTE, "update/kept", message, ("metadata", "name"), related=related)

    def defaulted(self, value: Tree, *, creation: bool) -> Tree:
        """A document with what the mutating webhooks write, in the version that the webhooks take."""
        from dynamoc.admission.webhooks import default

        kind, taken = value["kind"], self._webhook_version(value)
        if not value["apiVersion"].endswith(taken):
            # Some webhooks take what was written as it is, before others see it converted.
            written = default(self.release, kind, value, self.cluster, creation=creation)
            converted = self.in_version(written, taken)
            defaulted = default(self.release, kind, converted, self.cluster, creation=creation)
            return defaulted if defaulted == converted else self._stored(defaulted, value)
        return default(self.release, kind, value, self.cluster, creation=creation)

    def _stored(self, defaulted: Tree, written: Tree) -> Tree:
        """What a graph that the mutating webhook changed becomes on its way through the version it was written in.

        The API server converts it back to that version, and once more to store it. The way there and back moves the
        mount of a compilation cache behind the other mounts, and may change what the conversion keeps in its
        annotation; else it changes nothing.
        """
        components = (defaulted.get("spec") or {}).get("components") or ()
        kept = any(name.startswith("nvidia.com/dgd-") for name in defaulted["metadata"].get("annotations") or ())
        if written["kind"] != "DynamoGraphDeployment" or not (
            kept or any("compilationCache" in component for component in components)
        ):
            return defaulted
        version, taken = (str(value["apiVersion"]).rpartition("/")[2] for value in (written, defaulted))
        return self.in_version(self.in_version(defaulted, version), taken)

    def _webhook(self, raw: Tree) -> str:
        """What the mutating webhook does to a document before its schema is asked: see `dynamoc.schema.check`."""
        from dynamoc.admission.defaults import leaves_alone

        if leaves_alone(raw, self.cluster):
            return "nothing"
        if raw["kind"] == "DynamoGraphDeployment" and not raw["apiVersion"].endswith(self._webhook_version(raw)):
            return "converted"
        return "patches"

    def _webhook_version(self, value: Tree) -> str:
        """The version of the API that the webhooks take: that of the document itself where there is no conversion."""
        if not self.release.has("hub/v1beta1"):
            return str(value["apiVersion"]).rpartition("/")[2]
        return "v1alpha1" if self.release.has("admission/v1alpha1") else "v1beta1"

    def _kept_alpha(self, written: Tree, value: Tree) -> Tree | None:
        """What v1alpha1 says of a document that was written in v1beta1, where an annotation keeps some of it."""
        annotations = value["metadata"].get("annotations") or {}
        if not (written["apiVersion"] == value["apiVersion"] == "nvidia.com/v1beta1") or not any(
            key.endswith("-spec") for key in annotations
        ):
            return None
        from dynamoc.convert import KINDS

        kind = KINDS.get(value["kind"])
        return None if kind is None or kind.spec_key not in annotations else self.in_version(value, "v1alpha1")

    def in_version(self, value: Tree, version: str) -> Tree:
        """The document in another API version, as the operator's webhook converts it, if there is one for its kind."""
        if not self.release.has("hub/v1beta1") or value["apiVersion"].endswith(version):
            return value
        from importlib import import_module

        module = import_module(self.release["convert"])
        if value["kind"] not in module.KINDS:
            return value
        converted: Tree = module.to_v1beta1(value) if version == "v1beta1" else module.to_v1alpha1(value)
        return converted

    def lowered(self, document: Document, value: Tree) -> list[Tree]:
        """The objects that the operator makes, as Go prints them."""
        from importlib import import_module

        from dynamoc.kube.gotypes import load, typed_object
        from dynamoc.model.operator import Operator

        def report(severity: str, slug: str, message: str, path: Path, hint: str | None) -> None:
            self._find(document, severity, slug, message, path, hint)

        if self.standalone is None:
            from dynamoc.lower.watched import check_namespace

            check_namespace(value["metadata"]["namespace"], self.config)
        running = self.options.running
        surroundings = (self.config, self.cluster, self.capabilities)
        asked = self.options.include_intermediate
        operator = Operator(self.release, *surroundings, report, running, self.standalone, intermediate=asked)
        types = load(self.release.name)
        rendered = self.in_version(value, "v1beta1")
        # The operator's v1alpha1 view is read from what is stored, where that is v1alpha1.
        alpha = () if rendered is value else (typed_object(import_module(self.release["convert"]).view(value), types),)
        module = self.release["lower"] if self.standalone is None else "dynamoc.lower.standalone.document"
        lower_document = import_module(module).lower_document
        canonical = self.canonical(document, rendered)
        objects = lower_document(canonical, operator, document.value["apiVersion"], *alpha)
        bare = load(self.release.name, bare=True)
        return [typed_object(item, bare) for item in objects]

    def canonical(self, document: Document, value: Tree) -> Tree:
        """The document as Go prints it. Refusal where Go cannot read it: a quantity need only look like one before."""
        from dynamoc.kube.gotypes import Unreadable, load, typed_object

        try:
            found: Tree = typed_object(value, load(self.release.name))
        except Unreadable as error:
            what = f"must be {error.wanted}, not {error.value!r:.60}"
            message = f"{format_path(error.path)} {what}: the operator cannot read the document."
            is_written_so = value["apiVersion"] == document.value["apiVersion"]
            raise Refusal("admission/unreadable", message, error.path if is_written_so else ()) from None
        return found

    def _judge(self, document: Document, objects: list[Tree]) -> None:
        """What the API server would refuse in the generated objects, told at the lines that led to it."""
        from dynamoc.admission.objects import examine_object
        from dynamoc.lower.origin import origin_path

        for item in objects:
            for problem in (*self._child_problems(document, item), *examine_object(item)):
                subject = f"{item['kind']}/{item['metadata'].get('name', '')}"
                self._find(
                    document,
                    problem.severity,
                    problem.slug,
                    f"{subject} {format_path(problem.path)}: {problem.message}",
                    origin_path(document.value, item, problem.path),
                    problem.hint,
                )

    def _child_problems(self, document: Document, item: Tree) -> list[Problem]:
        """What the schema and the webhook say of a component or checkpoint that the operator made of a graph.

        The schema is asked where the user's own document was not checked by the same: for a checkpoint, in another
        version, with annotations of the graph, which land on pods, or without a pod template, which the operator adds.
        """
        kind, written = item["kind"], document.value
        if kind not in ("DynamoComponentDeployment", "DynamoCheckpoint") or written["kind"] != "DynamoGraphDeployment":
            return []
        problems: list[Problem] = []
        checked = kind == "DynamoComponentDeployment" and item["apiVersion"] == written["apiVersion"]
        has_pod = ((item["spec"].get("podTemplate") or {}).get("spec") or {}).get("containers")
        if not (checked and has_pod) or (written.get("spec") or {}).get("annotations"):
            from dynamoc.schema import check

            problems = check(self.release.name, kind, item["apiVersion"], item)[1]
        if not problems and self.standalone is None:
            from dynamoc.admission.webhooks import judge

            said = judge(self.release, kind, item, self.cluster)
            problems = [problem for problem in said if problem.severity == ERROR]
        return problems

    def _merge(self, made: list[tuple[Document, list[Tree]]]) -> list[Tree]:
        """One object a name: documents may share accounts and bindings, but not disagree on an object."""
        merged = Merged(made)
        for conflict in merged.conflicts:
            if conflict.owner is conflict.document:
                # Names that differ in case only: the operator writes the object several times, in random order.
                severity, hint = WARNING, "Give the components names that differ in more than case."
                if conflict.object["kind"] == "PersistentVolumeClaim":
                    hint = "Write the same about the claim in all components that mount it."
            else:
                severity, hint = ERROR, "Rename one of the two graphs or components."
            name = f"{conflict.object['kind']}/{conflict.object['metadata']['name']}"
            message = f"{name} is made twice, and not the same; which one stays is not certain."
            related = (conflict.owner.place(()),)
            self._find(conflict.document, severity, "output/conflict", message, (), hint, related=related)
        # What is there already stays as it is: the operator creates accounts, claims and secrets only once.
        return [item for key, item in merged.objects.items() if self.cluster.get(*key[1:]) is None]

    def _refuse_duplicates(self, documents: list[Document]) -> None:
        for document, other in duplicates(documents, self.options.namespace):
            name = ("metadata", "name")
            message = f"{document.value['kind']}/{identity(document.value, None)[3]} is given twice."
            hint, related = "Remove one of the two.", (other.place(name),)
            self._find(document, ERROR, "input/duplicate", message, name, hint, related=related)

    def _take(self, document: Document, problems: list[Any]) -> bool:
        """Turns problems into findings; whether one of them is an error."""
        refused = False
        for problem in problems:
            severity = problem.severity
            related: tuple[Any, ...] = ()
            if problem.old_path is not None and self.before is not None:
                related = (self.before.document.place(problem.old_path),)
                severity = severity if self.options.refuse_updates else WARNING
            refused = refused or severity == ERROR
            self._find(document, severity, problem.slug, problem.message, problem.path, problem.hint, related)
        return refused

    def _find(
        self,
        document: Document,
        severity: str,
        slug: str,
        message: str,
        path: Path,
        hint: str | None = None,
        related: tuple[Any, ...] = (),
    ) -> None:
        value = document.value
        name = (value.get("metadata") or {}).get("name", "")
        self.findings.add(
            Finding(
                slug,
                severity,
                message,
                place=document.place(path, key=slug == "schema/unknown-field"),
                hint=hint,
                path=path,
                subject=f"{value.get('kind')}/{name}",
                related=related,
            )
        )
