"""What is known to exist in the cluster: the documents beside the graph, and those of `--cluster`.

Offline, most of a cluster is unknown. An object that is not shown may exist all the same: `exists` then says None, and
`unknown` warns about what depends on it. Only a typed list (`kind: PersistentVolumeClaimList`) is the whole answer for
its kind, and lets `exists` say False. `foreign` reports documents that are meant for the operator, and that it does
not see: its kinds in another group, misspelt kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Any

from dynamoc.admission.cluster import secrets
from dynamoc.admission.cluster.capabilities import ApiGroups, Capabilities, capabilities
from dynamoc.admission.cluster.config import OperatorConfig
from dynamoc.admission.cluster.objects import GROUP, is_dynamo
from dynamoc.admission.cluster.operator_configuration import registry_host
from dynamoc.admission.cluster.secrets import TYPE, has_content, index_of
from dynamoc.documents.findings.edits import Change
from dynamoc.documents.findings.finding import ERROR, NOTE, WARNING, Finding, Path
from dynamoc.documents.schema.causes import best_version, releases_with_kind
from dynamoc.documents.schema.problem import Problem
from dynamoc.documents.schema.schemas import load, served
from dynamoc.documents.schema.suggestions import edits
from dynamoc.kube.merge import Tree
from dynamoc.reference.releases import ORDER, Release
from dynamoc.reference.slugs import Severity, Slug

# `list` is a method below.
Trees = list[Tree]

Names = list[str]

Reasons = list[tuple[str, str]]

Report = Callable[[Severity, Slug, str, Path, str | None], None]

#: Kinds that several API groups have, or that are asked for without a group.
_GROUPS = {
    "ConfigMap": "",
    "DaemonSet": "apps",
    "DeviceClass": "resource.k8s.io",
    "DynamoCheckpoint": "nvidia.com",
    "PersistentVolumeClaim": "",
    "PodSnapshot": "nvidia.com",
    "Queue": "scheduling.run.ai",
    "ResourceClaimTemplate": "resource.k8s.io",
    "Secret": "",
    "ServiceAccount": "",
    "SnapshotJob": "nvidia.com",
}
#: the findings on objects that are not shown
_UNKNOWN: dict[str, Slug] = {
    "ClusterTopology": "context/unknown-clustertopology",
    "ClusterTopologyBinding": "context/unknown-clustertopologybinding",
    "DaemonSet": "context/unknown-daemonset",
    "DeviceClass": "context/unknown-device-class",
    "DynamoCheckpoint": "context/unknown-checkpoint",
    "PersistentVolumeClaim": "context/unknown-claim",
    "PodSnapshot": "context/unknown-podsnapshot",
    "Queue": "context/unknown-queue",
    "ResourceClaim": "context/unknown-resourceclaim",
    "ResourceClaimTemplate": "context/unknown-resourceclaimtemplate",
    "Secret": "context/unknown-secret",
}


class ClusterContext:
    """Answers what the operator would read from the cluster.

    objects    documents that stand for objects of the cluster, none of them a list
    namespace  of objects that name none
    strict     make an unknown object an error
    created_by the version of the operator that new graphs are stamped with: its own, or one of before
    apis       what the cluster serves, as `cluster.api_groups.parsed_apis` gives it; `kube_minor` is its Kubernetes
    generate_secrets  make key pairs instead of naming the Secrets that would hold them
    """

    def __init__(
        self,
        objects: Iterable[Tree],
        config: OperatorConfig,
        release: Release,
        target: str = "auto",
        *,
        namespace: str = "default",
        strict: bool = False,
        generate_secrets: bool = False,
        created_by: str | None = None,
        apis: Iterable[str] = (),
        kube_minor: int | None = None,
    ) -> None:
        self.config = config
        self.created_by = created_by or release.version
        self.release = release
        self.target = target
        self.strict = strict
        self.generate_secrets = generate_secrets
        self._kinds: dict[str, list[Tree]] = {}
        self._index: dict[tuple[str, str, str], Tree] = {}
        self._pull_secrets: dict[tuple[str, str], list[str]] | None = None
        self._broken: list[tuple[str, str]] = []
        #: (kind, namespace, name) of what exists and would be made otherwise; whether it is part of the chart
        self.not_made: dict[tuple[str, str, str], bool] = {}
        objects = list(objects)
        for value in objects:
            self._add(value, namespace)
        for values in self._kinds.values():
            values.sort(key=_sort_key)
        self.groups = ApiGroups(objects, apis, kube_minor)
        self._capabilities: Capabilities | None = None

    @property
    def capabilities(self) -> Capabilities:
        """What the operator may use, for the target and the configuration of this context."""
        if self._capabilities is None:
            self._capabilities = capabilities(self.target, self.config, self.release, self.groups)
        return self._capabilities

    def _add(self, value: Tree, namespace: str) -> None:
        kind, metadata = value.get("kind"), value.get("metadata")
        if not isinstance(kind, str) or not isinstance(metadata, dict):
            return
        group = str(value.get("apiVersion", "")).rpartition("/")[0]
        if _GROUPS.get(kind, group) != group or not metadata.get("name"):
            return
        if not metadata.get("namespace"):
            value = {**value, "metadata": {**metadata, "namespace": namespace}}
        metadata = value["metadata"]
        self._kinds.setdefault(kind, []).append(value)
        self._index[kind, metadata["namespace"], metadata.get("name", "")] = value
        self._index[kind, "", metadata.get("name", "")] = value

    def get(self, kind: str, namespace: str | None, name: str) -> Tree | None:
        """The object, None where it is not shown; `namespace` is None for kinds without namespaces."""
        return self._index.get((kind, namespace or "", name))

    def list(self, kind: str, namespace: str | None = None) -> Trees:
        """Objects of a kind in order of namespace and name."""
        values = self._kinds.get(kind, [])
        return values if namespace is None else [v for v in values if v["metadata"]["namespace"] == namespace]

    def exists(self, kind: str, namespace: str | None, name: str) -> bool:
        """Whether the object is shown. No input shows a whole cluster: what is not here may exist there."""
        return self.get(kind, namespace, name) is not None

    def spares(self, kind: str, namespace: str, name: str, *, chart: bool = False) -> bool:
        """Whether an object exists that would be created otherwise, by the operator or with its chart: it is noted."""
        exists = self.exists(kind, namespace, name)
        if exists:
            self.not_made[kind, namespace, name] = chart
        return exists

    def unknown(
        self, report: Report, kind: str, namespace: str | None, name: str, consequence: str, path: Path = ()
    ) -> None:
        """Tell that an object is not shown, and `consequence`: what the operator does while it doesn't exist.

        A warning by default, an error in strict mode.
        """
        label = f"{namespace}/{name}" if namespace else name
        message = f"{kind} `{label}` is not in the input or --cluster; {consequence}."
        hint = f"add the {kind} to the input, or to a file given with --cluster"
        report(ERROR if self.strict else WARNING, _UNKNOWN[kind], message, path, hint)

    def pull_secrets(self, namespace: str, image: str) -> Names:
        """Docker-registry Secrets of the namespace that know the image's registry, in order of name."""
        if self.lacks_secrets:
            return []
        host = registry_host(image)
        return [] if host is None else list(self._pull_secret_index().get((namespace, host), ()))

    @property
    def lacks_secrets(self) -> bool:
        """Whether no Secret of any kind is shown, so that nothing is known of those of image registries."""
        return "Secret" not in self._kinds

    def broken_pull_secrets(self) -> Reasons:
        """Docker-registry Secrets that the operator cannot read, each with the reason."""
        self._pull_secret_index()
        return self._broken

    def unread_pull_secrets(self, namespaces: Iterable[str]) -> Names:
        """Docker-registry Secrets of which only the name is shown, as `namespace/name`."""
        return [
            f"{namespace}/{item['metadata']['name']}"
            for namespace in sorted(set(namespaces))
            for item in self.list("Secret", namespace)
            if item.get("type") == TYPE and not has_content(item)
        ]

    def _pull_secret_index(self) -> dict[tuple[str, str], Names]:
        if self._pull_secrets is None:
            secrets = [item for item in self.list("Secret") if item.get("type") == TYPE and has_content(item)]
            restricted = self.config.namespace.restricted
            if restricted:
                secrets = [secret for secret in secrets if secret["metadata"]["namespace"] == restricted]
            self._pull_secrets, self._broken = index_of(secrets, self.release)
        return self._pull_secrets

    def component_service_account(self, namespace: str) -> str | None:
        """The first ServiceAccount that is labelled for component pods.

        Source: controller/dynamocomponentdeployment_controller.go generatePodTemplateSpec.
        """
        for account in self.list("ServiceAccount", namespace):
            metadata = account["metadata"]
            if (metadata.get("labels") or {}).get("nvidia.com/dynamo-component-pod") == "true":
                return str(metadata.get("name", ""))
        return None

    def key_pair_secrets(self, report: Report, name: str, namespaces: Names) -> Trees:
        """The Secrets with the key pair for mpirun that are missing in `namespaces`.

        They are copies where the operator's namespace has one. Otherwise the operator makes a new pair, or, in 0.6,
        copies one that is not shown. dynamoc does so with `generate_secrets` only, else reports it: a made-up key would
        differ in each run, and a placeholder would overwrite the key of a running cluster.
        """
        makes = self.release.has("mpi/makes-key-pair")
        source = self.get("Secret", self.config.mpi.ssh_secret_namespace, name)
        if source is not None and secrets.has_content(source):
            return secrets.copies(source, namespaces, labelled=makes)
        if self.generate_secrets and source is None:
            try:
                return secrets.new(name, namespaces, labelled=makes)
            except OSError as error:
                report(
                    ERROR, "context/key-pair", f"ssh-keygen cannot create a key pair: {error}.", (), "install OpenSSH"
                )
                return []
        places = " and ".join(f"`{namespace}/{name}`" for namespace in namespaces)
        source_name = f"`{self.config.mpi.ssh_secret_namespace}/{name}`"
        makes = makes and source is None
        verb = "creates a key pair for mpirun and stores it in" if makes else f"copies the key pair {source_name} to"
        message = f"The operator {verb} {places}; it is not part of the output."
        hint = "create one with --include=secrets" if source is None else "--cluster has only the name of the Secret"
        report(NOTE, "context/key-pair", message, (), hint)
        return []


def unknown_object(finding: Finding) -> tuple[str, str, str] | None:
    """Kind, namespace ("" for none) and name of the object that `ClusterContext.unknown` reports, None for others."""
    subject, found, _ = finding.message.partition("` is not in the input or --cluster; ")
    if not found or finding.slug not in _UNKNOWN.values():
        return None
    kind, _, label = subject.partition(" `")
    namespace, _, name = label.rpartition("/")
    return kind, namespace, name


def _sort_key(value: Tree) -> tuple[str, str]:
    metadata = value["metadata"]
    return (metadata["namespace"], metadata.get("name") or "")


_NEAR = 0.85


def foreign(value: dict[str, Any], release: str) -> Problem | None:
    """What is wrong with a document that means a kind of the operator and names something else; None for others."""
    kind, written = str(value["kind"]), str(value["apiVersion"])
    group = written.rpartition("/")[0]
    if is_dynamo(value) or not (group == GROUP or "dynamo" in kind.lower()):
        return None
    near = _near(kind) or (_meant(value) if group == GROUP else None)
    if near == kind:
        return _in_foreign_group(value, kind, written, release)
    if near is None or (group != GROUP and "dynamo" not in group and near.lower() != kind.lower()):
        return None
    message = f"The operator has no kind `{kind}`: it ignores this document."
    change = Change("write", near, kind) if near.lower() == kind.lower() or edits(kind, near, 2) < 2 else None
    hint = f"did you mean `{near}`?"
    if group != GROUP:
        hint = f"did you mean `{near}`, in `{_version(value, near, written, release)}`?"
    return Problem("input/unknown-kind", ("kind",), message, hint, change=change)


def _in_foreign_group(value: dict[str, Any], kind: str, written: str, release: str) -> Problem:
    version = _version(value, kind, written, release)
    message = f"The operator has no {kind} in `{written}`: it ignores this document."
    change = Change("write", version, written)
    return Problem("input/foreign-group", ("apiVersion",), message, f"write `apiVersion: {version}`", change=change)


def _version(value: dict[str, Any], kind: str, written: str, release: str) -> str:
    """The apiVersion that is meant: the one that is written, if the kind has it, else the one that has the fields."""
    known = release if served(release, kind) else releases_with_kind(kind)[-1]
    asked = f"{GROUP}/{written.rpartition('/')[2]}"
    return asked if asked in served(known, kind) else best_version(value, load(known), kind)


def _meant(value: dict[str, Any]) -> str | None:
    """A document in the operator's group with the fields of a graph, whatever its kind says."""
    spec = value.get("spec")
    parts = (spec.get("components"), spec.get("services")) if isinstance(spec, dict) else ()
    return "DynamoGraphDeployment" if any(isinstance(part, dict | list) for part in parts) else None


def _near(kind: str) -> str | None:
    """The kind of the operator that a word stands for; None for words that resemble none."""
    kinds = {name for release in ORDER for names in load(release)["kinds"].values() for name in names}
    names = {name.lower(): name for name in sorted(kinds) if name.startswith("Dynamo")}
    found = get_close_matches(kind.lower(), names, n=1, cutoff=_NEAR)
    return names[found[0]] if found else None
