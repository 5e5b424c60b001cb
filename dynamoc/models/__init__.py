"""The classes to build graphs with in Python: `nvidia.com/v1beta1` of the newest release.

`render` has an older release by default, and refuses fields that it lacks: pass `release` to use them.
`dynamoc.models.v1alpha1` has those of the other version, and `dynamoc.api` those of each release.
"""

from __future__ import annotations

from typing import Any

from dynamoc.api.release_1_6 import v1beta1
from dynamoc.api.v1alpha1.common import EnvVar
from dynamoc.api.v1beta1.component import CompilationCache, EppConfig, ModelReference, Multinode, ScalingAdapter
from dynamoc.api.v1beta1.component import TopologyConstraint as ComponentTopologyConstraint
from dynamoc.api.v1beta1.graph import GraphTopologyConstraint

__all__ = [
    "CompilationCache",
    "ComponentDeploymentSpec",
    "ComponentSpec",
    "ComponentTopologyConstraint",
    "DynamoComponentDeployment",
    "DynamoGraphDeployment",
    "EnvVar",
    "EppConfig",
    "GraphDeploymentSpec",
    "GraphTopologyConstraint",
    "ModelReference",
    "Multinode",
    "ScalingAdapter",
]

ComponentDeploymentSpec = v1beta1.ComponentDeploymentSpec
ComponentSpec = v1beta1.ComponentSpec
GraphDeploymentSpec = v1beta1.GraphDeploymentSpec


class DynamoGraphDeployment(v1beta1.DynamoGraphDeployment):
    """A graph of components that together serve a model."""

    api_version: str = "nvidia.com/v1beta1"
    kind: str = "DynamoGraphDeployment"

    def to_dict(self) -> dict[str, Any]:
        """The object as plain data, with the names of the API and only what was written."""
        return {"apiVersion": self.api_version, "kind": self.kind, **super().to_dict()}


class DynamoComponentDeployment(v1beta1.DynamoComponentDeployment):
    """One component on its own."""

    api_version: str = "nvidia.com/v1beta1"
    kind: str = "DynamoComponentDeployment"

    def to_dict(self) -> dict[str, Any]:
        """The object as plain data, with the names of the API and only what was written."""
        return {"apiVersion": self.api_version, "kind": self.kind, **super().to_dict()}
