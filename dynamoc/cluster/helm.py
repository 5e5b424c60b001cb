"""Values of the Helm chart `dynamo-platform`, turned into the configuration that its templates write.

Only what a template reads is looked at. A template prints numbers as text, takes "" for absent, and Helm drops keys
that no template reads; the operator then checks what it gets. Where nothing says otherwise, the chart is taken to be
installed as release `dynamo-platform` in `dynamo-system`.

Source: deploy/helm/charts/platform since 1.0: values.yaml, components/operator/templates/operator-config.yaml and
_helpers.tpl.
"""

from __future__ import annotations

from dynamoc.cluster import helm_templates
from dynamoc.cluster.fields import API_VERSION, KIND
from dynamoc.cluster.helm_checks import check_values
from dynamoc.cluster.helm_values import AS_DOCUMENTED, Values
from dynamoc.release.chart_values import TEMPLATES, VALUES
from dynamoc.release.deltas import merged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.cluster.config_findings import Report

    Tree = dict[str, Any]


def operator_configuration(
    tree: Tree, release: str, report: Report, installed: tuple[str, str] = AS_DOCUMENTED
) -> Tree:
    """The OperatorConfiguration that the chart of `release` writes for these values.

    `report.origins` is set, so that findings about the result name the values. What Helm refuses goes to `report`.
    """
    values = Values(tree, merged(VALUES, release), installed)
    check_values(values, release, report)
    values.settings.update({"apiVersion": API_VERSION, "kind": KIND})
    for template in merged(TEMPLATES, release).values():
        getattr(helm_templates, template)(values)
    report.origins = values.origins
    return values.settings
