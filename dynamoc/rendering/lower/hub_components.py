"""A graph as v1beta1 DynamoComponentDeployments, and the hash over those of its workers.

Before prefill and decode were component types, their pods were `worker` by label, and selectors say so. An object that
exists keeps that, and a graph keeps the names of its worker generation.
Source: internal/dynamo/graph.go GenerateDynamoComponentsDeployments, hash.go of release 1.4.
"""

from __future__ import annotations

from typing import Any

from dynamoc.admission.adapters import ROLES, for_role, has_role_templates, says_no_more, template_part
from dynamoc.admission.cluster.previous import Running
from dynamoc.admission.convert.kinds import KINDS, to_alpha, to_beta
from dynamoc.admission.convert.specs import V1ALPHA1
from dynamoc.admission.graph import WORKER_TYPES, Component, Graph
from dynamoc.documents.findings.finding import Refusal
from dynamoc.kube.go_types import load, typed, typed_object
from dynamoc.kube.merge import Tree, copy_tree, is_false
from dynamoc.kube.names import (
    CLASS_LABEL,
    COMPONENT_LABEL,
    GRAPH_LABEL,
    NAMESPACE_LABEL,
    SUB_TYPE_LABEL,
    TYPE_LABEL,
    WORKER_HASH_LABEL,
    dynamo_namespace,
    kube_resource_name,
)
from dynamoc.kube.text import dumps, hex_digest
from dynamoc.kube.tracing import NOT_EARLY, builder, naming
from dynamoc.reference.releases import FIRST_HASHED, Release
from dynamoc.rendering.lower.common import metadata
from dynamoc.rendering.lower.deployed import DeployedComponent, kube_annotations, kube_labels
from dynamoc.rendering.lower.deployment_config import apply_deployment_config_to_main
from dynamoc.rendering.lower.graph_objects import RESTART, checked_restart
from dynamoc.rendering.lower.hub_pods import (
    annotations_of,
    apply_graph_defaults,
    labels_of,
    on_templates,
    pod_clique_set_name,
    pod_template,
)
from dynamoc.rendering.rules.backend import NOOP, determine_backend
from dynamoc.rendering.rules.env import mark_topology, worker_policy

#: stands for the hash while it is computed, so that it doesn't depend on itself
PLACEHOLDER = "worker-hash-placeholder"
#: where backends keep compiled kernels, by default (internal/dynamo/graph.go getDefaultCompilationCacheMountPoint)
_CACHES = {"vllm": "/root/.cache/vllm"}


def component_deployments(graph: Graph, release: Release, worker_hash: str) -> list[DeployedComponent]:
    """One DynamoComponentDeployment per component, in the order of the graph; without a hash, workers have none."""
    backend = _graph_backend(graph)
    # A restart makes no new generation of workers.
    restarts = {} if worker_hash == PLACEHOLDER else checked_restart(graph)
    return [
        _component_deployment(graph, component, release, worker_hash, backend, restarts)
        for component in graph.components
    ]


@builder(
    "lower/hub/components/worker-hash",
    "internal/dynamo/hash.go ComputeDGDWorkersSpecHash",
    when="worker-hash/of-components",
)
def worker_hash(graph: Graph, release: Release) -> str:
    """8 hex digits over the DynamoComponentDeployments of all workers: a change of any of them renames all.

    Raises `Refusal` if these cannot be created; the operator computes the hash on every pathway, and first.
    Release 1.2 computes it too, but names generations by the hash of the v1alpha1 view, as its predecessors did.
    """
    digest = hex_digest(worker_hash_input(graph, release))[:8]
    return digest if release.has("worker-hash/of-components") else _hash_of_alpha(graph, release)


def _hash_of_alpha(graph: Graph, release: Release) -> str:
    """Source: internal/dynamo/hash.go ComputeLegacyAlphaDGDWorkersSpecHash of release 1.2."""
    return alpha_worker_hash(release.name, graph.alpha)[0]


def worker_hash_input(graph: Graph, release: Release) -> bytes:
    """The bytes that are hashed (hash.go ComputeDGDWorkersSpecHash)."""
    unhashed = release["worker-hash/unhashed"]
    workers = {}
    for deployed in component_deployments(graph, release, PLACEHOLDER):
        if not deployed.component.is_worker:
            continue
        spec = {key: value for key, value in deployed.spec.items() if key not in unhashed}
        if release.has("worker-hash/of-roles"):
            spec = _settled(spec, release)
        entry = {
            "labels": _sorted(kube_labels(deployed, release)),
            "annotations": _sorted(kube_annotations(deployed, release)),
            "runtimeVersion": _hashed_runtime_version(deployed.component, release),
        }
        entry["roleRuntimeVersions"] = _role_versions(deployed.component, release)
        entry = {key: value for key, value in entry.items() if value}
        entry["spec"] = typed(spec, "dynamo/v1beta1.DynamoComponentDeploymentSpec", load(release.name))
        workers[deployed.component.name] = entry
    return dumps({name: workers[name] for name in sorted(workers, key=str.encode)})


def _settled(spec: Tree, release: Release) -> Tree:
    """A spec without what makes no difference: order and replicas of roles, and explicit defaults.

    Source: internal/dynamo/hash.go workerHashSpec of release 1.5.
    """
    experimental = spec.get("experimental") or {}
    if is_false((experimental.get("grove") or {}).get("forceScalingGroup")):
        spec = {**spec, "experimental": {**experimental, "grove": {}}}
    if release.has("worker-hash/of-settled-specs"):
        spec = _without_empty(spec)
    roles = spec.get("roles")
    if not roles:
        return spec
    if says_no_more(spec):
        return {key: value for key, value in spec.items() if key != "roles"}
    if spec.get("multinode") is not None:
        roles = [{key: value for key, value in role.items() if key != "replicas"} for role in roles]
    return {**spec, "roles": sorted(roles, key=lambda role: str(role["name"]).encode())}


def _without_empty(spec: Tree) -> Tree:
    """A spec without empty blocks, and without fields that only set how many pods must be available.

    Source: internal/dynamo/hash.go workerHashSpec, workerTemplateProviderOverride of release 1.6.
    """
    experimental = dict(spec.get("experimental") or {})
    if not (experimental.get("grove") or {}).get("forceScalingGroup"):
        experimental.pop("grove", None)
    if not (experimental.get("checkpoint") or {}).get("enabled"):
        experimental.pop("checkpoint", None)
    settled = {key: value for key, value in spec.items() if key != "experimental"}
    if experimental:
        settled["experimental"] = experimental
    cache = spec.get("compilationCache")
    if cache is not None and cache.get("mountPath") == _CACHES.get(spec.get("backendFramework", "")):
        settled["compilationCache"] = {key: value for key, value in cache.items() if key != "mountPath"}
    override = template_part(spec.get("providerOverride"))
    settled.pop("providerOverride", None)
    return settled if override is None else {**settled, "providerOverride": override}


def _sorted(values: dict[str, str]) -> dict[str, str]:
    return {key: values[key] for key in sorted(values, key=str.encode)}


def _hashed_runtime_version(component: Component, release: Release) -> str:
    """The version of the runtime that the workers run, "" below 1.5.0, where no rendering depends on it yet."""
    if not release.has("worker-hash/runtime-version"):
        return ""
    version = component.runtime_version(release)
    return "" if version is None or version < FIRST_HASHED else ".".join(map(str, version))


def _role_versions(component: Component, release: Release) -> Tree:
    """The same for each role that has its own pod template."""
    if not has_role_templates(component.spec):
        return {}
    versions = {name: _hashed_runtime_version(for_role(component, name), release) for name in ROLES}
    return {name: version for name, version in versions.items() if version}


def _graph_backend(graph: Graph) -> str:
    """The explicit backend, else the one that all workers' commands run (backendFrameworkForGeneratedDCDs)."""
    if graph.backend_framework:
        return graph.backend_framework
    found: dict[str, Component] = {}
    for component in graph.components:
        backend = determine_backend(component, "")
        if component.is_worker and backend != NOOP:
            found.setdefault(backend, component)
    if len(found) > 1:
        names = ", ".join(f"{component.name} runs {backend}" for backend, component in found.items())
        raise Refusal(
            "backend/mixed",
            f"Workers of one graph must run one backend, but {names}; the operator fails to reconcile the graph.",
            list(found.values())[1].main_path,
            "Split the graph, or set spec.backendFramework.",
        )
    return next(iter(found), "")


@builder("lower/hub/components/component-deployment", "internal/dynamo/graph.go generateSingleDCD")
def _component_deployment(
    graph: Graph, component: Component, release: Release, worker_hash: str, backend: str, restarts: dict[str, str]
) -> DeployedComponent:
    """The DynamoComponentDeployment of a component: its spec, and the labels that select and find its pods."""
    spec = copy_tree(component.spec)
    name = f"{graph.name}-{component.name.lower()}"
    labels = dict(component.pod_labels)
    labels[COMPONENT_LABEL] = component.name
    labels[NAMESPACE_LABEL] = dynamo_namespace(component.global_dynamo_namespace, graph.namespace, graph.name)
    labels[GRAPH_LABEL] = graph.name
    if component.is_worker:
        own: dict[str, str] = {}
        if worker_hash:
            name = f"{name}-{worker_hash}"
            own[WORKER_HASH_LABEL] = worker_hash
        if graph.of_type("epp"):
            own[CLASS_LABEL] = "worker"
        labels.update(own)
        on_templates(spec, lambda view: labels_of(view).update(own))
    if component.type == "epp":
        # The picker serves TLS itself, and a mesh sidecar in front of it would do so a second time.
        annotations_of(spec).setdefault("sidecar.istio.io/inject", "false")
    on_templates(spec, lambda view: apply_graph_defaults(view, graph, component, release, []))
    annotations: dict[str, str] = {}
    mark_topology(annotations, worker_policy(graph.value.get("spec") or {}, component.type), release)
    if component.name in restarts:
        on_templates(spec, lambda view: annotations_of(view).update({RESTART: restarts[component.name]}))
    if component.type == "planner":
        pod_template(spec).setdefault("spec", {})["serviceAccountName"] = release["service-account/planner"]
    apply_deployment_config_to_main(spec, component)
    if component.replicas is not None:
        spec["replicas"] = component.replicas
    if backend:
        spec["backendFramework"] = backend
    value = {
        "apiVersion": "nvidia.com/v1beta1",
        "kind": "DynamoComponentDeployment",
        "metadata": metadata(name, graph.namespace, labels, annotations),
        "spec": spec,
    }
    return DeployedComponent(value, component.with_spec(spec), owner=graph.name)


def keep_leftovers(graph: Graph, components: list[DeployedComponent]) -> None:
    """Adds the annotation that keeps what v1beta1 cannot express (applyDGDComponentAlphaCompatibilityToDCD).

    Nothing is created from it: the graph itself has the same fields.
    """
    kind = KINDS["DynamoComponentDeployment"]
    alpha = to_alpha(graph.value, KINDS["DynamoGraphDeployment"])
    services = (alpha.get("spec") or {}).get("services") or {}
    for deployed in components:
        backend = {key: value for key, value in deployed.spec.items() if key == "backendFramework"}
        alpha = {
            "apiVersion": V1ALPHA1,
            "kind": kind.name,
            "metadata": {"name": deployed.name, "namespace": deployed.namespace},
            "spec": {**services[deployed.component.name], **backend},
        }
        kept = to_beta(alpha, kind)["metadata"].get("annotations")
        if kept:
            deployed.value["metadata"]["annotations"] = {**kept, **deployed.annotations}


CURRENT_HASH = "nvidia.com/current-worker-hash"
CURRENT_HASH_V2 = "nvidia.com/current-worker-hash-v2"
#: stands on graphs whose workers carry no hash yet
_LEGACY = "legacy"
_SPECIAL_WORKERS = ("prefill", "decode")


def active_worker_hash(graph: Graph, release: Release, desired: str) -> str:
    """The hash in the names of the workers of a graph that already has the v1alpha1 hash; else `desired`.

    Source: controller/dgd_worker_rollout_reconciler.go desiredWorkerHashes, workerHashForDCDGeneration.
    """
    current, current_v2 = graph.annotations.get(CURRENT_HASH, ""), graph.annotations.get(CURRENT_HASH_V2, "")
    if not current or current_v2 or current == desired:
        return current if current and current_v2 == desired else desired
    legacy = _alpha_hash(graph, release)
    return legacy if current in (_LEGACY, legacy) else desired


def keep_worker_types(graph: Graph, release: Release, running: Running) -> None:
    """Prefill and decode cliques stay workers if they are workers in the PodCliqueSet.

    Source: controller/dgd_grove_workload_renderer.go applyGroveCompatibility.
    """
    existing = running.get("PodCliqueSet", graph.namespace, pod_clique_set_name(graph, release))
    if existing is None:
        return
    cliques = existing["spec"]["template"]["cliques"]
    labels = [clique.get("labels") or {} for clique in cliques]
    for index, component in enumerate(graph.components):
        own = [item for item in labels if item.get(COMPONENT_LABEL) == component.name]
        if any(_is_plain_worker(item, component.type) for item in own):
            spec = {**component.spec, "type": "worker"}
            template = spec["podTemplate"] = dict(spec.get("podTemplate") or {})
            template["metadata"] = dict(template.get("metadata") or {})
            template["metadata"]["labels"] = dict(template["metadata"].get("labels") or {})
            labels_of(spec).setdefault(SUB_TYPE_LABEL, component.type)
            graph.components[index] = component.with_spec(spec)


def is_kept_worker(deployed: DeployedComponent, running: Running) -> bool:
    """Whether a component of type prefill or decode exists with pods that are workers by label.

    Source: controller/dynamocomponentdeployment_renderer.go hasExistingLegacyWorkerSelector.
    """
    wanted, namespace, name = deployed.component.type, deployed.namespace, deployed.name
    deployment = running.get("Deployment", namespace, name)
    if deployment is not None and _is_plain_worker(deployment["spec"]["template"]["metadata"]["labels"], wanted):
        return True
    workers = running.get("LeaderWorkerSet", namespace, f"{name}-0")
    if workers is not None:
        template = workers["spec"]["leaderWorkerTemplate"]
        return any(
            _is_plain_worker(template[part]["metadata"]["labels"], wanted)
            for part in ("leaderTemplate", "workerTemplate")
        )
    service = running.get("Service", namespace, kube_resource_name(name))
    return service is not None and _is_plain_worker(service["spec"].get("selector") or {}, wanted)


def _is_plain_worker(labels: Tree, component_type: str) -> bool:
    if labels.get(TYPE_LABEL) != "worker" or component_type not in _SPECIAL_WORKERS:
        return False
    return labels.get(SUB_TYPE_LABEL, "") in ("", component_type)


def _alpha_hash(graph: Graph, release: Release) -> str:
    """The hash that an operator of v1alpha1 would give the workers (ComputeLegacyAlphaDGDWorkersSpecHash)."""
    alpha = to_alpha(graph.value, KINDS["DynamoGraphDeployment"])
    return alpha_worker_hash(release.name, typed_object(alpha, load(release.name)))[0]


# Identity, scaling, networking and metadata of objects: what does not reach the pod template is not hashed.
# Source: internal/dynamo/hash.go stripNonPodTemplateFields of release 1.0; api/v1alpha1/legacy_worker_hash.go
# stripV1alpha1NonPodTemplateFields of release 1.4, the first to know runtimeVersionOverride.
_UNHASHED = frozenset((
    "annotations", "labels", "serviceName", "componentType", "subComponentType", "dynamoNamespace", "replicas",
    "autoscaling", "scalingAdapter", "ingress", "modelRef", "eppConfig", "runtimeVersionOverride",
))  # fmt: skip


@naming(
    "kube/workerhash/worker-hash",
    "internal/dynamo/hash.go ComputeDGDWorkersSpecHash",
    NOT_EARLY,
    when="worker/generations",
    unless="worker-hash/of-components",
)
def alpha_worker_hash(release: str, graph: dict[str, Any]) -> tuple[str, bytes]:
    """8 hex digits and the bytes that they are computed from, for a v1alpha1 DynamoGraphDeployment after defaulting.

    A graph without workers has a hash too. ValueError where Go could not read a service.
    """
    data = alpha_worker_hash_input(release, (graph.get("spec") or {}).get("services") or {})
    return hex_digest(data)[:8], data


def alpha_worker_hash_input(release: str, services: dict[str, Any]) -> bytes:
    """The workers among the services as Go prints a map of their specs."""
    workers = {
        name: {field: value for field, value in spec.items() if field not in _UNHASHED}
        for name, spec in services.items()
        if spec and spec.get("componentType") in WORKER_TYPES
    }
    kind = "map[string]dynamo/v1alpha1.DynamoComponentDeploymentSharedSpec"
    return dumps(typed(workers, kind, load(release)))
