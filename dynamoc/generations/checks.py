"""What is wrong with a document of Dynamo 0.1 to 0.3, and that today's operator does not read it."""

from __future__ import annotations

from dynamoc.diagnostics.change import Change
from dynamoc.generations.fields import Fields
from dynamoc.generations.kinds import ALIASES, GRAPH, IMAGE, VERSION, early_kind
from dynamoc.schema.problem import Problem
from dynamoc.schema.walk import Walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.catalog.slugs import Severity
    from dynamoc.generations.kinds import EarlyKind

    Tree = dict[str, Any]

_PAGE = "docs/how-to/coming-from-old-generations.md"


def refusal(value: Tree) -> list[Problem] | None:
    """Why a document of these generations is not rendered, and what else is wrong with it; None for all others."""
    kind = early_kind(value)
    if kind is None:
        return None
    spec = value.get("spec")
    if kind.role == GRAPH and isinstance(spec, dict) and isinstance(spec.get("components"), list):
        # The fields of a graph of today, under the kind of those days.
        message = f"{kind.releases} had the kind {kind.name}, without `components`."
        hint = "write `kind: DynamoGraphDeployment`"
        change = Change("write", "DynamoGraphDeployment", kind.name)
        return [Problem("schema/other-head", ("kind",), message, hint, change=change)]
    return [Problem("generation/early", ("kind",), _message(kind), _hint(kind)), *check_early(kind, value)[1]]


def check_early(kind: EarlyKind, value: Tree, *, unknown: Severity = "error") -> tuple[Tree, list[Problem]]:
    """The document without what its CustomResourceDefinition does not know, and what is wrong with it.

    A field that the documentation of 0.2 calls otherwise is taken for what it means, with a warning.
    """
    value, problems = _with_real_names(kind, value)
    if value.get("apiVersion") != VERSION:
        message = f"{kind.releases} has a {kind.name} in `{VERSION}` only."
        problems.append(Problem("schema/api-version", ("apiVersion",), message, f"write `apiVersion: {VERSION}`"))
    fields = Fields()
    walk = Walk(fields.nodes, unknown, typed=False)
    clean = walk.document({"spec": {}, **value}, fields.nodes[fields.kinds[kind.name]])
    for problem in walk.problems:
        if problem.slug == "schema/required":
            problem.hint = _meaning(kind, str(problem.path[-1]))
    return clean, problems + walk.problems


def _with_real_names(kind: EarlyKind, value: Tree) -> tuple[Tree, list[Problem]]:
    written, meant = ALIASES.get(kind.name, ("", ""))
    spec = value.get("spec")
    if not isinstance(spec, dict) or written not in spec or meant in spec:
        return value, []
    message = f"`{written}` is not a field of a {kind.name}: it is taken for `{meant}`."
    problem = Problem("generation/alias", ("spec", written), message, f"write `{meant}`")
    return {**value, "spec": {meant if key == written else key: item for key, item in spec.items()}}, [problem]


def _message(kind: EarlyKind) -> str:
    start = f"This {kind.name} is written for {kind.releases}, whose operator"
    if kind.role == IMAGE:
        return f"{start} built an image for it. No later operator builds images."
    what = "services, commands and images" if kind.role == GRAPH else "command and image"
    return f"{start} took {what} from an archive in a store. The document only names it: dynamoc cannot render it."


def _hint(kind: EarlyKind) -> str:
    command = "dynamoc convert --to v1beta1 PATH --image NAME=IMAGE"
    if kind.role == IMAGE:
        return f"remove it, or convert it with the graph that names it: `{command}`; see {_PAGE}"
    return f"`{command}` writes the graph that you would write today; see {_PAGE}"


def _meaning(kind: EarlyKind, field: str) -> str:
    if field == kind.artifact:
        return f"add `{field}: name:version`, which names the archive"
    return {"dynamoTag": "add `dynamoTag: module:Service`, which names the service in the archive"}.get(
        field, f"add `{field}`"
    )
