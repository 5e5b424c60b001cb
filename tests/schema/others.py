"""The structure of other projects' custom resources, as the schemas of dynamoc are kept: `others.json`.

`python -m tests.schema.others` writes it from the reference CRDs beside the project. Descriptions, CEL rules and the
status are not part of it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.schema.shared import CRDS, SHARED
from tools.schemas.compact import Pool

Tree = dict[str, Any]

FILE = Path(__file__).parent / "others.json"
CLUSTER = SHARED / "test-cluster" / "crds"
#: set of versions to its files
_FILES = {
    "grove-0.1.0-alpha.3": CRDS / "grove-0.1.0-alpha.3",
    "grove-0.1.0-alpha.6": CRDS / "grove-0.1.0-alpha.6",
    "grove-0.1.0-alpha.12-rc1": CRDS / "grove-0.1.0-alpha.12-rc1",
    "lws-0.6.2": CRDS / "lws-0.6.2",
    "lws-0.9.0": CRDS / "lws-0.9.0",
    "test-cluster": CLUSTER,
}
#: what the compact form cannot say
_LEFT_OUT = ("computedomain.json", "istio.json")


def compact() -> Tree:
    """`{"kinds": {set: {"apiVersion kind": index}}, "nodes": [...]}` of the reference CRDs."""
    pool = Pool()
    kinds: dict[str, dict[str, int]] = {}
    for name, folder in _FILES.items():
        found = kinds.setdefault(name, {})
        for path in sorted(path for path in folder.glob("*.json") if path.name not in _LEFT_OUT):
            document = json.loads(path.read_text())
            for item in document.get("items") or [document]:
                spec = item["spec"]
                for version in spec["versions"]:
                    key = f"{spec['group']}/{version['name']} {spec['names']['kind']}"
                    found[key] = pool.schema(_plain(version["schema"]["openAPIV3Schema"]))
    return {"kinds": kinds, "nodes": pool.nodes}


def _plain(schema: Tree) -> Any:
    props = {key: item for key, item in schema.get("properties", {}).items() if key != "status"}
    return _without_rules({**schema, "properties": props})


def _without_rules(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {key: _without_rules(value) for key, value in schema.items() if key != "x-kubernetes-validations"}
    if isinstance(schema, list):
        return [_without_rules(value) for value in schema]
    return schema


def text() -> str:
    """One node a line, so that changes can be read."""
    found = compact()
    nodes = ",\n".join(json.dumps(node, separators=(",", ":")) for node in found["nodes"])
    return f'{{"kinds": {json.dumps(found["kinds"], indent=1)},\n"nodes": [\n{nodes}\n]}}\n'


if __name__ == "__main__":
    FILE.write_text(text())
