"""Names that Grove lengthens."""

from hypothesis import given
from hypothesis import strategies as st

from dynamoc.admission.adapters import component_from_v1beta1
from dynamoc.admission.graph import Graph
from dynamoc.reference.releases import get_release
from dynamoc.rendering.lower.hub_pods import longest_clique_name, pod_clique_set_name
from tests.rules.graphs import Tree

RELEASE = get_release("1.4")
name = st.text("abcdefgh-", min_size=1, max_size=63)


def graph(own: str, *specs: Tree) -> Graph:
    components = [component_from_v1beta1(spec, {}, ("spec",), submitted_alpha=False) for spec in specs]
    return Graph({}, {}, own, "default", components)


def test_a_short_name_stays() -> None:
    assert pod_clique_set_name(graph("llm", {"name": "Decode"}), RELEASE) == "llm"


def test_a_long_name_is_cut_behind_what_the_longest_component_needs() -> None:
    long = "a" + "b" * 62
    assert pod_clique_set_name(graph(long, {"name": "frontend"}, {"name": "w"}), RELEASE) == f"{long[:32]}-d600"


def test_a_scaling_group_counts_twice() -> None:
    multinode = {"name": "decode", "multinode": {"nodeCount": 2}}
    assert len(pod_clique_set_name(graph("x" * 40, multinode), RELEASE)) == 45 - len("decode") - len("decode-ldr")


@given(name, st.lists(name, min_size=1, max_size=3), st.booleans())
def test_the_parts_fit_together_or_eight_characters_are_left(own: str, names: list[str], multinode: bool) -> None:
    specs: list[Tree] = [{"name": item, **({"multinode": {"nodeCount": 2}} if multinode else {})} for item in names]
    made = pod_clique_set_name(graph(own, *specs), RELEASE)
    parts = [len(spec["name"]) * multinode + len(longest_clique_name(spec["name"], spec)) for spec in specs]
    assert len(made) <= max(8, 45 - max(parts))
    assert made == own or made[-5] == "-"
