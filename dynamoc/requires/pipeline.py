"""Documents to requirements: the one pipeline, and what it was told of the cluster."""

from __future__ import annotations

from dynamoc.compilation import Trace
from dynamoc.diagnostics import Findings
from dynamoc.explain.carried import carry_documents
from dynamoc.explain.traced import plain_tree
from dynamoc.requires.lookups import split_findings
from dynamoc.requires.places import Places
from dynamoc.requires.requirements import Surroundings, requirements
from dynamoc.surroundings import read_surroundings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.options import Options
    from dynamoc.requires.needs import Requirements
    from dynamoc.source.document import Document


def requirements_of(documents: list[Document], options: Options, findings: Findings) -> Requirements:
    """What the objects of documents need, which together are one cluster. Of no use where `findings` holds errors.

    Objects that nobody showed are requirements, and no findings.
    """
    trace = Trace()
    options.place_passed()
    carried = carry_documents(documents, options, findings, trace)
    findings.items, asked = split_findings(findings.items)
    # The compilation has told what is wrong with them.
    config, context = read_surroundings(options, Findings())
    namespace = options.namespace or "default"
    around = Surroundings(
        options.release, config, context, namespace, installed=not options.standalone, apis=options.apis
    )
    places = Places(documents, carried.objects, carried, trace, options)
    return requirements(plain_tree(carried.objects), places, around, asked)
