"""Renderings without the operator: of text, and of the recorded inputs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_documents, compile_each
from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source.reader import read_text
from tests.conformance.corpora import SHARED

Tree = dict[str, Any]
Identity = tuple[str, str, str]

SLUG = "standalone/without-operator"


class Rendered:
    """Objects and findings of one rendering."""

    def __init__(self, objects: list[Tree], findings: Findings) -> None:
        self.objects = objects
        self.findings = findings

    def of(self, kind: str) -> list[Tree]:
        return [item for item in self.objects if item["kind"] == kind]

    def names(self, kind: str) -> list[str]:
        return [item["metadata"]["name"] for item in self.of(kind)]

    @property
    def slugs(self) -> list[str]:
        return [item.slug for item in self.findings.items]

    @property
    def note(self) -> str:
        [note] = [item.whole_message for item in self.findings.items if item.slug == SLUG]
        return note


def render(text: str, *known: Tree, **options: Any) -> Rendered:
    """`text` rendered to stand alone beside `known` objects, unless `standalone=False` says otherwise."""
    findings = Findings()
    chosen = Options(**{"standalone": True, "target": "plain", **options})
    documents = read_text(text.encode(), "graph.yaml", findings)
    for item in known:
        documents += read_text(json.dumps(item).encode(), "known.json", findings)
    return Rendered(compile_documents(documents, chosen, findings), findings)


def recorded(corpus: str, *, every: int, stable_names: bool = False) -> Iterator[tuple[str, Path, list[Tree]]]:
    """Case, input and objects of the recorded inputs that are taken, each `every`-th with its targets in turn."""
    folder = SHARED / corpus
    meta = json.loads((folder / "corpus.json").read_text())
    config = meta.get("operatorConfig")
    paths = sorted(str(path) for path in (folder / "inputs").glob("*.yaml"))[::every]
    for number, target in enumerate(meta["targets"]):
        options = Options(
            operator_version=meta["operatorVersion"],
            target=target,
            operator_config=str(folder / config) if config else None,
            standalone=True,
            stable_names=stable_names,
        )
        chosen = paths[number :: len(meta["targets"])]
        for path, objects in compile_each(chosen, options, Findings()) if chosen else ():
            if objects:
                yield f"{corpus}/{target}/{Path(path).stem}", Path(path), objects


def identity(item: Tree) -> Identity:
    metadata = item["metadata"]
    return (item["kind"], metadata.get("namespace") or "", metadata["name"])
