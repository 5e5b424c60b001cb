import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamoc.api.compact import QUANTITY_PATTERN
from dynamoc.schema.patterns import RECOGNIZERS, is_quantity, matches


def go_search(pattern: str, text: str) -> bool:
    return re.search(pattern.removesuffix("$") + r"\Z", text, re.ASCII) is not None


@given(st.text(alphabet="0123456789+-.eEinumkKMGTP \n", max_size=8) | st.from_regex(QUANTITY_PATTERN))
def test_quantities_are_those_of_the_pattern(text: str) -> None:
    assert is_quantity(text) == go_search(QUANTITY_PATTERN, text)


@pytest.mark.parametrize("pattern", RECOGNIZERS)
@given(text=st.text(alphabet="abzAZ019-_.\n é", max_size=6))
def test_recognizers_are_their_patterns(pattern: str, text: str) -> None:
    assert matches(pattern, text) == go_search(pattern, text)


def test_the_end_of_a_pattern_is_the_end_of_the_text() -> None:
    assert matches("^a$", "a")
    assert not matches("^a$", "a\n")
    assert matches("^a", "ab")
