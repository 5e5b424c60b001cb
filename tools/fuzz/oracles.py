"""What must hold of any input, whatever it holds."""

from __future__ import annotations

import json
import os
from pathlib import Path
from random import Random
from typing import Any

import yaml

from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source.reader import read_text
from tests.convert.test_rendering import converted, is_convertible, loses_something, release_for, rendered, verdict
from tools.fuzz import schemas
from tools.fuzz.commands import Broken, Done, command

RELEASES = ("0.4", "0.6", "1.0", "1.1", "1.2", "1.4", "1.6")
TARGETS = ("auto", "grove", "lws", "plain")
#: of these, one a document runs beside `render`
OTHERS: tuple[tuple[str, ...], ...] = (
    ("validate",),
    ("check", "--findings", "sarif"),
    ("check", "--deny=advice"),
    ("graph",),
    ("graph", "-o", "svg"),
    ("report",),
    ("validate", "-o", "json", "--warn=unknown-fields"),
    ("validate", "--findings", "github", "--deny=context,pods"),
    ("render", "--explain", "--allow=unknown-fields"),
    ("render", "--standalone"),
    ("explain",),
    ("requires",),
    ("requires", "-o", "json"),
    ("upgrade", "--from", "1.0"),
    ("upgrade", "--from", "0.6", "-o", "markdown"),
    ("upgrade", "--from", "1.2", "-o", "html"),
    ("convert", "--to", "v1beta1"),
    ("convert", "--to", "v1alpha1", "--lossless"),
    ("diff", "-o", "unified"),
    ("diff", "-o", "json"),
    ("diff", "-o", "html"),
    ("diff",),
    ("validate", "--cluster", "OTHER", "--deny=context"),
    ("render", "--against", "OTHER", "--keep-going"),
    ("validate", "--operator-config", "OTHER"),
    ("convert", "--write", "--to", "v1beta1"),
)
_VERDICTS = ("same", "refused", "one schema only")


class Judge:
    """Runs inputs, one after the other, in a folder of its own.

    executions  command lines so far
    valid       objects, and pods in them, found valid by a schema of Kubernetes
    printed     what `render` wrote as YAML, for the Go reader, with what `-o json` says it is
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.executions = self.valid = 0
        self.printed: list[tuple[str, Any]] = []

    def judge(self, text: str, other: str, random: Random) -> None:
        """Raises Broken, or Endless. `other` is an input beside it."""
        path, second = self.folder / "a.yaml", self.folder / "b.yaml"
        path.write_text(text, encoding="utf-8", newline="")
        second.write_text(other, encoding="utf-8", newline="")
        surroundings = ["--operator-version", random.choice(RELEASES), "--target", random.choice(TARGETS)]
        self._read_back(str(path), surroundings)
        self._other(random.choice(OTHERS), str(path), str(second), surroundings)
        if random.random() < 0.2:
            self._in_any_order(str(path), str(second), surroundings)
        if random.random() < 0.2:
            self._converted(text)

    def run(self, *argv: str) -> Done:
        self.executions += 1
        done = command(*argv)
        if done.code not in (0, 1, 2) or "Traceback" in done.err:
            raise Broken(f"exit {done.code}: {' '.join(argv)}\n{done.err[-3000:]}")
        if done.code == 1 and not done.err + done.out and argv[0] in ("render", "validate"):
            raise Broken(f"nothing said: {' '.join(argv)}")
        return done

    def _read_back(self, path: str, surroundings: list[str]) -> None:
        line = ["render", path, "--warn=unknown-fields", "--warn=objects", *surroundings]
        as_yaml, as_json = self.run(*line), self.run(*line, "-o", "json")
        if as_yaml.code != as_json.code:
            raise Broken(f"{as_yaml.code} as YAML, {as_json.code} as JSON: {line}")
        if as_yaml.code:
            if as_yaml.out or as_json.out:
                raise Broken(f"output beside errors: {line}")
            return
        objects = [item for item in yaml.load_all(as_yaml.out, yaml.CSafeLoader) if item is not None]
        listed = json.loads(as_json.out) if as_json.out.strip() else {"items": []}
        wanted = listed["items"] if listed.get("kind") == "List" else [listed]
        if objects != wanted:
            raise Broken(f"YAML reads differently from JSON: {line}")
        self.printed.append((as_yaml.out, wanted))
        self._valid(path, surroundings)

    def _valid(self, path: str, surroundings: list[str]) -> None:
        """What is made is valid by the schemas of Kubernetes; pods in other objects, where no finding is on them."""
        line = ["render", path, "--warn=unknown-fields", "-o", "json", *surroundings]
        done = self.run(*line)
        if done.code == 0 and done.out.strip():
            listed = json.loads(done.out)
            # What dynamoc only passes on is as good as its author made it.
            passed = {_identity(item.value) for item in read_text(Path(path).read_bytes(), path, Findings())}
            objects = listed["items"] if listed.get("kind") == "List" else [listed]
            objects = [item for item in objects if _identity(item) not in passed]
            self.valid += schemas.judge(objects, line, pods="[admission/" not in done.err)

    def _other(self, words: tuple[str, ...], path: str, second: str, surroundings: list[str]) -> None:
        first, *others = (second if word == "OTHER" else word for word in words)
        if first == "convert":
            surroundings = []
        elif first == "upgrade":
            surroundings = ["--to", "1.4"]
        self.run(first, path, *([second] if first == "diff" else []), *others, *surroundings)

    def _in_any_order(self, path: str, second: str, surroundings: list[str]) -> None:
        line = ["--allow=unknown-fields", "--warn=objects", *surroundings]
        one, two = (self.run("render", *pair, *line) for pair in ((path, second), (second, path)))
        if (one.code, one.out) != (two.code, two.out):
            raise Broken(f"differs with the order of files: {path} {second} {line}")

    def _converted(self, text: str) -> None:
        """A lossless conversion renders the same; a plain one does where it announces no loss."""
        findings = Findings()
        values = [item.value for item in read_text(text.encode("utf-8", "replace"), "a.yaml", findings)]
        if findings.errors or not any(map(is_convertible, values)):
            return
        release = release_for(values)
        before = rendered(values, "grove", release)
        if before[0] is None:
            return
        self.executions += 2
        said = [verdict(before, rendered([converted(value, lossless=True) for value in values], "grove", release))]
        if not any(map(loses_something, values)):
            plain = [converted(value, lossless=False) for value in values]
            said.append(verdict(before, rendered(plain, "grove", release)))
        if not set(said) <= set(_VERDICTS):
            raise Broken(f"conversion and rendering: {said}")


def _identity(value: dict[str, Any]) -> tuple[Any, Any]:
    return value["kind"], (value.get("metadata") or {}).get("name")


def environment(seed: int) -> dict[str, str]:
    """The environment of a process with another order of sets."""
    return {**os.environ, "PYTHONHASHSEED": str(seed)}
