"""`dynamoc post-render`: the post-renderer of Helm, which pipes what a chart became.

Helm 4.3 was seen to mark each object with the template that it comes from, and to take the mark off again. No version
tells post-renderers the namespace of the release, which charts seldom write.
"""

from __future__ import annotations

from dynamoc.cli.compiler_options import compiler_options, input_files
from dynamoc.cli.conclusion import conclude
from dynamoc.cli.failure import DONE, ERRORS
from dynamoc.cli.findings import report
from dynamoc.cli.option_table import COMMANDS, defaults
from dynamoc.cli.output import write_stdout
from dynamoc.cli.render import judge_number
from dynamoc.compiler import compile_documents
from dynamoc.diagnostics import Findings
from dynamoc.emit.yaml import dump_yaml
from dynamoc.krm.resource_list import restored, without_internal
from dynamoc.source.document import Document
from dynamoc.source.files import read_inputs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.cli.option_table import Values

_TEMPLATE = "postrenderer.helm.sh/postrender-filename"


def post_render(values: Values) -> int:
    """Objects from stdin to stdout; the result is the exit code. Helm shows stderr only where that is not 0."""
    values = {**defaults(COMMANDS["render"]), **values}
    findings = Findings()
    given = read_inputs(input_files(values, findings), findings)
    documents = [_unmarked(document) for document in given]
    objects = compile_documents(documents, compiler_options(values), findings)
    conclude(findings, values)
    judge_number(len(objects), findings, values)
    report(findings, values)
    if findings.errors:
        return ERRORS
    write_stdout(dump_yaml(restored(objects, [document.value for document in given])))
    return DONE


def _unmarked(document: Document) -> Document:
    value, marks = without_internal(document.value)
    template = marks.get(_TEMPLATE)
    source = document.source or (template if isinstance(template, str) else None)
    return Document(value, document.file, document.index, document.shared_marks, source)
