"""Variables that nothing reads, amounts that are surely meant in another unit, and nodes that do not exist."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from dynamoc.analysis.check.engines import SETTINGS
from dynamoc.analysis.check.graphs import written_variables
from dynamoc.analysis.check.rendering import Rendering, Workload, mounted_from, rule
from dynamoc.analysis.requires.pods import PodSpec, pod_references
from dynamoc.compiler.faults import Fault
from dynamoc.documents.findings.edits import Change
from dynamoc.documents.findings.finding import ERROR, Path
from dynamoc.documents.schema.problem import Problem
from dynamoc.documents.schema.suggestions import nearest, one_letter_off
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import entries, identity, is_env_var_name, mapping, text, texts
from dynamoc.kube.quantity import milli
from dynamoc.reference.slugs import Severity

Amount = tuple[str, Any, Path]
"""Name of the resource, amount and path."""

_FILE = os.path.join(os.path.dirname(__file__), "variables.txt")
#: how names begin that Dynamo, its engines and its libraries read
_OWN = ("DYN", "HF_", "HUG", "NCCL_", "UCX_", "VLLM_", "SGL", "NATS_", "ETCD_", "CUDA_", "TRANSF", "NIXL", "OMPI_")
#: names of fewer letters are near too many others
_SHORT = 6


@rule("check/misspelt-variable")
def misspelt_variables(rendering: Rendering) -> Iterator[Problem]:
    """Names that are a slip away from one that is read."""
    lines = ""
    written: dict[str, set[str]] = {}
    found = [(name, path, text(variable.get("name"))) for name, path, variable in written_variables(rendering)]
    for component, _, name in found:
        written.setdefault(component, set()).add(name)
    for component, path, name in found:
        upper = name.upper().replace("-", "_")
        # What is no name at all, the API server refuses.
        if len(name) < _SHORT or not _may_be_meant(upper) or not is_env_var_name(name):
            continue
        if not lines:
            with open(_FILE, encoding="utf-8") as file:
                lines = file.read()
        near = None if f"\n{name}\n" in lines else _near(name, upper, lines)
        if near is not None and near not in written[component]:
            message = f"Nothing reads the variable `{name}`."
            problem = rendering.problem("check/misspelt-variable", (*path, "name"), message, f"did you mean `{near}`?")
            problem.change = Change("write", near, name) if one_letter_off(name, [near]) else None
            yield problem


def _may_be_meant(name: str) -> bool:
    """Whether its letters begin as those of a name that is read; two of them may be swapped."""
    return any(name.startswith(each[:2]) or sorted(name[:3]) == sorted(each[:3]) for each in _OWN)


def _near(name: str, upper: str, lines: str) -> str | None:
    known = [line for line in lines.split("\n") if line and line[0] != "#"]
    if upper in known:
        return upper

    return nearest(upper, known, 2 if len(name) < len("HF_HUB_CACHE") else 3)


_HERE = ("localhost", "127.0.0.1", "0.0.0.0", "::1")
#: what is asked under an address, and what its container would be called
_SERVERS = {
    "NATS_SERVER": "nats",
    "ETCD_ENDPOINTS": "etcd",
    "MODEL_EXPRESS_URL": "express",
    "PROMETHEUS_ENDPOINT": "prometheus",
}


@rule("check/local-address")
def local_addresses(rendering: Rendering) -> Iterator[Fault]:
    """Servers that are looked for in the pod itself, which has none."""
    for workload in rendering.workloads:
        for name, server in _SERVERS.items():
            where, value = workload.value(name)
            host = value.rpartition("://")[2].rpartition("@")[2].split("/")[0].rpartition(":")[0]
            if not value or (host or value).strip("[]") not in _HERE:
                continue
            spec = workload.template.spec
            beside = (
                text(c.get("name")) + text(c.get("image"))
                for _, c in workload.containers()
                if c is not workload.main[1]
            )
            if not spec.get("hostNetwork") and not any(server in each for each in beside):
                message = f"{workload.component} looks for {server} at {value}, which is the pod itself."
                hint = "name its Service, such as `nats://dynamo-platform-nats.NAMESPACE:4222`; or remove the variable"
                yield workload.fault("check/local-address", where, message, hint)


#: the kinds of which an object that is there says what another name was meant to be
_OBJECTS = ("PersistentVolumeClaim", "Secret", "ConfigMap")


@rule("check/misspelt-name")
def misspelt_names(rendering: Rendering) -> Iterator[Fault]:
    """Objects that the input does not have, and whose name is one letter off from one that it has."""
    held: dict[tuple[str, str], set[str]] = {}
    for kind in _OBJECTS:
        for value in rendering.others.get(kind, ()):
            namespace, name = identity(value, rendering.namespace)[2:]
            held.setdefault((kind, namespace), set()).add(name)
    if not held:
        return

    # The operator looks for claims among those that the graph declares, if it declares any.
    declares = bool(mapping(rendering.document.value, "spec").get("pvcs"))
    for workload in rendering.workloads:
        namespace = text(mapping(workload.item, "metadata").get("namespace")) or rendering.namespace
        pod = PodSpec(workload.template.path, workload.template.spec, (), {})
        for reference in pod_references(pod):
            known = held.get((reference.kind, namespace), set())
            near = None if reference.name in known or reference.optional else one_letter_off(reference.name, known)
            # `models-1` and `models-2` may both be there.
            if near is None or _letters(near) == _letters(reference.name):
                continue
            if declares and reference.kind == "PersistentVolumeClaim":
                continue
            message = (
                f"{workload.component} needs the {reference.kind} `{reference.name}`, which the input does not have: "
                "its pods wait until you create it."
            )
            yield workload.fault("check/misspelt-name", reference.path, message, f"did you mean `{near}`?")


def _letters(word: str) -> str:
    return "".join(char for char in word if not char.isdigit())


@rule("check/missing-key")
def missing_keys(rendering: Rendering) -> Iterator[Fault]:
    """Keys that a Secret or ConfigMap of the input does not have: the container does not start."""
    held = {
        (text(value.get("kind")), *identity(value, "default")[2:]): value
        for kind in ("Secret", "ConfigMap")
        for value in rendering.others.get(kind, ())
    }
    for workload in rendering.workloads if held else ():
        namespace = text(mapping(workload.item, "metadata").get("namespace")) or "default"
        for kind, name, key, where in (*_asked(workload), *_settings_files(workload)):
            holder = held.get((kind, namespace, name))
            if holder is None or not key:
                continue
            keys = {*mapping(holder, "data"), *mapping(holder, "stringData"), *mapping(holder, "binaryData")}
            if key not in keys:
                near = nearest(key, keys)
                message = f"{workload.component} reads the key `{key}` of the {kind} `{name}`, which has no such key."
                listed = f"it has {', '.join(f'`{each}`' for each in sorted(keys))}" if keys else "it is empty"
                hint = f"did you mean `{near}`?" if near else listed
                yield workload.fault("check/missing-key", where, message, hint)


def _settings_files(workload: Workload) -> Iterator[tuple[str, str, str, Path]]:
    """The settings of engines that a mounted ConfigMap is to have."""
    for value, path in workload.arguments.values(*SETTINGS.get(workload.arguments.engine or "", ())):
        found = mounted_from(workload, value)
        if found is not None:
            yield "ConfigMap", *found, (*workload.main[0], *path)


def _asked(workload: Workload) -> Iterator[tuple[str, str, str, Path]]:
    """Kind and name of an object, a key of it, and where it is asked for."""
    for path, container in workload.containers():
        for where, variable in entries(container, "env", path):
            for field, kind in (("secretKeyRef", "Secret"), ("configMapKeyRef", "ConfigMap")):
                asked = mapping(variable, "valueFrom", field)
                if asked and not asked.get("optional"):
                    yield kind, text(asked.get("name")), text(asked.get("key")), (*where, "valueFrom", field, "key")
    for path, volume in entries(workload.template.spec, "volumes", workload.template.path):
        for field, kind, named in (("secret", "Secret", "secretName"), ("configMap", "ConfigMap", "name")):
            source = mapping(volume, field)
            for where, item in entries(source, "items", (*path, field)) if not source.get("optional") else ():
                yield kind, text(source.get(named)), text(item.get("key")), (*where, "key")


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
def misspelt_resources(rendering: Rendering) -> Iterator[Fault]:
    """Names of resources, and labels of nodes, that are a slip away from one that nodes have: pods wait forever."""
    for workload in rendering.workloads:
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
                yield _misspelt(workload, path, message, near, "warning")


def _misspelt(workload: Workload, path: Path, message: str, near: str, severity: Severity | None = None) -> Fault:
    change, hint = Change("rename", near), f"did you mean `{near}`?"
    return workload.fault("check/misspelt-resource", path, message, hint, severity, change)


@rule("check/odd-amount")
def odd_amounts(rendering: Rendering) -> Iterator[Fault]:
    """`memory: 64` is 64 bytes, `64m` less than one, and `cpu: 8000` are 8,000 processors."""
    for workload in rendering.workloads:
        for name, amount, path in _amounts(workload):
            found = _odd(name, amount)
            if found is not None:
                said, hint, surely = found
                fault = workload.fault("check/odd-amount", path, f"`{name}: {amount}` is {said}.", hint)
                fault.problem.severity = ERROR if surely else "warning"
                yield fault
    for index, item in enumerate(rendering.objects):
        if item["kind"] == "PersistentVolumeClaim":
            path = ("spec", "resources", "requests", "storage")
            amount = mapping(item, *path[:-1]).get("storage")
            found = _odd("storage", amount) if amount is not None else None
            if found is not None:
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
def impossible_nodes(rendering: Rendering) -> Iterator[Fault]:
    """Labels that no node has together: a pod that asks for them waits forever."""
    for component, leader in rendering.leaders():
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
