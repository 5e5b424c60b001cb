"""Values that Helm refuses to install, and values that no template reads.

Source: deploy/helm/charts/platform since 1.0: components/operator/templates/_validation.tpl, and
templates/validate-values.yaml of the platform and of the operator.
"""

from __future__ import annotations

from dynamoc.release.chart_values import CHECKS, OPERATOR, REMOVED
from dynamoc.release.deltas import newest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.cluster.config_findings import Report
    from dynamoc.cluster.helm_values import Values


def check_values(values: Values, release: str, report: Report) -> None:
    """Every reason for which `helm install` of the chart fails."""
    for check in newest(CHECKS, release):
        globals()[check](values, report)


def backend_is_known(values: Values, report: Report) -> None:
    """_validation.tpl validateDiscoveryBackend"""
    backend = values.get(OPERATOR, "discoveryBackend")
    if backend not in ("kubernetes", "etcd"):
        report.error(
            "config/unsupported",
            (OPERATOR, "discoveryBackend"),
            f"The chart accepts `kubernetes` or `etcd` as discoveryBackend, not {backend!r}.",
        )


def one_leader_election(values: Values, report: Report) -> None:
    """_validation.tpl validateClusterWideInstallation, validateConfiguration"""
    if values.get(OPERATOR, "namespaceRestriction", "enabled"):
        return
    election = (OPERATOR, "controllerManager", "leaderElection")
    identity = values.get(*election, "id")
    if identity and identity != "dynamo.nvidia.com":
        report.error(
            "config/unsupported",
            (*election, "id"),
            "The chart refuses a leader election id other than `dynamo.nvidia.com` for a cluster-wide operator: "
            "two ids mean two leaders.",
        )
    if values.get(*election, "namespace") == values.namespace:
        report.error(
            "config/unsupported",
            (*election, "namespace"),
            "The chart refuses leader election in its own namespace for a cluster-wide operator.",
            "leave it empty; `kube-system` is the default",
        )


def restricted_without_crds(values: Values, report: Report) -> None:
    """_validation.tpl validateConfiguration since 1.3"""
    if values.get(OPERATOR, "namespaceRestriction", "enabled") and values.get(OPERATOR, "upgradeCRD"):
        report.error(
            "config/unsupported",
            (OPERATOR, "upgradeCRD"),
            "The chart refuses to let an operator that is restricted to one namespace install CRDs.",
            f"set `{OPERATOR}.upgradeCRD: false`",
        )
    if values.get(OPERATOR, "webhook", "namespaceSelector"):
        report.error(
            "config/unsupported",
            (OPERATOR, "webhook", "namespaceSelector"),
            "The chart sets the namespace selector of its webhooks and refuses a different one.",
        )


def one_scheduler(values: Values, report: Report) -> None:
    """templates/validate-values.yaml since 1.3"""
    kai = values.get("global", "kai-scheduler", "enabled") or values.get("global", "kai-scheduler", "install")
    if kai and values.get("global", "volcano-scheduler", "enabled"):
        report.error(
            "config/two-schedulers",
            ("global", "volcano-scheduler", "enabled"),
            "The chart refuses KAI and Volcano together: both would schedule the pods of Grove.",
        )


def nothing_removed(values: Values, report: Report) -> None:
    """templates/validate-values.yaml since 1.2, of the platform and of the operator"""
    for path, replacement in REMOVED.items():
        if values.has(*path):
            hint = f"use `{replacement}`" if replacement else "delete it"
            report.error("config/removed", path, f"The chart no longer accepts `{'.'.join(path)}`.", hint)


def claim_is_named(values: Values, report: Report) -> None:
    """operator-config.yaml since 1.2"""
    storage = (OPERATOR, "checkpoint", "storage")
    if not values.get(OPERATOR, "checkpoint", "enabled") or values.get(*storage, "type") != "pvc":
        return
    for name in ("pvcName", "basePath"):
        if not values.get(*storage, "pvc", name):
            report.error(
                "config/required",
                (*storage, "pvc", name),
                f"The chart requires checkpoint.storage.pvc.{name} if checkpoints are stored in a claim.",
            )
