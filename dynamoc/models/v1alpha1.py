"""The classes to build graphs with in Python: `nvidia.com/v1alpha1` of the newest release."""

from __future__ import annotations

from typing import Any

from dynamoc.api.release_1_6 import v1alpha1
from dynamoc.api.v1alpha1.common import EnvVar

__all__ = [
    "ComponentDeploymentSpec",
    "DynamoComponentDeployment",
    "DynamoGraphDeployment",
    "EnvVar",
    "GraphDeploymentSpec",
    "SharedSpec",
]

ComponentDeploymentSpec = v1alpha1.ComponentDeploymentSpec
GraphDeploymentSpec = v1alpha1.GraphDeploymentSpec
SharedSpec = v1alpha1.SharedSpec


class DynamoGraphDeployment(v1alpha1.DynamoGraphDeployment):
    """A graph of components that together serve a model."""

    api_version: str = "nvidia.com/v1alpha1"
    kind: str = "DynamoGraphDeployment"

    def to_dict(self) -> dict[str, Any]:
        """The object as plain data, with the names of the API and only what was written."""
        return {"apiVersion": self.api_version, "kind": self.kind, **super().to_dict()}


class DynamoComponentDeployment(v1alpha1.DynamoComponentDeployment):
    """One component on its own."""

    api_version: str = "nvidia.com/v1alpha1"
    kind: str = "DynamoComponentDeployment"

    def to_dict(self) -> dict[str, Any]:
        """The object as plain data, with the names of the API and only what was written."""
        return {"apiVersion": self.api_version, "kind": self.kind, **super().to_dict()}
