"""What the functions of the library give: objects as plain data, and findings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dynamoc.diagnostics.finding import ERROR

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynamoc.diagnostics.finding import Finding

Object = dict[str, Any]
"""An object as plain JSON data: `apiVersion`, `kind`, `metadata` and the rest, as `kubectl get -o json` has them."""


class InputError(Exception):
    """The API server or the operator would refuse the input. `findings` has the errors, and what else was found."""

    def __init__(self, findings: list[Finding]) -> None:
        self.findings = findings
        errors = [item for item in findings if item.severity == ERROR]
        super().__init__("\n".join(map(_line, errors)))


def _line(finding: Finding) -> str:
    where = str(finding.place) if finding.place else finding.subject
    return f"{where + ': ' if where else ''}{finding.message} [{finding.slug}]"


class Rendering:
    """The objects that the operator would create, in an order that can be applied, and warnings and notes on them.

    A list of the objects, for all that only wants them: it can be iterated, and has a length.
    """

    __slots__ = ("findings", "objects")

    def __init__(self, objects: list[Object], findings: list[Finding]) -> None:
        self.objects = objects
        self.findings = findings

    def __iter__(self) -> Iterator[Object]:
        return iter(self.objects)

    def __len__(self) -> int:
        return len(self.objects)

    def of_kind(self, kind: str) -> list[Object]:
        """The objects of a kind, such as `PodCliqueSet`."""
        return [item for item in self.objects if item["kind"] == kind]

    def to_yaml(self) -> str:
        """What `dynamoc render` prints."""
        from dynamoc.emit.yaml import dump_yaml

        return dump_yaml(self.objects)

    def to_json(self) -> str:
        """What `dynamoc render -o json` prints."""
        from dynamoc.emit.json import dump_json

        return dump_json(self.objects, as_list=True)
