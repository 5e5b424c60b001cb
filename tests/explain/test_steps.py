"""What rules and builders say of themselves."""

from __future__ import annotations

import pytest

from dynamoc.compiler.explain.answer import all_steps, find_step
from dynamoc.kube.tracing import STEPS
from dynamoc.reference.features import FEATURES
from dynamoc.reference.releases import RELEASES
from dynamoc.rendering.rules.order import rules_of


@pytest.mark.parametrize("release", RELEASES)
def test_every_rule_says_what_it_sets_and_whom_it_follows(release: str) -> None:
    for rule in rules_of(RELEASES[release]):
        name = rule.name
        step = find_step(name)
        assert step is not None, name
        assert step.text, name
        assert step.source, name
        assert release in step.releases, name


def test_every_listed_step_is_found_by_its_name() -> None:
    for step in all_steps():
        found = find_step(step.name)
        assert found is not None, step.name
        assert found.text == step.text


def test_a_builder_says_what_it_makes_for_whom() -> None:
    builders = [step for step in all_steps() if step.kind == "builder"]
    assert len(builders) > 80
    for step in builders:
        mark = STEPS[step.name]
        assert step.text, step.name
        assert step.source, step.name
        assert step.releases, step.name
        for feature in filter(None, (mark.when, mark.unless)):
            assert feature in {item.name for item in FEATURES}, f"{step.name}: {feature}"
