"""Makes ready what runs: a bundle of code in each wheel, and bytecode beside an editable install; and the metadata."""

from __future__ import annotations

import compileall
import os
import re
import subprocess
import sys
import tempfile
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

_IMAGE = re.compile(r"(?<=!)\[([^\]]*)\]\((?![a-z]+:)([^)\s]+)\)")
_LINK = re.compile(r"\]\((?![a-z]+:|#)([^)\s]+)\)")


class BytecodeHook(BuildHookInterface[Any]):
    """Hatchling's custom hook; it runs with the Python that the project is installed for."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            compileall.compile_dir(os.path.join(self.root, "dynamoc"), quiet=1)
            return
        self._folder = tempfile.TemporaryDirectory()
        folder = self._folder.name
        # A bundle is of one version of Python: BUNDLE_PYTHONS names more programs, as `python3.12 python3.13`.
        for python in (sys.executable, *os.environ.get("BUNDLE_PYTHONS", "").split()):
            subprocess.run([python, "-m", "bundling", self.root, folder], cwd=self.root, check=True)
        for name in os.listdir(folder):
            build_data["force_include"][os.path.join(folder, name)] = f"dynamoc/{name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        if version != "editable":
            self._folder.cleanup()


class MetadataHook(MetadataHookInterface):
    """What depends on where the project lies: REPOSITORY_URL, or what GitHub Actions says."""

    def update(self, metadata: dict[str, Any]) -> None:
        with open(os.path.join(self.root, "README.md"), encoding="utf-8") as file:
            text = file.read()
        metadata["urls"] = {}
        repository = os.environ.get("REPOSITORY_URL") or _on_github()
        if repository:
            tag = f"v{metadata['version']}" if "version" in metadata else "HEAD"
            text = _IMAGE.sub(rf"[\1]({repository}/raw/{tag}/\2)", text)
            text = _LINK.sub(rf"]({repository}/blob/{tag}/\1)", text)
            pages = {"Changelog": "CHANGELOG.md", "Documentation": "docs/README.md", "Security": "SECURITY.md"}
            metadata["urls"] = {name: f"{repository}/blob/{tag}/{page}" for name, page in pages.items()}
            metadata["urls"] |= {"Source": repository, "Issues": f"{repository}/issues"}
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def _on_github() -> str:
    server, name = os.environ.get("GITHUB_SERVER_URL"), os.environ.get("GITHUB_REPOSITORY")
    return f"{server}/{name}" if server and name else ""
