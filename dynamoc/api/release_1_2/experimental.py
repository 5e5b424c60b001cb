"""Parts of release 1.2 that may still change, as differences to release 1.3."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from dynamoc.api.base import Gone, Rule, default, go
from dynamoc.api.release_1_3 import v1beta1 as later
from dynamoc.api.v1beta1 import experimental

JOB_IN_AUTO_MODE = Rule(
    "!has(self.job) || !has(self.mode) || self.mode == 'Auto'", "checkpoint.job can only be set in Auto mode"
)


class Checkpoint(experimental.Checkpoint):
    """Starting workers from a checkpoint; to have the block turns it on."""

    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(
            "(has(self.checkpointRef) && size(self.checkpointRef) > 0) || has(self.identity)",
            "When checkpoint is configured, either checkpointRef or identity must be specified",
        ),
        experimental.JOB_OR_REFERENCE,
        JOB_IN_AUTO_MODE,
    )

    enabled: Gone = None  # type: ignore[assignment]
    mode: Annotated[Literal["Auto", "Manual"] | None, default("Auto"), go("omitempty")] = None
    """`Auto` makes the checkpoint if there is none."""
    startup_policy: Gone = None
    deletion_policy: Gone = None


class ComponentExperimental(later.ComponentExperimental):
    """Fields of a component that may still change."""

    checkpoint: Checkpoint | None = None


class KvTransferPolicy(experimental.KvTransferPolicy):
    """How near to each other prefill and decode workers should run."""

    rules: ClassVar[tuple[Rule, ...]] = (
        Rule("has(self.labelKey)", "labelKey is required until alternate topology sources are supported"),
        *experimental.KvTransferPolicy.rules[1:],
    )

    cluster_topology_name: Gone = None


class GraphExperimental(experimental.GraphExperimental):
    """Fields of a graph that may still change."""

    kv_transfer_policy: KvTransferPolicy | None = None
