"""The lines of the input behind the fields of generated objects, for findings on these objects."""

from __future__ import annotations

from dynamoc.explain.fault_sources import Sources
from dynamoc.explain.surroundings import trace_config
from dynamoc.explain.traced_compilation import TracedCompilation, traced_document
from dynamoc.explain.watch import Watching

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.compilation import Compilation
    from dynamoc.source.document import Document

    Tree = dict[str, Any]


def trace_objects(compilation: Compilation, document: Document) -> Sources:
    """The sources of a document's objects: it is compiled again, in the same surroundings, over traced values."""
    from dynamoc.cluster.config_files import load_config
    from dynamoc.diagnostics.finding import Findings

    options = compilation.options
    config = load_config(options.operator_config, compilation.release, Findings())
    trace_config(config)
    with Watching() as watching:
        again = _Again(options, config, compilation.context, Findings())
        again.cluster, again.capabilities, again.watching = compilation.cluster, compilation.capabilities, watching
        again.stages(traced_document(document))
    return Sources(again.judged, options)


class _Again(TracedCompilation):
    """The second compilation of a document, of which only the objects matter."""

    judged: list[Tree]

    def judge(self, _document: Document, objects: list[Tree]) -> None:
        self.judged = objects
