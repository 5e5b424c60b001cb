"""Overrides from DYN_DEPLOYMENT_CONFIG, and DynamoComponentDeployments of releases that know v1alpha1 only."""

from __future__ import annotations

from typing import Any

from dynamoc.admission.graph import Component, Graph
from dynamoc.admission.operator import Operator
from dynamoc.documents.findings.finding import Finding, Findings, Path, Refusal
from dynamoc.kube.merge import Tree, copy_tree
from dynamoc.kube.names import NAMESPACE_LABEL
from dynamoc.kube.quantity import canonical_as_read
from dynamoc.kube.text import dumps, loads
from dynamoc.kube.tracing import ALL, builder
from dynamoc.rendering.lower.hub_pods import main_container
from dynamoc.rendering.lower.network import default_ingress

VARIABLE = "DYN_DEPLOYMENT_CONFIG"


def apply_deployment_config(spec: Tree, component: Component) -> None:
    """Applies the JSON of the variable to a DCD spec, as the pathway without Grove does.

    A frontend's own entry gets port 8000; `ServiceArgs.resources` of the component's entry override its resources.
    `ServiceArgs.workers` only shows where the component has no replicas, which 1.0 always sets.
    Source: internal/dynamo/graph.go updateDynDeploymentConfig, overrideWithDynDeploymentConfig.
    """
    variable = next((entry for entry in spec.get("envs") or () if entry.get("name") == VARIABLE), None)
    if variable is None:
        return
    config = read_config(variable.get("value", ""), (*component.path, "envs"))
    entry = config.get(component.name)
    if component.type == "frontend":
        if isinstance(entry, dict):
            entry["port"] = 8000
        is_null = not config and "{" not in variable["value"]
        variable["value"] = "null" if is_null else dumps(config, sort_keys=True).decode()
    arguments = json_field(entry, "ServiceArgs")
    workers = json_field(arguments, "workers")
    if workers is not None:
        spec.setdefault("replicas", workers)
    resources = json_field(arguments, "resources")
    if resources is None:
        return
    target = spec.setdefault("resources", {})
    for part in ("requests", "limits"):
        item = target.setdefault(part, {})
        for field in ("gpu", "cpu", "memory", "custom"):
            value = json_field(resources, field)
            if value is not None:
                item[field] = value


#: What Go reads each entry into (graph.go DynDeploymentServiceConfig); fields of other names may be anything.
_ENTRY: Tree = {"ServiceArgs": {"workers": int, "resources": {"cpu": str, "memory": str, "gpu": str, "custom": dict}}}


def read_config(text: str, path: Path) -> Tree:
    """The JSON of the variable: an entry, or null, per component. Raises `Refusal` for anything else."""
    try:
        config = loads(text)
    except ValueError:
        config = text
    if config is None:
        return {}
    if isinstance(config, dict) and all(_fits(entry, _ENTRY) for entry in config.values()):
        return config
    raise Refusal(
        "env/deployment-config",
        f"{VARIABLE} is not a JSON object of components; the operator fails to render the component.",
        path,
        'Write JSON such as {"Frontend": {"ServiceArgs": {"resources": {"cpu": "2"}}}}.',
    )


def _fits(value: object, shape: Any) -> bool:
    """Whether encoding/json reads the value into the shape: a struct by its fields, text, int32 or a map of text."""
    if value is None:
        return True
    if shape is int:
        return value.__class__ is int and -(2**31) <= value < 2**31
    if shape is str:
        return isinstance(value, str)
    if not isinstance(value, dict):
        return False
    if shape is dict:
        return all(_fits(item, str) for item in value.values())
    fields = {name.lower(): inner for name, inner in shape.items()}
    return all(key.lower() not in fields or _fits(item, fields[key.lower()]) for key, item in value.items())


def json_field(value: object, name: str) -> Any:
    """A field as encoding/json finds it: by its name, else by its name in any letter case."""
    if not isinstance(value, dict):
        return None
    if name in value:
        return value[name]
    return next((item for key, item in value.items() if key.lower() == name.lower()), None)


def component_deployment(graph: Graph, component: Component, operator: Operator, metadata: Tree) -> Tree:
    """The object of this metadata, whose labels the spec repeats.

    Source: internal/dynamo/graph.go GenerateDynamoComponentsDeployments, since 1.0 generateSingleDCD.
    """
    labels = metadata["labels"]
    spec = copy_tree(component.spec)
    spec["labels"] = dict(labels)
    if component.annotations:
        spec["annotations"] = dict(component.annotations)
    if component.env:
        spec["envs"] = copy_tree(component.env)
    spec["serviceName"] = component.name
    spec["dynamoNamespace"] = labels[NAMESPACE_LABEL]
    if graph.backend_framework:
        spec["backendFramework"] = graph.backend_framework
    if component.type == "planner":
        spec.setdefault("extraPodSpec", {})["serviceAccountName"] = operator.release["service-account/planner"]
    if component.type == "frontend" and component.ingress is None:
        spec["ingress"] = default_ingress(graph.name, operator)
    apply_deployment_config(spec, component)
    return {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoComponentDeployment",
        "metadata": metadata,
        "spec": spec,
    }


ANNOTATION = "kustomize.toolkit.fluxcd.io/substitute"
DISABLED = "disabled"
_START = "${"


def tell_kept(objects: list[Tree], findings: Findings) -> None:
    """Adds a note on the objects that are annotated."""
    number = sum((item["metadata"].get("annotations") or {}).get(ANNOTATION) == DISABLED for item in objects)
    if number:
        what = "1 object holds" if number == 1 else f"{number} objects hold"
        message = (
            f"{what} `{_START}`, which `postBuild.substitute` of Flux would replace. The annotation `{ANNOTATION}: "
        )
        message += f"{DISABLED}` keeps Flux from it."
        hint = "leave the annotation out with --flux-substitute enabled"
        findings.add(Finding("output/flux-substitute", message, hint=hint))


@builder("lower/flux/keep-variables", "dynamoc; the kustomize-controller of Flux reads the annotation", ALL)
def keep_variables(item: Tree) -> Tree:
    """Annotates an object that holds `${`, so that Flux does not replace what a shell in the pod is to replace.

    `${GROVE_PCSG_NAME}` would be empty with `postBuild.substitute`, and a graph on several nodes would not find its
    leader. `--flux-substitute` decides; by default, only files of `--output-dir` have the annotation, by object.
    """
    metadata = item["metadata"]
    annotations = {ANNOTATION: DISABLED, **(metadata.get("annotations") or {})}
    return {**item, "metadata": {**metadata, "annotations": annotations}}


def holds_variable(value: Any) -> bool:
    """Whether a text in a tree holds what Flux takes for a variable."""
    if isinstance(value, str):
        return _START in value
    if isinstance(value, dict):
        return any(map(holds_variable, value.values()))
    return isinstance(value, list) and any(map(holds_variable, value))


def apply_deployment_config_to_main(spec: Tree, component: Component) -> None:
    """Applies the JSON of the variable to the component's spec.

    A frontend's entry, by the component's name or else by `frontend` in any case, gets port 8000. Workers hold where
    the graph names no replicas; resources are both requests and limits of `main`.
    """
    main = main_container(spec)
    variables = (main or {}).get("env") or ()
    variable = next((entry for entry in variables if entry.get("name") == VARIABLE), None)
    if main is None or variable is None:
        return
    path = (*component.main_path, "env")
    config = read_config(variable.get("value", ""), path)
    entry = _entry(config, component)
    if component.type == "frontend":
        if entry is not None:
            entry["port"] = 8000
        variable["value"] = dumps(config, sort_keys=True).decode()
    arguments = json_field(entry, "ServiceArgs")
    workers = json_field(arguments, "workers")
    if spec.get("replicas") is None and workers is not None:
        spec["replicas"] = workers
    resources = json_field(arguments, "resources")
    if resources is not None:
        _apply_resources(main, resources, path)


def _entry(config: Tree, component: Component) -> Tree | None:
    entry: Tree | None = config.get(component.name)
    if entry is not None or component.type != "frontend":
        return entry
    # Of several the operator takes any; the first by name is as good.
    return next((config[name] for name in sorted(config) if name.lower() == "frontend"), None)


def _apply_resources(main: Tree, resources: Tree, path: Path) -> None:
    amounts = {
        "cpu": json_field(resources, "cpu"),
        "memory": json_field(resources, "memory"),
        "nvidia.com/gpu": json_field(resources, "gpu"),
    }
    named = {name: amount for name, amount in amounts.items() if amount}
    named.update(json_field(resources, "custom") or {})
    for name, text in named.items():
        try:
            amount = canonical_as_read(text)
        except ValueError:
            raise Refusal(
                "env/deployment-config",
                f'{VARIABLE} sets {name} to "{text}", which is not a quantity; the operator fails to create '
                "the component.",
                path,
            ) from None
        for part in ("requests", "limits"):
            main.setdefault("resources", {}).setdefault(part, {})[name] = amount
