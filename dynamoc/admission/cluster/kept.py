"""Generated objects that exist already: which ones the operator leaves as they are, and which ones it writes over.

The operator creates accounts, claims and Secrets where they are missing, and never looks at them again. Since 1.1 the
same holds for the DynamoCheckpoints of graphs; before, for objects without a spec. Everything else is brought up to
date: the spec is replaced, whoever made the object, and its labels, annotations and owners stay. Two kinds of Secrets
are here as well: those with the key pair for mpirun, and the index of those for docker registries.
Source: internal/controller_common/resource.go SyncResource, CopySpec; internal/rbac/manager.go
EnsureServiceAccountWithRBAC; internal/secret/ssh_key_manager.go; controller/dgd_pvc_reconciler.go reconcilePVC;
internal/checkpoint/storage.go EnsureStoragePVC; internal/checkpoint/resource.go;
controller/dgd_scaling_adapters_reconciler.go; internal/secret/secret_replicator.go of 0.6; internal/secrets/docker.go.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from base64 import b64encode
from binascii import a2b_base64
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING

from dynamoc.admission.cluster.objects import is_dynamo
from dynamoc.admission.cluster.operator_configuration import registry_host
from dynamoc.documents.findings.finding import Finding, Findings
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import GRAPH_LABEL
from dynamoc.kube.text import loads
from dynamoc.reference.releases import Release

if TYPE_CHECKING:
    from dynamoc.admission.cluster.context import ClusterContext

Key = tuple[str, str, str]
"""(kind, namespace, name)"""

Index = dict[tuple[str, str], list[str]]

Broken = list[tuple[str, str]]

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
        """The objects that the operator creates or updates, as it leaves them; tells of the others."""
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


_LABELS = {"app.kubernetes.io/managed-by": "dynamo-operator"}


def has_content(secret: Tree) -> bool:
    """Whether more than the name of a Secret is shown; `dynamoc capture` reads no content."""
    return secret.get("data") is not None or secret.get("stringData") is not None


def copies(source: Tree, namespaces: list[str], *, labelled: bool) -> list[Tree]:
    """Copies of an existing key pair, with its data and type."""
    data = dict(source.get("data") or {})
    for key, text in (source.get("stringData") or {}).items():
        data[key] = b64encode(str(text).encode()).decode()
    kind = {"type": source["type"]} if source.get("type") else {}
    name = source["metadata"]["name"]
    return [{**_secret(name, namespace, data, labelled=labelled), **kind} for namespace in namespaces]


def new(name: str, namespaces: list[str], *, labelled: bool) -> list[Tree]:
    """One new key pair of RSA with 2048 bits, made by ssh-keygen. OSError where that program is missing or fails.

    Graphs that are compiled together share it, as they share the Secret of the operator's namespace.
    """
    if not _MADE:
        private, public = (b64encode(part).decode() for part in _generate())
        # Of several threads, the first one decides.
        _MADE.setdefault("data", {"private.key": private, "private.key.pub": public})
    return [_secret(name, namespace, _MADE["data"], labelled=labelled) for namespace in namespaces]


_MADE: dict[str, dict[str, str]] = {}


def _secret(name: str, namespace: str, data: dict[str, str], *, labelled: bool) -> Tree:
    metadata = {"name": name, "namespace": namespace, **({"labels": dict(_LABELS)} if labelled else {})}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": dict(data)}


def _generate() -> tuple[bytes, bytes]:
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "private.key")
        command = ["ssh-keygen", "-q", "-t", "rsa", "-b", "2048", "-m", "PEM", "-N", "", "-C", "", "-f", path]
        try:
            subprocess.run(command, check=True, capture_output=True)
        except subprocess.CalledProcessError as error:
            raise OSError(error.stderr.decode(errors="replace").strip()) from error
        with open(path, "rb") as private, open(f"{path}.pub", "rb") as public:
            return private.read(), public.read()


TYPE = "kubernetes.io/dockerconfigjson"
_KEY = ".dockerconfigjson"


def index_all_or_nothing(secrets: list[Tree]) -> tuple[Index, Broken]:
    """Up to 1.1: one Secret that cannot be read leaves the whole index empty. A Secret counts once a matching entry."""
    index: Index = {}
    broken: Broken = []
    for secret in secrets:
        try:
            hosts = registry_hosts(secret)
        except ValueError as error:
            broken.append((_label(secret), str(error)))
            continue
        for host in hosts:
            _secret_names(index, secret, host).append(secret["metadata"]["name"])
    return ({} if broken else index), broken


def index_each(secrets: list[Tree]) -> tuple[Index, Broken]:
    """Since 1.3: what cannot be read is skipped, and a Secret counts once."""
    index: Index = {}
    broken: Broken = []
    for secret in secrets:
        try:
            addresses = registry_addresses(secret)
        except ValueError as error:
            broken.append((_label(secret), str(error)))
            continue
        for address in addresses:
            host = registry_host(address)
            if host is None:
                broken.append((_label(secret), f"`{address}` has no registry host"))
                continue
            names = _secret_names(index, secret, host)
            if secret["metadata"]["name"] not in names:
                names.append(secret["metadata"]["name"])
    return index, broken


def index_all_once(secrets: list[Tree]) -> tuple[Index, Broken]:
    """1.2: one Secret that cannot be read still leaves the whole index empty, but a Secret counts once."""
    index, broken = index_each(secrets)
    return ({} if broken else index), broken


def index_of(secrets: list[Tree], release: Release) -> tuple[Index, Broken]:
    """The index as the operator of a release makes it, and Secrets that it cannot read, each with a reason."""
    found: tuple[Index, Broken] = globals()[release["images/pull-secret-index"]](secrets)
    return found


def registry_hosts(secret: Tree) -> list[str]:
    """One host for each entry of `auths`. ValueError where the operator fails on the Secret."""
    hosts = []
    for address in registry_addresses(secret):
        host = registry_host(address)
        if host is None:
            raise ValueError(f"`{address}` has no registry host")
        hosts.append(host)
    return hosts


def registry_addresses(secret: Tree) -> list[str]:
    """The keys of `auths` in the docker config, as written. ValueError where it isn't one."""
    try:
        config = loads(_docker_config(secret).decode())
    except ValueError as error:
        raise ValueError(f"its key {_KEY} is not JSON") from error
    if not isinstance(config, dict):
        raise ValueError(f"its key {_KEY} is not a JSON object")
    # Go matches names of fields without regard to case.
    auths = config.get("auths", next((value for key, value in config.items() if key.lower() == "auths"), None))
    if auths is None:
        return []
    if not isinstance(auths, dict):
        raise ValueError("its `auths` is not an object")
    return list(auths)


def _docker_config(secret: Tree) -> bytes:
    """`stringData` wins over `data`, as in the API server."""
    text = (secret.get("stringData") or {}).get(_KEY)
    if text is not None:
        return str(text).encode()

    return a2b_base64(str((secret.get("data") or {}).get(_KEY) or ""))


def _secret_names(index: Index, secret: Tree, host: str) -> list[str]:
    return index.setdefault((secret["metadata"]["namespace"], host), [])


def _label(secret: Tree) -> str:
    return f"{secret['metadata']['namespace']}/{secret['metadata']['name']}"
