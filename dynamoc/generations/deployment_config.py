"""`DYN_DEPLOYMENT_CONFIG`: the settings of all services as JSON, in an environment variable.

The operators took replicas and resources of it; `dynamo serve` read the rest, which nothing reads today.
Source: internal/dynamo/graph.go overrideWithDynDeploymentConfig.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]

NAME = "DYN_DEPLOYMENT_CONFIG"


class DeploymentConfig:
    """What the settings say of one service.

    readable  whether they are JSON at all
    settings  names of those that have no home in a graph
    """

    __slots__ = ("_args", "_own", "model", "readable", "settings")

    def __init__(self, text: str, service: str) -> None:
        whole = _read(text)
        self.readable = whole is not None
        common, self._own = _map(whole, "Common"), _map(whole, service)
        self._args = _map(self._own, "ServiceArgs")
        model = self._own.get("model") or common.get("model")
        self.model = model if isinstance(model, str) else ""
        self.settings = [key for key in self._own if key not in ("ServiceArgs", "common-configs", "model")]

    @property
    def spec(self) -> Tree:
        """The part that the operator took: replicas, and resources that are requests and limits."""
        out: Tree = {}
        if isinstance(self._args.get("workers"), int):
            out["replicas"] = self._args["workers"]
        given = _map(self._args, "resources")
        found: Tree = {name: str(given[name]) for name in ("cpu", "memory", "gpu") if given.get(name) is not None}
        if _map(given, "custom"):
            found["custom"] = {key: str(value) for key, value in given["custom"].items()}
        if found:
            out["resources"] = {"limits": found, "requests": dict(found)}
        return out

    @property
    def gpus(self) -> tuple[Any, Any]:
        """All GPUs of a replica, and those of one node."""
        return self._args.get("total_gpus"), _map(self._args, "resources").get("gpu")


def _read(text: str) -> Tree | None:
    from dynamoc.kube.json_data import loads

    try:
        value = loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _map(value: Tree | None, key: str) -> Tree:
    found = (value or {}).get(key)
    return found if isinstance(found, dict) else {}
