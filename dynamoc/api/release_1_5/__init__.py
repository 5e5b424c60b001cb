"""The kinds of release 1.5. Snapshots are kinds of an operator of their own, and there are no DynamoCheckpoints."""

from __future__ import annotations

from dynamoc.api.kubernetes import NAMED_METADATA
from dynamoc.api.release import Release
from dynamoc.api.release_1_4 import v1alpha1 as before
from dynamoc.api.release_1_4 import v1beta1 as before_beta
from dynamoc.api.release_1_5 import configuration, v1alpha1, v1beta1
from dynamoc.api.v1alpha1.model import DynamoWorkerMetadata
from dynamoc.api.v1alpha1.scaling import DynamoGraphDeploymentScalingAdapter
from dynamoc.api.v1beta1 import scaling

RELEASE = Release(
    name="1.5",
    kubernetes="1.36",
    embedded_metadata=NAMED_METADATA,
    kinds=(
        {"v1alpha1": v1alpha1.DynamoComponentDeployment, "v1beta1": v1beta1.DynamoComponentDeployment},
        {"v1alpha1": v1alpha1.DynamoGraphDeployment, "v1beta1": v1beta1.DynamoGraphDeployment},
        {"v1alpha1": before.DynamoGraphDeploymentRequest, "v1beta1": before_beta.DynamoGraphDeploymentRequest},
        {
            "v1alpha1": DynamoGraphDeploymentScalingAdapter,
            "v1beta1": scaling.DynamoGraphDeploymentScalingAdapter,
        },
        {"v1alpha1": before.DynamoModel},
        {"v1alpha1": DynamoWorkerMetadata},
    ),
    configuration=configuration.OperatorConfiguration,
)
