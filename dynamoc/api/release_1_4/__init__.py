"""The kinds of release 1.4."""

from __future__ import annotations

from dynamoc.api.kubernetes import NAMED_METADATA
from dynamoc.api.release import Release
from dynamoc.api.release_1_4 import configuration, snapshot, v1alpha1, v1beta1
from dynamoc.api.v1alpha1.model import DynamoWorkerMetadata
from dynamoc.api.v1alpha1.scaling import DynamoGraphDeploymentScalingAdapter
from dynamoc.api.v1beta1 import component, graph, scaling

RELEASE = Release(
    name="1.4",
    kubernetes="1.36",
    embedded_metadata=NAMED_METADATA,
    kinds=(
        {"v1alpha1": v1alpha1.DynamoCheckpoint},
        {"v1alpha1": v1alpha1.DynamoComponentDeployment, "v1beta1": component.DynamoComponentDeployment},
        {"v1alpha1": v1alpha1.DynamoGraphDeployment, "v1beta1": graph.DynamoGraphDeployment},
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
)
