"""Settings files of engines that a ConfigMap of the input holds, found by where the pod mounts it."""

from __future__ import annotations

from dynamoc.diagnostics.finding import Findings
from dynamoc.kube.lenient import entries, mapping, text
from dynamoc.kube.scope import with_namespace
from dynamoc.source.reader import read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.check.made import Made, Workload

    Tree = dict[str, Any]

#: names of TensorRT-LLM's settings for those of flags; other engines have the flags' own names, without dashes
_TRTLLM = {
    "--tensor-parallel-size": "tensor_parallel_size",
    "--pipeline-parallel-size": "pipeline_parallel_size",
    "--expert-parallel-size": "moe_expert_parallel_size",
}


def settings_in(made: Made, workload: Workload, file: str) -> Tree | None:
    """What a file says that the pods of a workload read; None where the input does not have it, or it is no mapping."""
    found = _content(made, workload, file)
    if found is None:
        return None
    values = [each.value for each in read_text(found.encode(), file, Findings(), objects=False)]
    return values[0] if len(values) == 1 and isinstance(values[0], dict) else None


def size_in(settings: Tree, flags: tuple[str, ...]) -> int | None:
    """The size that the settings give for one of some flags; None where they give none."""
    for flag in flags:
        plain = flag.lstrip("-")
        for name in (_TRTLLM.get(flag, plain), plain, plain.replace("-", "_")):
            value = settings.get(name)
            if isinstance(value, int) and not isinstance(value, bool):
                return value
    return None


def mounted_from(workload: Workload, file: str) -> tuple[str, str] | None:
    """The ConfigMap that a file is mounted from, and the key that it must have; None where it is from elsewhere."""
    _, container = workload.main
    volumes = {text(each.get("name")): each for _, each in entries(workload.template.spec, "volumes", ())}
    mounts = [each for _, each in entries(container, "volumeMounts", ())]
    # The mount nearest to the file has it.
    for mount in sorted(mounts, key=lambda each: -len(text(each.get("mountPath")))):
        at = text(mount.get("mountPath")).rstrip("/")
        if not at or not (file == at or file.startswith(f"{at}/")):
            continue
        source = mapping(volumes.get(text(mount.get("name")), {}), "configMap")
        inside = "/".join(part for part in (text(mount.get("subPath")), file[len(at) :].strip("/")) if part)
        keys = {text(each.get("path")): text(each.get("key")) for _, each in entries(source, "items", ())}
        key = keys.get(inside, "") if keys else inside
        return (text(source.get("name")), key) if source else None
    return None


def _content(made: Made, workload: Workload, file: str) -> str | None:
    name, key = mounted_from(workload, file) or ("", "")
    namespace = text(mapping(workload.item, "metadata").get("namespace"))
    for value in made.others.get("ConfigMap", ()) if name else ():
        metadata = mapping(with_namespace(value, made.namespace), "metadata")
        if metadata.get("name") == name and metadata.get("namespace") == namespace:
            return text(mapping(value, "data").get(key)) or None
    return None
