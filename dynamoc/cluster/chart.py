"""What the operator is configured with where nobody says anything: its own defaults, and its Helm chart's."""

from __future__ import annotations

from dynamoc.cluster.assign import apply
from dynamoc.cluster.config import OperatorConfig
from dynamoc.release.default_settings import CHART, OPERATOR
from dynamoc.release.deltas import merged

HELM_RELEASE = "dynamo-platform"
HELM_NAMESPACE = "dynamo-system"


def operator_default(release: str) -> OperatorConfig:
    """The configuration of an operator that is started with an empty one."""
    config = OperatorConfig()
    apply(config, merged(OPERATOR, release))
    return config


def chart_default(release: str) -> OperatorConfig:
    """The configuration that the chart installs with its default values."""
    config = operator_default(release)
    apply(config, merged(CHART, release))
    return config
