"""The command line over a stand-in for the compiler, whose input files say what shall become of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dynamoc.compiler.options import Options
from dynamoc.documents.findings.finding import Finding, Findings, Place
from dynamoc.interfaces.cli.entry import run

Run = Callable[..., "Result"]


class Result:
    def __init__(self, code: int, out: str, err: str) -> None:
        self.code = code
        self.out = out
        self.err = err


@pytest.fixture
def dynamoc(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """`dynamoc("render", "a.yaml")` in an empty directory."""
    monkeypatch.chdir(tmp_path)

    def command(*argv: str) -> Result:
        capfd.readouterr()
        code = run(list(argv))
        out, err = capfd.readouterr()
        return Result(code, out, err)

    return command


class StandIn:
    """Takes a file `good NAME` for a ConfigMap, refuses `bad`, warns of `odd NAME`, and breaks on `crash`."""

    def __init__(self) -> None:
        self.options: Options | None = None
        self.compiled: list[str] = []

    def compile_paths(self, paths: list[str], options: Options, findings: Findings) -> list[dict[str, Any]]:
        self.options = options
        objects = [item for path in paths for item in self._objects(path, findings) or []]
        findings.inputs.graphs += len(objects)
        return objects

    def compile_each(
        self, paths: list[str], options: Options, findings: Findings, of_file: Callable[[list[dict[str, Any]]], Any]
    ) -> Iterator[tuple[str, Any]]:
        self.options = options
        findings.inputs.graphs += len(paths)
        for path in paths:
            self.compiled.append(path)
            objects = self._objects(path, findings)
            yield path, None if objects is None else of_file(objects)

    def _objects(self, path: str, findings: Findings) -> list[dict[str, Any]] | None:
        word, _, name = Path(path).read_text().partition(" ")
        place = Place(path, 1, 1)
        if word == "crash":
            raise ValueError("the stand-in broke")
        if word == "bad":
            findings.add(Finding("test/refused", "The stand-in refuses this.", severity="error", place=place))
            return None
        if word == "odd":
            findings.add(Finding("test/odd", "The stand-in wonders about this.", severity="warning", place=place))
        if word == "empty":
            return []
        return [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "default"}}]


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    stand_in = StandIn()
    monkeypatch.setattr("dynamoc.interfaces.cli.render.compile_paths", stand_in.compile_paths)
    monkeypatch.setattr("dynamoc.interfaces.cli.render.compile_each", stand_in.compile_each)
    monkeypatch.setattr("dynamoc.interfaces.cli.check.compile_paths", stand_in.compile_paths)
    return stand_in
