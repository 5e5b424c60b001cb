"""What graphs share and the rest, applied by those who may: an administrator, and the `admin` of a namespace."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from dynamoc.admission.cluster.helm_chart import WORKER_METADATA
from dynamoc.documents.emit.yaml import dump_yaml
from tools.apiserver.cluster import Cluster
from tools.apiserver.crds import install
from tools.apiserver.golden import Input, inputs, render

Tree = dict[str, Any]

PAGE = Path(__file__).parents[2] / "docs" / "standalone.md"
USER, HOME = "deployer", "team"
#: kinds that are gone as soon as they are deleted
_PRUNED = ("Deployment", "Service", "ServiceAccount", "ConfigMap", "LeaderWorkerSet", "PodCliqueSet")
#: questions to the API server until it knows a new binding
_PATIENCE = 100
#: kinds that a namespace's `admin` may make: they are in the administrator's part because graphs share them
_ALLOWED = ("ServiceAccount", "Secret")


def run(cluster: Cluster, release: str) -> str:
    """Applies both parts of all golden inputs, and says what came of it; RuntimeError where a part is wrong."""
    _make(cluster, "v1", "Namespace", HOME, None)
    _make(cluster, "v1", "ServiceAccount", USER, HOME)
    token = cluster.kubectl("create", "token", USER, "-n", HOME).stdout.strip()
    user = cluster.user(token)
    install(cluster, release)
    cluster.kubectl("delete", "crd", WORKER_METADATA)
    cluster.kubectl("apply", "-f", "-", input=documented_role())
    graphs = count = refused = pruned = 0
    for case, target in ((item, target) for item in inputs(release) for target in item.targets):
        graph, shared = _parts(case, release, target)
        if not graph:
            continue
        graphs, count = graphs + 1, count + len(graph)
        for namespace in {item["metadata"].get("namespace") for item in graph} - {None}:
            _admit(cluster, user, namespace)
        cluster.kubectl("apply", "-f", "-", input=dump_yaml(shared))
        refused += sum(_is_refused(user, item) for item in shared)
        _as_user(user, "apply", "-f", "-", text=dump_yaml(graph))
        _as_user(user, "delete", "--wait=false", "-f", "-", text=dump_yaml(graph))
        pruned += _prune(cluster, user, graph) if target == "plain" else 0
        gone = cluster.kubectl("get", "-f", "-", "-o", "name", input=dump_yaml(shared), check=False)
        if gone.returncode:
            raise RuntimeError(f"{case.name}: deleting the graph deleted what graphs share: {gone.stderr}")
        cluster.kubectl("delete", "--wait=false", "-f", "-", input=dump_yaml(shared))
    return (
        f"{release}: the admin of a namespace applied and deleted {count} objects of {graphs} graphs, and may make "
        f"none of the {refused} definitions, roles and bindings of their shared parts; {pruned} objects were pruned"
    )


def _prune(cluster: Cluster, user: Path, graph: list[Tree]) -> int:
    """Applies a graph as a set, then one object of it: the others are deleted. How many."""
    home = graph[0]["metadata"]["namespace"]
    if any(item["metadata"].get("namespace") != home or item["kind"] not in _PRUNED for item in graph):
        return 0
    command = ("apply", "--prune", "--applyset=chat", "-n", home, "-f", "-")
    _as_user(user, *command, text=dump_yaml(graph))
    _as_user(user, *command, text=dump_yaml(graph[:1]))
    left = cluster.kubectl("get", "-f", "-", "-o", "name", "--ignore-not-found", input=dump_yaml(graph)).stdout
    if len(left.splitlines()) != 1:
        raise RuntimeError(f"kubectl should prune all but one object, and left {left}")
    _as_user(user, "delete", "--wait=false", "-f", "-", text=dump_yaml(graph[:1]))
    return len(graph) - 1


def documented_role() -> str:
    """The ClusterRole of docs/standalone.md that lets a namespace's admin make kinds of Grove and others."""
    [found] = [block for block in PAGE.read_text().split("```yaml\n") if "aggregate-to-admin" in block]
    return found.partition("```")[0]


def _parts(case: Input, release: str, target: str) -> tuple[list[Tree], list[Tree]]:
    """The graph's objects and the shared ones; together they are all."""
    graph, shared, whole = (
        render(case, release, target=target, standalone=part) for part in ("graph", "shared", "all")
    )
    if sorted(map(json.dumps, [*graph, *shared])) != sorted(map(json.dumps, whole)):
        raise RuntimeError(f"{case.name}: the two parts are not the whole.")
    return graph, shared


def _is_refused(user: Path, item: Tree) -> bool:
    if item["kind"] in _ALLOWED:
        return False
    # Another name: a binding is judged by the role that it names, which is there.
    item = {**item, "metadata": {**item["metadata"], "name": f"my-{item['metadata']['name']}"}}
    said = _kubectl(user, "create", "--dry-run=server", "-f", "-", text=dump_yaml([item]))
    if "orbidden" not in said.stderr:
        raise RuntimeError(
            f"The admin of a namespace may make {item['kind']}/{item['metadata']['name']}: {said.stderr}"
        )
    return True


def _as_user(user: Path, *arguments: str, text: str) -> None:
    said = _kubectl(user, *arguments, text=text)
    if said.returncode:
        raise RuntimeError(f"kubectl {' '.join(arguments)} as the admin of a namespace: {said.stderr}")


def _kubectl(user: Path, *arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    command = ["kubectl", "--kubeconfig", str(user), *arguments]
    environment = {**os.environ, "KUBECTL_APPLYSET": "true"}
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False, env=environment)


def _admit(cluster: Cluster, user: Path, namespace: str) -> None:
    """Makes the user an admin of a namespace, and waits until the API server knows."""
    _make(cluster, "v1", "Namespace", namespace, None)
    binding = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": {"name": USER, "namespace": namespace},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "admin"},
        "subjects": [{"kind": "ServiceAccount", "name": USER, "namespace": HOME}],
    }
    cluster.create(binding, dry=False)
    for _ in range(_PATIENCE):
        asked = ("deployments.apps", "podcliquesets.grove.io")
        if not any(_kubectl(user, "auth", "can-i", "create", kind, "-n", namespace).returncode for kind in asked):
            return
    raise RuntimeError(f"The user is no admin of {namespace}.")


def _make(cluster: Cluster, version: str, kind: str, name: str, namespace: str | None) -> None:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    cluster.create({"apiVersion": version, "kind": kind, "metadata": metadata}, dry=False)
