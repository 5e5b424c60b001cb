"""Long inputs for each command and each format."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.growing import graph

Write = Callable[[Path, int], list[list[str]]]

_FORMATS = {
    "render": ("yaml", "json"),
    "validate": ("text", "json"),
    "upgrade": ("text", "json", "markdown"),
    "requires": ("text", "json", "script"),
    "convert": ("yaml", "json"),
    "check": ("text", "json", "sarif", "junit", "gitlab", "checkstyle"),
    "graph": ("mermaid", "dot", "svg"),
}
_DIFF_FORMATS = ("text", "json", "unified", "markdown")
#: a size of 500 stands for so many graphs or files
_FEWER = 25


def commands() -> Iterator[tuple[str, Write]]:
    yield from _per_format()
    yield from _per_finding()
    yield from _per_diff()
    yield "render --explain, variables", _explained
    yield "render --output-dir, graphs", _directory
    yield "explain one value, variables", _explain
    yield "render, files", _files


def _write(folder: Path, name: str, documents: list[Any]) -> str:
    path = folder / name
    path.write_text("\n---\n".join(map(json.dumps, documents)))
    return str(path)


def _graphs(folder: Path, size: int) -> str:
    return _write(folder, "graphs.yaml", [graph(name=f"web-{at}") for at in range(max(size // _FEWER, 1))])


def _variables(folder: Path, size: int) -> str:
    document = graph(services=2)
    document["spec"]["envs"] = [{"name": f"V{at}", "value": f"x{at}"} for at in range(size)]
    return _write(folder, "graph.yaml", [document])


def _per_format() -> Iterator[tuple[str, Write]]:
    for command, formats in _FORMATS.items():
        for output in formats:
            extra = ["--from", "1.3", "--to", "1.4"] if command == "upgrade" else []
            for what, make in (("graphs", _graphs), ("variables", _variables)):
                yield f"{command} -o {output}, {what}", _with([command, "-o", output, *extra], make)


def _with(line: list[str], make: Callable[[Path, int], str]) -> Write:
    return lambda folder, size: [[*line, make(folder, size)]]


def _per_finding() -> Iterator[tuple[str, Write]]:
    def unknown(size: int) -> list[Any]:
        document = graph()
        document["spec"] |= {f"unknown{at}": 1 for at in range(size)}
        return [document]

    def types(size: int) -> list[Any]:
        document = graph()
        document["spec"]["envs"] = [{"name": at, "value": at} for at in range(size)]
        return [document]

    def enums(size: int) -> list[Any]:
        document = graph(services=max(size // _FEWER, 1))
        for service in document["spec"]["services"].values():
            service["componentType"] = "wrker"
        return [document]

    def unknown_in_services(size: int) -> list[Any]:
        document = graph(services=max(size // _FEWER, 1))
        for service in document["spec"]["services"].values():
            service["extraPodSpec"]["contaners"] = []
        return [document]

    def pods(size: int) -> list[Any]:
        document = graph()
        main = document["spec"]["services"]["Worker0"]["extraPodSpec"]["mainContainer"]
        main["volumeMounts"] = [{"name": f"no{at}", "mountPath": f"/x{at}"} for at in range(size)]
        return [document]

    def duplicates(size: int) -> list[Any]:
        document = graph()
        document["spec"]["envs"] = [{"name": "A", "value": "b"}] * size
        return [document]

    def secrets(size: int) -> list[Any]:
        secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "default"}}
        return [
            graph(),
            *({**secret, "metadata": {"name": f"s{at}"}, "data": {"a": f"plain text {at}"}} for at in range(size)),
        ]

    for name, make in (
        ("unknown fields", unknown),
        ("type errors", types),
        ("enum errors", enums),
        ("unknown fields of pods", unknown_in_services),
        ("errors in pods", pods),
        ("duplicates", duplicates),
        ("broken Secrets", secrets),
    ):
        for style in ("text", "json", "github"):

            def write(folder: Path, size: int, make: Any = make, style: str = style) -> list[list[str]]:
                return [["validate", "--findings", style, _write(folder, "graph.yaml", make(size))]]

            yield f"validate --findings {style}, {name}", write


def _config(lines: list[str]) -> Any:
    data = {"text": "".join(f"{line}\n" for line in lines)}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": data}


def _per_diff() -> Iterator[tuple[str, Write]]:
    def lines(size: int, side: int) -> list[Any]:
        return [_config([f"line {at * (1 + side * (at % 2))}" for at in range(size)])]

    def rewritten(size: int, side: int) -> list[Any]:
        return [_config([f"{side} line {at}" for at in range(size)])]

    def alike(size: int, side: int) -> list[Any]:
        return [_config([f"{(at * (7 + 4 * side)) % 13}" for at in range(size)])]

    def keys(size: int, side: int) -> list[Any]:
        data = {f"k{at}": f"{side}" for at in range(size)}
        return [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": data}]

    def env(size: int, side: int) -> list[Any]:
        document = graph()
        document["spec"]["envs"] = [{"name": f"V{at}", "value": f"{side}"} for at in range(size)]
        return [document]

    def arguments(size: int, side: int) -> list[Any]:
        document = graph()
        main = document["spec"]["services"]["Worker0"]["extraPodSpec"]["mainContainer"]
        main["args"] = [f"--a{at}={side * (at % 2)}" for at in range(size)]
        return [document]

    def graphs(size: int, side: int) -> list[Any]:
        made = [graph(name=f"web-{at}") for at in range(max(size // _FEWER, 1))]
        for document in made:
            document["spec"]["services"]["Worker0"]["replicas"] = 1 + side
        return made

    def renamed(size: int, side: int) -> list[Any]:
        return [graph(name=f"{'ab'[side]}-{at}") for at in range(max(size // _FEWER, 1))]

    for name, make in (
        ("lines of a text", lines),
        ("a text with all lines changed", rewritten),
        ("a text of few different lines", alike),
        ("keys of a map", keys),
        ("variables", env),
        ("arguments", arguments),
        ("graphs", graphs),
        ("other graphs", renamed),
    ):
        for output in _DIFF_FORMATS:

            def write(folder: Path, size: int, make: Any = make, output: str = output) -> list[list[str]]:
                sides = [_write(folder, f"{side}.yaml", make(size, side)) for side in (0, 1)]
                return [["diff", "-o", output, *sides]]

            yield f"diff -o {output}, {name}", write


def _explained(folder: Path, size: int) -> list[list[str]]:
    return [["render", "--explain", _variables(folder, size)]]


def _directory(folder: Path, size: int) -> list[list[str]]:
    return [["render", "--output-dir", str(folder / "out"), _graphs(folder, size)]]


def _explain(folder: Path, size: int) -> list[list[str]]:
    return [["explain", _variables(folder, size), "Deployment/web-worker0", "spec.replicas"]]


def _files(folder: Path, size: int) -> list[list[str]]:
    for at in range(max(size // _FEWER, 1)):
        _write(folder, f"{at}.yaml", [graph(name=f"web-{at}")])
    return [["render", str(folder)]]
