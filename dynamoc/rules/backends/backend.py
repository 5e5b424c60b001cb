"""What a release does to the pods of an inference backend."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dynamoc.rules.draft import Pod


@dataclass(frozen=True, slots=True)
class Backend:
    """Two steps, of which the first changes the container `main` and the second the pod around it."""

    update_container: Callable[[Pod], None]
    update_pod: Callable[[Pod], None]
