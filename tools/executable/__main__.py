"""Builds dist/dynamoc-linux-MACHINE: `python -m tools.executable [--wheel FILE]`.

It needs a C compiler and the static library of the Python that runs: Debian's python3 with libpython3-dev has it. The
file needs a Linux with the C library of the system that it is built on, or a newer one, and nothing else.
"""

from __future__ import annotations

import argparse
import importlib.util
import marshal
import os
import platform
import subprocess
import sys
import sysconfig
import tempfile
import zlib
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
MAGIC = b"dynamoc\0"
#: parts of the standard library that dynamoc and its packages never import
_LEFT_OUT = (
    "ctypes", "curses", "dbm", "distutils", "ensurepip", "idlelib", "lib2to3", "msilib", "pydoc_data", "sqlite3",
    "test", "tkinter", "turtledemo", "venv", "wsgiref", "xmlrpc",
)  # fmt: skip
#: extension modules of the standard library that need nothing but the C library
_EXTENSIONS = (
    "_asyncio", "_contextvars", "_decimal", "_json", "_multiprocessing", "_posixshmem", "_queue", "_typing",
    "_zoneinfo", "mmap", "resource", "termios",
)  # fmt: skip
#: all other modules of dynamoc are in its bundle
_BESIDE_BUNDLE = ("dynamoc._bundle", "dynamoc._version")
#: imported before boot.py can find anything
_FIRST = ("encodings", "encodings.aliases", "encodings.utf_8")


def build(target: Path, wheel: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        packages = folder / "packages"
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", "--target", str(packages)]
        subprocess.run([*pip, "-c", str(_constraints(folder)), wheel, "pygls>=2"], check=True)
        _compile(folder)
        blob, index = _content(packages)
        binary = (folder / "python").read_bytes()
        padding = b"\0" * (-len(binary) % 4096)
        # Places count from one, so that each has a sign.
        tail = marshal.dumps((*index, len(binary) + len(padding) - 1))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(binary + padding + blob + tail + len(tail).to_bytes(8, "little") + MAGIC)
        target.chmod(0o755)


def _constraints(folder: Path) -> Path:
    """The versions of uv.lock."""
    import tomllib

    locked = tomllib.loads((ROOT / "uv.lock").read_text())["package"]
    pins = [f"{item['name']}=={item['version']}" for item in locked if "editable" not in item["source"]]
    path = folder / "constraints.txt"
    path.write_text("\n".join(pins) + "\n")
    return path


def _compile(folder: Path) -> None:
    """Python with main.c, which exports what extension modules call."""
    library = Path(sysconfig.get_config_var("LIBPL"), sysconfig.get_config_var("LIBRARY"))
    lines, table = [], []
    sources = {name: Path(importlib.util.find_spec(name).origin or "") for name in _FIRST}  # type: ignore[union-attr]
    for number, (name, path) in enumerate({**sources, "_boot": HERE / "boot.py"}.items()):
        code = marshal.dumps(compile(path.read_bytes(), f"<{name}>", "exec", dont_inherit=True))
        lines.append(f"static const unsigned char CODE_{number}[] = {{{','.join(map(str, code))}}};")
        is_package = int(path.name == "__init__.py")
        table.append(f'{{"{name}", CODE_{number}, sizeof(CODE_{number}), {is_package}, NULL}},')
    lines += ["static struct _frozen BOOT_MODULES[] = {", *table, "{NULL, NULL, 0, 0, NULL}};"]
    (folder / "boot.h").write_text("\n".join(lines) + "\n")
    include = ["-I", sysconfig.get_path("include"), "-I", sysconfig.get_path("platinclude"), "-I", str(folder)]
    static = ["-Wl,--whole-archive", str(library), "-Wl,--no-whole-archive", "-Wl,--export-dynamic", "-s"]
    system = ["-Wl,-Bstatic", "-lexpat", "-lz", "-Wl,-Bdynamic", "-ldl", "-lm", "-lpthread", "-lutil"]
    command = ["cc", "-O2", "-no-pie", *include, str(HERE / "main.c"), *static, *system, "-o", str(folder / "python")]
    subprocess.run(command, check=True)


Places = dict[str, tuple[int, ...]]


def _content(packages: Path) -> tuple[bytes, tuple[Places, Places, Places]]:
    """All modules and files, and where each lies."""
    blob = bytearray()
    modules: Places = {}
    extensions: Places = {}
    files: Places = {}

    def add(data: bytes, *, packed: bool = False) -> tuple[int, int]:
        """The place of what is added; one that starts below zero is of packed data."""
        start = len(blob) + 1
        blob.extend(zlib.compress(data, 9) if packed else data)
        return (-start if packed else start), len(blob) + 1

    # What dynamoc itself needs in most runs is read as it is; the rest takes a third of the space.
    hot = ("dynamoc", "yaml")
    standard = Path(sysconfig.get_path("stdlib"))
    for root in (standard, packages):
        for path in sorted(root.rglob("*")):
            relative = path.relative_to(root)
            if not path.is_file() or "__pycache__" in relative.parts or _is_left_out(root is standard, relative):
                continue
            if path.suffix == ".py":
                parts = relative.with_suffix("").parts
                is_package = parts[-1] == "__init__"
                name = ".".join(parts[:-1] if is_package else parts)
                try:
                    code = compile(path.read_bytes(), f"{name}.py", "exec", dont_inherit=True)
                except SyntaxError:
                    continue
                if name.startswith("dynamoc.") and name not in _BESIDE_BUNDLE:
                    continue
                packed = root is packages and parts[0] not in hot
                modules[name] = (*add(marshal.dumps(code), packed=packed), is_package)
            elif path.suffix == ".so":
                name = ".".join((*relative.parent.parts, relative.name.partition(".")[0]))
                name = name.removeprefix("lib-dynload.") if root is standard else name
                extensions[name] = add(path.read_bytes(), packed=not name.startswith(("yaml", "mmap")))
            elif root is packages:
                files[relative.as_posix()] = add(path.read_bytes(), packed=relative.parts[0] not in hot)
    # Folders of packages that have no module of their own, such as `ruamel`.
    for name in [*modules, *extensions]:
        while name := name.rpartition(".")[0]:
            modules.setdefault(name, (*add(marshal.dumps(compile("", name, "exec"))), True))
    return bytes(blob), (modules, extensions, files)


def _is_left_out(is_standard: bool, relative: Path) -> bool:
    first = relative.parts[0]
    if not is_standard:
        return (
            first in ("bin", "share", "yaml_tests")
            or relative.suffix in (".pyi", ".c", ".pxd")
            or "tests" in relative.parts
        )
    if relative.suffix == ".so":
        return relative.name.partition(".")[0] not in _EXTENSIONS
    return first in _LEFT_OUT or first.startswith(("config-", "dist-packages", "site-packages"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheel", default=str(ROOT), help="what to install; by default the sources")
    default = ROOT / "dist" / f"dynamoc-linux-{platform.machine()}"
    parser.add_argument("target", nargs="?", type=Path, default=default)
    given = parser.parse_args()
    os.environ["PYTHONHASHSEED"] = "0"
    build(given.target, given.wheel)
    print(f"{given.target.stat().st_size / 1e6:.1f} MB  {given.target}")


if __name__ == "__main__":
    main()
