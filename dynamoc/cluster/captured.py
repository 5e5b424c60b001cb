"""The directory that `dynamoc capture` fills with what a cluster shows.

capture.txt            what was asked, and what could not be read; names the directory for what it is
operator-config.yaml   the OperatorConfiguration, where the operator has one (since 1.0)
context/*.yaml         the operator's Deployment, CRDs, nodes, claims, classes, queues; Secrets by name alone
against/graphs.yaml    Dynamo's own objects
"""

from __future__ import annotations

import os

MARKER = "capture.txt"
CONFIG = "operator-config.yaml"
OPERATOR = os.path.join("context", "operator.yaml")
CONTEXT = "context"
AGAINST = "against"


def is_captured(path: str) -> bool:
    """Whether a path is such a directory."""
    return os.path.isfile(os.path.join(path, MARKER))


def part_of(path: str, part: str) -> str:
    """The part of a captured directory that an option takes; any other path as it is."""
    return os.path.join(path, part) if is_captured(path) else path


def config_of(path: str, *, by_flags: bool) -> str | None:
    """The file in a captured directory that says how the operator is configured; None where none was found.

    `by_flags`: an operator up to 0.6, which its Deployment configures.
    """
    file = os.path.join(path, OPERATOR if by_flags else CONFIG)
    return file if os.path.isfile(file) and os.path.getsize(file) else None
