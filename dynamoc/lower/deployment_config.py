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
        from dynamoc.kube.gojson import dumps

        if isinstance(entry, dict):
            entry["port"] = 8000
        variable["value"] = dumps(config, sort_keys=True).decode()
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


def read_config(text: str, path: Path) -> Tree:
    """The JSON of the variable: an entry, or null, a component. Raises `Refusal` for anything else."""
    import json

    try:
        config = json.loads(text)
    except ValueError:
        config = text
    if config is None:
        return {}
    if isinstance(config, dict) and all(entry is None or isinstance(entry, dict) for entry in config.values()):
        return config
    raise Refusal(
        "env/deployment-config",
        f"{VARIABLE} is not a JSON object of components; the operator fails to render the component.",
        path,
        'Write JSON such as {"Frontend": {"ServiceArgs": {"resources": {"cpu": "2"}}}}.',
    )


def json_field(value: object, name: str) -> Any:
    """A field as encoding/json finds it: by its name, else by its name in any case."""
    if not isinstance(value, dict):
        return None
    if name in value:
        return value[name]
    return next((item for key, item in value.items() if key.lower() == name.lower()), None)
