"""DynamoGraphDeploymentScalingAdapter between the two versions: one name differs.

Facts: api/v1alpha1/dynamographdeploymentscalingadapter_conversion.go of release 1.4.
"""

from __future__ import annotations

from typing import Any

from dynamoc.admission.convert.volume_mounts import inverse, renamed

Tree = dict[str, Any]


REFERENCE_FIELDS = {"serviceName": "componentName"}


def spec_to_beta(alpha: Tree, _saved: Tree | None, _object_name: str) -> tuple[Tree, Tree | None, list[Tree]]:
    return _with_reference(alpha, REFERENCE_FIELDS), None, []


def spec_to_alpha(
    beta: Tree, _saved: Tree | None, _records: list[Tree], _object_name: str, *, original: bool
) -> tuple[Tree, Tree | None]:
    del original
    return _with_reference(beta, inverse(REFERENCE_FIELDS)), None


def _with_reference(spec: Tree, names: dict[str, str]) -> Tree:
    return {key: renamed(value, names) if key == "dgdRef" else value for key, value in spec.items()}


def status_to_beta(alpha: Tree) -> Tree:
    return alpha


def status_to_alpha(beta: Tree, _saved: Tree | None) -> Tree:
    return beta


def status_leftovers(_alpha: Tree) -> Tree:
    return {}
