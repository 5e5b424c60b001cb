"""Amounts that are almost surely meant in another unit, and nodes that do not exist."""

from __future__ import annotations

from dynamoc.check.registry import rule
from dynamoc.diagnostics.change import Change
from dynamoc.diagnostics.finding import ERROR
from dynamoc.golang.quantity import milli
from dynamoc.kube.lenient import entries, mapping, text, texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.check.made import Made, Workload
    from dynamoc.diagnostics.finding import Path
    from dynamoc.stages.faults import Fault

    Tree = dict[str, Any]
    Amount = tuple[str, Any, Path]
    """Name of the resource, amount and path."""

_MIB, _TIB = 1 << 20, 1 << 40
#: a container with less memory does not start (runc refuses below 6 MiB; a process of Python takes more)
_LEAST = 6 * _MIB
#: the largest machines that one can rent have 1,920 processors and 32 TiB
_PROCESSORS, _MEMORY = 1920, 32 * _TIB
#: GPUs of the largest machines (NVIDIA HGX-2)
_GPUS = 16
#: less than anyone means by an amount of processors for a server (0.02 of one)
_FEW = 20


#: resources that device plugins of the makers of GPUs and adapters give
_DEVICES = ("nvidia.com/gpu", "nvidia.com/gpu.shared", "amd.com/gpu", "rdma/ib", "vpc.amazonaws.com/efa")
#: labels of nodes that graphs select by (Kubernetes' own, GPU feature discovery, GKE)
_NODE_LABELS = (
    *("kubernetes.io/arch", "kubernetes.io/os", "kubernetes.io/hostname", "node.kubernetes.io/instance-type"),
    *("nvidia.com/gpu.product", "nvidia.com/gpu.count", "nvidia.com/gpu.present", "nvidia.com/gpu.memory"),
    *("nvidia.com/gpu.family", "cloud.google.com/gke-accelerator", "topology.kubernetes.io/zone"),
)


@rule("check/misspelt-resource")
def misspelt_resources(made: Made) -> Iterator[Fault]:
    """Names of resources, and labels of nodes, that are a slip away from one that nodes have: pods wait forever."""
    from dynamoc.schema.nearest import one_letter_off

    for workload in made.workloads:
        for name, _, path in _amounts(workload):
            near = None if name in _DEVICES or "/" not in name else one_letter_off(name, _DEVICES)
            if near is not None:
                yield _misspelt(workload, path, f"No node has the resource `{name}`: the pods wait forever.", near)
        selector = mapping(workload.template.spec, "nodeSelector")
        for key in selector:
            near = None if key in _NODE_LABELS or "/" not in key else one_letter_off(key, _NODE_LABELS)
            if near is not None:
                path = (*workload.template.path, "nodeSelector", key)
                message = f"The pods of {workload.component} wait until a node has the label `{key}`."
                fault = _misspelt(workload, path, message, near)
                fault.problem.severity = "warning"
                yield fault


def _misspelt(workload: Workload, path: Path, message: str, near: str) -> Fault:
    fault = workload.fault("check/misspelt-resource", path, message, f"did you mean `{near}`?")
    fault.problem.change = Change("rename", near)
    return fault


@rule("check/odd-amount")
def odd_amounts(made: Made) -> Iterator[Fault]:
    """`memory: 64` is 64 bytes, `64m` less than one, and `cpu: 8000` are 8,000 processors."""
    for workload in made.workloads:
        for name, amount, path in _amounts(workload):
            found = _odd(name, amount)
            if found is not None:
                said, hint, surely = found
                fault = workload.fault("check/odd-amount", path, f"`{name}: {amount}` is {said}.", hint)
                fault.problem.severity = ERROR if surely else "warning"
                yield fault
    for index, item in enumerate(made.objects):
        if item["kind"] == "PersistentVolumeClaim":
            path = ("spec", "resources", "requests", "storage")
            amount = mapping(item, *path[:-1]).get("storage")
            found = _odd("storage", amount) if amount is not None else None
            if found is not None:
                from dynamoc.schema.problem import Problem
                from dynamoc.stages.faults import Fault

                message = f"`storage: {amount}` is {found[0]}."
                yield Fault(index, item, Problem("check/odd-amount", path, message, found[1], ERROR))


def _amounts(workload: Workload) -> Iterator[Amount]:
    for path, container in workload.containers():
        for field in ("limits", "requests"):
            for name, amount in mapping(container, "resources", field).items():
                yield name, amount, (*path, "resources", field, name)
    for path, volume in entries(workload.template.spec, "volumes", workload.template.path):
        limit = mapping(volume, "emptyDir").get("sizeLimit")
        if limit is not None:
            yield "sizeLimit", limit, (*path, "emptyDir", "sizeLimit")


def _odd(name: str, amount: Any) -> tuple[str, str, bool] | None:
    """What an amount is, what to write, and whether the pod surely cannot start; None where it may be meant."""
    if name not in ("cpu", "memory", "ephemeral-storage", "sizeLimit", "storage") and "gpu" not in name:
        return None
    try:
        thousandths = milli(amount)
    except ValueError:
        return None
    written = str(amount)
    if thousandths <= 0:
        return None
    if name == "cpu":
        return _odd_processors(thousandths, written)
    if "gpu" in name:
        count = thousandths // 1000
        many = count > _GPUS and name == "nvidia.com/gpu"
        return (f"{count} GPUs of one node, and no node has so many", "use several nodes", True) if many else None
    if thousandths < _LEAST * 1000:
        digits = written.rstrip("m")
        said = "less than one byte" if thousandths < 1000 else f"{thousandths // 1000:,} bytes"
        surely = name in ("memory", "storage")
        return said, f"write `{digits}Gi`, or `{digits}Mi`", surely
    if thousandths > _MEMORY * 1000 and name == "memory":
        return f"{thousandths // 1000 / _TIB:,.0f} TiB, more than any machine has", "write `Gi` or `Mi` behind it", True
    return None


def _odd_processors(thousandths: int, written: str) -> tuple[str, str, bool] | None:
    if thousandths > _PROCESSORS * 1000:
        return (
            f"{thousandths // 1000:,} processors, more than any machine has",
            f"write `{written}m`, if you mean that",
            True,
        )
    if thousandths < _FEW:
        return f"{thousandths / 1000:g} of a processor", f'write `"{written.rstrip("m")}"` for whole processors', False
    return None


#: products whose processors are ARM's
_ARM = ("gb200", "gb300", "gh200")


@rule("check/impossible-node")
def impossible_nodes(made: Made) -> Iterator[Fault]:
    """Labels that no node has together: a pod that asks for them waits forever."""
    for component in made.components:
        leader = component.first
        spec = leader.template.spec
        selector = mapping(spec, "nodeSelector")
        for key, message, hint in _impossible(spec, selector, leader):
            where = (*leader.template.path, "nodeSelector", key)
            yield leader.fault("check/impossible-node", where, f"{component.name} waits forever: {message}", hint)


def _impossible(spec: Tree, selector: Tree, leader: Workload) -> Iterator[tuple[str, str, str]]:
    product = text(selector.get("nvidia.com/gpu.product")).lower()
    arch, system = text(selector.get("kubernetes.io/arch")), text(selector.get("kubernetes.io/os"))
    is_arm = any(each in product for each in _ARM)
    if product and arch and is_arm != (arch == "arm64"):
        right = "arm64" if is_arm else "amd64"
        # Other GPUs may be in machines with ARM's processors, too; these are in no others.
        if is_arm or arch not in ("amd64", "arm64"):
            yield "kubernetes.io/arch", f"nodes with {product.upper()} are {right}, not {arch}.", f"write `{right}`"
    if system and system != "linux":
        yield "kubernetes.io/os", f"the images are for linux, not for {system}.", "write `linux`"
    gpus = text(selector.get("nvidia.com/gpu.count"))
    if gpus.isdecimal() and 0 < int(gpus) < leader.gpus:
        yield "nvidia.com/gpu.count", f"it asks for {leader.gpus} GPUs on nodes with {gpus}.", "use nodes with more"
    present = text(selector.get("nvidia.com/gpu.present"))
    if present == "false" and leader.gpus:
        yield "nvidia.com/gpu.present", "it asks for GPUs on nodes without.", 'write `"true"`'
    required = mapping(spec, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    terms = [term for _, term in entries(required, "nodeSelectorTerms")]
    for key, value in selector.items():
        if terms and all(_excludes(term, key, text(value)) for term in terms):
            yield key, f"`nodeAffinity` excludes nodes with `{key}: {value}`.", "keep one of the two"


def _excludes(term: Tree, key: str, value: str) -> bool:
    for _, wanted in entries(term, "matchExpressions"):
        if wanted.get("key") == key:
            values, operator = texts(wanted.get("values")), wanted.get("operator")
            if (operator == "In" and value not in values) or (operator == "NotIn" and value in values):
                return True
            if operator == "DoesNotExist":
                return True
    return False
