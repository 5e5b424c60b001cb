"""Golden cases: `golden/<topic>/<case>/` with `case.toml`, `input.yaml` and one record a target.

A record holds what the operator itself did with the input: the parts of its objects that the case is about, or its
refusal. `case.toml`:

    about = "what the case shows"
    release = "1.0"                       # whose answer the record is
    corpus = "1.0-features"               # the recorded corpus it was taken from
    record = "shm-vllm"                   # the name of the input there
    targets = ["grove", "lws"]
    show = ["Deployment/*-worker-* spec.template.spec.volumes"]   # object, then paths; no path: the whole object
    operator-config = "operator-config.yaml"                      # where the corpus has one

A record that was taken once from the operator's reconcilers, run over a fake client, has `commit`, the operator's,
in place of `corpus` and `record`, and cannot be written anew.

`python -m tests.golden.record CONFORMANCE_DIR` writes input and records anew from the recorded corpora. Nothing else
writes them; snapshots of dynamoc's own output live elsewhere.
"""

import fnmatch
import tomllib
from pathlib import Path
from typing import Any

from dynamoc.requests import copier
from dynamoc.rules import programs

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "golden"

Tree = dict[str, Any]


class Case:
    """One folder below `golden/`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        options = tomllib.loads((folder / "case.toml").read_text())
        self.about: str = options["about"]
        self.release: str = options["release"]
        self.commit: str | None = options.get("commit")
        self.corpus: str = "" if self.commit else options["corpus"]
        self.record: str = "" if self.commit else options["record"]
        self.targets: list[str] = options["targets"]
        self.show: list[str] = options.get("show", [])
        self.operator_config: str | None = options.get("operator-config")

    @property
    def name(self) -> str:
        return self.folder.relative_to(GOLDEN).as_posix()

    @property
    def input(self) -> Path:
        return self.folder / "input.yaml"

    def expected(self, target: str) -> Path:
        return self.folder / f"{target}.yaml"

    def shown(self, objects: list[Tree]) -> Tree:
        """The parts of the objects that the case is about: `Kind/name` to a whole object or to paths and values."""
        result: Tree = {}
        for line in self.show:
            pattern, *paths = line.split()
            for item in objects:
                key = f"{item['kind']}/{item['metadata']['name']}"
                if not fnmatch.fnmatchcase(key, pattern):
                    continue
                if not paths:
                    result[key] = normal(item)
                for path in paths:
                    result.setdefault(key, {})[path] = normal(at(item, path)) or None
        return result


def cases() -> list[Case]:
    found = sorted(GOLDEN.glob("*/*/case.toml"))
    return [Case(path.parent) for path in found if any(key in path.read_text() for key in ("record =", "commit ="))]


#: how dynamoc's own programs begin; what the operator ships in their place is not recorded
PROGRAMS = (
    copier.PUBLISH.partition("@")[0],
    *(
        text.partition("{")[0]
        for text in (
            programs.WAIT_FOR_LEADER,
            programs.WAIT_FOR_PORT,
            programs.SERVE_WEIGHTS,
            programs.KEEP_JOB_FILE,
        )
    ),
)


def normal(value: Any) -> Any:
    """Without nulls and empty maps and lists, which Go leaves in or out at will, and without the text of programs."""
    if isinstance(value, str) and value.startswith(PROGRAMS):
        return "<program>"
    if isinstance(value, dict):
        kept = {key: normal(item) for key, item in sorted(value.items())}
        return {key: item for key, item in kept.items() if item not in (None, {}, [])}
    if isinstance(value, list):
        return [normal(item) for item in value]
    return value


def at(value: Any, path: str) -> Any:
    """`spec.containers[main].env[0]`: list entries by name or index. None where the path does not exist."""
    for step in path.replace("[", ".[").split("."):
        if step.startswith("["):
            name = step[1:-1]
            if not isinstance(value, list):
                return None
            value = (
                next(iter(value[int(name) :]), None)
                if name.isdigit()
                else next((item for item in value if item.get("name") == name), None)
            )
        elif isinstance(value, dict):
            value = value.get(step)
        else:
            return None
    return value
