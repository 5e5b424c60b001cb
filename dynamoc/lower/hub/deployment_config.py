"""The environment variable DYN_DEPLOYMENT_CONFIG in pod templates: it can override replicas and resources.

Source: internal/dynamo/graph.go applyDynDeploymentConfig of release 1.4.
"""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal
from dynamoc.golang.quantity import canonical_as_read
from dynamoc.lower.deployment_config import VARIABLE, json_field, read_config
from dynamoc.lower.hub.template import main_container

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.model.graph import Component

    Tree = dict[str, Any]


def apply_deployment_config(spec: Tree, component: Component) -> None:
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
        from dynamoc.golang.json_text import dumps

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
