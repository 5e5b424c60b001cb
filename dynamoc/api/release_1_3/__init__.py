"""The kinds of release 1.3: v1beta1 is served and known to the operator, v1alpha1 is what is stored."""

from __future__ import annotations

from dynamoc.api.kubernetes import NAMED_METADATA
from dynamoc.api.release import Release
from dynamoc.api.release_1_3 import snapshot, v1alpha1, v1beta1
from dynamoc.api.release_1_4 import configuration
from dynamoc.api.v1alpha1.model import DynamoWorkerMetadata
from dynamoc.api.v1alpha1.scaling import DynamoGraphDeploymentScalingAdapter
from dynamoc.api.v1beta1 import scaling

STORED_IN_FIRST = frozenset(
    {"DynamoComponentDeployment", "DynamoGraphDeployment", "DynamoGraphDeploymentScalingAdapter"}
)

RELEASE = Release(
    name="1.3",
    kubernetes="1.36",
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
        {"v1alpha1": snapshot.PodSnapshot},
        {"v1alpha1": snapshot.PodSnapshotContent},
    ),
    configuration=configuration.OperatorConfiguration,
    stored_in_first=STORED_IN_FIRST,
)
