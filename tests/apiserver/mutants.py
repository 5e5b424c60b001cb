"""The objects of `base.yaml` and their small changes in `mutants.txt`."""

import copy
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
POD = "Pod"
#: kinds that make pods, each with a `[Pod]` of its own, and restart policies that go with them
MAKERS = ("Deployment", "Job", "LeaderWorkerSet", "PodCliqueSet")

Tree = dict[str, Any]


def objects_of(kind: str, lines: str | None = None) -> dict[str, Tree]:
    """The object of a kind, changed; for `Pod`, the pod and all objects that make it, by their kinds."""
    base = copy.deepcopy(_base())
    if lines is not None:
        _change(base[kind], lines)
    pod = base[POD]
    if kind == POD:
        return {POD: _pod(pod), **{maker: _making(base[maker], pod) for maker in MAKERS}}
    return {kind: _making(base[kind], pod) if kind in MAKERS else base[kind]}


def mutants() -> Iterator[tuple[str, str]]:
    """Kind and line of each."""
    kind = ""
    for line in (HERE / "mutants.txt").read_text().splitlines():
        if line.startswith("["):
            kind = line[1:-1]
        elif line and not line.startswith("#"):
            yield kind, line


@cache
def _base() -> Tree:
    return yaml.safe_load((HERE / "base.yaml").read_text())


def _pod(template: Tree) -> Tree:
    return {
        "apiVersion": "v1",
        "kind": POD,
        "metadata": {"name": "chat-worker-0", "namespace": "serving", **template.get("metadata", {})},
        "spec": template["spec"],
    }


def _making(value: Tree, template: Tree) -> Tree:
    value, template = copy.deepcopy((value, template))
    spec = value["spec"]
    if value["kind"] == "LeaderWorkerSet":
        spec["leaderWorkerTemplate"]["workerTemplate"] = template
    elif value["kind"] == "PodCliqueSet":
        for clique in spec["template"].get("cliques") or ():
            clique["spec"]["podSpec"] = template["spec"]
            for field in ("labels", "annotations"):
                clique[field] = {**template["metadata"].get(field, {}), **clique.get(field, {})}
    else:
        spec["template"] = template
    if value["kind"] == "Job":
        template["spec"].setdefault("restartPolicy", "Never")
    return value


def _change(value: Tree, line: str) -> None:
    for change in line.split(" ; "):
        if change.startswith("- "):
            *path, last = _steps(change[2:])
            owner = _at(value, path)
            del owner[last]
            continue
        text, _, written = change.partition(" = ")
        *path, last = _steps(text)
        owner = _at(value, path)
        if last == "+":
            owner.append(_value(written))
        else:
            owner[last] = _value(written)


def _steps(path: str) -> list[str | int]:
    steps = re.findall(r'"([^"]*)"|([^.]+)', path)
    return [quoted or (int(plain) if plain.isdigit() else plain) for quoted, plain in steps]


def _at(value: Any, path: list[str | int]) -> Any:
    for step in path:
        value = value.setdefault(step, {}) if isinstance(step, str) else value[step]
    return value


def _value(text: str) -> Any:
    repeated = re.fullmatch(r'"(.+)"\*(\d+)', text)
    return repeated[1] * int(repeated[2]) if repeated else yaml.safe_load(text)
