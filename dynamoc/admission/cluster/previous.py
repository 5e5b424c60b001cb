"""The objects that exist before the inputs are applied: from `--against`, or left by an earlier release."""

from __future__ import annotations

from typing import Any

from dynamoc.admission.cluster.kept import Key
from dynamoc.admission.cluster.objects import duplicates, is_dynamo, with_replicas, with_scaled_replicas
from dynamoc.documents.findings.finding import Finding, Findings, Path, Refusal
from dynamoc.documents.source.document import Document
from dynamoc.kube.merge import Tree, applied
from dynamoc.kube.names import entries, identity
from dynamoc.kube.text import loads

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
ORIGIN = "nvidia.com/dynamo-operator-origin-version"
#: problems that no release would have stored an object with
_SHAPE = frozenset(f"schema/{what}" for what in (
    "annotation", "api-version", "duplicate", "enum", "format", "label", "name", "pattern", "required", "type",
    "unknown-field", "unknown-kind",
))  # fmt: skip
#: metadata that an update leaves to the object that exists
_OBJECT_META = ("name", "namespace", "labels", "annotations", "ownerReferences", "finalizers")


class Previous:
    """Objects of the operator, by what makes them the same object as an input.

    used  whether an input was one of them
    """

    def __init__(
        self, documents: list[Document], namespace: str | None, findings: Findings, *, complete: bool = True
    ) -> None:
        """Without `complete`, some could not be read."""
        documents = [document for document in documents if is_dynamo(document.value)]
        self._documents = {identity(document.value, namespace or "default"): document for document in documents}
        self.used = not complete
        for document, other in duplicates(documents, namespace):
            self._tell_duplicate(document, other, findings)

    def _tell_duplicate(self, document: Document, other: Document, findings: Findings) -> None:
        path = ("metadata", "name")
        _, kind, _, name = identity(document.value, "default")
        subject = f"{kind}/{name}"
        findings.add(
            Finding(
                "update/duplicate",
                f"--against contains {subject} twice.",
                place=document.place(path),
                hint="Keep one of the two: the object as it is in the cluster.",
                subject=subject,
                related=(other.place(path),),
            )
        )

    def get(self, value: Tree, namespace: str | None) -> Document | None:
        """The object that an input updates; None where the input creates one."""
        found = self._documents.get(identity(value, namespace or "default"))
        self.used = self.used or found is not None
        return found

    def checkpoints(self, given: list[Tree], namespace: str | None) -> list[Tree]:
        """DynamoCheckpoints, those of the inputs with the status that they have in the cluster."""
        found = {identity(value, namespace or "default"): value for value in given}
        for key, document in self._documents.items():
            if document.value["kind"] == "DynamoCheckpoint":
                status = document.value.get("status")
                found[key] = {**found[key], "status": status} if key in found else document.value
        return list(found.values())

    def tell_unused(self, findings: Findings) -> None:
        """Nothing at all that goes together is likely a mistake."""
        if self.used:
            return
        message = "No object of --against has the same kind, namespace and name as an input: all inputs are new."
        known = ", ".join(f"{kind}/{name} in {namespace}" for _, kind, namespace, name in sorted(self._documents)[:3])
        findings.add(Finding("update/no-pair", message, hint=f"It contains {known}." if known else None))


class Before:
    """The object that one input updates.

    document  as given
    value     as the webhooks see it: checked, defaulted where it never was in a cluster, with the phases of its status
    current   in the version of the input, what of it a manifest can say
    """

    def __init__(self, document: Document, value: Tree, current: Tree) -> None:
        """Raises Refusal where the object does not say what was applied to it."""
        self.document = document
        self.value = value
        self.current = current
        self._last = last_applied(document.value)

    def updated_by(self, manifest: Tree, *, keeps_scaled: bool = False) -> Tree:
        """The object with a manifest applied to it.

        With `keeps_scaled`, what applies it leaves the replicas of components with a scaling adapter alone.

        By kubectl, where kubectl says that it applied the last one: it replaces lists. Server-side apply knows the
        components of a list by their names, and leaves replicas alone that an autoscaler or a user set.
        """
        if keeps_scaled:
            manifest = with_scaled_replicas(manifest, self.current)
        metadata = manifest.get("metadata")
        if isinstance(metadata, dict) and metadata.get("annotations") is None:
            # There is always one: kubectl notes the manifest itself.
            manifest = {**manifest, "metadata": {**metadata, "annotations": {}}}
        if self._last is None:
            last: Tree = {"spec": _without_replicas(self.current.get("spec") or {})}
            return applied(_with_replicas(manifest, self.current), self.current, last)
        return applied(manifest, self.current, self._last)


def is_stored(value: Tree) -> bool:
    """Whether an object was read from a cluster; a manifest has none of these."""
    metadata = value.get("metadata") or {}
    return any(metadata.get(field) for field in ("uid", "resourceVersion", "creationTimestamp"))


def may_be_stored(slug: str, value: Tree) -> bool:
    """Whether an object may exist in spite of a problem: rules and bounds may have been added since it was stored."""
    return slug.startswith("cel/") or (is_stored(value) and slug.startswith("schema/") and slug not in _SHAPE)


def last_applied(value: Tree) -> Tree | None:
    """The manifest that an object was made from, as a three-way merge sees it; None where others than kubectl did.

    kubectl notes it in an annotation. A manifest is its own. Raises Refusal for an annotation that is no JSON.
    """
    text = ((value.get("metadata") or {}).get("annotations") or {}).get(LAST_APPLIED)
    if text is not None:
        return _parsed(text)
    return None if is_stored(value) else value


def updatable(value: Tree) -> Tree:
    """The part of a stored object that a manifest can say: without status, and without what the server keeps."""
    metadata = {key: item for key, item in value["metadata"].items() if key in _OBJECT_META}
    annotations = metadata.get("annotations")
    if annotations and LAST_APPLIED in annotations:
        metadata["annotations"] = {key: text for key, text in annotations.items() if key != LAST_APPLIED}
    return {**{key: item for key, item in value.items() if key != "status"}, "metadata": metadata}


def kept(merged: Tree, manifest: Tree) -> list[Path]:
    """Where an object holds more than the manifest that was merged into it: its spec, and its origin version."""
    annotations = (merged["metadata"].get("annotations") or {}, manifest["metadata"].get("annotations") or {})
    found: list[Path] = []
    if ORIGIN in annotations[0] and ORIGIN not in annotations[1]:
        found.append(("metadata", "annotations", ORIGIN))
    _collect_kept(merged.get("spec") or {}, manifest.get("spec") or {}, ("spec",), found)
    return found


def _collect_kept(merged: Tree, manifest: Tree, path: Path, found: list[Path]) -> None:
    for key, item in merged.items():
        known = manifest.get(key)
        if isinstance(item, dict) and isinstance(known, dict):
            _collect_kept(item, known, (*path, key), found)
        elif key == "components" and isinstance(item, list) and isinstance(known, list):
            for index, (component, other) in enumerate(zip(item, known, strict=True)):
                _collect_kept(component, other, (*path, key, index), found)
        elif item != known:
            found.append((*path, key))


def phases(value: Tree) -> Tree:
    """The part of the status that webhooks look at, which reads the same in all versions."""
    status = value.get("status")
    status = status if isinstance(status, dict) else {}
    rolling = status.get("rollingUpdate")
    return {
        "phase": status.get("phase"),
        "rollingUpdate": {"phase": rolling.get("phase")} if isinstance(rolling, dict) else None,
    }


def _parsed(text: Any) -> Tree:
    try:
        found = loads(text)
    except (TypeError, ValueError):
        found = None
    if not isinstance(found, dict):
        message = f"The annotation `{LAST_APPLIED}` is not a JSON object."
        path = ("metadata", "annotations", LAST_APPLIED)
        raise Refusal("update/last-applied", message, path, "read the object from the cluster again")
    return found


def _without_replicas(spec: Tree) -> Tree:
    """A spec without what scaling adapters set."""
    services = spec.get("services")
    kept = {key: item for key, item in spec.items() if key != "replicas"}
    if isinstance(services, dict):
        kept["services"] = {
            name: _without_replicas(service) if isinstance(service, dict) else service
            for name, service in services.items()
        }
    return kept


def _with_replicas(manifest: Tree, current: Tree) -> Tree:
    """A manifest whose components say the replicas that they have, where they say none."""
    known = {name: item["replicas"] for name, item in _listed(current).items() if "replicas" in item}
    silent = [name for name, item in _listed(manifest).items() if item.get("replicas") is None]
    return with_replicas(manifest, {name: known[name] for name in silent if name in known})


def _listed(value: Tree) -> dict[str, Tree]:
    """The components of v1beta1 by their names."""
    return {str(item.get("name", "")): item for _, item in entries(value.get("spec"), "components")}


class Running:
    """Documents that were admitted once, and the objects that were made of them.

    They are not admitted again: an operator that restarts reconciles what is stored. What the earlier webhooks and
    controllers wrote into their annotations stays there.

    defaulted  what the webhooks of the later release are known to make of documents
    """

    def __init__(
        self, objects: list[Tree], annotations: dict[Key, dict[str, str | None]], *, complete: bool = True
    ) -> None:
        """`annotations` are those of documents; with None, the later release must not write one either.

        Without `complete`, only documents with an entry there were admitted.
        """
        self._objects = {identity(item)[1:]: item for item in objects}
        self._annotations = annotations
        self._complete = complete
        self.defaulted: dict[Document, Tree] = {}

    def holds(self, value: Tree) -> bool:
        """Whether a document was admitted before."""
        return self._complete or identity(value)[1:] in self._annotations

    def get(self, kind: str, namespace: str, name: str) -> Tree | None:
        """An object that the earlier release made."""
        return self._objects.get((kind, namespace, name))

    def adopt(self, value: Tree) -> Tree:
        """A defaulted document with the annotations that it carries since the earlier release."""
        kept = self._annotations.get(identity(value)[1:])
        if not kept:
            return value
        annotations = {**(value["metadata"].get("annotations") or {}), **kept}
        metadata = {
            **value["metadata"],
            "annotations": {key: text for key, text in annotations.items() if text is not None},
        }
        return {**value, "metadata": metadata}
