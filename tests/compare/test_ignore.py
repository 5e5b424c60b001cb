"""Patterns of fields that are left out of account."""

from __future__ import annotations

import pytest

from dynamoc.analysis.compare.comparison import BUILT_IN, Pattern, first
from dynamoc.analysis.compare.result import Comparison
from tests.compare.conftest import compared, item

CONTAINER = ("spec", "containers", ("name", "main"))


@pytest.mark.parametrize(
    ("pattern", "steps", "matches"),
    [
        ("metadata.labels", ("metadata", "labels", "a"), True),
        ("metadata.labels", ("metadata",), False),
        ("metadata.labels[a.b/*]", ("metadata", "labels", "a.b/c"), True),
        ("metadata.labels[a.b/*]", ("metadata", "labels", "x"), False),
        ("metadata.labels.a", ("metadata", "labels", "a"), True),
        ("**.env[DYN_*]", (*CONTAINER, "env", ("name", "DYN_X"), "value"), True),
        ("**.env[DYN_*]", (*CONTAINER, "env", ("name", "X")), False),
        ("spec.*.image", ("spec", "x", "image"), True),
        ("spec.containers[*].image", (*CONTAINER, "image"), True),
        ("spec.**", ("spec", "x"), True),
        ("ConfigMap/*:data", ("data", "a"), True),
        ("Service:data", ("data", "a"), False),
        ("ConfigMap/b*:data", ("data", "a"), False),
        ("data[a:b]", ("data", "a:b"), True),
        ("data.a:b", ("data", "a:b"), True),
        ("*/b*:data", ("data", "a:b"), False),
    ],
)
def test_matches(pattern: str, steps: tuple[str, ...], matches: bool) -> None:
    assert (first([Pattern(pattern)], "ConfigMap", "a", steps) is not None) == matches


@pytest.mark.parametrize("pattern", ["", "a[b", "a..b", "Service/*:"])
def test_what_is_no_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"path|bracket"):
        Pattern(pattern)


def test_what_is_ignored_stands_in_the_result() -> None:
    def found(ignores: list[str]) -> Comparison:
        return compared([item(data={"a": "1"})], [item(data={"a": "2"})], ignores=ignores)

    assert (found(["data"]).same, found(["data"]).ignored) == (True, [("data", 1)])
    assert (found(["x"]).same, found(["x"]).ignored) == (False, [("x", 0)])


def test_what_only_a_cluster_writes_is_ignored() -> None:
    old, new = item(), item(metadata={"resourceVersion": "1", "uid": "x"}, status={"phase": "Bound"})
    assert compared([old], [new], ignores=list(BUILT_IN)).same
    assert not compared([old], [new]).same
