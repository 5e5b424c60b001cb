"""The fields of `OperatorConfiguration` that a release reads."""

from __future__ import annotations

from dynamoc.release.config_fields import FIELDS
from dynamoc.release.deltas import merged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.release.config_fields import Field

API_VERSION = "operator.config.dynamo.nvidia.com/v1alpha1"
KIND = "OperatorConfiguration"


def fields_of(release: str) -> dict[str, Field]:
    """Dotted name to (type, attribute) for a release that reads an OperatorConfiguration, {} for one that doesn't."""
    return merged(FIELDS, release)
