"""YAML line by line is the same YAML."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dynamoc.documents.emit.yaml import dump_yaml, yaml_lines
from dynamoc.kube.merge import at

TREES = st.recursive(
    st.integers() | st.booleans() | st.none() | st.text(max_size=8) | st.sampled_from(["a\nb\n", "x: y", "k" * 1200]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3) | st.just("k" * 1100), inner),
    max_leaves=10,
)


@given(TREES)
def test_the_lines_are_those_of_the_whole(tree: object) -> None:
    assert "\n".join(line for line, _, _ in yaml_lines(tree)) + "\n" == dump_yaml([tree])


@given(TREES)
def test_each_leaf_begins_once(tree: object) -> None:
    found = [path for _, path, begins in yaml_lines(tree) if begins]
    assert len(found) == len(set(found))
    for path in found:
        value = at(tree, path)
        assert not (isinstance(value, dict | list) and value)


def test_lines_know_their_paths() -> None:
    tree = {"spec": {"args": ["a", "b"], "text": "x\ny\n"}}
    assert [(line, path) for line, path, _ in yaml_lines(tree)] == [
        ("spec:", ("spec",)),
        ("  args:", ("spec", "args")),
        ("  - a", ("spec", "args", 0)),
        ("  - b", ("spec", "args", 1)),
        ("  text: |", ("spec", "text")),
        ("    x", ("spec", "text")),
        ("    y", ("spec", "text")),
    ]
