"""The pipeline: all documents of one cluster to its objects, each through its stages, in the order of this page."""

from __future__ import annotations

from dynamoc.cluster.identity import Merged, duplicates, identity, is_dynamo
from dynamoc.diagnostics.finding import ERROR, WARNING, Finding, Refusal
from dynamoc.kube.scope import with_namespace
from dynamoc.stages.rendering import Rendering
from dynamoc.stages.state import Trace, without_operator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.source.document import Document

    Tree = dict[str, Any]

#: kinds that the operator turns into other objects
COMPILED_KINDS = ("DynamoGraphDeployment", "DynamoComponentDeployment", "DynamoCheckpoint")


class Compilation(Rendering):
    """One cluster being compiled: documents in, objects out."""

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
            created_by=options.created_by,
        )
        self.capabilities = capabilities(options.target, self.config, self.release, self.cluster)
        self._tell_surroundings(others, compiled)
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
        from dynamoc.cluster.existing import existing

        values = (existing(value, self.release.name)[0] for value in found)
        return [value for value in values if value is not None]

    def _tell_surroundings(self, others: list[Document], compiled: list[Document]) -> None:
        """What keeps the operator from starting, and Secrets among the inputs that it cannot read."""
        for setting, group in self.capabilities.missing:
            message = f"The configuration demands {setting}, but the cluster lacks the API {group}; the operator exits."
            hint = f"Install what serves {group}, or set {setting} to false."
            self.findings.add(Finding("config/missing-api", ERROR, message, hint=hint))
        if any(document.value["kind"] == "Secret" for document in (*others, *self.context)):
            for name, reason in self.cluster.broken_pull_secrets():
                message = f"The operator finds no pull secret in Secret {name}: {reason}."
                self.findings.add(Finding("context/broken-pull-secret", WARNING, message))
            self._tell_unread_secrets(compiled)

    def _tell_unread_secrets(self, compiled: list[Document]) -> None:
        namespaces = {identity(document.value, self.options.namespace)[2] for document in compiled}
        names = self.cluster.unread_pull_secrets(namespaces)
        if names:
            shown = ", ".join(f"`{name}`" for name in names[:3]) + f" and {len(names) - 3} more" * (len(names) > 3)
            message = f"The context shows only the names of {shown}: the operator may add them to imagePullSecrets."
            hint = "give the Secrets themselves with --context, if pods depend on them"
            self.findings.add(Finding("context/secret-content", WARNING, message, hint=hint))

    def _compile(self, document: Document) -> list[Tree]:
        """The objects of one document, none where it is refused."""
        before = self.findings.errors
        try:
            objects = self.stages(document)
        except Refusal as refusal:
            self.find(document, ERROR, refusal.slug, refusal.message, refusal.path, refusal.hint)
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
        self.judge(document, objects)
        if not self.options.include_intermediate:
            objects = [item for item in objects if item["kind"] != "DynamoComponentDeployment"]
        return objects

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
            self.find(conflict.document, severity, "output/conflict", message, (), hint, related=related)
        # What is there already stays as it is: the operator creates accounts, claims and secrets only once.
        return [item for key, item in merged.objects.items() if self.cluster.get(*key[1:]) is None]

    def _refuse_duplicates(self, documents: list[Document]) -> None:
        for document, other in duplicates(documents, self.options.namespace):
            name = ("metadata", "name")
            message = f"{document.value['kind']}/{identity(document.value, None)[3]} is given twice."
            hint, related = "Remove one of the two.", (other.place(name),)
            self.find(document, ERROR, "input/duplicate", message, name, hint, related=related)


__all__ = ["COMPILED_KINDS", "Compilation", "Trace", "without_operator"]
