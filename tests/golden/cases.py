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

A record that was taken once from the operator's reconcilers, run over a fake client, cannot be written anew. It has a
table of the operator's commits in place of `release`, `corpus` and `record`, and may hold the answers of several
releases:

    commits = { "1.1" = "34acb1f44", "1.2" = "311553ff4" }

Then `grove.yaml` is the answer of the first, and `grove-1.2.yaml` is what 1.2 answered differently; without that file
it answered the same. `input-1.2.yaml` is an input of its own, from that release on. How differences are written:
`followed` and `patched`.

`python -m tools.golden_records CONFORMANCE_DIR` writes input and records anew from the recorded corpora. Nothing else
writes them; snapshots of dynamoc's own output live elsewhere.
"""

import fnmatch
import tomllib
from pathlib import Path
from typing import Any

from dynamoc.reference import programs as programs_programs
from dynamoc.reference.releases import ORDER
from dynamoc.rendering.requests.job_overrides import PUBLISH
from tests import quick_yaml

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "golden"

Tree = dict[str, Any]


class Case:
    """What one release did with the input of one folder below `golden/`."""

    def __init__(self, folder: Path, release: str | None = None) -> None:
        self.folder = folder
        options = tomllib.loads((folder / "case.toml").read_text())
        self.about: str = options["about"]
        commits: dict[str, str] = options.get("commits", {})
        self.release: str = release or options["release"]
        self.earlier = [name for name in commits if ORDER.index(name) < ORDER.index(self.release)]
        self.commit: str | None = commits.get(self.release)
        self.corpus: str = "" if self.commit else options["corpus"]
        self.record: str = "" if self.commit else options["record"]
        self.targets: list[str] = options["targets"]
        self.show: list[str] = options.get("show", [])
        self.operator_config: str | None = options.get("operator-config")

    @property
    def name(self) -> str:
        name = self.folder.relative_to(GOLDEN).as_posix()
        return f"{name}-{self.release}" if self.commit else name

    @property
    def input(self) -> Path:
        return self._files("input")[-1]

    def expected(self, target: str) -> list[Path]:
        """The record of the first release, and what those up to this one did differently."""
        return self._files(target)

    def recorded(self, target: str) -> Tree:
        """What the operator answered."""
        first, *others = (quick_yaml.load(path.read_text()) for path in self.expected(target))
        for differences in others:
            first = followed(first, differences)
        answer: Tree = first
        return answer

    def _files(self, stem: str) -> list[Path]:
        own = [self.folder / f"{stem}-{release}.yaml" for release in (*self.earlier, self.release)]
        return [self.folder / f"{stem}.yaml", *(path for path in own if path.exists())]

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
    found: list[Case] = []
    for path in sorted(GOLDEN.glob("*/*/case.toml")):
        options = tomllib.loads(path.read_text())
        if "record" in options:
            found.append(Case(path.parent))
        found += [Case(path.parent, release) for release in options.get("commits", ())]
    return found


def followed(record: Tree, differences: Tree) -> Tree:
    """The record of a release by that of the one before; `renamed` has new names of objects, each with the old one."""
    renamed = {old: new for new, old in differences.get("renamed", {}).items()}
    record = {renamed.get(name, name): item for name, item in record.items()}
    answer: Tree = patched(record, {name: item for name, item in differences.items() if name != "renamed"})
    return answer


def patched(value: Any, differences: Any) -> Any:
    """The value with differences: a value in place of another, by key, `null` for a key that went.

    Entries of lists are named by index: `gone` lists the old indices of those that went, `added` has others by their
    new index, and what changed is by its new index too.
    """
    if not isinstance(differences, dict) or not isinstance(value, dict | list):
        return differences
    if isinstance(value, dict):
        kept = {key: item for key, item in value.items() if differences.get(key, item) is not None}
        return kept | {key: patched(value.get(key), item) for key, item in differences.items() if item is not None}
    entries = [item for index, item in enumerate(value) if index not in differences.get("gone", ())]
    for index, item in sorted(differences.get("added", {}).items()):
        entries.insert(index, item)
    return [patched(item, differences.get(index, item)) for index, item in enumerate(entries)]


#: how dynamoc's own programs begin; what the operator ships in their place is not recorded
PROGRAMS = (
    PUBLISH.partition("@")[0],
    *(
        text.partition("{")[0]
        for text in (
            programs_programs.WAIT_FOR_LEADER,
            programs_programs.WAIT_FOR_PORT,
            programs_programs.SERVE_WEIGHTS,
            programs_programs.KEEP_JOB_FILE,
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
