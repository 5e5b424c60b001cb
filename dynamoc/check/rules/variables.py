"""Variables that nothing reads, or that lead nowhere."""

from __future__ import annotations

import os

from dynamoc.check.engines import SETTINGS
from dynamoc.check.registry import rule
from dynamoc.check.rules.graphs import written_variables
from dynamoc.kube.identity import identity
from dynamoc.kube.lenient import entries, mapping, text
from dynamoc.kube.names import is_env_var_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.check.made import Made, Workload
    from dynamoc.diagnostics.change import Change
    from dynamoc.diagnostics.finding import Path
    from dynamoc.schema.problem import Problem
    from dynamoc.stages.faults import Fault

    Tree = dict[str, Any]

_FILE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "variables.txt")
#: how names begin that Dynamo, its engines and its libraries read
_OWN = ("DYN", "HF_", "HUG", "NCCL_", "UCX_", "VLLM_", "SGL", "NATS_", "ETCD_", "CUDA_", "TRANSF", "NIXL", "OMPI_")
#: names of fewer letters are near too many others
_SHORT = 6


@rule("check/misspelt-variable")
def misspelt_variables(made: Made) -> Iterator[Problem]:
    """Names that are a slip away from one that is read."""
    lines = ""
    written: dict[str, set[str]] = {}
    found = [(name, path, text(variable.get("name"))) for name, path, variable in written_variables(made)]
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
            problem = made.problem("check/misspelt-variable", (*path, "name"), message, f"did you mean `{near}`?")
            problem.change = _renamed(name, near)
            yield problem


def _renamed(name: str, near: str) -> Change | None:
    from dynamoc.diagnostics.change import Change
    from dynamoc.schema.nearest import one_letter_off

    return Change("write", near, name) if one_letter_off(name, [near]) else None


def _may_be_meant(name: str) -> bool:
    """Whether its letters begin as those of a name that is read; two of them may be swapped."""
    return any(name.startswith(each[:2]) or sorted(name[:3]) == sorted(each[:3]) for each in _OWN)


def _near(name: str, upper: str, lines: str) -> str | None:
    known = [line for line in lines.split("\n") if line and line[0] != "#"]
    if upper in known:
        return upper
    from dynamoc.schema.nearest import nearest

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
def local_addresses(made: Made) -> Iterator[Fault]:
    """Servers that are looked for in the pod itself, which has none."""
    for workload in made.workloads:
        for name, server in _SERVERS.items():
            found = workload.variable(name)
            value = text(found[1].get("value")) if found else ""
            host = value.rpartition("://")[2].rpartition("@")[2].split("/")[0].rpartition(":")[0]
            if not found or not value or (host or value).strip("[]") not in _HERE:
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
                yield workload.fault("check/local-address", (*found[0], "value"), message, hint)


#: the kinds of which an object that is there says what another name was meant to be
_OBJECTS = ("PersistentVolumeClaim", "Secret", "ConfigMap")


@rule("check/misspelt-name")
def misspelt_names(made: Made) -> Iterator[Fault]:
    """Objects that the input does not have, and whose name is one letter off from one that it has."""
    held: dict[tuple[str, str], set[str]] = {}
    for kind in _OBJECTS:
        for value in made.others.get(kind, ()):
            namespace, name = identity(value, made.namespace)[2:]
            held.setdefault((kind, namespace), set()).add(name)
    if not held:
        return
    from dynamoc.requires.pod_references import pod_references
    from dynamoc.requires.pod_specs import PodSpec
    from dynamoc.schema.nearest import one_letter_off

    # The operator looks for claims among those that the graph declares, if it declares any.
    declares = bool(mapping(made.document.value, "spec").get("pvcs"))
    for workload in made.workloads:
        namespace = text(mapping(workload.item, "metadata").get("namespace")) or made.namespace
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
def missing_keys(made: Made) -> Iterator[Fault]:
    """Keys that a Secret or ConfigMap of the input does not have: the container does not start."""
    held = {
        (text(value.get("kind")), *identity(value, "default")[2:]): value
        for kind in ("Secret", "ConfigMap")
        for value in made.others.get(kind, ())
    }
    for workload in made.workloads if held else ():
        namespace = text(mapping(workload.item, "metadata").get("namespace")) or "default"
        for kind, name, key, where in (*_asked(workload), *_settings_files(workload)):
            holder = held.get((kind, namespace, name))
            if holder is None or not key:
                continue
            keys = {*mapping(holder, "data"), *mapping(holder, "stringData"), *mapping(holder, "binaryData")}
            if key not in keys:
                from dynamoc.schema.nearest import nearest

                near = nearest(key, keys)
                message = f"{workload.component} reads the key `{key}` of the {kind} `{name}`, which has no such key."
                listed = f"it has {', '.join(f'`{each}`' for each in sorted(keys))}" if keys else "it is empty"
                hint = f"did you mean `{near}`?" if near else listed
                yield workload.fault("check/missing-key", where, message, hint)


def _settings_files(workload: Workload) -> Iterator[tuple[str, str, str, Path]]:
    """The settings of engines that a mounted ConfigMap is to have."""
    for value, path in workload.arguments.values(*SETTINGS.get(workload.arguments.engine or "", ())):
        from dynamoc.check.engine_files import mounted_from

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
