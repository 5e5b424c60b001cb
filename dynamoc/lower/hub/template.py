"""What a graph adds to the pod templates of its components, before anything is made from them.

All functions change canonical v1beta1 component specs in place; callers pass copies.
Source: internal/dynamo/graph.go applyDGDTemplateDefaults, v1beta1_helpers.go ensurePodTemplate of release 1.4.
"""

from __future__ import annotations

from dynamoc.model.graph import RUNTIME
from dynamoc.model.v1beta1 import MAIN
from dynamoc.rules.env import merge_env
from dynamoc.rules.kv_transfer import apply_to_template, worker_policy
from dynamoc.tracing import builder
from dynamoc.tree import copy_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from dynamoc.model.graph import Component, Graph
    from dynamoc.release.registry import Release

    Tree = dict[str, Any]


ORIGIN = "nvidia.com/dynamo-operator-origin-version"


def pod_template(spec: Tree) -> Tree:
    """The component's pod template, created if it is missing."""
    template: Tree = spec.setdefault("podTemplate", {})
    return template


def with_own_metadata(spec: Tree) -> Tree:
    """The spec, whose pods have labels and annotations of their own to change; it shares all else."""
    template = dict(spec.get("podTemplate") or {})
    metadata = dict(template.get("metadata") or {})
    own = {field: dict(metadata.get(field) or {}) for field in ("labels", "annotations")}
    return {**spec, "podTemplate": {**template, "metadata": {**metadata, **own}}}


def labels_of(spec: Tree) -> dict[str, str]:
    """The labels of the component's pods, for changes."""
    labels: dict[str, str] = pod_template(spec).setdefault("metadata", {}).setdefault("labels", {})
    return labels


def annotations_of(spec: Tree) -> dict[str, str]:
    """The annotations of the component's pods, for changes."""
    annotations: dict[str, str] = pod_template(spec).setdefault("metadata", {}).setdefault("annotations", {})
    return annotations


def main_container(spec: Tree) -> Tree | None:
    containers = ((spec.get("podTemplate") or {}).get("spec") or {}).get("containers") or []
    return next((container for container in containers if container.get("name") == MAIN), None)


def runtime_sidecar(spec: Tree, release: Release) -> Tree | None:
    """The init container that runs Dynamo, if there is one (since 1.6)."""
    if not release.has("runtime/in-sidecar"):
        return None
    containers = ((spec.get("podTemplate") or {}).get("spec") or {}).get("initContainers") or []
    return next((container for container in containers if container.get("name") == RUNTIME), None)


def made_main_container(spec: Tree) -> Tree:
    """The container `main`, created before the others if it is missing."""
    main = main_container(spec)
    if main is None:
        main = {"name": MAIN}
        pod_spec = pod_template(spec).setdefault("spec", {})
        pod_spec["containers"] = [main, *(pod_spec.get("containers") or ())]
    return main


@builder("lower/hub/template/on-templates", source="internal/dynamo/graph.go applyDGDTemplateDefaults")
def on_templates(spec: Tree, change: Callable[[Tree], None]) -> None:
    """Changes a spec by its `podTemplate`; where roles have their own, by each of them in its place."""
    roles = [role for role in spec.get("roles") or () if role.get("podTemplate") is not None]
    if not roles:
        change(spec)
    for role in roles:
        view = {**spec, "podTemplate": role["podTemplate"]}
        change(view)
        role["podTemplate"] = view["podTemplate"]


@builder("lower/hub/template/apply-graph-defaults", source="internal/dynamo/graph.go applyDGDTemplateDefaults")
def apply_graph_defaults(spec: Tree, graph: Graph, component: Component, release: Release, domains: list[str]) -> None:
    """The graph's environment, KV transfer policy, annotations and labels, all below the component's own.

    Since 1.5, annotations and labels of `spec` and of a v1alpha1 service come before those of the graph's metadata.

    `domains` are the levels of the topology that the policy names; only Grove knows them.
    """
    if graph.env:
        main = made_main_container(spec)
        main["env"] = merge_env(copy_tree(graph.env), main.get("env"))
        runtime = runtime_sidecar(spec, release)
        if runtime is not None:
            runtime["env"] = merge_env(copy_tree(graph.env), runtime.get("env"))
    policy = worker_policy(graph.value.get("spec") or {}, spec.get("type", ""))
    if policy is not None:
        apply_to_template(pod_template(spec), policy, domains, runtime_sidecar(spec, release))
    if release.has("metadata/of-spec-first"):
        _add_missing(annotations_of(spec), {**graph.spec_annotations, **component.annotations})
        _add_missing(labels_of(spec), {**graph.spec_labels, **component.labels})
        propagate_annotations(spec, graph, release)
        return
    propagate_annotations(spec, graph, release)
    _add_missing(annotations_of(spec), graph.spec_annotations)
    _add_missing(labels_of(spec), graph.spec_labels)


def propagate_annotations(spec: Tree, graph: Graph, release: Release) -> None:
    """Copies the graph's annotations that steer rendering to pods that don't have them."""
    annotations = annotations_of(spec)
    if release.has("origin/of-graph-alone"):
        annotations.pop(ORIGIN, None)
    for key in release["propagated-annotations"]:
        if key in graph.annotations:
            annotations.setdefault(key, graph.annotations[key])


def _add_missing(target: dict[str, str], values: dict[str, str]) -> None:
    for key, value in values.items():
        target.setdefault(key, value)
