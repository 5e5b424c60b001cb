"""Documents to requirements: the one pipeline, and what it was told of the cluster."""

from __future__ import annotations

from dynamoc.cluster.config import load_config
from dynamoc.compiler import Trace, compile_documents
from dynamoc.diagnostics import Findings
from dynamoc.requires.asked import split_findings
from dynamoc.requires.places import Places
from dynamoc.requires.requirements import Surroundings, requirements
from dynamoc.source.files import expand, read_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.compiler import Options
    from dynamoc.requires.model import Requirements
    from dynamoc.source.document import Document


def requirements_of(documents: list[Document], options: Options, findings: Findings) -> Requirements:
    """What the objects of documents need, which together are one cluster. Of no use where `findings` holds errors.

    Objects that nobody showed are requirements, and no findings.
    """
    trace = Trace()
    objects = compile_documents(documents, options, findings, trace)
    findings.items, asked = split_findings(findings.items)
    # The compilation has told what is wrong with them.
    quiet = Findings()
    context = read_paths(expand(options.context, quiet), quiet) if options.context else []
    config = load_config(options.operator_config, options.release, quiet)
    namespace = options.namespace or "default"
    around = Surroundings(options.release, config, context, namespace)
    return requirements(objects, Places(documents, trace, namespace), around, asked)
