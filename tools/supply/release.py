"""Builds what a release publishes into dist/release/: `python -m tools.supply.release VERSION`.

The wheel and the sdist, twice, which must be equal; the executable, where this Python has its static library; the
manifest of krew and the formula of Homebrew; the licences and versions of what is inside (CycloneDX); the notes of the
changelog; and SHA256SUMS. REPOSITORY_URL is the address that people download from.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
OUT = ROOT / "dist" / "release"
DEBIAN = "/usr/bin/python3"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("version", help="such as 0.2.0; CHANGELOG.md describes it")
    version = parser.parse_args().version
    notes = notes_of(version)
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    (OUT / "NOTES.md").write_text(notes)
    packages(version)
    (OUT / "sbom.cdx.json").write_text(json.dumps(sbom(version), indent=2) + "\n")
    executable(version)
    manifests(version)
    sums = "".join(f"{_digest(path)}  {path.name}\n" for path in sorted(OUT.iterdir()))
    (OUT / "SHA256SUMS").write_text(sums)
    print(sums, end="")
    return 0


def notes_of(version: str) -> str:
    """The section of a version in CHANGELOG.md. Exits where there is none."""
    text = (ROOT / "CHANGELOG.md").read_text()
    found = re.search(rf"^## {re.escape(version)} \(.*?\)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if not found:
        sys.exit(f"CHANGELOG.md has no section {version}: run make changelog VERSION={version}")
    return found[1].strip() + "\n"


def packages(version: str) -> None:
    """Wheel and sdist of this version, whatever tag is here; built twice."""
    environment = {**os.environ, "SETUPTOOLS_SCM_PRETEND_VERSION": version, "SOURCE_DATE_EPOCH": "1577836800"}
    digests = []
    for name in ("one", "two"):
        folder = OUT / name
        line = [sys.executable, "-m", "build", "--quiet", "--outdir", str(folder), str(ROOT)]
        subprocess.run(line, check=True, env=environment, stdout=subprocess.DEVNULL)
        digests.append({path.name: _digest(path) for path in folder.iterdir()})
    if digests[0] != digests[1]:
        sys.exit(f"not reproducible: {digests}")
    for path in (OUT / "one").iterdir():
        shutil.move(path, OUT / path.name)
    shutil.rmtree(OUT / "one")
    shutil.rmtree(OUT / "two")


def sbom(version: str) -> dict[str, object]:
    """CycloneDX 1.5: what an installation may hold, with the versions and digests of uv.lock."""
    locked = {item["name"]: item for item in tomllib.loads((ROOT / "uv.lock").read_text())["package"]}
    wanted, components = ["dynamoc"], {}
    while wanted:
        item = locked[wanted.pop()]
        if item["name"] not in components:
            components[item["name"]] = item
            wanted += [each["name"] for each in item.get("dependencies", ())]
    listed = [_component(item) for name, item in sorted(components.items()) if name != "dynamoc"]
    own = {"type": "application", "name": "dynamoc", "version": version, "purl": f"pkg:pypi/dynamoc@{version}"}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": own},
        "components": listed,
    }


def _component(item: dict[str, object]) -> dict[str, object]:
    name, version = item["name"], item["version"]
    sdist = item.get("sdist")
    digest = str(sdist["hash"]).removeprefix("sha256:") if isinstance(sdist, dict) else ""
    found = {"type": "library", "name": name, "version": version, "purl": f"pkg:pypi/{name}@{version}"}
    return {**found, "hashes": [{"alg": "SHA-256", "content": digest}]} if digest else found


def executable(version: str) -> None:
    """For Linux, by a Python that has its static library: this one, or Debian's."""
    probe = "import os, pip, sysconfig as s; print(os.path.exists(s.get_config_var('LIBPL') + '/libpython3.11.a'))"
    able = [each for each in (sys.executable, DEBIAN) if Path(each).exists() and _printed(each, "-c", probe) == "True"]
    machine = sysconfig.get_platform().rpartition("-")[2]
    if not able:
        print(
            "NO EXECUTABLE: no Python with its static library here (Debian: libpython3-dev, python3-pip)",
            file=sys.stderr,
        )
        return
    [wheel] = OUT.glob("*.whl")
    target = OUT / f"dynamoc-linux-{machine}"
    subprocess.run([able[-1], "-m", "tools.executable", "--wheel", str(wheel), str(target)], cwd=ROOT, check=True)
    with tarfile.open(OUT / f"{target.name}.tar.gz", "w:gz") as archive:
        archive.add(target, "kubectl-dynamoc")
        archive.add(ROOT / "deploy" / "kubectl" / "kubectl_complete-dynamoc", "kubectl_complete-dynamoc")
        archive.add(ROOT / "LICENSE", "LICENSE")


def _printed(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def manifests(version: str) -> None:
    repository = os.environ.get("REPOSITORY_URL", "https://git.example.com/platform/dynamoc")
    archives = {
        "@SHA256_X86_64@": OUT / "dynamoc-linux-x86_64.tar.gz",
        "@SHA256_SDIST@": OUT / f"dynamoc-{version}.tar.gz",
    }
    words = {"@VERSION@": version, "@REPOSITORY@": repository}
    words |= {word: _digest(path) for word, path in archives.items() if path.exists()}
    for source in (ROOT / "deploy/kubectl/dynamoc.yaml", ROOT / "deploy/homebrew/dynamoc.rb"):
        text = source.read_text()
        for word, value in words.items():
            text = text.replace(word, value)
        (OUT / source.name).write_text(text)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
