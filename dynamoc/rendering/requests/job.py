"""The profiling Job since 1.0, and that of 0.6, from free configuration.

Source: controller/dynamographdeploymentrequest_controller.go validateSpec, createProfilingJob.
"""

from __future__ import annotations

from dynamoc.admission.operator import Operator
from dynamoc.documents.findings.finding import Refusal
from dynamoc.documents.source.scalars import resolve
from dynamoc.kube.merge import Tree, copy_tree, is_true
from dynamoc.kube.text import dumps
from dynamoc.kube.tracing import builder, noting
from dynamoc.kube.yaml import dump_go_yaml
from dynamoc.reference.slugs import ErrorSlug
from dynamoc.rendering.requests.answer import (
    ACCOUNT,
    APP_LABEL,
    CACHE_DIR,
    CACHE_VOLUME,
    CONFIG_DIR,
    CONFIG_FILE,
    CONFIG_VOLUME,
    COPIER,
    MANAGED,
    MANAGED_LABEL,
    OUTPUT_DIR,
    OUTPUT_VOLUME,
    PROFILER,
    REQUEST_LABEL,
    job_name,
)
from dynamoc.rendering.requests.job_overrides import (
    apply_overrides,
    copier_program,
    install_override_tool,
    keep_token_for_copier,
)
from dynamoc.rendering.rules.env import address_env, merge_env

_OPERATOR_IMAGE = "nvcr.io/nvidia/ai-dynamo/kubernetes-operator"
_COPIER_IMAGE = "bitnami/kubectl:latest"
_USER = {"runAsNonRoot": True, "runAsUser": 1000, "runAsGroup": 1000, "fsGroup": 1000}


class Kept:
    """What v1alpha1 alone says of the Job: a claim for the output, and a ConfigMap to mount; "" and None for none."""

    __slots__ = ("claim", "config_map")

    def __init__(self, profiling: Tree) -> None:
        self.claim: str = profiling.get("outputPVC") or ""
        self.config_map: Tree | None = profiling.get("configMapRef")


@builder(
    "requests/job/profiling-job",
    "controller/dynamographdeploymentrequest_controller.go createProfilingJob",
    when="requests/v1beta1",
)
def profiling_job(value: Tree, spec: Tree, kept: Kept, uid: str, operator: Operator) -> Tree:
    """The Job of the request `value` with the canonical `spec`, which knows its hardware."""
    release = operator.release
    pod: Tree = {
        "serviceAccountName": ACCOUNT,
        "restartPolicy": "Never",
        "securityContext": dict(_USER),
        "containers": [_profiler(value, spec, kept, uid, operator), copier(value, uid, operator)],
        "volumes": _volumes(spec, kept),
        "imagePullSecrets": [{"name": "nvcr-imagepullsecret"}],
    }
    job = job_object(value, "dynamo-profiler", release["request/backoff-limit"], pod)
    overrides = spec.get("overrides") or {}
    if overrides.get("profilingJob") is not None:
        apply_overrides(job, overrides["profilingJob"], release)
    if release.has("requests/token-for-copier"):
        keep_token_for_copier(pod)
    if overrides.get("dgd") is not None and release.has("requests/override-tool"):
        install_override_tool(pod, f"{_OPERATOR_IMAGE}:{release.version}")
    return job


def job_object(value: Tree, app: str, backoff_limit: int, pod: Tree) -> Tree:
    metadata = value["metadata"]
    labels = {APP_LABEL: app, REQUEST_LABEL: metadata["name"], MANAGED_LABEL: MANAGED}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": job_name(metadata["name"]), "namespace": metadata["namespace"], "labels": labels},
        "spec": {"backoffLimit": backoff_limit, "template": {"spec": pod}},
    }


def _profiler(value: Tree, spec: Tree, kept: Kept, uid: str, operator: Operator) -> Tree:
    return {
        "name": PROFILER,
        "image": spec["image"],
        "command": ["python", "-m", "dynamo.profiler"],
        "args": ["--config", _spec_text(spec), "--output-dir", OUTPUT_DIR],
        "workingDir": "/workspace",
        "env": _env(value, uid, operator),
        "volumeMounts": _mounts(spec, kept),
    }


@noting
def _spec_text(spec: Tree) -> str:
    """The spec as the profiler reads it (marshalDGDRSpec)."""
    return dumps(spec).decode()


def _env(value: Tree, uid: str, operator: Operator) -> list[Tree]:
    own = own_env(value, uid)
    if operator.release.has("requests/configured-addresses"):
        return merge_env(address_env(operator.config), own)
    return own_env(value, uid, addresses=True)


def own_env(value: Tree, uid: str, *, addresses: bool = False) -> list[Tree]:
    """The variables of the profiler; `addresses` of NATS and etcd are those that a chart once had in each namespace."""
    name, namespace = value["metadata"]["name"], value["metadata"]["namespace"]
    token = {"secretKeyRef": {"name": "hf-token-secret", "key": "HF_TOKEN"}}
    servers = {"NATS_SERVER": f"nats://{namespace}-nats:4222", "ETCD_ENDPOINTS": f"{namespace}-etcd:2379"}
    texts = {**(servers if addresses else {}), "DGDR_NAME": name, "DGDR_NAMESPACE": namespace, "DGDR_UID": uid}
    return [
        {"name": "HUGGING_FACE_HUB_TOKEN", "valueFrom": token},
        *({"name": key, "value": text} for key, text in texts.items()),
    ]


def _cache(spec: Tree) -> tuple[str, str]:
    """The claim with the model and where it is mounted, "" for none (extractModelCachePVCConfig)."""
    cache = spec.get("modelCache") or {}
    return cache.get("pvcName", ""), cache.get("pvcMountPath") or CACHE_DIR


def _mounts(spec: Tree, kept: Kept) -> list[Tree]:
    claim, path = _cache(spec)
    mounts: list[Tree] = [{"name": OUTPUT_VOLUME, "mountPath": OUTPUT_DIR}]
    if claim:
        mounts.append({"name": CACHE_VOLUME, "mountPath": path, "readOnly": True})
    if kept.config_map is not None:
        mounts.append({"name": CONFIG_VOLUME, "mountPath": CONFIG_DIR, "readOnly": True})
    return mounts


def _volumes(spec: Tree, kept: Kept) -> list[Tree]:
    claim = _cache(spec)[0]
    output: Tree = {"persistentVolumeClaim": {"claimName": kept.claim}} if kept.claim else {"emptyDir": {}}
    volumes: list[Tree] = [{"name": OUTPUT_VOLUME, **output}]
    if claim:
        volumes.append({"name": CACHE_VOLUME, "persistentVolumeClaim": {"claimName": claim, "readOnly": True}})
    if kept.config_map is not None:
        volumes.append(config_volume(kept.config_map))
    return volumes


def config_volume(reference: Tree) -> Tree:
    item = {"key": reference.get("key") or CONFIG_FILE, "path": CONFIG_FILE}
    return {"name": CONFIG_VOLUME, "configMap": {"name": reference.get("name", ""), "items": [item]}}


def copier(value: Tree, uid: str, operator: Operator) -> Tree:
    """The container that brings the profiler's answer into a ConfigMap."""
    return {
        "name": COPIER,
        "image": _COPIER_IMAGE,
        "command": ["/bin/sh", "-c"],
        "args": [copier_program(value, uid, operator.release)],
        "volumeMounts": [{"name": OUTPUT_VOLUME, "mountPath": OUTPUT_DIR, "readOnly": True}],
    }


_CONFIG = ("spec", "profilingConfig", "config")
_CLAIM = "dynamo-pvc"
_REQUESTS = {"cpu": "16", "memory": "10Gi"}


@builder(
    "requests/first_job/first-job",
    "controller/dynamographdeploymentrequest_controller.go createProfilingJob",
    unless="requests/v1beta1",
)
def alpha_job(value: Tree, uid: str, operator: Operator) -> Tree:
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
        "containers": [_alpha_profiler(value, profiling, uid), copier(value, uid, operator)],
        "volumes": _alpha_volumes(profiling),
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
    """Whether AI Configurator replaces GPUs (isOnlineProfiling)."""
    sweep = config.get("sweep")
    aic = sweep.__class__ is dict and is_true(sweep.get("use_ai_configurator"))
    return "aic-profiler" if aic else "dynamo-profiler"


def _alpha_profiler(value: Tree, profiling: Tree, uid: str) -> Tree:
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
    """A mapping of the configuration, created if it is missing."""
    if config.get(name) is None:
        config[name] = {}
    part: Tree = config[name]
    if part.__class__ is not dict:
        raise _refusal("request/config", (*_CONFIG, name), f"`profilingConfig.config.{name}` must be a mapping.")
    return part


def _alpha_volumes(profiling: Tree) -> list[Tree]:
    volumes: list[Tree] = [{"name": OUTPUT_VOLUME, "persistentVolumeClaim": {"claimName": _CLAIM}}]
    if profiling.get("configMapRef") is not None:
        volumes.append(config_volume(profiling["configMapRef"]))
    return volumes
