"""The rules by name, and what a worker does in a graph that separates prefill from decode."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dynamoc.analysis.check.rendering import Rendering, Workload
from dynamoc.compiler.faults import Fault
from dynamoc.documents.schema.problem import Problem
from dynamoc.reference.slugs import Slug

Rule = Callable[[Rendering], Iterator[Fault | Problem]]
"""Problems are on the document, faults on generated objects, which are shown at the lines that led to them."""

RULES: dict[Slug, Rule] = {}


def rule(*slugs: Slug) -> Callable[[Rule], Rule]:
    """Registers a rule under the names of all findings that it makes."""

    def register(function: Rule) -> Rule:
        for slug in slugs:
            if slug in RULES:
                raise ValueError(f"{slug} has two rules")
            RULES[slug] = function
        return function

    return register


MODE = "--disaggregation-mode"
FLAGS = (MODE, "--is-prefill-worker", "--is-decode-worker")


def role(workload: Workload) -> str:
    """`prefill` or `decode`, "" for a worker that does both."""
    arguments = workload.arguments
    mode = (arguments.value(MODE) or "").removesuffix("_only")
    if mode in ("prefill", "decode"):
        return mode
    if arguments.has("--is-prefill-worker") or workload.type == "prefill":
        return "prefill"
    return "decode" if arguments.has("--is-decode-worker") else ""
