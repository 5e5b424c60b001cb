"""What the operator looks up in the cluster while it makes objects, beside what the objects name themselves."""

from __future__ import annotations

from dynamoc.cluster.context import unknown_object
from dynamoc.diagnostics.finding import WARNING
from dynamoc.kube.scope import is_namespaced
from dynamoc.requires.needs import Need, Requirement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.diagnostics.finding import Finding

#: API groups of what it looks up
_GROUPS = {
    "ClusterTopology": "grove.io",
    "ClusterTopologyBinding": "grove.io",
    "DaemonSet": "apps",
    "DeviceClass": "resource.k8s.io",
    "DynamoCheckpoint": "nvidia.com",
    "PodSnapshot": "nvidia.com",
    "Queue": "scheduling.run.ai",
    "ResourceClaim": "resource.k8s.io",
    "ResourceClaimTemplate": "resource.k8s.io",
}


def split_findings(findings: list[Finding]) -> tuple[list[Finding], list[Requirement]]:
    """The findings without those on objects that nobody showed, and these as requirements of the operator."""
    others: list[Finding] = []
    asked: list[Requirement] = []
    for finding in findings:
        found = unknown_object(finding) if finding.severity == WARNING else None
        if found is None:
            others.append(finding)
            continue
        kind, namespace, name = found
        group = _GROUPS.get(kind, "")
        if not is_namespaced({"apiVersion": f"{group}/x" if group else "x", "kind": kind}):
            namespace = ""
        requirement = Requirement(group, kind, namespace, name)
        requirement.needs.append(_need(finding, namespace))
        requirement.asked = True
        requirement.note = finding.message.partition("; ")[2].rstrip(".")
        asked.append(requirement)
    return others, asked


def _need(finding: Finding, namespace: str) -> Need:
    """The document is the subject: the objects that it becomes need not name the thing."""
    kind, _, name = (finding.subject or "").partition("/")
    metadata = {"name": name, "namespace": namespace} if namespace else {"name": name}
    need = Need({"apiVersion": "nvidia.com/v1alpha1", "kind": kind, "metadata": metadata}, finding.path)
    need.place = finding.place
    return need
