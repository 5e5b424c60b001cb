"""The kinds of release 1.6, without those of LPX, which dynamoc doesn't render."""

from __future__ import annotations

from dynamoc.api import release_1_5
from dynamoc.api.release_1_6 import configuration, v1alpha1, v1beta1

_, _, *_OTHERS = release_1_5.RELEASE.kinds

RELEASE = release_1_5.RELEASE._replace(
    name="1.6",
    kinds=(
        {"v1alpha1": v1alpha1.DynamoComponentDeployment, "v1beta1": v1beta1.DynamoComponentDeployment},
        {"v1alpha1": v1alpha1.DynamoGraphDeployment, "v1beta1": v1beta1.DynamoGraphDeployment},
        *_OTHERS,
    ),
    configuration=configuration.OperatorConfiguration,
)
