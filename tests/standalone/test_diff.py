"""Comparisons of what is applied past any operator: nobody cleans up, and nobody hands replicas on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.standalone.graphs import component, graph, worker

OPTIONS = ("--operator-version", "1.4", "--standalone")


def write(old: str, new: str) -> tuple[str, str]:
    Path("old.yaml").write_text(old)
    Path("new.yaml").write_text(new)
    return ("old.yaml", "new.yaml")


@pytest.fixture
def changed(dynamoc: Run) -> tuple[str, str]:
    frontend = component("frontend")
    longer = worker(envs=[{"name": "A", "value": "b"}])
    return write(graph(), graph({"Frontend": frontend, "Worker": longer}))


def test_the_old_generation_runs_on(dynamoc: Run, changed: tuple[str, str]) -> None:
    out = dynamoc("diff", *changed, *OPTIONS, "--target", "plain").out
    assert "of the old generation, 1 pod, 1 GPU stay until you delete Deployment/chat-worker-" in out
    assert "until somebody" not in dynamoc("diff", *changed, *OPTIONS[:2], "--target", "plain").out


def test_with_stable_names_pods_roll(dynamoc: Run, changed: tuple[str, str]) -> None:
    out = dynamoc("diff", *changed, *OPTIONS, "--omit=worker-hash", "--target", "plain").out
    assert "~ Deployment/chat-worker (team)  rolls pods: 1 pod, 1 GPU restart" in out
    assert "generation" not in out


def test_grove_hands_no_replicas_on(dynamoc: Run) -> None:
    three = {"Frontend": component("frontend", replicas=3), "Worker": worker(nodes=2)}
    five = {"Frontend": component("frontend", replicas=5), "Worker": worker(nodes=2, replicas=4)}
    sides = write(graph(three), graph(five))
    alone = dynamoc("diff", *sides, *OPTIONS, "--target", "grove").out
    assert alone.count("not applied: Grove does not scale running pods by this field") == 2
    assert alone.endswith("no pods restart\n")
    attended = dynamoc("diff", *sides, *OPTIONS[:2], "--target", "grove").out
    assert "not applied" not in attended
    assert "8 pods, 6 GPUs start" in attended


def test_nobody_deletes_what_is_gone(dynamoc: Run) -> None:
    sides = write(graph(), graph({"Worker": worker()}))
    out = dynamoc("diff", *sides, *OPTIONS, "--omit=worker-hash", "--target", "plain").out
    for name in ("Service/chat-frontend", "Deployment/chat-frontend"):
        assert f"- {name} (team)  no longer created, but nothing deletes it" in out
    assert "refuses this update" not in out


def test_what_the_user_applies_is_applied(dynamoc: Run) -> None:
    sides = write(graph(), graph({"Frontend": component("frontend"), "Worker": worker(labels={"a": "b"})}))
    options = (*OPTIONS, "--omit=worker-hash", "--target", "plain")
    assert "not applied" not in dynamoc("diff", *sides, *options).out
