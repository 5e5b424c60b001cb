"""Whole documents through all stages, for one release: short YAML in, objects or the names of refusals out."""

import json
from pathlib import Path
from typing import Any

from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_paths
from dynamoc.documents.findings.finding import Findings

Tree = dict[str, Any]
IMAGE = "nvcr.io/nvidia/ai-dynamo/vllm-runtime"
CONFIG = """
rbac: {plannerClusterRoleName: p, dgdrProfilingClusterRoleName: d, eppClusterRoleName: e}
mpi: {sshSecretName: ssh, sshSecretNamespace: ops}
"""


class Compiled:
    """What came of a document: objects, and the slugs of errors and warnings in order."""

    def __init__(self, objects: list[Tree], findings: Findings) -> None:
        self.objects = objects
        self.findings = findings
        self.errors = [item.slug for item in findings.items if item.severity == "error"]
        self.warnings = [item.slug for item in findings.items if item.severity == "warning"]

    def of(self, kind: str) -> dict[str, Tree]:
        return {item["metadata"]["name"]: item for item in self.objects if item["kind"] == kind}

    @property
    def template(self) -> Tree:
        (found,) = self.of("PodCliqueSet").values()
        return found["spec"]["template"]

    def clique(self, name: str) -> Tree:
        assert not self.errors, [item.message for item in self.findings.items]
        return next(item for item in self.template["cliques"] if item["name"] == name)

    def main(self, name: str) -> Tree:
        """The container `main` of a clique."""
        return container(self.clique(name)["spec"]["podSpec"], "main")


def container(pod: Tree, name: str) -> Tree:
    return next(item for item in pod["containers"] if item["name"] == name)


def env(item: Tree) -> dict[str, Any]:
    return {entry["name"]: entry.get("value", entry.get("valueFrom")) for entry in item.get("env", [])}


def worker(name: str = "w", version: str = "1.5.0", **fields: Any) -> Tree:
    """A worker of v1beta1 with 8 GPUs; `command` and `args` are those of its container."""
    main: Tree = {"name": "main", "image": f"{IMAGE}:{version}", "resources": {"limits": {"nvidia.com/gpu": "8"}}}
    for field in ("command", "args", "env", "ports", "image", "livenessProbe"):
        if field in fields:
            main[field] = fields.pop(field)
    return {"name": name, "type": "worker", "podTemplate": {"spec": {"containers": [main]}}, **fields}


def frontend(version: str = "1.5.0", **fields: Any) -> Tree:
    return {**worker("Frontend", version, **fields), "type": "frontend"}


def graph(*components: Tree, annotations: dict[str, str] | None = None, **spec: Any) -> Tree:
    return {
        "apiVersion": "nvidia.com/v1beta1",
        "kind": "DynamoGraphDeployment",
        "metadata": {"name": "g", **({"annotations": annotations} if annotations else {})},
        "spec": {"backendFramework": "vllm", "components": list(components), **spec},
    }


def compiled(
    folder: Path,
    release: str,
    document: Tree,
    *,
    target: str = "grove",
    config: str | None = None,
    against: Tree | None = None,
    **options: Any,
) -> Compiled:
    (folder / "new.yaml").write_text(json.dumps(document))
    if config is not None:
        (folder / "config.yaml").write_text(CONFIG + config)
        options["operator_config"] = str(folder / "config.yaml")
    if against is not None:
        (folder / "old.yaml").write_text(json.dumps(against))
        options["against"] = [str(folder / "old.yaml")]
    findings = Findings()
    chosen = Options(operator_version=release, target=target, **options)
    return Compiled(compile_paths([str(folder / "new.yaml")], chosen, findings), findings)
