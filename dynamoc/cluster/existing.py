"""Objects beside the inputs as a cluster would hold them, and those that no cluster can hold."""

from __future__ import annotations

from dynamoc.cluster.identity import is_dynamo
from dynamoc.cluster.known_kinds import Misfit, fitted
from dynamoc.schema.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]


def existing(value: Tree, release: str) -> tuple[Tree | None, list[Problem]]:
    """The object, checked as far as anybody reads it and with its status; None where the API server refuses it.

    The release does not read kinds and versions that it does not know: they are what they are.
    """
    try:
        value = fitted(value)
    except Misfit as misfit:
        message = f"{misfit.message} The API server rejects the object."
        return None, [Problem("context/malformed", misfit.path, message, misfit.hint, change=misfit.change)]
    metadata = value.get("metadata") or {}
    if not metadata.get("name") and not metadata.get("generateName"):
        message = f"The {value['kind']} has no name: it is not an object of a cluster, and not part of the output."
        return None, [Problem("context/nameless", ("metadata",), message, severity="warning")]
    if not is_dynamo(value):
        return value, []
    from dynamoc.schema import check, served

    if value["apiVersion"] not in served(release, value["kind"]):
        return value, []
    checked, problems = check(release, value["kind"], value["apiVersion"], value, unknown="prune")
    if any(problem.severity == "error" for problem in problems):
        return None, problems
    return {**checked, **({"status": value["status"]} if "status" in value else {})}, problems
