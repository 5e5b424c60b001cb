"""Where the API server takes a set and refuses its pods, a warning says so."""

import json

import pytest

from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_paths
from dynamoc.documents.findings.finding import Findings
from tests.conformance.corpora import SHARED, graph_corpora, needs_corpora


@needs_corpora
@pytest.mark.parametrize("corpus", graph_corpora())
def test_pods_that_the_api_server_refuses_are_warned_of(corpus: str) -> None:
    folder = SHARED / corpus
    meta = json.loads((folder / "corpus.json").read_text())
    config = meta.get("operatorConfig")
    silent = []
    for record in sorted(folder.glob("expected/*/*.json")):
        if not json.loads(record.read_text()).get("podErrors"):
            continue
        findings = Findings()
        options = Options(operator_version=meta["operatorVersion"], target=record.parent.name)
        options.operator_config = str(folder / config) if config else None
        compile_paths([str(folder / "inputs" / f"{record.stem}.yaml")], options, findings)
        if not any(item.severity == "warning" and item.slug.startswith("admission/") for item in findings.items):
            silent.append(f"{record.parent.name}/{record.stem}")
    assert silent == []
