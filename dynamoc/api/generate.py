"""Writes everything that is made from the models: `python -m dynamoc.api.generate`.

`dynamoc/documents/schema/data/` gets the compact form that `documents/schema/` checks with, a file a release, and the
CRDs of all releases in `crds.json`. With `--check` nothing is written, and the exit code is 1 if a file differs.
"""

from __future__ import annotations

import sys
from pathlib import Path

from dynamoc.api.base import Part, Schema
from dynamoc.api.compact import compact, write
from dynamoc.api.crd import definitions, typed, without_go
from dynamoc.api.kubernetes import Definitions
from dynamoc.api.parts import stored_text
from dynamoc.api.release import Release
from dynamoc.api.releases import RELEASES
from dynamoc.api.structural import inlined

ROOT = Path(__file__).resolve().parents[2]
DATA = "dynamoc/documents/schema/data"


def main(arguments: list[str]) -> int:
    """Write or, with `--check`, compare all generated files."""
    files = {ROOT / name: text for name, text in generated().items()}
    stale = [path for path in _existing() if path not in files]
    changed = [path for path, text in files.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in sorted(stale + changed):
        print(f"{'drift' if '--check' in arguments else 'write'}: {path.relative_to(ROOT)}")
    if "--check" in arguments:
        return 1 if stale or changed else 0
    for path in stale:
        path.unlink()
    for path in changed:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files[path], encoding="utf-8")
    return 0


def generated() -> dict[str, str]:
    """The files by path from the root of the project."""
    files: dict[str, str] = {}
    documents: dict[str, Schema] = {}
    for release in RELEASES.values():
        crds = definitions(release)
        files[f"{DATA}/{release.name}.json"] = write(compact(crds, typed(release)))
        documents |= {f"{release.name}/{crd['spec']['names']['plural']}": without_go(crd) for crd in crds}
        if release.configuration is not None:
            documents[f"{release.name}/operatorconfiguration"] = json_schema(release.configuration, release)
    files[f"{DATA}/crds.json"] = stored_text(documents)
    return files


def json_schema(model: type[Part], release: Release) -> Schema:
    """The JSON Schema of a model that is no custom resource."""
    schema = inlined(model, Definitions(release.kubernetes, release.embedded_metadata))
    head: Schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": model.__name__}
    return {**head, **without_go(schema)}


def _existing() -> list[Path]:
    return [*ROOT.glob(f"{DATA}/*.json")]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
