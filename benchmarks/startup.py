"""What a start of the hot commands takes: modules, opcodes and instructions, recorded in startup.json.

    ./run python -m benchmarks.startup            compares with the record
    ./run python -m benchmarks.startup --record   writes it; commit it with the change that needs it

Modules and opcodes are the same in every run. Opcodes are those of dynamoc's own code, which do not depend on the
machine; they are recorded for each minor version of Python. Instructions are counted where valgrind is installed, and
recorded for a build of Python. A bundle stores together what these commands import together (bundling/).
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import inputs
from benchmarks.installed import Installed
from benchmarks.measuring import BARE, Meter

RECORD = Path(__file__).with_name("startup.json")
ROOT = Path(__file__).parents[1]
#: more than so much growth, and more opcodes than these, are for the author of a change to look at
TOLERANCE = 0.05
LEAST = 1000
INPUTS: dict[str, Callable[[], str]] = {
    "light.yaml": inputs.light,
    "picker.yaml": inputs.picker,
    "beta.yaml": inputs.beta,
    "grove.yaml": lambda: inputs.graph(0),
}
COMMANDS = {
    "version": "--version",
    "light": "render light.yaml --operator-version 1.0 --target plain",
    "light json": "render light.yaml --operator-version 1.0 --target plain -o json",
    "light validate": "validate light.yaml --operator-version 1.0 --target plain",
    "picker": "render picker.yaml --operator-version 1.0 --target plain",
    "beta": "render beta.yaml --operator-version 1.4 --target plain",
    "grove": "render grove.yaml --operator-version 1.4 --target grove",
    "grove 1.0": "render grove.yaml --operator-version 1.0 --target grove",
    "lws": "render grove.yaml --operator-version 1.4 --target lws",
    "light convert": "convert light.yaml",
    "light diff": "diff light.yaml beta.yaml --operator-version 1.4 --target plain",
    "light explain": "explain light.yaml:20 --operator-version 1.4 --target plain",
    "light requires": "requires light.yaml --operator-version 1.4 --target plain",
    "light upgrade": "upgrade light.yaml --from 1.0 --to 1.4 --target plain",
    "grove check": "check grove.yaml --operator-version 1.4 --target grove",
}
#: the commands whose instructions are recorded
COUNTED = ("version", "light", "picker", "grove")
#: the name of a start that runs nothing
PYTHON = "python"
#: {"modules": {module: names of commands, joined}, "functions": {names of commands: what they call, as
#: `module:qualified name`}, "opcodes": {version of Python: {name of a command: number}}, "instructions": the same by
#: build of Python}
Record = dict[str, dict[str, Any]]


def write_inputs(folder: Path) -> None:
    """The inputs in a project of their own: settings are looked for up to its root."""
    (folder / ".git").mkdir()
    for name, text in INPUTS.items():
        (folder / name).write_text(text())


@dataclass
class Measured:
    """Of commands, by their names: modules of dynamoc, other modules, and opcodes; and the functions that they call."""

    modules: dict[str, list[str]] = field(default_factory=dict)
    others: dict[str, list[str]] = field(default_factory=dict)
    opcodes: dict[str, int] = field(default_factory=dict)
    functions: dict[str, list[str]] = field(default_factory=dict)


def measured(folder: Path, installed: Installed, names: Iterable[str] = COMMANDS) -> Measured:
    """What commands of an installed wheel take: the source imports all that it may need."""
    result = Measured()
    for name in names:
        found = _run(folder, installed.folder, COMMANDS[name])
        result.modules[name], result.others[name] = found["modules"], found["others"]
        result.opcodes[name] = found["opcodes"]
        for function in found["functions"]:
            result.functions.setdefault(function, []).append(name)
    return result


def _run(folder: Path, site: Path, line: str) -> dict[str, Any]:
    path = f"{site}{os.pathsep}{ROOT}"
    environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": path, "PYTHONSAFEPATH": "1"}
    command = [sys.executable, "-m", "benchmarks.opcodes", "figures.json", *line.split()]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    # 1 is the answer of a command that compares and finds a difference.
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{line}: {done.stderr}")
    found: dict[str, Any] = json.loads((folder / "figures.json").read_text())
    return found


def instructions(folder: Path, installed: Installed) -> dict[str, int]:
    """Those of dynamoc as a wheel installs it, by the commands' names, and of Python alone; none without valgrind."""
    if shutil.which("valgrind") is None:
        return {}
    meter = Meter(folder, installed.environment)
    counted = {name: meter.instructions(installed.command(COMMANDS[name])) for name in COUNTED}
    counted[PYTHON] = meter.instructions(BARE)
    return {name: count for name, count in counted.items() if count is not None}


def build() -> str:
    """What decides how many instructions an opcode takes, as far as Python can tell."""
    return " ".join((sys.version, *platform.libc_ver(), platform.machine()))


def python_version() -> str:
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def grown_modules(modules: dict[str, list[str]], record: Record) -> list[str]:
    """What imports more modules than the tolerance allows."""
    found = []
    for name, imported in modules.items():
        known = [module for module, names in record["modules"].items() if name in names.split(", ")]
        if len(imported) > len(known) * (1 + TOLERANCE):
            new = ", ".join(sorted(set(imported) - set(known)))
            found.append(f"{name}: {len(imported)} modules are imported, {len(known)} are recorded; new: {new}")
    return found


def grown(counts: dict[str, int], known: dict[str, int], what: str) -> list[str]:
    """What executes more than the tolerance allows."""
    return [
        f"{name}: {count:,} {what} are executed, {known[name]:,} are recorded"
        for name, count in counts.items()
        if name in known and count > max(known[name] * (1 + TOLERANCE), known[name] + LEAST)
    ]


def grown_instructions(counts: dict[str, int], known: dict[str, int]) -> list[str]:
    """The same for instructions, without what Python alone takes more, or less, than it did for the record.

    That depends on how packages are installed beside dynamoc.
    """
    if PYTHON not in counts or PYTHON not in known:
        return []
    more = counts[PYTHON] - known[PYTHON]
    return grown({name: count - more for name, count in counts.items() if name != PYTHON}, known, "instructions")


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        write_inputs(Path(folder))
        installed = Installed(Path(folder, "site"))
        found = measured(Path(folder), installed)
        counted = instructions(Path(folder), installed)
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    kept = {key: record.setdefault(key, {}) for key in ("opcodes", "instructions")}
    if sys.argv[1:] == ["--record"]:
        every = sorted({module for imported in found.modules.values() for module in imported})
        record["modules"] = {
            module: ", ".join(name for name, imported in found.modules.items() if module in imported)
            for module in every
        }
        called: dict[str, list[str]] = {}
        for function in sorted(found.functions):
            called.setdefault(", ".join(found.functions[function]), []).append(function)
        record["functions"] = called
        kept["opcodes"][python_version()] = found.opcodes
        if counted:
            kept["instructions"][build()] = counted
        RECORD.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")
        return 0
    for name in COMMANDS:
        shown = f"{counted[name]:14,} instructions" if name in counted else ""
        print(f"{name:16} {len(found.modules[name]):4} modules {found.opcodes[name]:10,} opcodes {shown}")
    more = grown_modules(found.modules, record)
    more += grown(found.opcodes, kept["opcodes"].get(python_version(), {}), "opcodes")
    more += grown_instructions(counted, kept["instructions"].get(build(), {}))
    for line in more:
        print(line, file=sys.stderr)
    return int(bool(more))


if __name__ == "__main__":
    sys.exit(main())
