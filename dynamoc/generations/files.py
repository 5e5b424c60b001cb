"""Files with documents of Dynamo 0.1 to 0.3, for `dynamoc convert`: they need each other, so all are read first."""

from __future__ import annotations

from dynamoc.diagnostics.finding import Finding, Findings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.convert.rewrite import Rewritten
    from dynamoc.source.document import Document

#: what a file must hold for one of its documents to be of these generations
_MARKS = (b"dynamoGraph", b"dynamoComponent", b"dynamoTag", b"DynamoComponent", b"DynamoDeployment", b"DynamoNim")


class EarlyFiles:
    """The files of one run that hold such documents.

    images    words of `--image`: `NAME=IMAGE` for a component or an archive of that name, `IMAGE` for all others
    archives  words of `--graph-archive`: `NAME=FILE` for a graph or an archive of that name, `FILE` for all others
    """

    def __init__(self, images: list[str], archives: list[str], findings: Findings, *, lossless: bool = False) -> None:
        self.images = images
        self.archives = archives
        self.findings = findings
        self.lossless = lossless
        self._files: list[tuple[Rewritten, list[Document]]] = []

    def take(self, data: bytes, file: str) -> Rewritten | None:
        """What becomes of a file with such documents, once `finish` has filled it in; None for other files."""
        text = data.replace(b"\0", b"")
        if not any(mark in text for mark in _MARKS):
            return None
        from dynamoc.convert.rewrite import Rewritten
        from dynamoc.generations.kinds import early_kind
        from dynamoc.source.reader import read_text

        found = Findings()
        documents = read_text(data, file, found)
        if found.errors or not any(early_kind(document.value) for document in documents):
            return None
        self.findings.take(found)
        self.findings.inputs.count(document.value for document in documents)
        self._files.append((Rewritten(b""), documents))
        return self._files[-1][0]

    def finish(self, to: str, *, write: bool, check: bool) -> None:
        """Converts what was taken; only names the documents where `check` says so, and refuses to `write` in place."""
        if not self._files:
            if self.images or self.archives:
                message = "The input has no document of Dynamo 0.1 to 0.3: --image and --graph-archive have no effect."
                self.findings.add(Finding("generation/unused-option", message))
            return
        from dynamoc.generations.conversion import EarlyConversion

        terms = (self._files, self.images, self.archives, self.findings)
        conversion = EarlyConversion(*terms, lossless=self.lossless)
        if check or write:
            conversion.refuse(write=write)
        elif to != "v1beta1":
            conversion.refuse_version()
        else:
            conversion.convert()
