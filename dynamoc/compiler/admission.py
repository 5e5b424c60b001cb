"""From what the user wrote to what the API server stores: schema, conversion, and the operator's webhooks."""

from __future__ import annotations

from dynamoc.admission.cluster.previous import Before, is_stored, kept, may_be_stored, phases, updatable
from dynamoc.admission.convert import request
from dynamoc.admission.convert.kinds import KINDS
from dynamoc.admission.convert.operator import dialect_of
from dynamoc.admission.webhooks import defaults
from dynamoc.admission.webhooks.by_release import default, judge
from dynamoc.admission.webhooks.defaults import leaves_alone
from dynamoc.compiler.losses import losses
from dynamoc.compiler.state import State
from dynamoc.documents.findings.finding import ERROR, Refusal, format_path
from dynamoc.documents.schema.causes import ratcheted
from dynamoc.documents.schema.cel import CREATION
from dynamoc.documents.schema.check import check
from dynamoc.documents.schema.problem import Problem
from dynamoc.documents.source.document import Document
from dynamoc.kube.merge import Tree, at, copy_tree

#: what a conversion and back may put right
_WASHED = ("schema/enum", "schema/duplicate")
#: the same for a request, whose absent fields are there, empty
_WASHED_REQUEST = ("schema/required", "schema/duplicate")
REQUEST = "DynamoGraphDeploymentRequest"


class Admission(State):
    """The stages `existing`, `checked`, `admitted` and `in_version`; `dynamoc explain` extends them."""

    def existing(self, document: Document, version: str) -> Before | None:
        """The object that a document updates, for a document of an apiVersion; None where it cannot be one."""
        raw = {key: item for key, item in document.value.items() if key != "status"}
        unknown = "prune" if self.options.unknown_fields == "prune" else "warn"
        value, problems = check(
            self.release.name, raw["kind"], raw["apiVersion"], raw, unknown=unknown, webhook=self._webhook(raw)
        )
        if self.take(document, [problem for problem in problems if not may_be_stored(problem.slug, raw)]):
            return None
        value["metadata"]["namespace"] = value["metadata"].get("namespace") or self.options.namespace or "default"
        try:
            stored = value if is_stored(raw) else self.defaulted(value, creation=True)
            current = updatable(self.in_version(stored, version.rpartition("/")[2]))
            judged = {**self.in_version(stored, self._webhook_version(stored)), "status": self._phases(document)}
            return Before(document, judged, current)
        except Refusal as refusal:
            self.find(document, refusal.slug, refusal.message, refusal.path, refusal.hint, severity=ERROR)
            return None

    def _phases(self, document: Document) -> Tree:
        """The part of the status that decides about updates; that of a request depends on the version."""
        if document.value["kind"] != REQUEST:
            return phases(document.value)
        status = self._request_in_version(document.value, "v1beta1").get("status")
        status = status if isinstance(status, dict) else {}
        return {"phase": status.get("phase") or status.get("state")}

    def checked(self, document: Document) -> Tree | None:
        """Structural schema, defaults, pruning and CEL rules, as the API server applies them."""
        if self.options.running is None:
            self.take(document, defaults.tell(document.value, self.release))
        raw = document.value
        if self.before is not None:
            raw = self.before.updated_by(raw, keeps_scaled=self.options.omit_replicas)
        value, problems = check(
            self.release.name,
            raw["kind"],
            raw["apiVersion"],
            raw,
            unknown=self.options.unknown_fields,
            webhook=self._webhook(raw),
        )
        if problems and self._webhook(raw) == "converted":
            again = self._request_checked_again if raw["kind"] == REQUEST else self._checked_again
            value, problems = again(value, problems)
        if self.options.running is not None and self.options.running.holds(value):
            # Rules may have been added since the document was stored; what is stored is not judged again.
            problems = [problem for problem in problems if not problem.slug.startswith("cel/")]
        if self.before is not None:
            problems = [problem for problem in problems if problem.slug not in CREATION]
            problems = ratcheted(self.release.name, value, self.before.current, problems) if problems else []
        if self.take(document, problems):
            unknown = any(problem.slug in ("schema/api-version", "schema/unknown-kind") for problem in problems)
            if unknown or not self.options.past_errors:
                return None
            value = _without_faults(value, problems)
        metadata = value["metadata"]
        wanted = self.options.only_namespace
        if wanted and (metadata.get("namespace") or wanted) != wanted:
            self.find(
                document,
                "input/namespace",
                f"The document sets namespace {metadata['namespace']}, the command line sets {wanted}.",
                ("metadata", "namespace"),
                "Remove one of the two.",
            )
            return None
        # An empty namespace does not count, for the API server as well.
        metadata["namespace"] = metadata.get("namespace") or self.options.namespace or "default"
        return value

    def _checked_again(self, value: Tree, problems: list[Problem]) -> tuple[Tree, list[Problem]]:
        """The verdict on what the conversion for the mutating webhook made of values that the schema doesn't know.

        The API server validates after that webhook. The conversion writes some names of modes as the schema of the
        other version has them, and merges containers that are called main (api/v1alpha1/shared_spec_conversion.go,
        gmsModeFromV1beta1, buildPodTemplateToHub).
        """
        if any(problem.severity == ERROR and problem.slug not in _WASHED for problem in problems):
            return value, problems

        version = str(value["apiVersion"]).rpartition("/")[2]
        back = self.in_version(self.in_version(value, self._webhook_version(value)), version)
        again, remaining = check(self.release.name, value["kind"], value["apiVersion"], back, webhook="converted")
        if any(problem.severity == ERROR for problem in remaining):
            return value, problems
        return again, [problem for problem in problems if problem.severity != ERROR]

    def _request_checked_again(self, value: Tree, problems: list[Problem]) -> tuple[Tree, list[Problem]]:
        """The same for a request of v1alpha1: its image comes from the webhook, and what Go leaves out is there."""
        if any(problem.severity == ERROR and problem.slug not in _WASHED_REQUEST for problem in problems):
            return value, problems

        version = str(value["apiVersion"]).rpartition("/")[2]
        back = self.in_version(self.defaulted(value, creation=self.before is None), version)
        again, remaining = check(self.release.name, REQUEST, value["apiVersion"], back, webhook="nothing")
        found = [problem for problem in problems if problem.severity != ERROR]
        if not any(problem.severity == ERROR for problem in remaining):
            return again, found
        return value, problems if any(problem.severity == ERROR for problem in problems) else [*found, *remaining]

    def admitted(self, document: Document, value: Tree) -> Tree | None:
        """The document in the version that the operator's webhooks take, defaulted and judged by them."""
        before = self.before
        defaulted = self.defaulted(value, creation=before is None)
        if self.trace is not None and before is None and len(self.findings.items) == self.told:
            self.trace.defaulted[document] = defaulted
        if self.options.running is not None and self.options.running.holds(value):
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
        refused = self.take(document, problems)
        if not refused and value["kind"] in ("DynamoGraphDeployment", "DynamoComponentDeployment"):
            lost = losses(value, self.cluster, converts=self.release.has("hub/v1beta1"))
            refused = self.take(document, lost)
        return None if refused and not self.options.past_errors else defaulted

    def _tell_kept(self, document: Document, before: Before, value: Tree) -> None:
        """What stays as it is in the object that exists by default, and is not so in a new one."""
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
            message = f"The existing object keeps {told}, which this document does not set."
            self.find(document, "update/kept", message, ("metadata", "name"), related=related)

    def defaulted(self, value: Tree, *, creation: bool) -> Tree:
        """A document with what the mutating webhooks write, in the version that the webhooks take."""
        kind, taken = value["kind"], self._webhook_version(value)
        if not value["apiVersion"].endswith(taken):
            # Some webhooks take what was written as it is, before others see it converted.
            written = default(self.release, kind, value, self.cluster, creation=creation)
            converted = self.in_version(written, taken)
            defaulted = default(self.release, kind, converted, self.cluster, creation=creation)
            return defaulted if defaulted == converted else self._stored(defaulted, written)
        return default(self.release, kind, value, self.cluster, creation=creation)

    def _stored(self, defaulted: Tree, written: Tree) -> Tree:
        """What a graph that the mutating webhook changed becomes on its way through the version it was written in.

        The API server converts it back to that version, and once more to store it. The way there and back moves the
        mount of a compilation cache behind the other mounts, and may change what the conversion keeps in its
        annotation; else it changes nothing. Where it can be seen to change nothing, the v1alpha1 view is left in
        `unmoved`.
        """
        version, taken = (str(value["apiVersion"]).rpartition("/")[2] for value in (written, defaulted))
        if written["kind"] == REQUEST:
            return self.in_version(self.in_version(defaulted, version), taken)
        components = (defaulted.get("spec") or {}).get("components") or ()
        kept = any(name.startswith("nvidia.com/dgd-") for name in defaulted["metadata"].get("annotations") or ())
        if written["kind"] != "DynamoGraphDeployment" or not (
            kept or any("compilationCache" in component for component in components)
        ):
            return defaulted
        # A value that knows its origin has another one on its way back.
        if version == "v1alpha1" and self.is_plain:
            view = dialect_of(self.release).unmoved(written, defaulted)
            if view is not None:
                self.unmoved = (defaulted, view)
                return defaulted
        return self.in_version(self.in_version(defaulted, version), taken)

    def _webhook(self, raw: Tree) -> str:
        """What the mutating webhook does to a document before its schema is asked (`documents/schema/schemas.py`)."""
        if leaves_alone(raw, self.cluster):
            return "nothing"
        if raw["kind"] in ("DynamoGraphDeployment", REQUEST) and not raw["apiVersion"].endswith(
            self._webhook_version(raw)
        ):
            return "converted"
        return "patches"

    def _webhook_version(self, value: Tree) -> str:
        """The version of the API that the webhooks take: that of the document itself where there is no conversion."""
        if value["kind"] == REQUEST and self.release.has("requests/v1beta1"):
            return "v1beta1"
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
        kind = KINDS.get(value["kind"])
        return None if kind is None or kind.spec_key not in annotations else self.in_version(value, "v1alpha1")

    def in_version(self, value: Tree, version: str) -> Tree:
        """The document in another API version, as the operator's webhook converts it, if there is one for its kind."""
        if value["kind"] == REQUEST:
            return self._request_in_version(value, version)
        if not self.release.has("hub/v1beta1") or value["apiVersion"].endswith(version):
            return value
        if value["kind"] not in KINDS:
            return value
        dialect = dialect_of(self.release)
        return dialect.to_v1beta1(value) if version == "v1beta1" else dialect.to_v1alpha1(value)

    def _request_in_version(self, value: Tree, version: str) -> Tree:
        if not self.release.has("requests/v1beta1") or value["apiVersion"].endswith(version):
            return value

        convert = request.to_v1beta1 if version == "v1beta1" else request.to_v1alpha1
        return convert(value, self.release["request/conversion"])


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
