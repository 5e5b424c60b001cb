"""All documents of Dynamo 0.1 to 0.3 of a run, converted together: some name the images of others."""

from __future__ import annotations

from dynamoc.convert.reading import V1BETA1
from dynamoc.convert.rewrite import Rewritten, converted, finding, needs_conversion, refuse_foreign
from dynamoc.diagnostics.finding import ERROR, WARNING, Finding, Findings
from dynamoc.generations.archive import Archive, read_archive
from dynamoc.generations.document import EarlyDocument
from dynamoc.generations.images import Images
from dynamoc.generations.kinds import IMAGE, artifact_of, early_kind
from dynamoc.generations.writing import yaml_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.diagnostics.catalog.slugs import Slug
    from dynamoc.generations.kinds import EarlyKind
    from dynamoc.source.document import Document

    Tree = dict[str, Any]
    Files = list[tuple[Rewritten, list[Document]]]


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
