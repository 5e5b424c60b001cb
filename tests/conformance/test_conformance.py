"""Every recorded case is exact, but for those that `known.toml` names with a reason."""

import pytest

from tests.conformance.corpora import corpora, needs_corpora, outcomes
from tests.conformance.known import known_differences


@needs_corpora
@pytest.mark.parametrize("corpus", corpora())
def test_corpus(corpus: str) -> None:
    known = known_differences()
    different = {outcome.case: outcome.difference for outcome in outcomes(corpus) if not outcome.exact}
    unexpected = [f"{case}: {text}" for case, text in different.items() if case not in known]
    if unexpected:
        # Not an assertion on the list: pytest would spend minutes on comparing it.
        pytest.fail("\n".join(unexpected), pytrace=False)
    gone = [case for case in known if case.startswith(f"{corpus}/") and case not in different]
    assert not gone, "exact by now: take them out of known.toml"
