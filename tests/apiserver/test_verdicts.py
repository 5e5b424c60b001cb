"""dynamoc says of every mutant what the recorded API server says, and knows what that fills in. No cluster is asked."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from dynamoc.analysis.compare.applied import filled
from dynamoc.documents.apiserver.objects import examine_object
from tests.apiserver.mutants import MAKERS, POD, mutants, objects_of
from tools.apiserver.record import data_file

Tree = dict[str, Any]
Verdict = tuple[str, str, str, bool]

RECORDED = json.loads(data_file().read_text())
#: what is dropped in silence is warned of, and no refusal
_NO_REFUSALS = ("admission/container-restart", "admission/dropped-field")
SETS = ("LeaderWorkerSet", "PodCliqueSet")
#: Where dynamoc refuses what the API server takes in a PodCliqueSet or LeaderWorkerSet, and why.
STRICTER = {
    # Go writes an empty name and the port 0, which the CRDs take. The recorded corpora count both as refused
    # (1.0-features/bad-container-noname, bad-probe-type), and the pods are.
    'spec.containers.0.name = ""': SETS,
    'spec.containers.0.env.+ = {name: "", value: x}': SETS,
    "spec.containers.0.livenessProbe.httpGet.port = 0": SETS,
    "spec.containers.0.livenessProbe = {tcpSocket: {port: 0}}": SETS,
    "spec.initContainers.0.restartPolicy = Always ; spec.initContainers.0.startupProbe = {httpGet: {port: 0}}": SETS,
    # Go writes null for a list without entries, and the CRD refuses that.
    "spec.template.cliques = []": ("PodCliqueSet",),
}


def verdicts() -> Iterator[Verdict]:
    """Kind, line, what is asked of it (a kind, or its pods), and whether the API server refuses it."""
    for kind, line in mutants():
        said = RECORDED["verdicts"][kind][line]
        refused = said[0].split() if said else []
        for maker in MAKERS if kind == POD else (kind,):
            yield kind, line, maker, maker in refused
            # A Job's pods may restart on failure only, unlike the recorded pod.
            if kind == POD and maker not in (*refused, "Job"):
                yield kind, line, f"pods of a {maker}", POD in refused


def refuses(kind: str, line: str, what: str) -> bool:
    maker = what.removeprefix("pods of a ")
    return any(is_error == (maker == what) for is_error in refusals(kind, line)[maker])


@cache
def refusals(kind: str, line: str) -> dict[str, list[bool]]:
    """What dynamoc finds in each of the changed objects, as an error or not."""
    return {
        maker: [item.severity == "error" for item in examine_object(value) if item.slug not in _NO_REFUSALS]
        for maker, value in objects_of(kind, line).items()
    }


def test_the_record_is_of_these_mutants() -> None:
    assert {(kind, line) for kind, lines in RECORDED["verdicts"].items() for line in lines} == set(mutants())


def test_dynamoc_agrees() -> None:
    wrong = [
        f"[{kind}] {line}: {what} {'refused' if refused else 'taken'} by the API server"
        for kind, line, what, refused in verdicts()
        if refuses(kind, line, what) != refused and line not in STRICTER
    ]
    assert wrong == []


def test_where_dynamoc_is_stricter() -> None:
    found = {
        (line, what)
        for kind, line, what, refused in verdicts()
        if line in STRICTER and refuses(kind, line, what) and not refused
    }
    assert found == {(line, kind) for line, kinds in STRICTER.items() for kind in kinds}


@pytest.mark.parametrize("kind", sorted(RECORDED["stored"]))
def test_defaults(kind: str) -> None:
    stored = {**RECORDED["stored"][kind], "status": {}}
    sent, exported = filled(objects_of(kind)[kind], stored)
    del exported["status"]
    assert sent == exported
