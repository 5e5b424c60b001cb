"""The pipeline: all documents of one cluster to its objects, each through its stages, in the order of this page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from dynamoc.admission.cluster.capabilities import capabilities
from dynamoc.admission.cluster.context import ClusterContext, foreign
from dynamoc.admission.cluster.kept import Kept, key_of
from dynamoc.admission.cluster.objects import Merged, duplicates, existing, is_dynamo, may_be_early
from dynamoc.compiler.admission import REQUEST
from dynamoc.compiler.assumptions import check_base_model, reason, tell_assumptions
from dynamoc.compiler.generations.kinds import refusal
from dynamoc.compiler.objects import COMPILED_KINDS, Rendering, without_replicas
from dynamoc.compiler.options import Options
from dynamoc.documents.emit.order import sort_objects, sort_with_queues
from dynamoc.documents.findings.finding import ERROR, WARNING, Finding, Refusal
from dynamoc.documents.source.document import Document
from dynamoc.kube.limits import hint, limit
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import Identity, identity, mapping, with_namespace
from dynamoc.rendering.lower.deployment_config import tell_kept
from dynamoc.rendering.lower.shared_objects import part_of


class Compilation(Rendering):
    """One cluster being compiled: documents in, objects out.

    documents  of the input, whatever their kinds
    checker    looks at documents, and at what they became: `dynamoc check`
    """

    documents: Sequence[Document] = ()
    checker: Checker | None = None

    made = 0

    def run(self, documents: list[Document]) -> list[Tree]:
        self._refuse_duplicates(documents)
        self.documents = documents
        compiled: list[Document] = []
        others: list[Document] = []
        for document in documents:
            if is_dynamo(document.value):
                compiled.append(document)
            elif not self._is_foreign(document):
                others.append(document)
        options = self.options
        # What the API server refuses is neither there nor part of the output.
        known: list[Tree] = []
        others = [document for document in others if self._exists(document, known)]
        if self.checker is not None:
            self.checker.others(self, self._owned(others))
        for document in self.context:
            if not self._is_foreign(document):
                self._exists(document, known)
        self.cluster = ClusterContext(
            [*known, *self._checkpoints(compiled)],
            self.config,
            self.release,
            options.target,
            namespace=options.namespace or "default",
            strict=options.strict_context,
            generate_secrets=options.generate_secrets,
            created_by=options.created_by,
            apis=options.apis,
            kube_minor=options.kube_minor,
        )
        self.capabilities = capabilities(options.target, self.config, self.release, self.cluster.groups)
        self.graphs = _graphs([*compiled, *others, *self.context], options.namespace)
        self._tell_surroundings(others, compiled)
        self._tell_snapshots(self._owned(others))
        # By identity and not by file order: the same inputs in another order must give the same bytes.
        compiled.sort(key=lambda document: identity(document.value, self.options.namespace or "default"))
        self.tell_collisions(compiled)
        self._use(compiled)
        compiled = self._owned(compiled)
        made: list[tuple[Document, list[Tree]]] = []
        for document in compiled:
            found = self.compile(document)
            made.append((document, found))
            if self._is_too_much(document, len(found)):
                break
            if self.findings.progress is not None:
                self.findings.progress.step("Rendering", len(made), len(compiled))
        taken = [document for document, objects in made if objects]
        tell_assumptions([*taken, *self._owned(others)], options, self.cluster, self.findings)
        if self.trace is not None:
            self.trace.note(made, self.options.namespace)
        objects = [item for item in self._merge(made) if not _is_given(item, compiled, options)]
        if options.keeps_variables:
            tell_kept(objects, self.findings)
        objects = self._settled(objects, others)
        if options.omit_replicas:
            objects = self._without_replicas(objects, others, compiled)
        if self.standalone is not None:
            if self.tells_losses:
                self.standalone.tell(self.findings)
            return sort_with_queues(self._part(objects, others))
        return sort_objects(objects)

    def _owned(self, documents: list[Document]) -> list[Document]:
        """Those of the part of the run that is compiled."""
        return [document for document in documents if self.options.owns(document.value)]

    def _use(self, documents: list[Document]) -> None:
        """Other parts of the run use what the command line has for their documents."""
        previous = self.options.previous
        for document in documents:
            if not self.options.owns(document.value):
                self.options.used_results.add(mapping(document.value, "metadata").get("name", ""))
                if previous is not None:
                    previous.get(document.value, self.options.namespace)

    def _is_foreign(self, document: Document) -> bool:
        """Whether a document means a kind of the operator and names something else, which is an error."""
        value = document.value
        if "dynamo" not in value["kind"].lower() and "nvidia" not in value["apiVersion"]:
            return False

        problem = foreign(value, self.release.name)
        return problem is not None and self.take(document, [problem])

    def _exists(self, document: Document, known: list[Tree]) -> bool:
        """Whether a cluster can hold an object, which then joins `known`; tells why where it cannot."""
        value, problems = existing(document.value, self.release.name)
        self.take(document, problems)
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

        values = (existing(value, self.release.name)[0] for value in found)
        return [value for value in values if value is not None]

    def _tell_surroundings(self, others: list[Document], compiled: list[Document]) -> None:
        """What keeps the operator from starting, and Secrets among the inputs that it cannot read."""
        for setting, group in self.capabilities.missing:
            message = (
                f"The configuration enables {setting}, but the cluster does not have the API {group}; the "
                "operator exits."
            )
            hint = f"Install the project that serves {group}, or set {setting} to false."
            self.findings.add(Finding("config/missing-api", message, hint=hint))
        if any(document.value["kind"] == "Secret" for document in (*others, *self.context)):
            for name, reason in self.cluster.broken_pull_secrets():
                message = f"The operator cannot use Secret {name} as a pull secret: {reason}."
                self.findings.add(Finding("context/broken-pull-secret", message))
            self._tell_unread_secrets(compiled)

    def _tell_snapshots(self, others: list[Document]) -> None:
        """Kinds of the operator that pass through because other words than Dynamo name them."""
        for document in others:
            if document.value["kind"].startswith("PodSnapshot") and document.value["apiVersion"].startswith("nvidia."):
                self._tell_unmade(document)

    def _tell_unread_secrets(self, compiled: list[Document]) -> None:
        namespaces = {identity(document.value, self.options.namespace or "default")[2] for document in compiled}
        names = self.cluster.unread_pull_secrets(namespaces)
        if names:
            shown = ", ".join(f"`{name}`" for name in names[:3]) + f" and {len(names) - 3} more" * (len(names) > 3)
            message = f"--cluster has only the names of {shown}: the operator may add them to imagePullSecrets."
            hint = "add the whole Secrets to --cluster if pods depend on them"
            self.findings.add(Finding("context/secret-content", message, hint=hint))

    def _is_too_much(self, document: Document, objects: int) -> bool:
        """Whether the output has more objects than it may have, which is an error."""
        self.made += objects
        most = limit("objects")
        if self.made > most:
            message = f"The output has more than {most:,} objects, the limit `objects`."
            self.find(document, "output/too-large", message, (), f"Render fewer files at once. {hint('objects')}")
        return self.made > most

    def compile(self, document: Document) -> list[Tree]:
        """The objects of one document, none where it is refused."""
        before = self.refusals
        try:
            objects = self.stages(document)
        except Refusal as refusal:
            self.find(document, refusal.slug, refusal.message, refusal.path, refusal.hint, severity=ERROR)
            return []
        except Exception:
            # Stages count on what the stages before them have refused.
            if self.options.past_errors and self.refusals > before:
                return []
            raise
        return [] if self.refusals > before and not self.options.past_errors else objects

    @property
    def refusals(self) -> int:
        """The errors but for those of the checker."""
        return self.findings.errors - (0 if self.checker is None else self.checker.errors)

    def check(self, document: Document, stored: Tree, objects: list[Tree]) -> None:
        """Lets the checker look at what a document became."""
        if self.checker is not None:
            self.checker.made(self, document, stored, objects)

    def stages(self, document: Document) -> list[Tree]:
        self.before, self.told = None, len(self.findings.items)
        if may_be_early(document.value) and self._is_early(document):
            return []
        previous = self.options.previous
        known = previous and previous.get(document.value, self.options.namespace)
        if known:
            self.before = self.existing(known, document.value["apiVersion"])
            if self.before is None:
                return []
        admitted = self._taken_over(document)
        if admitted is None:
            value = self.checked(document)
            admitted = None if value is None else self.admitted(document, value)
        if admitted is None:
            return []
        if self.trace is not None:
            self.trace.stored[identity(admitted, "default")] = self.in_version(admitted, self.release.api_versions[-1])
        if document.value["kind"] not in COMPILED_KINDS:
            if self.standalone is not None and self.standalone.leaves_out(document.value):
                return []
            if document.value["kind"] == "DynamoModel" and self._is_unserved(document, admitted):
                return []
            self._tell_unmade(document)
            return [self._passed(document)] if self.options.passthrough else []
        told = len(self.findings.items)
        objects = self.lowered(document, admitted)
        self.judge(document, objects)
        self.check(document, admitted, objects)
        if document.value["kind"] == REQUEST and self.options.through != "pods":
            self.tell_refused_graphs(document, objects)
        elif document.value["kind"] == REQUEST:
            graphs = [item for item in objects if item["kind"] == "DynamoGraphDeployment"]
            for graph in graphs:
                objects += self.stages(self.generated(document, graph))
            if self.standalone is not None:
                objects = [item for item in objects if item["kind"] != "DynamoGraphDeployment"]
        if not objects and len(self.findings.items) == told:
            self._tell_unmade(document)
        if not self.options.include_intermediate:
            objects = [item for item in objects if item["kind"] != "DynamoComponentDeployment"]
        return objects

    def _taken_over(self, document: Document) -> Tree | None:
        """The document as an earlier release left it, where it is known what the webhooks make of it."""
        running = self.options.running
        known = None if running is None or self.before is not None else running.defaulted.get(document)
        return None if running is None or known is None else running.adopt(known)

    def _is_early(self, document: Document) -> bool:
        """Whether a document is of Dynamo 0.1 to 0.3, which is an error; tells what else is wrong with it."""
        problems = refusal(document.value)
        return problems is not None and self.take(document, problems)

    def _is_unserved(self, document: Document, value: Tree) -> bool:
        """Whether a DynamoModel is refused because no graph serves its base model; tells where none does."""
        others = [item.value for item in (*self.documents, *self.context)]
        default = self.options.namespace or "default"
        return self.take(document, check_base_model(value, others, default, strict=self.options.strict_context))

    def _tell_unmade(self, document: Document) -> None:
        self.find(document, "input/not-rendered", reason(document.value), ("kind",))

    def _merge(self, made: list[tuple[Document, list[Tree]]]) -> list[Tree]:
        """One object a name: documents may share accounts and bindings, but not disagree on an object."""
        merged = Merged(made, self.options.namespace or "default")
        for conflict in merged.conflicts:
            if conflict.owner is conflict.document:
                # Names that differ in case only: the operator writes the object several times, in random order.
                severity, hint = WARNING, "Rename the components so that their names differ in more than case."
                if conflict.object["kind"] == "PersistentVolumeClaim":
                    hint = "Write the same settings for the claim in all components that mount it."
            else:
                severity, hint = ERROR, "Rename one of the two graphs or components."
            name = f"{conflict.object['kind']}/{conflict.object['metadata']['name']}"
            message = f"{name} is created twice, with different content; which one stays is not certain."
            related = (conflict.owner.place(()),)
            self.find(conflict.document, "output/conflict", message, (), hint, related, severity=severity)
        return list(merged.objects.values())

    def _settled(self, objects: list[Tree], others: list[Document]) -> list[Tree]:
        """The objects as they are once the operator came to rest, with those of the input that it did not make."""
        if not others and not self.context:
            return objects

        default = self.options.namespace or "default"
        given = {document: with_namespace(document.value, default) for document in others if self.options.passthrough}
        own = self._owned(list(given))
        kept = Kept(self.cluster, self.release, frozenset(map(key_of, given.values())), attended=not self.standalone)
        made = {identity(item, default): item for item in kept.settled(objects, self.findings)}
        for document in own:
            value, key = self._passed(document), identity(document.value, default)
            if made.setdefault(key, value) is not value:
                self._tell_overwritten(document)
                if self.standalone is not None:
                    made[key] = value
        return list(made.values())

    def _passed(self, document: Document) -> Tree:
        """A document that passes through: as it is, but with the namespace that all objects are to have."""
        namespace = self.options.passed_namespace
        return with_namespace(document.value, namespace) if namespace else document.value

    def _without_replicas(self, objects: list[Tree], others: list[Document], compiled: list[Document]) -> list[Tree]:
        """The objects without the numbers that autoscalers set."""
        values = [document.value for document in (*others, *self.context)]
        graphs = [document.value for document in compiled]
        default = self.options.namespace or "default"
        split = not self.release.has("hub/v1beta1")
        return without_replicas(objects, values, default, self.findings, graphs=graphs, split=split)

    def _part(self, objects: list[Tree], others: list[Document]) -> list[Tree]:
        """What is asked for of objects that stand alone."""
        if self.standalone is None or self.standalone.part == "all":
            return objects

        default = self.options.namespace or "default"
        given = frozenset(identity(document.value, default) for document in others)
        return part_of(objects, self.standalone.part, given, default)

    def _tell_overwritten(self, document: Document) -> None:
        """Who wins where the input has an object that a graph leads to: the operator, or without one, the user."""
        name = f"{document.value['kind']}/{document.value['metadata'].get('name', '')}"
        message = f"The operator creates {name} too, and overwrites the content of the input."
        if self.standalone is not None:
            message = (
                f"A graph needs {name} too. The output contains the one of the input, not the one that the graph needs."
            )
        hint = "Rename one of the two."
        self.find(document, "output/overwritten", message, ("metadata", "name"), hint)

    def _refuse_duplicates(self, documents: list[Document]) -> None:
        for document, other in duplicates(documents, self.options.namespace):
            name = ("metadata", "name")
            message = f"{document.value['kind']}/{identity(document.value, 'default')[3]} is in the input twice."
            hint, related = "Remove one of the two.", (other.place(name),)
            self.find(document, "input/duplicate", message, name, hint, related=related)


class Checker(Protocol):
    """Looks at what documents are, and at what they became.

    errors  that it found; what it finds wrong is rendered all the same
    """

    errors: int

    def others(self, compilation: Compilation, documents: list[Document]) -> None:
        """Those that pass through."""

    def made(self, compilation: Compilation, document: Document, stored: Tree, objects: list[Tree]) -> None:
        """One that the operator makes objects of."""


def _graphs(documents: list[Document], namespace: str | None) -> frozenset[Identity]:
    kinds = (document for document in documents if document.value["kind"] == "DynamoGraphDeployment")
    return frozenset(identity(document.value, namespace or "default") for document in kinds)


def _is_given(item: Tree, compiled: list[Document], options: Options) -> bool:
    """Whether an object is a DynamoCheckpoint of the inputs, which the output holds as little as their graphs."""
    if item["kind"] != "DynamoCheckpoint":
        return False
    return any(
        identity(document.value, options.namespace or "default") == identity(item, "default") for document in compiled
    )
