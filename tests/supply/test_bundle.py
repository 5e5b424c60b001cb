"""The bundle of a wheel: the same results as from the source tree, and nothing that looks at modules notices it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.installed import Installed

ROOT = Path(__file__).parents[2]
BUNDLE = f"bundle.{sys.implementation.cache_tag}"

RENDERS = """
import glob, json, os, sys, tempfile
from dynamoc.interfaces.cli.entry import run

answer = os.dup(1)

def printed(line):
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        os.dup2(out.fileno(), 1), os.dup2(err.fileno(), 2)
        try:
            code = run(line)
        except SystemExit as end:
            code = end.code
        sys.stdout.flush(), sys.stderr.flush()
        out.seek(0), err.seek(0)
        return code, out.read().decode(), err.read().decode()

lines = ["rules", "rules probes/worker --operator-version 1.4", "explain --help", "--version"]
for path in sorted(glob.glob(f"{sys.argv[1]}/golden/**/input*.yaml", recursive=True)):
    for options in ("--operator-version 1.0 --target plain", "--operator-version 1.4 --target grove"):
        lines.append(f"render {path} {options}")
found = [(line, *printed(line.split())) for line in lines]
specs = [module.__spec__ for name, module in sys.modules.items() if name.startswith("dynamoc.")]
os.write(answer, json.dumps([sum("bundle" in spec.cached for spec in specs), found]).encode())
"""


@pytest.fixture(scope="module")
def site(installed: Installed) -> Path:
    """A folder with the package as a wheel has it."""
    return installed.folder


def python(folder: Path, *argv: str) -> str:
    """What Python prints with the modules of a folder before all others."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONSAFEPATH": "1"}
    done = subprocess.run([sys.executable, *argv], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_source_tree_has_no_bundle() -> None:
    assert list((ROOT / "dynamoc").glob("bundle.*")) == []


def test_golden_inputs_render_as_from_the_source_tree(site: Path) -> None:
    used, from_bundle = json.loads(python(site, "-c", RENDERS, str(ROOT)))
    unused, from_source = json.loads(python(ROOT, "-c", RENDERS, str(ROOT)))
    assert used > 150
    assert unused == 0
    assert [row for row, other in zip(from_bundle, from_source, strict=True) if row != other] == []
    assert sum("replicas: " in out for _, _, out, _ in from_source) > 100


@pytest.mark.parametrize(
    "data",
    [b"\0\0\0\0" + b"x" * 100, b""],
    ids=["of another Python", "empty"],
)
def test_a_bundle_that_does_not_fit_is_ignored(site: Path, tmp_path: Path, data: bytes) -> None:
    shutil.copytree(site, tmp_path / "site")
    (tmp_path / "site" / "dynamoc" / BUNDLE).write_bytes(data)
    code = "import dynamoc.interfaces.cli.render as module; print(module.__spec__.cached.endswith('.pyc'))"
    assert python(tmp_path / "site", "-c", code) == "True\n"


def test_a_bundle_of_another_version_is_not_read(site: Path, tmp_path: Path) -> None:
    shutil.copytree(site, tmp_path / "site")
    (tmp_path / "site" / "dynamoc" / BUNDLE).rename(tmp_path / "site" / "dynamoc" / "bundle.cpython-300")
    code = "import dynamoc.interfaces.cli.render as module; print(module.__spec__.cached.endswith('.pyc'))"
    assert python(tmp_path / "site", "-c", code) == "True\n"


def test_modules_have_specs_files_and_sources(site: Path) -> None:
    code = """
import importlib, importlib.resources, importlib.util, inspect, pkgutil
import dynamoc.interfaces.cli.render as module, dynamoc.documents.schema as package
print(module.__spec__.name, module.__spec__.origin == module.__file__, module.__spec__.parent, module.__package__)
print(inspect.getsource(module.render).split("(")[0], module.render.__code__.co_filename == module.__file__)
print(package.__path__ == [package.__file__[:-12]], (importlib.resources.files(package) / "data").is_dir())
print(importlib.util.find_spec("dynamoc.documents.emit.yaml").loader.get_source("dynamoc.documents.emit.yaml").startswith('"'))
print(importlib.reload(module) is module, importlib.util.find_spec("dynamoc.nothing"))
print(sorted(item.name for item in pkgutil.iter_modules(package.__path__))[:2])
"""
    assert python(site, "-c", code).splitlines() == [
        "dynamoc.interfaces.cli.render True dynamoc.interfaces.cli dynamoc.interfaces.cli",
        "def render True",
        "True True",
        "True",
        "True None",
        "['causes', 'cel']",
    ]


def test_tracebacks_show_lines_of_the_source(site: Path) -> None:
    code = """
import traceback
from dynamoc.documents.emit.yaml import dump_yaml
try:
    dump_yaml(None)
except TypeError:
    print(traceback.format_exc())
"""
    text = (ROOT / "dynamoc" / "documents" / "emit" / "yaml.py").read_text().splitlines()
    number = text.index("    for item in objects:") + 1
    printed = python(site, "-c", code)
    assert f'{site}/dynamoc/documents/emit/yaml.py", line {number}, in dump_yaml\n    for item in objects:' in printed


def test_modules_run_by_name(site: Path) -> None:
    assert python(site, "-m", "dynamoc", "--version") == python(ROOT, "-m", "dynamoc", "--version")


def test_a_zip_file_has_no_use_for_it(site: Path, tmp_path: Path) -> None:
    archive = shutil.make_archive(str(tmp_path / "site"), "zip", site)
    assert python(Path(archive), "-m", "dynamoc", "--version") == python(ROOT, "-m", "dynamoc", "--version")
