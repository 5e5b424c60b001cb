"""What dynamoc makes of the golden inputs, applied to a cluster as a user applies it."""

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

from dynamoc.compiler import Options, compile_paths
from dynamoc.diagnostics import Findings
from dynamoc.emit.yaml import dump_yaml
from dynamoc.release import RELEASES
from tests.api_server.cluster import Cluster
from tests.api_server.crds import install
from tests.golden.cases import Case, cases

APPLIED = tuple(name for name in ("1.0", "1.4", "1.5") if name in RELEASES)
#: seconds until controllers have made all pods of a graph
_PODS = 60

Tree = dict[str, Any]


def run(cluster: Cluster, release: str) -> Iterator[str]:
    """Applies all cases of a release, and says how many; RuntimeError at the first that fails."""
    install(cluster, release)
    chosen = [case for case in cases() if case.release == release]
    rendered = [(case, target, render(case, target=target)) for case in chosen for target in case.targets]
    taken = [(case, target, objects) for case, target, objects in rendered if objects]
    for case, target, objects in taken:
        _check(cluster, f"{case.name} ({release}, {target})", objects, _apply)
    count = sum(len(objects) for _, _, objects in taken)
    yield f"{release}: {len(taken)} renderings of {len(chosen)} golden cases, {count} objects applied"
    alone = [(case, render(case, target="plain", standalone=True)) for case in chosen]
    alone = [(case, objects) for case, objects in alone if any(item["kind"] == "Deployment" for item in objects)]
    pods = sum(_check(cluster, f"{case.name} ({release}, standalone)", objects, _make_pods) for case, objects in alone)
    yield f"{release}: {len(alone)} standalone renderings made {pods} pods"


def render(case: Case, **options: Any) -> list[Tree]:
    """The objects of a case; none where it is refused, as most cases of refusals are."""
    config = str(case.folder / case.operator_config) if case.operator_config else None
    findings = Findings()
    chosen = Options(operator_version=case.release, operator_config=config, **options)
    objects = compile_paths([str(case.input)], chosen, findings)
    return [] if any(item.severity == "error" for item in findings.items) else objects


def _check(cluster: Cluster, what: str, objects: list[Tree], check: Callable[[Cluster, list[Tree]], int]) -> int:
    for namespace in {item["metadata"].get("namespace") for item in objects} - {None}:
        cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}, dry=False)
    try:
        return check(cluster, objects)
    except RuntimeError as error:
        raise RuntimeError(f"{what}: {error}") from None
    finally:
        _delete(cluster, objects)


def _apply(cluster: Cluster, objects: list[Tree]) -> int:
    """Apply creates, then nothing differs, nor does another apply or one on the server's side change anything."""
    text = dump_yaml(objects)
    _expect(cluster.kubectl("apply", "-f", "-", input=text).stdout, " created", len(objects))
    cluster.kubectl("diff", "-f", "-", input=text)
    _expect(cluster.kubectl("apply", "-f", "-", input=text).stdout, " unchanged", len(objects))
    cluster.kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", input=text)
    cluster.kubectl("diff", "-f", "-", input=text)
    return len(objects)


def _make_pods(cluster: Cluster, objects: list[Tree]) -> int:
    """Applies, and waits until each Deployment has its pods."""
    cluster.kubectl("apply", "-f", "-", input=dump_yaml(objects))
    wanted = {
        (item["metadata"]["namespace"], item["metadata"]["name"]): item["spec"].get("replicas", 1)
        for item in objects
        if item["kind"] == "Deployment"
    }
    end = time.monotonic() + _PODS
    while True:
        found = json.loads(cluster.kubectl("get", "deployments", "-A", "-o", "json").stdout)["items"]
        made = {
            (item["metadata"]["namespace"], item["metadata"]["name"]): (item.get("status") or {}).get("replicas", 0)
            for item in found
        }
        if all(made.get(key) == count for key, count in wanted.items()):
            return sum(wanted.values())
        if time.monotonic() > end:
            events = cluster.kubectl("get", "events", "-A", "--field-selector", "type=Warning").stdout
            raise RuntimeError(f"Deployments should have {wanted} pods and have {made}.\n{events}")
        time.sleep(0.2)


def _expect(printed: str, ending: str, count: int) -> None:
    lines = printed.splitlines()
    wrong = [line for line in lines if not line.endswith(ending)]
    if wrong or len(lines) != count:
        raise RuntimeError(f"kubectl should say `{ending.strip()}` of {count} objects: {wrong or lines}")


def _delete(cluster: Cluster, objects: list[Tree]) -> None:
    """Deletes what was applied but definitions, and the pods that were made of it: nothing collects them."""
    kept = [item for item in objects if item["kind"] != "CustomResourceDefinition"]
    options = ("--ignore-not-found", "--wait=false")
    cluster.kubectl("delete", *options, "-f", "-", input=dump_yaml(kept))
    for namespace in {item["metadata"].get("namespace") for item in objects} - {None}:
        cluster.kubectl("delete", "replicasets,jobs,pods", "--all", *options, "-n", namespace)
