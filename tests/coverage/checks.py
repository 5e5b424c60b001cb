"""The language of `expect`: one line says one thing about what a command did.

    Deployment/web-*                         such an object is there; names are patterns
    no Ingress/*                             none is
    3 Deployment/*                           so many are
    Deployment/web spec>replicas is 1        the value at a path, as JSON
    Main/web-* env>A has "x"                 a text or list that holds it, or a map with at least these entries
    Main/web-* livenessProbe is absent
    exit 1                                   the exit code; 0 if nothing is said
    finding schema/unknown-field 7           a finding, and its line; `no finding SLUG`
    says a text                              on stderr; `prints a text` on stdout; {newest} is the newest release

Beside the rendered kinds there are `Pod/NAME`, the pod template of a workload (a clique is `SET-CLIQUE`, the two of a
LeaderWorkerSet `NAME-leader` and `NAME-worker`), and `Main/NAME`, its container `main`: `env`, `ports` and `mounts` are
maps by name there.
"""

from __future__ import annotations

import json
import re
from fnmatch import fnmatchcase
from typing import Any

from dynamoc.reference.releases import ORDER

Tree = dict[str, Any]

_MISSING: Any = object()


class Outcome:
    """What a command did. `findings` are the records of `--findings json`."""

    def __init__(self, code: int, out: str, err: str, objects: list[Tree], findings: list[Tree]) -> None:
        self.code = code
        self.out = out
        self.err = err
        self.objects = objects
        self.findings = findings
        self.index = [(f"{item['kind']}/{item['metadata'].get('name', '')}", item) for item in objects]
        for item in objects:
            for name, template in _templates(item):
                self.index.append((f"Pod/{name}", template))
                self.index += [(f"Main/{name}", _main(each)) for each in template["spec"].get("containers") or ()
                               if each["name"] == "main"]  # fmt: skip

    def matching(self, pattern: str) -> list[tuple[str, Tree]]:
        return [(name, item) for name, item in self.index if fnmatchcase(name, pattern)]


def failures(outcome: Outcome, expect: list[str]) -> list[str]:
    """The lines that do not hold, each with what is there instead."""
    found = [f"{line}  <-  {problem}" for line in expect for problem in [_problem(outcome, line)] if problem]
    if not any(line.startswith("exit ") for line in expect) and outcome.code:
        found.append(f"exit {outcome.code}: {_said(outcome)}")
    return found


def _problem(outcome: Outcome, line: str) -> str:
    word, _, rest = line.partition(" ")
    if word == "exit":
        return "" if outcome.code == int(rest) else f"exit {outcome.code}"
    if word in ("says", "prints"):
        text = _said(outcome) if word == "says" else outcome.out
        return "" if rest.replace("{newest}", ORDER[-1]) in text else text[:1000] or "nothing"
    if word == "finding":
        return _finding(outcome, rest)
    if line.startswith("no finding "):
        return "" if _finding(outcome, line.removeprefix("no finding ")) else "it is there"
    if word == "no":
        return ", ".join(name for name, _ in outcome.matching(rest))
    if word.isdecimal():
        count = len(outcome.matching(rest))
        return "" if count == int(word) else f"{count}: {[name for name, _ in outcome.index]}"
    return _object(outcome, line)


def _said(outcome: Outcome) -> str:
    """The findings as text, or all of stderr where there are none."""
    lines = [f"{item['slug']}: {item['message']} {item['hint'] or ''}" for item in outcome.findings]
    return "\n".join(lines) if lines else outcome.err


def _finding(outcome: Outcome, rest: str) -> str:
    slug, _, line = rest.partition(" ")
    for item in outcome.findings:
        if item["slug"] == slug and (not line or (item["place"] or {}).get("line") == int(line)):
            return ""
    return str([(item["slug"], (item["place"] or {}).get("line")) for item in outcome.findings])


def _object(outcome: Outcome, line: str) -> str:
    parts = re.fullmatch(r"(\S+)(?: (\S+) (is|has) (.*))?", line)
    assert parts is not None, line
    pattern, path, verb, wanted = parts.groups()
    found = outcome.matching(pattern)
    if not found:
        return f"only {[name for name, _ in outcome.index]}"
    if verb is None:
        return ""
    problems = (_value_problem(at(item, path), verb, wanted) for _, item in found)
    return "; ".join(problem for problem in problems if problem)


def _value_problem(value: Any, verb: str, wanted: str) -> str:
    shown = "absent" if value is _MISSING else json.dumps(value)
    if wanted == "absent":
        return "" if value is _MISSING else shown
    expected = json.loads(wanted)
    holds = value == expected if verb == "is" else value is not _MISSING and _has(value, expected)
    return "" if holds else shown


def _has(value: Any, expected: Any) -> bool:
    if isinstance(value, dict):
        return isinstance(expected, dict) and all(key in value and value[key] == expected[key] for key in expected)
    if isinstance(value, list) and isinstance(expected, list):
        return all(item in value for item in expected)
    return expected in value


def at(value: Any, path: str) -> Any:
    """The value at `a>b>c`; a step into a list is a position, or the name of an item."""
    for step in path.split(">"):
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        elif isinstance(value, list):
            value = next((item for item in value if isinstance(item, dict) and item.get("name") == step), _MISSING)
        else:
            return _MISSING
    return value


def _templates(item: Tree) -> list[tuple[str, Tree]]:
    name, spec = item["metadata"].get("name", ""), item.get("spec") or {}
    if item["kind"] in ("Deployment", "Job"):
        return [(name, spec["template"])]
    if item["kind"] == "LeaderWorkerSet":
        template = spec["leaderWorkerTemplate"]
        found = [("leader", template.get("leaderTemplate")), ("worker", template["workerTemplate"])]
        return [(f"{name}-{role}", each) for role, each in found if each]
    if item["kind"] in ("PodCliqueSet", "PodGangSet"):
        return [
            (f"{name}-{clique['name']}", {"metadata": clique, "spec": clique["spec"]["podSpec"]})
            for clique in spec["template"].get("cliques") or ()
        ]
    return []


def _main(container: Tree) -> Tree:
    env = {item["name"]: item.get("value", item.get("valueFrom", "")) for item in container.get("env") or ()}
    ports = {item.get("name", ""): item["containerPort"] for item in container.get("ports") or ()}
    mounts = {item["name"]: item["mountPath"] for item in container.get("volumeMounts") or ()}
    order = [item["name"] for item in container.get("env") or ()]
    return {**container, "env": env, "ports": ports, "mounts": mounts, "order": order}
