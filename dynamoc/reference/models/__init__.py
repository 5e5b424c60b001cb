"""The classes to build graphs with in Python: `nvidia.com/v1beta1` of the newest release.

`render` has an older release by default, and refuses fields that it lacks: pass `release` to use them.
`dynamoc.models.v1alpha1` has those of the other version. Importing them takes longer than a whole compilation.
"""

from __future__ import annotations

from dynamoc.reference.models.shared import EnvVar, EppConfig
from dynamoc.reference.models.shared import TopologyConstraint as ComponentTopologyConstraint
from dynamoc.reference.models.v1beta1 import (
    CompilationCache,
    ComponentDeploymentSpec,
    ComponentSpec,
    DynamoComponentDeployment,
    DynamoGraphDeployment,
    GraphDeploymentSpec,
    GraphTopologyConstraint,
    ModelReference,
    Multinode,
    ScalingAdapter,
)

__all__ = [
    "CompilationCache", "ComponentDeploymentSpec", "ComponentSpec", "ComponentTopologyConstraint",
    "DynamoComponentDeployment", "DynamoGraphDeployment", "EnvVar", "EppConfig", "GraphDeploymentSpec",
    "GraphTopologyConstraint", "ModelReference", "Multinode", "ScalingAdapter",
]  # fmt: skip
