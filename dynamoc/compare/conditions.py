"""What a comparison was made for, and what was found on the way: for comments and pages, which stand alone."""

from __future__ import annotations

from dynamoc.kube.scope import GROVE_SETS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Finding

    Tree = dict[str, Any]


class Conditions:
    """The release and the target that objects were rendered for, and the findings.

    release   `1.4`; of an upgrade, `1.0 → 1.4`
    target    `grove`, and what `auto` came to
    """

    __slots__ = ("findings", "release", "target")

    def __init__(self, release: str, target: str, findings: list[Finding]) -> None:
        self.release = release
        self.target = target
        self.findings = findings

    def text(self) -> str:
        return f"Operator {self.release}, target {self.target}"


def target_text(target: str, objects: list[Tree]) -> str:
    """The target, and for `auto` what runs the pods of the objects."""
    if target != "auto":
        return target
    kinds = {item.get("kind") for item in objects}
    if kinds & {*GROVE_SETS}:
        return "grove (auto)"
    return "lws (auto)" if "LeaderWorkerSet" in kinds else "plain (auto)" if "Deployment" in kinds else "auto"
