"""The kinds of release 1.0."""

from __future__ import annotations

from dynamoc.api.kubernetes import OPAQUE_METADATA
from dynamoc.api.operator_configuration import OperatorConfiguration
from dynamoc.api.release import Release
from dynamoc.api.v1alpha1.checkpoint import DynamoCheckpoint
from dynamoc.api.v1alpha1.component import DynamoComponentDeployment
from dynamoc.api.v1alpha1.graph import DynamoGraphDeployment
from dynamoc.api.v1alpha1.model import DynamoModel, DynamoWorkerMetadata
from dynamoc.api.v1alpha1.request import DynamoGraphDeploymentRequest
from dynamoc.api.v1alpha1.scaling import DynamoGraphDeploymentScalingAdapter
from dynamoc.api.v1beta1 import request as beta_request

RELEASE = Release(
    name="1.0",
    kubernetes="1.34",
    embedded_metadata=OPAQUE_METADATA,
    kinds=(
        {"v1alpha1": DynamoCheckpoint},
        {"v1alpha1": DynamoComponentDeployment},
        {"v1alpha1": DynamoGraphDeployment},
        {"v1alpha1": DynamoGraphDeploymentRequest, "v1beta1": beta_request.DynamoGraphDeploymentRequest},
        {"v1alpha1": DynamoGraphDeploymentScalingAdapter},
        {"v1alpha1": DynamoModel},
        {"v1alpha1": DynamoWorkerMetadata},
    ),
    configuration=OperatorConfiguration,
)
