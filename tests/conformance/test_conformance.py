"""Every recorded case is exact, but for those that `known.toml` names with a reason."""

from fnmatch import fnmatchcase

import pytest

from tests.conformance.corpora import corpora, needs_corpora, outcomes
from tests.conformance.known import known_differences


@needs_corpora
@pytest.mark.parametrize("corpus", corpora())
def test_corpus(corpus: str) -> None:
    known = known_differences()
    different = {outcome.case: outcome.difference for outcome in outcomes(corpus) if not outcome.exact}
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
