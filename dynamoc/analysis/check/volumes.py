"""Volumes that pods on several nodes cannot share, and models that are looked for beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dynamoc.analysis.check.engines import name_of
from dynamoc.analysis.check.rendering import Rendering, Workload, dynamo_minor, image_parts, rule
from dynamoc.compiler.faults import Fault
from dynamoc.documents.findings.finding import Path
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import entries, mapping, text, texts

_CACHES = ("cache", "model", "weights", "hf", "huggingface", "checkpoint")


@rule("check/claim-of-one-node")
def claims_of_one_node(rendering: Rendering) -> Iterator[Fault]:
    claims = rendering.claims()
    users: dict[tuple[str, str], int] = {}
    for workload in rendering.workloads:
        namespace = text(mapping(workload.item, "metadata").get("namespace")) or "default"
        for path, volume in entries(workload.template.spec, "volumes", workload.template.path):
            name = text(mapping(volume, "persistentVolumeClaim").get("claimName"))
            modes = texts(mapping(claims.get((namespace, name)), "spec").get("accessModes"))
            if not modes or set(modes) - {"ReadWriteOnce", "ReadWriteOncePod"}:
                continue
            key = (namespace, name)
            before, users[key] = users.get(key, 0), users.get(key, 0) + workload.template.pods
            if before <= 1 < users[key]:
                mode = modes[0]
                message = f"{users[key]} pods mount the claim `{name}`, which is {mode}: {_REASON[mode]}"
                where = (*path, "persistentVolumeClaim", "claimName")
                yield workload.fault("check/claim-of-one-node", where, message, "use a claim that is ReadWriteMany")


_REASON = {
    "ReadWriteOnce": "all of them must run on one node, or they wait forever.",
    "ReadWriteOncePod": "only one of them can run.",
}


@rule("check/host-path-cache")
def host_path_caches(rendering: Rendering) -> Iterator[Fault]:
    for workload in rendering.workloads:
        for path, volume in entries(workload.template.spec, "volumes", workload.template.path):
            directory = text(mapping(volume, "hostPath").get("path"))
            words = f"{text(volume.get('name'))}/{directory}".lower().replace("-", "/").replace("_", "/").split("/")
            if directory and any(word.startswith(_CACHES) for word in words):
                message = (
                    f"`{directory}` is a directory of the node: a pod that moves to another node starts without it, "
                    "and pods of other graphs see it."
                )
                where = (*path, "hostPath", "path")
                yield workload.fault("check/host-path-cache", where, message, "use a PersistentVolumeClaim")


#: volumes whose content outlives a pod, or is there before it
_KEPT = ("persistentVolumeClaim", "hostPath", "nfs", "csi", "ephemeral", "image", "glusterfs", "cephfs", "iscsi")
#: where models are looked for: each variable is below the one before, as the libraries read them
_HOMES = ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "TRANSFORMERS_CACHE", "HF_HOME")
#: the user of Dynamo's images since 1.0 has this home (container/templates/dynamo_runtime.Dockerfile)
_HOME = "/home/dynamo/.cache/huggingface"
_FIRST_WITH_USER = (1, 0)
#: directories that images have themselves
_BAKED = ("/workspace", "/opt", "/app", "/usr", "/home", "/tmp", "/sgl-workspace", "/vllm-workspace", "/dev")
_RUNTIMES = ("vllm-runtime", "sglang-runtime", "tensorrtllm-runtime")
_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")


@rule("check/offline-model", "check/cache-beside-volume", "check/cache-of-other-user", "check/model-path")
def model_places(rendering: Rendering) -> Iterator[Fault]:
    """Where a model is looked for, against what is mounted."""
    for component, leader in rendering.leaders():
        model = name_of(leader.arguments)
        if leader.arguments.engine is None or leader.arguments.several or not model:
            continue
        mounts = dict(_mounts(leader))
        if model.startswith("/"):
            yield from _model_path(component.name, leader, model, mounts)
        elif not leader.arguments.has("--load-format", "--download-dir", "--model-express-url"):
            yield from _cache(component.name, leader, model, mounts)


def _mounts(leader: Workload) -> Iterator[tuple[str, tuple[Path, bool]]]:
    """Directories of the main container that are mounted: where that is written, and whether the content is kept."""
    volumes = {text(volume.get("name")): volume for _, volume in entries(leader.template.spec, "volumes")}
    for path, mount in entries(leader.main[1], "volumeMounts", leader.main[0]):
        volume = volumes.get(text(mount.get("name")), {})
        # The kubelet mounts what is relative below the root.
        directory = f"/{text(mount.get('mountPath')).strip('/')}"
        yield directory, ((*path, "mountPath"), any(kind in volume for kind in _KEPT))


def _is_below(path: str, directories: Iterable[str]) -> bool:
    return any(path == each or path.startswith(f"{each.rstrip('/')}/") for each in directories)


def _model_path(name: str, leader: Workload, model: str, mounts: dict[str, tuple[Path, bool]]) -> Iterator[Fault]:
    repository = image_parts(text(leader.main[1].get("image")))[0]
    if _is_below(model, mounts) or _is_below(model, _BAKED) or not repository.endswith(_RUNTIMES):
        return
    kept = sorted(each for each, (_, is_kept) in mounts.items() if is_kept)
    message = f"{name} loads its model from `{model}`, where nothing is mounted."
    hint = (
        f"mounted are {', '.join(f'`{each}`' for each in kept)}"
        if kept
        else "mount a claim there, or name a model of Hugging Face"
    )
    yield leader.at("check/model-path", ("--model", "--model-path"), message, hint)


def _cache(name: str, leader: Workload, model: str, mounts: dict[str, tuple[Path, bool]]) -> Iterator[Fault]:
    kept = {each: path for each, (path, is_kept) in mounts.items() if is_kept}
    found = next((each for variable in _HOMES if (each := leader.variable(variable))), None)
    home = text(found[1].get("value")) if found else ""
    if (found and not home) or "$" in home or "/" not in model:
        return
    offline = next((each for variable in _OFFLINE if (each := leader.variable(variable)) and _is_on(each[1])), None)
    repository, tag, _ = image_parts(text(leader.main[1].get("image")))
    is_own = repository.endswith(_RUNTIMES)
    if not kept:
        if offline and is_own and not mounts.keys() - {"/dev/shm"} and not leader.variable("MODEL_EXPRESS_URL"):
            message = f"{name} may load nothing, and no volume of its pods can have {model}."
            hint = f"mount a claim that has the model, or remove `{offline[1]['name']}`"
            yield leader.fault("check/offline-model", (*offline[0], "value"), message, hint)
        return
    if found and home.startswith("/"):
        if not _is_below(home, mounts) and not any(_is_below(each, [home]) for each in mounts):
            message = (
                f"{name} keeps models in `{home}`, but its volume is mounted at `{min(kept)}`: each pod loads them "
                "again."
            )
            yield leader.fault("check/cache-beside-volume", (*found[0], "value"), message, f"write `{min(kept)}`")
        return
    minor = dynamo_minor(tag)
    since_user = is_own and minor is not None and tuple(map(int, minor.split("."))) >= _FIRST_WITH_USER
    below_root = next((each for each in kept if _is_below(each, ["/root"])), None)
    of_pod = mapping(leader.template.spec, "securityContext").get("runAsUser")
    runs_as = mapping(leader.main[1], "securityContext").get("runAsUser", of_pod)
    if since_user and below_root and runs_as != 0 and not found and not leader.variable("HOME"):
        message = (
            f"{name} mounts a volume at `{below_root}`, but its image runs as the user `dynamo`, whose cache is "
            f"`{_HOME}`."
        )
        where = kept[below_root]
        yield leader.fault("check/cache-of-other-user", where, message, f"mount it at `{_HOME}`, or set `HF_HOME`")


def _is_on(variable: Tree) -> bool:
    return text(variable.get("value")).lower() in ("1", "true", "yes", "on")
