"""What rules and builders say of themselves."""

from __future__ import annotations

import pytest

from dynamoc.explain.pages import drift
from dynamoc.explain.steps import all_steps, find_step
from dynamoc.release import RELEASES


@pytest.mark.parametrize("release", RELEASES)
def test_every_rule_says_what_it_sets_and_whom_it_follows(release: str) -> None:
    for name in RELEASES[release].pod_rules:
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


def test_docs_rules_is_what_the_rules_say() -> None:
    assert drift() == [], "run python -m dynamoc.explain.pages"
