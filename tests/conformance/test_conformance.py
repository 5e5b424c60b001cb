"""Every recorded case is exact, but for those that `known.toml` names with a reason; what is rendered is valid for its
API: of Kubernetes, Grove, LeaderWorkerSet, Volcano and others.
"""

from fnmatch import fnmatchcase

import pytest

from tests.conformance.corpora import Outcome, corpora, graph_corpora, needs_corpora, outcomes
from tests.conformance.known import known_differences
from tests.schema.judge import problems

Answers = tuple[str, list[Outcome]]


@pytest.fixture(scope="module")
def answers(request: pytest.FixtureRequest) -> Answers:
    """The name of a corpus and dynamoc's answers to it, made once for the tests of one corpus."""
    return request.param, list(outcomes(request.param))


@needs_corpora
@pytest.mark.parametrize("answers", corpora(), indirect=True)
def test_corpus(answers: Answers) -> None:
    corpus, answered = answers
    known = known_differences()
    different = {outcome.case: outcome.difference for outcome in answered if not outcome.exact}
    unexpected = [
        f"{case}: {text}" for case, text in different.items() if not any(entry.matches(case) for entry in known)
    ]
    if unexpected:
        # Not an assertion on the list: pytest would spend minutes on comparing it.
        pytest.fail("\n".join(unexpected), pytrace=False)
    of_corpus = [entry for entry in known if fnmatchcase(corpus, entry.pattern.partition("/")[0])]
    gone = [entry.pattern for entry in of_corpus if not any(entry.matches(case) for case in different)]
    # A pattern over several corpora goes when none of them needs it.
    assert not [pattern for pattern in gone if pattern.startswith(f"{corpus}/")], "exact by now: take them out"


@needs_corpora
@pytest.mark.parametrize("answers", graph_corpora(), indirect=True)
def test_rendered_objects_are_valid(answers: Answers) -> None:
    corpus, answered = answers
    release = corpus.partition("-")[0]
    judged: dict[str, list[str]] = {}
    found = []
    for outcome in answered:
        for item in outcome.rendered or ():
            text = repr(item)
            if text not in judged:
                judged[text] = problems(item, release)
            found += [f"{outcome.case}: {item['kind']}/{item['metadata']['name']}: {line}" for line in judged[text]]
    if found:
        pytest.fail("\n".join(found[:50]), pytrace=False)
    assert judged or corpus.endswith("wild")
