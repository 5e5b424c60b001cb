"""Paths as they grow on the way down a tree: cheaper than tuples where nothing is wrong."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path

    Chain = tuple[Any, str | int] | None
    """(the chain above, the last step)"""


def unrolled(chain: Chain) -> Path:
    steps: list[str | int] = []
    while chain is not None:
        chain, step = chain
        steps.append(step)
    return tuple(reversed(steps))
