"""Upgrades from 1.0 to 1.4 as the reconcilers of 1.4 made them of what 1.0 left: pods of each component."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dynamoc.analysis.compare.pod_counts import pods_of
from tests.cli.conftest import Run

RECORDS = Path(__file__).parents[3] / "shared" / "conformance" / "upgrade-1.0-1.4"
CASES = [f"{path.parent.name}/{path.stem}" for path in sorted(RECORDS.glob("after/*/*.json"))]
#: inputs whose pods a real API server refuses under 1.0, so that they cannot be running; the recorder asked none
REFUSED = ("mix-77201-018", "mix-77201-028", "mix-77201-030", "mix-77201-040")

Tree = dict[str, Any]
Counts = dict[str, list[int]]
"""Pods that restart, start and stop, by component."""


def _state(moment: str, case: str) -> dict[tuple[str, str, str], Tree]:
    record = json.loads((RECORDS / moment / f"{case}.json").read_text())
    return {
        (item["kind"], item["metadata"].get("namespace", ""), item["metadata"]["name"]): item
        for item in record["objects"]
    }


def _template(item: Tree, name: str) -> Any:
    """What the pods of a template are made of; a replica of a scaling group restarts as a whole."""
    spec = item["spec"]
    if item["kind"] != "PodCliqueSet":
        return spec.get("template") or spec.get("leaderWorkerTemplate")
    groups = (group["cliqueNames"] for group in spec["template"].get("podCliqueScalingGroups", ()))
    mates = next((names for names in groups if name in names), [name])
    return [
        (clique.get("labels"), clique.get("annotations"), clique["spec"]["podSpec"])
        for clique in spec["template"]["cliques"]
        if clique["name"] in mates
    ]


def recorded(case: str) -> Counts:
    before, after = _state("before", case), _state("after", case)
    found: Counts = {}
    for key in {**before, **after}:
        old, new = before.get(key), after.get(key)
        had, has = ({pods.name: pods for pods in pods_of(item, {})} if item else {} for item in (old, new))
        for name in {**had, **has}:
            counts = found.setdefault((has.get(name) or had[name]).component, [0, 0, 0])
            was = had[name].amount.pods if name in had else 0
            now = has[name].amount.pods if name in has else 0
            if old and new and _template(old, name) != _template(new, name):
                counts[0] += min(was, now)
            counts[1] += max(now - was, 0)
            counts[2] += max(was - now, 0)
    return {name: counts for name, counts in found.items() if any(counts)}


@pytest.mark.skipif(not CASES, reason="no conformance recordings beside the repository")
@pytest.mark.parametrize("case", CASES)
def test_the_pods_of_a_recorded_upgrade(case: str, dynamoc: Run) -> None:
    target, name = case.split("/")
    path = RECORDS / "inputs" / f"{name}.yaml"
    result = dynamoc("upgrade", str(path), "--from", "1.0", "--to", "1.4", "--target", target, "-o", "json")
    found: Counts = {}
    for graph in json.loads(result.out)["graphs"]:
        is_refused = graph["state"] == "new"
        assert is_refused == (name in REFUSED and (target == "lws" or name != "mix-77201-018"))
        if is_refused:
            return
        assert graph["state"] is None
        for item in graph["components"]:
            found[item["name"] or ""] = [item[what]["pods"] for what in ("restarted", "started", "stopped")]
    assert {name: counts for name, counts in found.items() if any(counts)} == recorded(case)
