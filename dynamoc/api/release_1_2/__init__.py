"""The kinds of release 1.2: v1beta1 is served and known to the operator, v1alpha1 is what is stored."""

from __future__ import annotations

from dynamoc.api.kubernetes import NAMED_METADATA
from dynamoc.api.release import Release
from dynamoc.api.release_1_2 import configuration, v1alpha1, v1beta1
from dynamoc.api.release_1_3 import STORED_IN_FIRST
from dynamoc.api.v1alpha1.model import DynamoWorkerMetadata
from dynamoc.api.v1alpha1.scaling import DynamoGraphDeploymentScalingAdapter
from dynamoc.api.v1beta1 import scaling

RELEASE = Release(
    name="1.2",
    kubernetes="1.34",
    embedded_metadata=NAMED_METADATA,
    kinds=(
        {"v1alpha1": v1alpha1.DynamoCheckpoint},
        {"v1alpha1": v1alpha1.DynamoComponentDeployment, "v1beta1": v1beta1.DynamoComponentDeployment},
        {"v1alpha1": v1alpha1.DynamoGraphDeployment, "v1beta1": v1beta1.DynamoGraphDeployment},
        {"v1alpha1": v1alpha1.DynamoGraphDeploymentRequest, "v1beta1": v1beta1.DynamoGraphDeploymentRequest},
        {
            "v1alpha1": DynamoGraphDeploymentScalingAdapter,
            "v1beta1": scaling.DynamoGraphDeploymentScalingAdapter,
        },
        {"v1alpha1": v1alpha1.DynamoModel},
        {"v1alpha1": DynamoWorkerMetadata},
    ),
    configuration=configuration.OperatorConfiguration,
    stored_in_first=STORED_IN_FIRST,
)
