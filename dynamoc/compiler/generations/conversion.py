"""All documents of Dynamo 0.1 to 0.3 of a run, converted together, as some name the images of others, and printed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from dynamoc.admission.convert import spelling
from dynamoc.admission.convert.nodes import Layout
from dynamoc.admission.convert.rewrite import Rewritten, converted, finding, needs_conversion, refuse_foreign
from dynamoc.admission.convert.specs import V1BETA1
from dynamoc.compiler.generations.component import Archive, read_archive
from dynamoc.compiler.generations.document import EarlyDocument
from dynamoc.compiler.generations.images import Images
from dynamoc.compiler.generations.kinds import IMAGE, EarlyKind, artifact_of, early_kind
from dynamoc.documents.findings.finding import ERROR, WARNING, Finding, Findings
from dynamoc.documents.source.document import Document
from dynamoc.documents.source.reader import read_text
from dynamoc.reference.slugs import Slug

Tree = dict[str, Any]

Files = list[tuple[Rewritten, list[Document]]]

_LAYOUT = Layout(2, 0)


def yaml_text(objects: list[dict[str, Any]]) -> str:
    """One document an object, keys in the order that they have."""
    return "---\n".join(map(_text, objects))


def _text(value: dict[str, Any]) -> str:
    try:
        return spelling.serialize(spelling.NodeMaker({}, value).take(()), _LAYOUT)
    except spelling.Unusual:
        from dynamoc.admission.convert import round_trip

        return round_trip.serialize(round_trip.NodeMaker({}, value).take(()), _LAYOUT)


class EarlyConversion:
    """Files with such documents, each with what becomes of it; `images` and `archives` are as in `EarlyFiles`."""

    def __init__(
        self, files: Files, images: list[str], archives: list[str], findings: Findings, *, lossless: bool
    ) -> None:
        self.images = Images(images)
        self.findings = findings
        self.lossless = lossless
        self._words = archives
        self._files = files

    def refuse(self, *, write: bool) -> None:
        """Adds an error for each such document: to `write` it in place is refused, or it is only looked for."""
        for kind, document in self._early():
            slug: Slug = "convert/other-version"
            message = f"This {kind.name} is written for {kind.releases}."
            hint = "`dynamoc convert --to v1beta1` prints the graph of today"
            if write:
                slug = "convert/early-in-place"
                hint = "convert it without --write, and save the output as a new file"
                message = f"A {kind.name} of {kind.releases} is not converted in place: much of it has no successor."
            self.findings.add(finding(document, ("kind",), slug, ERROR, message, hint))

    def refuse_version(self) -> None:
        """Adds an error for each such document: only v1beta1 can be written."""
        for kind, document in self._early():
            message = f"A {kind.name} of {kind.releases} is converted to v1beta1 only."
            self.findings.add(
                finding(document, ("kind",), "convert/early-version", ERROR, message, "write `--to v1beta1`")
            )

    def convert(self) -> None:
        """Fills in what becomes of each file."""
        archives = dict(self._archives())
        self.images.learn(document for _, document in self._early())
        for out, documents in self._files:
            for document in documents:
                out.documents += self._converted(document, archives)
            out.converted = len(documents)
            out.data = yaml_text(out.documents).encode()
        for name in self.images.unused():
            message = f"No component and no archive is called `{name}`: `--image {name}=…` has no effect."
            self.findings.add(Finding("generation/unused-image", message))

    def _early(self) -> Iterator[tuple[EarlyKind, Document]]:
        for _, documents in self._files:
            for document in documents:
                kind = early_kind(document.value)
                if kind is not None:
                    yield kind, document

    def _archives(self) -> Iterator[tuple[str, Archive]]:
        """Archives by the name of what they describe, "" for all."""
        for word in self._words:
            name, equals, file = word.partition("=")
            archive = read_archive(file if equals else word, self.findings)
            if archive is not None:
                yield name if equals else "", archive

    def _converted(self, document: Document, archives: dict[str, Archive]) -> list[Tree]:
        kind, value = early_kind(document.value), document.value
        if kind is None:
            refuse_foreign(document, self.findings)
            if not needs_conversion(value, V1BETA1):
                return [value]
            return [converted(document, V1BETA1, self.findings, lossless=self.lossless)]
        if kind.role == IMAGE:
            message = f"A {kind.name} has no successor: you build images yourself, and graphs name them."
            self.findings.add(finding(document, ("kind",), "convert/no-successor", WARNING, message, None))
            return []
        name, artifact = str((value.get("metadata") or {}).get("name", "")), artifact_of(kind, value)
        archive = archives.get(name) or archives.get(artifact) or archives.get("")
        return EarlyDocument(kind, document, self.images, archive, self.findings).converted()


#: what a file must hold for one of its documents to be of these generations
_MARKS = (b"dynamoGraph", b"dynamoComponent", b"dynamoTag", b"DynamoComponent", b"DynamoDeployment", b"DynamoNim")


@dataclass(eq=False)
class EarlyFiles:
    """The files of one run that hold such documents.

    images    words of `--image`: `NAME=IMAGE` for a component or an archive of that name, `IMAGE` for all others
    archives  words of `--graph-archive`: `NAME=FILE` for a graph or an archive of that name, `FILE` for all others
    """

    images: list[str]
    archives: list[str]
    findings: Findings
    _: KW_ONLY
    lossless: bool = False
    _files: list[tuple[Rewritten, list[Document]]] = field(default_factory=list, init=False)

    def take(self, data: bytes, file: str) -> Rewritten | None:
        """What becomes of a file with such documents, once `finish` has filled it in; None for other files."""
        text = data.replace(b"\0", b"")
        if not any(mark in text for mark in _MARKS):
            return None

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

        terms = (self._files, self.images, self.archives, self.findings)
        conversion = EarlyConversion(*terms, lossless=self.lossless)
        if check or write:
            conversion.refuse(write=write)
        elif to != "v1beta1":
            conversion.refuse_version()
        else:
            conversion.convert()
