"""What a release of the operator installs."""

from __future__ import annotations

from typing import NamedTuple

from dynamoc.api.base import Part, Resource, Schema


class Release(NamedTuple):
    """`kinds` has a mapping for each kind: API version to model, oldest first; objects are stored in the last one."""

    name: str
    kubernetes: str
    """Version of Kubernetes' types that the operator is built with."""
    embedded_metadata: Schema
    """Schema of the metadata inside pod templates; depends on how the CRDs were generated."""
    kinds: tuple[dict[str, type[Resource]], ...]
    configuration: type[Part] | None = None
    """The operator's configuration file, where it is an API type."""
    stored_in_first: frozenset[str] = frozenset()
    """Kinds whose objects are stored in the first version instead."""
