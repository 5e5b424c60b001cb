"""Documents to requirements: the one pipeline, and what it was told of the cluster."""

from __future__ import annotations

from dynamoc.compilation import Trace
from dynamoc.diagnostics import Findings
from dynamoc.explain.carried import carry_documents
from dynamoc.explain.fault_sources import Sources
from dynamoc.explain.traced import plain_tree
from dynamoc.kube.scope import with_namespace
from dynamoc.requires.lookups import split_findings
from dynamoc.requires.places import Places
from dynamoc.requires.requirements import Surroundings, requirements
from dynamoc.surroundings import read_surroundings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.explain.carried import Carried
    from dynamoc.explain.traced_compilation import Explained
    from dynamoc.options import Options
    from dynamoc.requires.needs import Requirements
    from dynamoc.source.document import Document

    Tree = dict[str, Any]


def requirements_of(documents: list[Document], options: Options, findings: Findings) -> Requirements:
    """What the objects of documents need, which together are one cluster. Of no use where `findings` holds errors.

    Objects that nobody showed are requirements, and no findings.
    """
    trace = Trace()
    options.place_passed()
    carried = carry_documents(documents, options, findings, trace)
    made = carried.objects, plain_tree(carried.objects)
    return _requirements(documents, made, carried, trace, options, findings)


def traced_requirements(
    documents: list[Document], explained: Explained, trace: Trace, options: Options, findings: Findings
) -> Requirements:
    """`requirements_of` for documents that were traced before, with the findings of that."""
    sources = Sources(explained.objects, options)
    return _requirements(documents, (explained.objects, explained.plain), sources, trace, options, findings)


def _requirements(
    documents: list[Document],
    made: tuple[list[Tree], list[Tree]],
    sources: Sources | Carried,
    trace: Trace,
    options: Options,
    findings: Findings,
) -> Requirements:
    """Of objects `made`, with origins and without."""
    findings.items, asked = split_findings(findings.items)
    # The compilation has told what is wrong with them.
    config, context = read_surroundings(options, Findings())
    namespace = options.namespace or "default"
    around = Surroundings(
        options.release, config, context, namespace, installed=not options.standalone, apis=options.apis
    )
    places = Places(documents, made[0], sources, trace, options)
    # What passes through without a namespace is applied to that of the graphs.
    objects = [with_namespace(item, namespace) for item in made[1]]
    return requirements(objects, places, around, asked)
