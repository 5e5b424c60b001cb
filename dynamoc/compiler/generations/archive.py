"""`dynamo.yaml` or `bento.yaml`: what `dynamo build` wrote into an archive about the services of a graph.

Source: internal/dynamo/graph.go DynamoGraphConfig, ServiceConfig of both operators.
"""

from __future__ import annotations

from typing import Any

from dynamoc.documents.findings.finding import Finding, Findings
from dynamoc.documents.source.document import Document
from dynamoc.documents.source.files import read_file
from dynamoc.documents.source.reader import read_text

Tree = dict[str, Any]


_SHAPE = "write `services:`, a list of `name` and `config`, as in the dynamo.yaml that `dynamo build` makes"


class Archive:
    """The services of a graph, by name in the order of the file, each with the path of its `config` in `document`."""

    __slots__ = ("document", "entry", "services")

    def __init__(self, document: Document) -> None:
        value = document.value
        self.document = document
        self.entry = str(value.get("entry_service") or "")
        self.services: dict[str, tuple[int, Tree]] = {}
        for index, service in enumerate(value["services"]):
            self.services[service["name"]] = index, _config(service)

    def config(self, name: str) -> Tree:
        return self.services[name][1]


def read_archive(file: str, findings: Findings) -> Archive | None:
    """The archive's file; None, with an error, where it is none."""
    data = read_file(file, findings)
    if data is None:
        return None
    errors = findings.errors
    documents = read_text(data, file, findings, objects=False)
    if findings.errors > errors:
        return None
    if len(documents) != 1 or not _has_services(documents[0].value):
        place = documents[0].place(()) if documents else None
        message = f"{file} is not the description of an archive: it has no list of services with names."
        findings.add(Finding("generation/archive", message, place=place, hint=_SHAPE))
        return None
    return Archive(documents[0])


def _has_services(value: Any) -> bool:
    services = value.get("services") if isinstance(value, dict) else None
    if not isinstance(services, list):
        return False
    return all(isinstance(item, dict) and item.get("name") and isinstance(item["name"], str) for item in services)


def _config(service: Tree) -> Tree:
    config = service.get("config")
    return config if isinstance(config, dict) else {}


def archived_spec(config: Tree) -> Tree:
    """What the operator wrote into a component deployment for a service of an archive, before the overrides."""
    out: Tree = {}
    resources = _resources(config)
    if resources:
        out["resources"] = {"limits": resources, "requests": dict(resources)}
    if isinstance(config.get("workers"), int):
        out["replicas"] = config["workers"]
    scaling = config.get("autoscaling")
    if isinstance(scaling, dict):
        names = {"min_replicas": "minReplicas", "max_replicas": "maxReplicas"}
        out["autoscaling"] = {"enabled": True, **{names[key]: scaling[key] for key in names if key in scaling}}
    if component_type(config) == "planner":
        out["extraPodSpec"] = {"serviceAccountName": "planner-serviceaccount"}
    return out


def component_type(config: Tree) -> str:
    dynamo = config.get("dynamo")
    return str(dynamo.get("component_type") or "") if isinstance(dynamo, dict) and dynamo.get("enabled") else ""


def nodes_of(total: Any, gpus: Any) -> int:
    """The nodes that so many GPUs take, 1 where nothing says that they take several. Source: SetLwsAnnotations."""
    if not isinstance(total, int) or not str(gpus or "").isdecimal() or int(gpus) == 0:
        return 1
    return max(1, -(-total // int(gpus)))


def _resources(config: Tree) -> Tree:
    """Amounts as text: YAML may have read them as numbers."""
    found = config.get("resources")
    if not isinstance(found, dict):
        return {}
    out: Tree = {name: str(found[name]) for name in ("cpu", "memory", "gpu") if found.get(name) is not None}
    if isinstance(found.get("custom"), dict):
        out["custom"] = {key: str(value) for key, value in found["custom"].items()}
    return out
