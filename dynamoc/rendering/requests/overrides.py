"""`overrides.dgd` over the graph that the profiler found.

Source: internal/dgdoverride/override.go.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dynamoc.admission.convert.operator import dialect_of
from dynamoc.documents.findings.finding import Path, Refusal, format_path
from dynamoc.kube.merge import Tree, copy_tree
from dynamoc.reference.releases import Release
from dynamoc.rendering.requests.merge import StructuralMerge

_KIND = "DynamoGraphDeployment"
_VERSIONS = ("nvidia.com/v1alpha1", "nvidia.com/v1beta1")
_KEPT_METADATA = ("annotations", "labels")
#: how annotations begin in which conversions keep what a version lacks
_RESERVED = "nvidia.com/dgd-"
#: services whose arguments an override replaces; those of workers are appended
_NO_WORKERS = ("Frontend", "Planner")
_ARGS = ("extraPodSpec", "mainContainer", "args")


@dataclass(eq=False, slots=True)
class Overridden:
    """A graph with an override applied, and what of the override was left out: paths of the override, and why."""

    graph: Tree
    ignored: list[tuple[Path, str]]


def apply_override(blueprint: Tree, override: Tree, release: Release) -> Overridden:
    """The profiler's graph with `override` over it, in the version of the graph; neither is changed.

    Refusal with a path of the override where the operator's program refuses it.
    """
    _check_graph(blueprint, "The profiler's graph")
    _check_graph(override, "The override")
    version = override["apiVersion"]
    same = blueprint["apiVersion"] == version
    working = copy_tree(blueprint) if same else _converted(blueprint, version, release)
    merge = StructuralMerge(release.name, version, _KIND)
    partial, ignored = _prepared(working, override, merge, release)
    merged = merge.merged(working, partial)
    return Overridden(merged if same else _converted(merged, blueprint["apiVersion"], release), ignored)


def _check_graph(value: Tree, what: str) -> None:
    version, kind = value.get("apiVersion"), value.get("kind")
    if kind != _KIND or version not in _VERSIONS:
        message = f"{what} must be a {_KIND} of {' or '.join(_VERSIONS)}, not a {kind} of {version}."
        raise Refusal("request/override", message, ("kind" if kind != _KIND else "apiVersion",))


def _converted(value: Tree, version: str, release: Release) -> Tree:
    dialect = dialect_of(release)
    out = dialect.to_v1beta1(value) if version.endswith("v1beta1") else dialect.to_v1alpha1(value)
    return {key: _without_nulls(item) for key, item in out.items() if key != "status"}


def _without_nulls(value: Any) -> Any:
    if value.__class__ is dict:
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if value.__class__ is list else value


def _prepared(
    blueprint: Tree, override: Tree, merge: StructuralMerge, release: Release
) -> tuple[Tree, list[tuple[Path, str]]]:
    """The override as it is merged, and what of it is ignored."""
    partial = copy_tree(override)
    if "status" in partial:
        raise Refusal("request/override", "An override cannot have a `status`.", ("status",))
    ignored = _reduce_metadata(partial)
    _refuse_nulls(partial, merge, merge.root, ())
    prepare = _prepare_services if partial["apiVersion"] == _VERSIONS[0] else _prepare_components
    return partial, [*ignored, *prepare(blueprint, partial, release)]


def _reduce_metadata(partial: Tree) -> list[tuple[Path, str]]:
    metadata = partial.get("metadata")
    if metadata is None:
        return []
    if metadata.__class__ is not dict:
        raise Refusal("request/override", "`metadata` of an override must be a mapping.", ("metadata",))
    why = "the operator gives the graph its identity"
    ignored: list[tuple[Path, str]] = [
        (("metadata", key), why) for key in sorted(metadata) if key not in _KEPT_METADATA
    ]
    kept = {key: metadata[key] for key in _KEPT_METADATA if key in metadata}
    annotations = kept.get("annotations")
    if annotations.__class__ is dict:
        reserved = sorted(key for key in annotations if key.startswith(_RESERVED))
        ignored += [(("metadata", "annotations", key), "conversions keep fields there") for key in reserved]
        kept["annotations"] = {key: item for key, item in annotations.items() if key not in reserved}
    partial["metadata"] = kept
    return ignored


def _refuse_nulls(value: Any, merge: StructuralMerge, node: Tree | None, path: Path) -> None:
    """An override cannot delete fields. What is in free JSON is not looked at."""
    if value is None:
        if node is not None and "keep" in node and "type" not in node:
            return
        message = f"`{format_path(path)}` of an override must not be null: an override cannot delete fields."
        raise Refusal("request/override", message, path)
    if value.__class__ is dict:
        for key in sorted(value):
            child = None if node is None else merge.field(node, key)
            if child is None and node is not None and "keep" in node:
                continue
            _refuse_nulls(value[key], merge, child, (*path, key))
    elif value.__class__ is list:
        child = None if node is None else merge.items(node)
        for index, item in enumerate(value):
            _refuse_nulls(item, merge, child, (*path, index))


def _prepare_services(blueprint: Tree, partial: Tree, _release: Release) -> list[tuple[Path, str]]:
    services = (partial.get("spec") or {}).get("services")
    if services is None:
        return []
    _expect(services, dict, "a mapping", ("spec", "services"))
    known = (blueprint.get("spec") or {}).get("services") or {}
    ignored: list[tuple[Path, str]] = []
    for name in sorted(services):
        path = ("spec", "services", name)
        if name not in known:
            del services[name]
            ignored.append((path, "the profiler's graph has no such service"))
        elif name not in _NO_WORKERS:
            _append_args(known[name], services[name], path)
    return ignored


def _append_args(service: Tree, override: Any, path: Path) -> None:
    """Arguments of a worker follow those that the profiler found."""
    _expect(override, dict, "a mapping", path)
    owner: Any = override
    base: Any = service
    for depth, step in enumerate(_ARGS[:-1]):
        owner, base = owner.get(step), (base or {}).get(step)
        if owner is None:
            return
        _expect(owner, dict, "a mapping", (*path, *_ARGS[: depth + 1]))
    if "args" not in owner:
        return
    _expect(owner["args"], list, "a list", (*path, *_ARGS))
    for index, text in enumerate(owner["args"]):
        _expect(text, str, "a string", (*path, *_ARGS, index))
    owner["args"] = [*((base or {}).get("args") or ()), *owner["args"]]


def _prepare_components(blueprint: Tree, partial: Tree, release: Release) -> list[tuple[Path, str]]:
    components = (partial.get("spec") or {}).get("components")
    if components is None:
        return []
    _expect(components, list, "a list", ("spec", "components"))
    known = {item.get("name"): item for item in (blueprint.get("spec") or {}).get("components") or ()}
    ignored: list[tuple[Path, str]] = []
    kept = []
    for index, component in enumerate(components):
        path: Path = ("spec", "components", index)
        _expect(component, dict, "a mapping", path)
        name = component.get("name")
        if not isinstance(name, str) or not name:
            raise Refusal("request/override", "Each component of an override needs a `name`.", path)
        if name not in known:
            ignored.append((path, "the profiler's graph has no such component"))
            continue
        if release.has("requests/appends-args"):
            _append_container_args(known[name], component, path)
        kept.append(component)
    partial["spec"]["components"] = kept
    return ignored


def _append_container_args(component: Tree, override: Tree, path: Path) -> None:
    """Since 1.5 a container with `$patch: {args: append}` adds to the arguments that the profiler found."""
    pod = ((override.get("podTemplate") or {}).get("spec")) or {}
    for index, container in enumerate(pod.get("containers") or ()):
        place = (*path, "podTemplate", "spec", "containers", index)
        _expect(container, dict, "a mapping", place)
        if "$patch" not in container:
            continue
        if container["$patch"] != {"args": "append"}:
            raise Refusal("request/override", "`$patch` can only be `{args: append}`.", (*place, "$patch"))
        base = _container(component, container.get("name"))
        args = container.get("args")
        if base is None or base.get("args") is None:
            message = f"The profiler's graph has no arguments of a container `{container.get('name')}` to append to."
            raise Refusal("request/override", message, place)
        if not isinstance(args, list) or not args or not all(isinstance(text, str) and text for text in args):
            raise Refusal("request/override", "Arguments to append must be a list of texts.", (*place, "args"))
        del container["$patch"]
        container["args"] = [*base["args"], *args]


def _container(component: Tree, name: Any) -> Tree | None:
    pod = ((component.get("podTemplate") or {}).get("spec")) or {}
    return next((item for item in pod.get("containers") or () if name and item.get("name") == name), None)


def _expect(value: Any, kind: type, wanted: str, path: Path) -> None:
    if value.__class__ is not kind:
        raise Refusal("request/override", f"`{format_path(path)}` of an override must be {wanted}.", path)
