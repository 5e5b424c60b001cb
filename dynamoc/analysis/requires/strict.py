"""`--strict-context`: each object that the output refers to is in it, in the input or in the context, or is refused."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

from dynamoc.admission.cluster.context import unknown_object
from dynamoc.analysis.requires.lookups import Places
from dynamoc.analysis.requires.needs import Need, Requirement, need_text
from dynamoc.analysis.requires.providers import Installation, Known, settle
from dynamoc.analysis.requires.requirements import component_of_field, references_of
from dynamoc.compiler.explain.traced_compilation import explain_documents
from dynamoc.compiler.faults import FaultSources
from dynamoc.compiler.options import Options, read_surroundings
from dynamoc.compiler.run import compile_documents
from dynamoc.compiler.state import Trace
from dynamoc.documents.findings.finding import Finding, Findings
from dynamoc.documents.source.document import Document
from dynamoc.documents.source.files import read_paths
from dynamoc.kube.names import Identity, identity, mapping, text, with_namespace

Tree = dict[str, Any]


def without_missing(
    objects: list[Tree],
    documents: list[Document],
    options: Options,
    findings: Findings,
    *,
    context: Sequence[Document] = (),
) -> list[Tree]:
    """The objects of documents that refer to nothing missing; each missing object is an error.

    The objects were made from the documents; `context` exists beside what the options name. Optional references may
    lead nowhere, and so may those to the namespace that an object is in: nothing is created in a namespace that does
    not exist.
    """
    told = set(filter(None, map(unknown_object, findings.items)))
    relaxed = copy(options)
    relaxed.strict_context = False
    # A graph that was refused for one object may lack more.
    whole = compile_documents(documents, relaxed, Findings(), context=context) if told else objects
    missing = [item for item in _missing(whole, documents, options, context) if item.identity[1:] not in told]
    if not missing:
        return objects
    trace = Trace()
    compile_documents(documents, relaxed, Findings(), trace, context=context)
    traced = explain_documents(documents, relaxed, Findings()).objects
    places = Places(documents, traced, FaultSources(traced, relaxed), trace, relaxed)
    default = options.namespace or "default"
    refused: set[Identity] = set()
    for requirement in missing:
        owners = {_owner(need.subject, trace, default) for need in requirement.needs}
        refused |= owners
        findings.add(_finding(requirement, places, min(owners)))
    kept = [document for document in documents if identity(document.value, default) not in refused]
    return compile_documents(kept, options, Findings(), context=context)


def read_again(files: list[str], findings: Findings) -> list[Document]:
    """The documents of files that were read before; what is wrong with them is known."""
    again = Findings()
    again.texts = findings.texts
    again.inputs.stdin = findings.inputs.stdin
    again.inputs.found = findings.inputs.found
    again.inputs.patches = findings.inputs.patches
    return read_paths(files, again)


def _missing(
    objects: list[Tree], documents: list[Document], options: Options, more: Sequence[Document]
) -> list[Requirement]:
    """What the objects refer to and nobody brings, in order of kind and name."""
    config, context = read_surroundings(options, Findings())
    default = options.namespace or "default"
    whole = [with_namespace(item, default) for item in objects]
    inputs = {identity(document.value, default): document for document in documents}
    known = Known(whole, inputs, [*context, *more], default, options.apis)
    installation = None if options.standalone else Installation(config, options.release)
    found: dict[Identity, Requirement] = {}
    for value in whole:
        own = text(mapping(value, "metadata").get("namespace"))
        for reference in references_of(value):
            namespace = own if reference.namespace is None else reference.namespace
            key = (reference.group, reference.kind, namespace, reference.name)
            if not reference.optional and key not in inputs:
                found.setdefault(key, Requirement(*key)).needs.append(Need(value, reference.path))
    return [found[key] for key in sorted(found) if settle(key, known, installation)[0] is None]


def _owner(value: Tree, trace: Trace, default: str) -> Identity:
    """The document that an object is made from, which may be the object itself."""
    found = identity(value, default)
    return trace.owners.get(identity(value, "default"), found)


def _finding(requirement: Requirement, places: Places, owner: Identity) -> Finding:
    need = requirement.needs[0]
    need.component = component_of_field(need)
    label = f"{requirement.namespace}/{requirement.name}" if requirement.namespace else requirement.name
    more = f", and in {len(requirement.needs) - 1} more fields" if len(requirement.needs) > 1 else ""
    message = f"{requirement.kind} `{label}` is not in the input or --context; it is named in {need_text(need)}{more}."
    hint = f"add the {requirement.kind} to the input, or to a file given with --context"
    place = places.of(need.subject, need.path)
    return Finding("context/missing", message, place=place, hint=hint, subject=f"{owner[1]}/{owner[3]}")
