"""The plugin in the real argocd-cmp-server: `make argocd`. Needs Go, the Go module proxy, and 40 minutes to build.

3.2 is the newest release that can be built so: later ones replace a module by a folder of their repository, which is no
part of the module.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.flows.cmp_server import plugin
from tests.flows.page_run import BIN

MODULE = "github.com/argoproj/argo-cd/v3"
VERSION = "v3.2.12"
#: that examples/llama.yaml becomes with Grove, its claim among them
OBJECTS = 10
GRAPH = Path(__file__).parents[2] / "examples" / "llama.yaml"


def go(*words: str, folder: Path) -> str:
    environment = {**os.environ, "GOFLAGS": "-mod=mod -p=1"}
    return subprocess.run(
        ["go", *words], cwd=folder, env=environment, check=True, capture_output=True, text=True
    ).stdout


def built(folder: Path) -> Path:
    """The program, in a module that replaces what argo-cd replaces."""
    folder.mkdir(parents=True, exist_ok=True)
    module = json.loads(go("mod", "download", "-json", f"{MODULE}@{VERSION}", folder=folder))
    theirs = Path(module["GoMod"]).read_text()
    replaced = "".join(re.findall(r"^replace \(\n.*?^\)\n", theirs, re.MULTILINE | re.DOTALL))
    language = re.search(r"^go .*\n", theirs, re.MULTILINE)
    assert language is not None
    head = f"module example.com/argocd-server\n{language[0]}require {MODULE} {VERSION}\n"
    (folder / "go.mod").write_text(head + replaced)
    (folder / "main.go").write_text((Path(__file__).parent / "main.go").read_text())
    go("build", "-o", "server", ".", folder=folder)
    return folder / "server"


def main() -> int:
    program = built(Path.home() / ".cache" / "dynamoc-argocd-server")
    with tempfile.TemporaryDirectory() as name:
        config, repository = Path(name, "config"), Path(name, "repository")
        (repository / "app").mkdir(parents=True)
        (repository / "app" / "chat.yaml").write_text(GRAPH.read_text())
        config.mkdir()
        (config / "plugin.yaml").write_text(json.dumps(plugin()))
        parameters = json.dumps([{"name": "target", "string": "grove"}])
        variables = [f"ARGOCD_APP_PARAMETERS={parameters}", "ARGOCD_APP_NAMESPACE=inference", "KUBE_VERSION=1.33"]
        command = [str(program), str(config), str(repository), "app", *variables]
        environment = {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
        done = subprocess.run(command, check=False, env=environment, capture_output=True, text=True)
    print(done.stderr, end="", file=sys.stderr)
    matches, _, printed = done.stdout.partition("\n")
    manifests = [json.loads(manifest) for manifest in json.loads(printed or "[]")]
    # The server hands a List on as it is, and the repo-server takes it apart.
    objects = [item for manifest in manifests for item in manifest.get("items", [manifest])]
    print(matches)
    print(*(f"{item['kind']}/{item['metadata']['name']}" for item in objects), sep="\n")
    return 0 if matches == "matches: true" and len(objects) == OBJECTS else 1


if __name__ == "__main__":
    sys.exit(main())
