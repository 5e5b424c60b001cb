"""Writes what is read at run time from `schemas/`: `python -m dynamoc.api.generate`.

`schemas/RELEASE/` has the CRDs of a release, the JSON Schema of the operator's configuration where it has one, and what
Go's types do beside them. A release without a folder has that of the one before. `dynamoc/schema/data/` gets the
compact form that `dynamoc.schema` checks with, a file a release, and the documents of all releases in `crds.json`. With
`--check` nothing is written, and the exit code is 1 if a file differs.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import yaml

from dynamoc.api.compact import compact, write
from dynamoc.api.parts import stored_text
from dynamoc.release.known_releases import ORDER

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "schemas"
DATA = "dynamoc/schema/data"

Schema = dict[str, Any]


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
    for release in ORDER:
        source = folder(release)
        crds = definitions(source)
        files[f"{DATA}/{release}.json"] = write(compact(crds, load(source / "go-fields.yaml")))
        documents |= {f"{release}/{crd['spec']['names']['plural']}": crd for crd in crds}
        configuration = source / "operatorconfiguration.yaml"
        if configuration.exists():
            documents[f"{release}/operatorconfiguration"] = load(configuration)
    files[f"{DATA}/crds.json"] = stored_text(documents)
    return files


def folder(release: str) -> Path:
    """The folder of `schemas/` that holds for a release."""
    before = ORDER[: ORDER.index(release) + 1]
    return next(path for name in reversed(before) if (path := SCHEMAS / name).is_dir())


def definitions(source: Path) -> list[Schema]:
    """The CRDs in a folder, by kind."""
    crds = [load(path) for path in source.glob("nvidia.com_*.yaml")]
    return sorted(crds, key=lambda crd: str(crd["spec"]["names"]["kind"]))


def load(path: Path) -> Schema:
    """A document of `schemas/`. Parts of it may be the same object."""
    with path.open(encoding="utf-8") as file:
        document: Schema = yaml.load(file, yaml.CSafeLoader)
    return document


def _existing() -> list[Path]:
    return [*ROOT.glob(f"{DATA}/*.json")]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
