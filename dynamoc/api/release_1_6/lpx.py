"""What a component of type `lpx` says (api/v1beta1/lpx_types.go of release 1.6)."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from dynamoc.api.base import Int64, Part, Rule, list_set

LPX_IS_OF_TYPE = Rule(
    "has(self.lpx) == (has(self.type) && self.type == 'lpx')", "lpx must be set exactly when type is lpx"
)


class Partitions(Part):
    """Which partitions of a node are used."""

    rules: ClassVar[tuple[Rule, ...]] = (
        Rule("(self.mode == 'IDs') == has(self.ids)", "ids must be set exactly when mode is IDs"),
    )

    mode: Literal["All", "IDs"]
    ids: Annotated[list[Annotated[Int64, Field(ge=0, le=4294967295)]] | None, Field(min_length=1), list_set] = None


class LpxExperimental(Part):
    """Fields that may still change."""

    local_partitions: Partitions | None = None


class LpxScheduling(Part):
    """How long an attempt to place a component may take."""

    attempt_deadline_seconds: Annotated[Int64 | None, Field(ge=1, le=9223372036)] = None


class Lpx(Part):
    """A compiled model for language processing units."""

    build_id: str
    scheduling: LpxScheduling | None = None
    experimental: LpxExperimental | None = None
