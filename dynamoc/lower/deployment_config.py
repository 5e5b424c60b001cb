"""The environment variable DYN_DEPLOYMENT_CONFIG, which can override replicas and resources of a component."""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.model.graph import Component

    Tree = dict[str, Any]

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
        from dynamoc.golang.json_text import dumps

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
_ENTRY: Tree = {
    "ServiceArgs": {
        "workers": int,
        "resources": {"cpu": str, "memory": str, "gpu": str, "custom": dict},
    }
}


def read_config(text: str, path: Path) -> Tree:
    """The JSON of the variable: an entry, or null, per component. Raises `Refusal` for anything else."""
    from dynamoc.kube.json_data import loads

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
