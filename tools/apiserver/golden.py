"""What dynamoc makes of the golden inputs, applied to a cluster as a user applies it."""

import json
import time
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_paths
from dynamoc.documents.emit.order import sort_with_queues
from dynamoc.documents.emit.yaml import dump_yaml
from dynamoc.documents.findings.finding import Findings
from dynamoc.kube.names import identity
from dynamoc.reference.releases import RELEASES
from tests.golden.cases import GOLDEN
from tools.apiserver.cluster import Cluster
from tools.apiserver.crds import install

APPLIED = tuple(name for name in ("1.0", "1.4", "1.5") if name in RELEASES)
#: seconds until controllers have made all pods of a graph
_PODS = 60

Tree = dict[str, Any]


@dataclass(frozen=True)
class Input:
    """One golden input, and what to render it with."""

    name: str
    file: str
    operator_config: str | None
    targets: tuple[str, ...]


def inputs(release: str) -> list[Input]:
    """The golden inputs of a release, and those of releases before it, as a user has them who goes on."""
    found = []
    for path in sorted(GOLDEN.glob("*/*/case.toml")):
        options, folder = tomllib.loads(path.read_text()), path.parent
        if options["release"] in APPLIED[: APPLIED.index(release) + 1]:
            config = options.get("operator-config")
            file, targets = folder / "input.yaml", tuple(options.get("targets", ("grove", "lws", "plain")))
            name = folder.relative_to(GOLDEN).as_posix()
            found.append(Input(name, str(file), str(folder / config) if config else None, targets))
    return found


def run(cluster: Cluster, release: str) -> Iterator[str]:
    """Applies all inputs of a release, and says how many; RuntimeError at the first that fails."""
    install(cluster, release)
    chosen = inputs(release)
    rendered = [
        (f"{item.name} ({target})", render(item, release, target=target)) for item in chosen for target in item.targets
    ]
    taken = [(name, objects) for name, objects in rendered if objects]
    count = sum(_check(cluster, *batch, _apply) for batch in _batches(taken))
    yield f"{release}: {len(taken)} renderings of {len(chosen)} golden inputs, {count} objects applied"
    alone = [(item.name, render(item, release, target="plain", standalone=True)) for item in chosen]
    alone = [(name, objects) for name, objects in alone if any(made["kind"] == "Deployment" for made in objects)]
    pods = sum(_check(cluster, *batch, _make_pods) for batch in _batches(alone))
    yield f"{release}: {len(alone)} standalone renderings made {pods} pods"


def _batches(renderings: list[tuple[str, list[Tree]]]) -> list[tuple[str, list[Tree]]]:
    """Renderings that a cluster can hold together, since each run of kubectl costs a second: names and objects."""
    found: list[tuple[list[str], dict[tuple[str, ...], Tree]]] = []
    for name, objects in renderings:
        made: dict[tuple[str, ...], Tree] = {identity(item, "default"): item for item in objects}
        fitting = (batch for batch in found if all(batch[1].get(key, item) == item for key, item in made.items()))
        batch = next(fitting, None)
        if batch is None:
            batch = ([], {})
            found.append(batch)
        batch[0].append(name)
        batch[1].update(made)
    return [(", ".join(names), sort_with_queues(list(held.values()))) for names, held in found]


def render(item: Input, release: str, **options: Any) -> list[Tree]:
    """The objects of an input; none where it is refused, as most cases of refusals are."""
    findings = Findings()
    chosen = Options(operator_version=release, operator_config=item.operator_config, **options)
    objects = compile_paths([item.file], chosen, findings)
    return [] if any(found.severity == "error" for found in findings.items) else objects


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
