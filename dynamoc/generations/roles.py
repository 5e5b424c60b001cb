"""What a service of Dynamo 0.1 to 0.3 is called today: there, its name and its code said what it was."""

from __future__ import annotations

FRONTEND, WORKER, PREFILL, DECODE, PLANNER = "frontend", "worker", "prefill", "decode", "planner"
#: services of the examples whose work the frontend does today
TAKEN_OVER = ("processor", "router")
_WORDS = ((PREFILL, PREFILL), (DECODE, DECODE), (PLANNER, PLANNER), (WORKER, WORKER), (FRONTEND, FRONTEND))


def role_of(name: str, archived: str = "") -> str:
    """The type of a component; "" where its name says nothing. `archived` is the type that its archive gives."""
    if archived == PLANNER:
        return PLANNER
    return next((role for word, role in _WORDS if word in name.lower()), "")


def roles_of(names: dict[str, str]) -> dict[str, str]:
    """The types of a graph's components, by name: beside a prefill worker, the other workers decode."""
    roles = {name: role_of(name, archived) for name, archived in names.items()}
    if PREFILL in roles.values():
        roles = {name: DECODE if role == WORKER else role for name, role in roles.items()}
    return roles
