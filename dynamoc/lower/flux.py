"""What Flux must be told of objects that hold variables of a shell."""

from __future__ import annotations

from dynamoc.diagnostics.finding import Finding
from dynamoc.tracing import ALPHA, EARLY, HUB, builder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Findings

    Tree = dict[str, Any]

ANNOTATION = "kustomize.toolkit.fluxcd.io/substitute"
DISABLED = "disabled"
_START = "${"


def tell_kept(objects: list[Tree], findings: Findings) -> None:
    """Adds a note on the objects that are annotated."""
    number = sum((item["metadata"].get("annotations") or {}).get(ANNOTATION) == DISABLED for item in objects)
    if number:
        what = "1 object holds" if number == 1 else f"{number} objects hold"
        message = (
            f"{what} `{_START}`, which `postBuild.substitute` of Flux would replace. The annotation `{ANNOTATION}: "
        )
        message += f"{DISABLED}` keeps Flux from it."
        hint = "leave the annotation out with --flux-substitute enabled"
        findings.add(Finding("output/flux-substitute", message, hint=hint))


@builder(
    "lower/flux/keep-variables",
    source="dynamoc; the kustomize-controller of Flux reads the annotation",
    generations=(EARLY, ALPHA, HUB),
)
def keep_variables(item: Tree) -> Tree:
    """Annotates an object that holds `${`, so that Flux does not replace what a shell in the pod is to replace.

    `${GROVE_PCSG_NAME}` would be empty with `postBuild.substitute`, and a graph on several nodes would not find its
    leader. `--flux-substitute` decides; by default, only files of `--output-dir` have the annotation, by object.
    """
    metadata = item["metadata"]
    annotations = {ANNOTATION: DISABLED, **(metadata.get("annotations") or {})}
    return {**item, "metadata": {**metadata, "annotations": annotations}}


def holds_variable(value: Any) -> bool:
    """Whether a text in a tree holds what Flux takes for a variable."""
    if isinstance(value, str):
        return _START in value
    if isinstance(value, dict):
        return any(map(holds_variable, value.values()))
    return isinstance(value, list) and any(map(holds_variable, value))
