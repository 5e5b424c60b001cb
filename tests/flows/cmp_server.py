"""What argocd-cmp-server does with a plugin, as far as the plugin can see it.

It unpacks a tar of the repository without file modes, and runs the plugin's commands in the folder of the Application
with nothing in the environment but PATH and Argo CD's own variables. Text on stdout of `discover` is a match, another
exit code than 0 an error; stdout of `generate` is YAML or a List in JSON.
Source: argo-cd 3.2 cmpserver/plugin/plugin.go, util/cmp/stream.go, reposerver/repository/repository.go.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import tarfile
from pathlib import Path
from typing import Any

from tests import quick_yaml
from tests.docs.pages import ROOT
from tests.flows.page_run import BIN

Tree = dict[str, Any]
FOLDER = ROOT / "deploy" / "argocd"


class Refused(Exception):
    """The message that the UI shows."""


def _start() -> dict[str, str]:
    """Where tests find dynamoc."""
    return {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}


def plugin() -> Tree:
    config_map = quick_yaml.load((FOLDER / "plugin.yaml").read_text())
    found: Tree = quick_yaml.load(config_map["data"]["plugin.yaml"])
    return found


class Server:
    """The sidecar, for one Application of a repository."""

    def __init__(self, repository: Path, work: Path, path: str = ".", **environment: str) -> None:
        self.spec = plugin()["spec"]
        self.folder = work / "_cmp_server" / "1234"
        _unpack(_packed(repository), self.folder)
        self.folder /= path
        named = {"ARGOCD_APP_NAME": "app", "ARGOCD_APP_NAMESPACE": "inference", "ARGOCD_APP_SOURCE_PATH": path}
        kubernetes = {"KUBE_VERSION": "1.33.4", "KUBE_API_VERSIONS": "v1,apps/v1,apps/v1/Deployment"}
        self.environment = {"PATH": f"{BIN}:/usr/bin:/bin", **_start(), **named, **kubernetes, **environment}

    def matches(self) -> bool:
        return bool(self._run(self.spec["discover"]["find"]["command"]))

    def parameters(self) -> list[Tree]:
        found: list[Tree] = json.loads(self._run(self.spec["parameters"]["dynamic"]["command"]))
        return found

    def manifests(self, parameters: list[Tree] | None = None) -> list[Tree]:
        """The objects; `parameters` as in an Application, where None is written as `null`."""
        self.environment["ARGOCD_APP_PARAMETERS"] = json.dumps(parameters)
        for parameter in parameters or ():
            if "string" in parameter:
                self.environment[f"PARAM_{parameter['name'].upper()}"] = parameter["string"]
        found: list[Tree] = []
        for document in quick_yaml.load_all(self._run(self.spec["generate"]["command"])):
            found += document["items"] if document["kind"].endswith("List") else [document]
        return found

    def _run(self, command: list[str]) -> str:
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment, check=False, capture_output=True, text=True
        )
        if done.returncode:
            raise Refused(f"`{' '.join(command)}` failed exit status {done.returncode}: {done.stderr}")
        return done.stdout


def _packed(repository: Path) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        archive.add(repository, arcname=".", filter=_without_mode)
    return stream.getvalue()


def _without_mode(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.mode = 0o755 if member.isdir() else 0o644
    return member


def _unpack(data: bytes, folder: Path) -> None:
    folder.mkdir(parents=True)
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        # Python 3.11.2, which Debian 12 has, knows no filters; these are the tests' own files.
        known = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        archive.extractall(folder, **known)  # type: ignore[arg-type]
