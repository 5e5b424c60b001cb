"""Probes in multinode replicas."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def drop_probes(main: dict[str, Any]) -> None:
    """A worker of a replica serves nothing that could be probed; the leader answers for all."""
    for probe in ("livenessProbe", "readinessProbe", "startupProbe"):
        main.pop(probe, None)
