"""The profiling Job of 0.6, from free configuration.

Source: controller/dynamographdeploymentrequest_controller.go validateSpec, createProfilingJob of 0.6.
"""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal
from dynamoc.golang.yaml_text import dump_go_yaml
from dynamoc.requests.job import config_volume, copier, job_object, own_env
from dynamoc.requests.names import (
    ACCOUNT,
    CONFIG_DIR,
    CONFIG_FILE,
    CONFIG_VOLUME,
    OUTPUT_DIR,
    OUTPUT_VOLUME,
    PROFILER,
)
from dynamoc.tracing import builder
from dynamoc.tree import copy_tree, is_true

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.catalog.slugs import ErrorSlug
    from dynamoc.model.operator import Operator

    Tree = dict[str, Any]

_CONFIG = ("spec", "profilingConfig", "config")
_CLAIM = "dynamo-pvc"
_REQUESTS = {"cpu": "16", "memory": "10Gi"}


@builder(
    "requests/first_job/first-job",
    source="controller/dynamographdeploymentrequest_controller.go createProfilingJob",
    unless="requests/v1beta1",
)
def first_job(value: Tree, uid: str, operator: Operator) -> Tree:
    """The Job of a canonical v1alpha1 request. Refusal where the operator fails the request."""
    spec = value["spec"]
    profiling = spec.get("profilingConfig") or {}
    config = profiling.get("config")
    if not profiling.get("profilerImage"):
        raise _refusal("request/no-image", ("spec", "profilingConfig"), "`profilingConfig.profilerImage` is missing.")
    if config is None:
        raise _refusal("request/no-config", ("spec", "profilingConfig"), "`profilingConfig.config` is missing.")
    if config.__class__ is not dict:
        raise _refusal("request/config", _CONFIG, "`profilingConfig.config` must be a mapping.")
    _check_config_map(value, profiling.get("configMapRef"), operator)
    pod = {
        "serviceAccountName": ACCOUNT,
        "restartPolicy": "Never",
        "containers": [_profiler(value, profiling, uid), copier(value, uid, operator)],
        "volumes": _volumes(profiling),
        "imagePullSecrets": [{"name": "nvcr-imagepullsecret"}],
    }
    return job_object(value, _app(config), operator.release["request/backoff-limit"], pod)


def _refusal(slug: ErrorSlug, path: tuple[str, ...], message: str) -> Refusal:
    return Refusal(slug, f"{message} The operator fails the request.", path)


def _check_config_map(value: Tree, reference: Tree | None, operator: Operator) -> None:
    if reference is None:
        return
    path = ("spec", "profilingConfig", "configMapRef")
    namespace, name = value["metadata"]["namespace"], reference.get("name", "")
    found = operator.cluster.get("ConfigMap", namespace, name)
    if found is None:
        operator.unknown("ConfigMap", namespace, name, "without it, the operator fails the request", path)
        return
    key = reference.get("key") or CONFIG_FILE
    if key not in (found.get("data") or {}):
        raise _refusal("request/config-map", path, f"The ConfigMap {name} has no key `{key}`.")


def _app(config: Tree) -> str:
    """Whether AI Configurator is to stand in for GPUs (isOnlineProfiling)."""
    sweep = config.get("sweep")
    aic = sweep.__class__ is dict and is_true(sweep.get("use_ai_configurator"))
    return "aic-profiler" if aic else "dynamo-profiler"


def _profiler(value: Tree, profiling: Tree, uid: str) -> Tree:
    mounts: list[Tree] = [{"name": OUTPUT_VOLUME, "mountPath": OUTPUT_DIR}]
    if profiling.get("configMapRef") is not None:
        mounts.append({"name": CONFIG_VOLUME, "mountPath": CONFIG_DIR, "readOnly": True})
    return {
        "name": PROFILER,
        "image": profiling["profilerImage"],
        "command": ["python", "-m", "benchmarks.profiler.profile_sla"],
        "args": ["--profile-config", _config_text(value, profiling)],
        "resources": {"requests": dict(_REQUESTS)},
        "env": own_env(value, uid, addresses=True),
        "volumeMounts": mounts,
    }


def _config_text(value: Tree, profiling: Tree) -> str:
    """The configuration as YAML, with what the request says in other fields."""
    from dynamoc.source.scalars import resolve

    spec, config = value["spec"], copy_tree(profiling["config"])
    deployment = _part(config, "deployment")
    deployment.setdefault("namespace", value["metadata"]["namespace"])
    deployment["model"] = spec.get("model", "")
    image = (spec.get("deploymentOverrides") or {}).get("workersImage")
    if image:
        deployment["dgd_image"] = image
    config.setdefault("output_dir", OUTPUT_DIR)
    engine = _part(config, "engine")
    engine["backend"] = spec.get("backend", "")
    if profiling.get("configMapRef") is not None:
        engine["config"] = f"{CONFIG_DIR}/{CONFIG_FILE}"
    return dump_go_yaml(config, lambda text: isinstance(resolve(text), str))


def _part(config: Tree, name: str) -> Tree:
    """A mapping of the configuration, made where there is none."""
    if config.get(name) is None:
        config[name] = {}
    part: Tree = config[name]
    if part.__class__ is not dict:
        raise _refusal("request/config", (*_CONFIG, name), f"`profilingConfig.config.{name}` must be a mapping.")
    return part


def _volumes(profiling: Tree) -> list[Tree]:
    volumes: list[Tree] = [{"name": OUTPUT_VOLUME, "persistentVolumeClaim": {"claimName": _CLAIM}}]
    if profiling.get("configMapRef") is not None:
        volumes.append(config_volume(profiling["configMapRef"]))
    return volumes
