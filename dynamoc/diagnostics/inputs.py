"""What a run looked at."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from dynamoc.diagnostics.finding import Place

#: kinds that count as graphs
GRAPHS = ("DynamoGraphDeployment", "DynamoComponentDeployment", "DynamoDeployment", "DynamoNimDeployment")
_ALSO_COMPILED = ("DynamoCheckpoint", "DynamoGraphDeploymentRequest")


class Inputs:
    """Counts of the files and objects of a run, without those of `--context` and `--against`.

    found    files that a directory or a pattern gave; all others were named
    files    files that were read
    graphs   DynamoGraphDeployments and DynamoComponentDeployments, and what they were called in Dynamo 0.1
    compiled those, and other documents that the operator makes objects of
    others   all other objects
    skipped  files that were left out, by the reason: see `dynamoc.source.skipped`
    passed_over  documents of a stream that were left out
    size     bytes that were read
    ignores  whether a .dynamocignore file was looked up
    stdin    what findings call the standard input
    patches  directory to the files that its kustomization lists as patches
    follows_links  whether links may lead out of the directories that were named
    """

    __slots__ = (
        "compiled",
        "files",
        "follows_links",
        "found",
        "graphs",
        "ignores",
        "others",
        "passed_over",
        "patches",
        "size",
        "skipped",
        "stdin",
    )

    def __init__(self) -> None:
        self.found: set[str] = set()
        self.files = 0
        self.size = 0
        self.graphs = 0
        self.compiled = 0
        self.others = 0
        self.skipped: dict[str, list[str]] = {}
        self.passed_over: list[Place] = []
        self.stdin = "-"
        self.ignores = False
        self.patches: dict[str, frozenset[str]] = {}
        self.follows_links = False

    def count(self, values: Iterable[dict[str, Any]]) -> None:
        """Counts the objects of the input."""
        for value in values:
            is_graph = value["kind"] in GRAPHS
            self.graphs += is_graph
            self.others += not is_graph
            self.compiled += is_graph or value["kind"] in _ALSO_COMPILED

    def skip(self, reason: str, file: str) -> None:
        files = self.skipped.setdefault(reason, [])
        if file not in files:
            files.append(file)

    def take(self, other: Inputs) -> None:
        """Adds what another run looked at."""
        self.found |= other.found
        self.files += other.files
        self.size += other.size
        self.graphs += other.graphs
        self.compiled += other.compiled
        self.others += other.others
        for reason, files in other.skipped.items():
            for file in files:
                self.skip(reason, file)
        self.passed_over += other.passed_over

    def record(self) -> dict[str, int]:
        """The counts, as the JSON of findings has them."""
        skipped = sum(map(len, self.skipped.values())) + len(self.passed_over)
        return {"files": self.files, "graphs": self.graphs, "others": self.others, "skipped": skipped}

    def summary(self) -> str:
        """`3 files, 5 graphs, 2 other objects; 4 files skipped`"""
        counts = self.record()
        parts = [_plural(counts["files"], "file"), _plural(counts["graphs"], "graph")]
        if counts["others"]:
            parts.append(_plural(counts["others"], "other object"))
        text = ", ".join(parts)
        files, documents = counts["skipped"] - len(self.passed_over), len(self.passed_over)
        skipped = [_plural(files, "file")] * bool(files) + [_plural(documents, "document")] * bool(documents)
        return f"{text}; {' and '.join(skipped)} skipped" if skipped else text


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
