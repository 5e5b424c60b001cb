"""Generated objects that exist already: which ones the operator leaves as they are, and which ones it writes over.

The operator creates accounts, claims and Secrets where they are missing, and never looks at them again. Since 1.1 the
same holds for the DynamoCheckpoints of graphs; before, for objects without a spec. Everything else is updated to
date: the spec is replaced, whoever made the object, and its labels, annotations and owners stay.
Source: internal/controller_common/resource.go SyncResource, CopySpec; internal/rbac/manager.go
EnsureServiceAccountWithRBAC; controller/dgd_pvc_reconciler.go reconcilePVC; internal/checkpoint/storage.go
EnsureStoragePVC; internal/checkpoint/resource.go; controller/dgd_scaling_adapters_reconciler.go.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field

from dynamoc.admission.cluster.context import ClusterContext
from dynamoc.admission.cluster.objects import is_dynamo
from dynamoc.documents.findings.finding import Finding, Findings
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import GRAPH_LABEL
from dynamoc.reference.releases import Release

Key = tuple[str, str, str]
"""(kind, namespace, name)"""


_ONCE = ("PersistentVolumeClaim", "Secret", "ServiceAccount")
_WITHOUT_SPEC = {"ConfigMap": "", "Role": "rbac.authorization.k8s.io", "RoleBinding": "rbac.authorization.k8s.io"}
_ADAPTER = "DynamoGraphDeploymentScalingAdapter"
_HASH = "nvidia.com/last-applied-hash"
_SHOWN = 5
_ONLY_CREATED = "the operator creates them once and never updates them"
_OF_THE_CHART = "the chart of the operator installs them"
_NOT_COMPARED = "operator {} never updates the content of an object without a spec"


@dataclass(eq=False, slots=True)
class Kept:
    """What becomes of the objects of a rendering that exist in the cluster.

    given  keys of objects that are part of the input, which the output has anyway
    """

    cluster: ClusterContext
    release: Release
    given: frozenset[Key]
    _: KW_ONLY
    attended: bool = True
    _ensured: frozenset[Key] = field(default_factory=frozenset, init=False)
    #: by reason, what is left out
    _left: dict[str, dict[Key, None]] = field(default_factory=dict, init=False)

    def settled(self, objects: list[Tree], findings: Findings) -> list[Tree]:
        """The objects that the operator creates or updates, as it leaves them; reports the others."""
        result = []
        self._ensured = _ensured_accounts(objects)
        for item in objects:
            found = self._found(item)
            if found is None:
                result.append(item)
            elif (reason := self._reason(item)) is None:
                self._tell_owner(item, found, findings)
                result.append(_with_replicas(item, found))
            else:
                self._tell_stuck(item, found, findings)
                self._left.setdefault(reason, {})[key_of(item)] = None
        for key, is_of_chart in self.cluster.not_made.items():
            self._left.setdefault(_OF_THE_CHART if is_of_chart else _ONLY_CREATED, {})[key] = None
        self._tell_left(findings)
        return result

    def _found(self, item: Tree) -> Tree | None:
        """The object of the cluster that a generated one would be."""
        found = self.cluster.get(*key_of(item))
        return found if found is not None and _group(found) == _group(item) else None

    def _reason(self, item: Tree) -> str | None:
        """Why the operator leaves the object that exists as it is; None where it doesn't."""
        kind = item["kind"]
        if kind in _ONCE:
            return _ONLY_CREATED
        if not self.attended:
            return None
        if self.release.has("sync/content"):
            return _ONLY_CREATED if kind == "DynamoCheckpoint" else None
        if _WITHOUT_SPEC.get(kind) != _group(item) or _is_rbac_managed(item):
            return None
        return _NOT_COMPARED.format(self.release.name)

    def _tell_left(self, findings: Findings) -> None:
        for reason, keys in self._left.items():
            left = [key for key in keys if key not in self.given]
            if not left:
                continue
            count = "1 object" if len(left) == 1 else f"{len(left)} objects"
            verb, they, it = ("is", "It exists", "it") if len(left) == 1 else ("are", "They exist", "them")
            why = reason.replace("them", it)
            message = f"{count} {verb} not in the output: {_names(left)}. {they} already, and {why}."
            hint = f"remove {it} from --cluster to see what a cluster without {it} gets"
            findings.add(Finding("context/kept", message, hint=hint))

    def _tell_owner(self, item: Tree, found: Tree, findings: Findings) -> None:
        """The operator does not ask whose object it writes over."""
        owner = _stranger(item, found) if self.attended else None
        if owner:
            message = (
                f"{_name(key_of(item))} exists and belongs to {owner}. The operator overwrites its spec; labels, "
                "annotations and owners stay."
            )
            hint = "rename the graph or the component, or delete the object first"
            findings.add(Finding("context/overwritten", message, hint=hint, subject=_subject(item)))

    def _tell_stuck(self, item: Tree, found: Tree, findings: Findings) -> None:
        """Releases before 1.1 fail to take over an object without a spec that they did not make."""
        metadata = found["metadata"]
        is_live = any(metadata.get(field) for field in ("uid", "resourceVersion", "creationTimestamp"))
        is_synced = item["kind"] in (*_WITHOUT_SPEC, "ServiceAccount") and key_of(item) not in self._ensured
        if not self.attended or self.release.has("sync/content") or not is_live or not is_synced:
            return
        if _HASH not in (metadata.get("annotations") or {}):
            message = (
                f"{_name(key_of(item))} exists and was not created by the operator. Operator "
                f"{self.release.name} fails to take over an object without a spec, and creates no pods of the "
                "graph."
            )
            hint = "delete the object; the operator creates it again"
            findings.add(Finding("context/not-taken-over", message, hint=hint, subject=_subject(item)))


def _with_replicas(item: Tree, found: Tree) -> Tree:
    """A scaling adapter owns its replicas once it exists."""
    if item["kind"] != _ADAPTER:
        return item
    replicas = (found.get("spec") or {}).get("replicas")
    return item if replicas is None else {**item, "spec": {**item["spec"], "replicas": replicas}}


def _stranger(item: Tree, found: Tree) -> str | None:
    """Who owns an object that exists, if neither a graph of that name nor one of its components does."""
    metadata = found["metadata"]
    owner = next((owner for owner in metadata.get("ownerReferences") or () if owner.get("controller")), None)
    graph = (item["metadata"].get("labels") or {}).get(GRAPH_LABEL)
    labels = metadata.get("labels") or {}
    if owner is not None:
        is_ours = is_dynamo(owner) and (owner.get("kind") != "DynamoGraphDeployment" or owner.get("name") == graph)
        return None if is_ours or (is_dynamo(owner) and graph is None) else f"{owner.get('kind')}/{owner.get('name')}"
    if graph is not None and labels.get(GRAPH_LABEL, graph) != graph:
        return f"the graph {labels[GRAPH_LABEL]}"
    release = (metadata.get("annotations") or {}).get("meta.helm.sh/release-name")
    return f"the Helm release {release}" if release and GRAPH_LABEL not in labels else None


def _is_rbac_managed(item: Tree) -> bool:
    """The bindings to ClusterRoles of the chart, which every release brings up to date."""
    return item["kind"] == "RoleBinding" and (item.get("roleRef") or {}).get("kind") == "ClusterRole"


def _ensured_accounts(objects: list[Tree]) -> frozenset[Key]:
    """The accounts that go with these bindings, which the operator looks for by name only."""
    return frozenset(
        (subject["kind"], subject["namespace"], subject["name"])
        for item in objects
        if _is_rbac_managed(item)
        for subject in item["subjects"]
    )


def _group(value: Tree) -> str:
    return str(value.get("apiVersion", "")).rpartition("/")[0]


def key_of(item: Tree) -> Key:
    """Kind, namespace ("" for none) and name."""
    metadata = item["metadata"]
    return item["kind"], metadata.get("namespace") or "", metadata.get("name") or ""


def _subject(item: Tree) -> str:
    return f"{item['kind']}/{item['metadata'].get('name', '')}"


def _name(key: Key) -> str:
    kind, namespace, name = key
    return f"{kind} `{namespace}/{name}`" if namespace else f"{kind} `{name}`"


def _names(keys: list[Key]) -> str:
    names = [_name(key) for key in keys]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
