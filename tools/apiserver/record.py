"""Writes what the API server says of all mutants, and what it fills in, into `kubernetes-MINOR.json`."""

import json
import re
from pathlib import Path
from typing import Any

from tests.apiserver.mutants import HERE, POD, mutants, objects_of
from tools.apiserver.cluster import KUBERNETES, Cluster

Tree = dict[str, Any]

#: what the base refers to, and what an admission plugin looks for
_SURROUNDINGS = (
    {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "serving"}},
    {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "runner", "namespace": "serving"}},
    {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": "high"},
        "value": 1000,
    },
    {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "nvidia"}, "handler": "nvidia"},
)
#: what differs in each run
_GIVEN = ("creationTimestamp", "generation", "managedFields", "resourceVersion", "uid")

#: where a maker has its pod
_PREFIX = re.compile(
    r"^spec\.(template\.cliques\[0\]\.|template\.(?=spec|metadata)|leaderWorkerTemplate\.workerTemplate\.)"
)


def data_file(version: str = KUBERNETES) -> Path:
    return HERE / f"kubernetes-{'.'.join(version.lstrip('v').split('.')[:2])}.json"


def record(cluster: Cluster) -> str:
    """Writes the file; says what is in it."""
    for item in _SURROUNDINGS:
        cluster.create(item, dry=False)
    verdicts: dict[str, dict[str, list[str]]] = {}
    for kind, line in mutants():
        said = {name: _verdict(cluster, value) for name, value in objects_of(kind, line).items()}
        refused = " ".join(sorted(name for name, causes in said.items() if causes))
        causes = sorted({_PREFIX.sub("", cause) for causes in said.values() for cause in causes})
        verdicts.setdefault(kind, {})[line] = [refused, *causes] if refused else []
    found = {
        "kubernetes": KUBERNETES,
        "verdicts": verdicts,
        "stored": {kind: _stored(cluster, kind) for kind in verdicts if kind not in (POD, "Job", "LeaderWorkerSet")},
    }
    data_file().write_text(json.dumps(found, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
    judged = [causes for lines in verdicts.values() for causes in lines.values()]
    return f"{len(judged)} mutants, {sum(map(bool, judged))} of them refused"


def _verdict(cluster: Cluster, value: Tree) -> list[str]:
    """`field: reason` of each cause for which the API server refuses an object; none where it takes it."""
    status, answer = cluster.create(value, dry=True)
    if status == 201:
        return []
    if status not in (400, 403, 422):
        raise RuntimeError(f"{value['kind']}: {status} {answer.get('message')}")
    causes = (answer.get("details") or {}).get("causes") or ()
    found = sorted({f"{cause.get('field', '')}: {cause.get('reason', '')}" for cause in causes})
    return found or [f"{answer.get('reason')}: {answer.get('message', '')[:160]}"]


def _stored(cluster: Cluster, kind: str) -> Tree:
    """The object of base.yaml as the API server would store it."""
    status, answer = cluster.create(objects_of(kind)[kind], dry=True)
    if status != 201:
        raise RuntimeError(f"{kind} of base.yaml is refused: {answer.get('message')}")
    answer.pop("status", None)
    for field in _GIVEN:
        answer["metadata"].pop(field, None)
    return answer
