"""Objects that dynamoc renders are valid for their API: of Kubernetes, Grove, LeaderWorkerSet, Volcano and others."""

import pytest

from tests.conformance.corpora import graph_corpora, needs_corpora, outcomes
from tests.schema.judge import problems


@needs_corpora
@pytest.mark.parametrize("corpus", graph_corpora())
def test_rendered_objects_are_valid(corpus: str) -> None:
    release = corpus.partition("-")[0]
    judged: dict[str, list[str]] = {}
    found = []
    for outcome in outcomes(corpus):
        for item in outcome.rendered or ():
            text = repr(item)
            if text not in judged:
                judged[text] = problems(item, release)
            found += [f"{outcome.case}: {item['kind']}/{item['metadata']['name']}: {line}" for line in judged[text]]
    if found:
        pytest.fail("\n".join(found[:50]), pytrace=False)
    assert judged or corpus.endswith("wild")
