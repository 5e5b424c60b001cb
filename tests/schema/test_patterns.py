import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamoc.documents.schema.problem import RECOGNIZERS, is_quantity, matches
from dynamoc.documents.schema.schemas import load
from dynamoc.reference.releases import ORDER
from tools.schemas.compact import QUANTITY_PATTERN


def labels() -> st.SearchStrategy[str]:
    """Texts of a length around the limit of 63."""
    part = st.integers(61, 65).map(lambda length: "a" * length) | st.sampled_from(["b-", "C", "0", "01"])
    return st.lists(part, min_size=1, max_size=3).map(".".join) | st.tuples(part, part).map("/".join)


def go_search(pattern: str, text: str) -> bool:
    return re.search(pattern.removesuffix("$") + r"\Z", text, re.ASCII) is not None


@given(st.text(alphabet="0123456789+-.eEinumkKMGTP \n", max_size=8) | st.from_regex(QUANTITY_PATTERN))
def test_quantities_are_those_of_the_pattern(text: str) -> None:
    assert is_quantity(text) == go_search(QUANTITY_PATTERN, text)


@pytest.mark.parametrize("pattern", RECOGNIZERS)
@given(data=st.data())
def test_recognizers_are_their_patterns(pattern: str, data: st.DataObject) -> None:
    text = data.draw(st.text(alphabet="abzAZ019-_./\n é", max_size=8) | st.from_regex(pattern) | labels())
    assert matches(pattern, text) == go_search(pattern, text)


def test_the_end_of_a_pattern_is_the_end_of_the_text() -> None:
    assert matches("^a$", "a")
    assert not matches("^a$", "a\n")
    assert matches("^a", "ab")


def test_only_conditions_need_regular_expressions() -> None:
    patterns = {node["pattern"] for release in ORDER for node in load(release)["nodes"].all() if "pattern" in node}
    # Type and reason, k8s.io/apimachinery metav1.Condition.
    type_, reason = sorted(patterns - RECOGNIZERS.keys())
    assert type_.startswith("^([a-z0-9]([-a-z0-9]*[a-z0-9])?(")
    assert reason == "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"
