"""OperatorConfiguration of release 1.6, as differences to release 1.5 (templates/operator-config.yaml of its chart)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from dynamoc.api.base import Part
from dynamoc.api.release_1_5 import configuration as before


class Lpx(Part):
    """Components that run on language processing units."""

    enabled: bool | None = None
    model_registry_url: Annotated[str | None, Field(alias="modelRegistryURL")] = None


class OperatorConfiguration(before.OperatorConfiguration):
    """What the operator is told at its start."""

    lpx: Lpx | None = None
