"""The file of a bundle: modules that the same commands import stand side by side, and are read at once."""

from __future__ import annotations
import __future__

import ast
import importlib.util
import itertools
import json
import marshal
import shutil
import sys
from pathlib import Path
from types import CodeType

from bundling import cool, plain_classes, sink, sources, strip

#: imported before there is a bundle
_LOOSE = ("dynamoc",)
#: for programs: what `__all__` of these and of `dynamoc` names stays there, and their docstrings stay
_PUBLIC = ("dynamoc.interfaces.inputs", "dynamoc.interfaces.library")
#: for programs too, and no command imports them to render: they stay as they are
_AS_WRITTEN = ("dynamoc.reference.models",)


#: what a wheel has beside the source
FILES = (f"bundle.{sys.implementation.cache_tag}", "_bundle.py")


def write(root: Path, folder: Path) -> None:
    """Write `FILES`, the bundle of the package below `root` and what reads it, into `folder`."""
    (folder / FILES[0]).write_bytes(bundle(root))
    shutil.copyfile(Path(__file__).with_name("loader.py"), folder / FILES[1])


def bundle(root: Path) -> bytes:
    """The magic number of the Python that runs, the length of the index, the index, and the groups of modules.

    The index has the group of each module, the packages among them, and where each group starts and ends. A group is a
    mapping of modules to their code, to modules of the bundle that they import when they are imported, and to where the
    code of their cold functions starts and ends. It is the same wherever and whenever one version of Python writes it.
    """
    profile = json.loads((root / "benchmarks" / "startup.json").read_text())
    modules = sources.read(root)
    left = tuple(name for name in modules if name in _LOOSE or name.startswith(_AS_WRITTEN))
    exported = {each for name in ("dynamoc", *_PUBLIC) for each in sources.exported(modules[name].tree)}
    public = dict.fromkeys(_PUBLIC, exported)
    plain_classes.write_out(modules, (*left, *_PUBLIC))
    strip.strip(modules, public, left)
    users = {name: set(commands.split(", ")) for name, commands in profile["modules"].items()}
    sink.sink(modules, public, left, users)
    groups = _groups(profile["modules"], [name for name in modules if name not in _LOOSE])
    known = {name for names in groups for name in names}
    apart = bytearray()
    codes = []
    for names in groups:
        entries = {name: _entry(root, modules[name], known, set(profile["functions"]), apart) for name in names}
        codes.append(marshal.dumps(entries))
    ends = list(itertools.accumulate(map(len, codes)))
    number = {name: index for index, names in enumerate(groups) for name in names}
    packages = dict.fromkeys(name for name in number if modules[name].is_package)
    head = marshal.dumps((number, packages, tuple(zip([0, *ends], ends, strict=False))))
    return importlib.util.MAGIC_NUMBER + len(head).to_bytes(8, "big") + head + b"".join(codes) + bytes(apart)


def _groups(profile: dict[str, str], names: list[str]) -> list[list[str]]:
    """Modules that the same commands import, those with the most users first; each other module for itself."""
    found: dict[str, list[str]] = {}
    for name in names:
        if name in profile:
            found.setdefault(profile[name], []).append(name)
    groups = [members for _, members in sorted(found.items(), key=lambda item: (-item[0].count(","), item[0]))]
    return [*groups, *([name] for name in names if name not in profile)]


def _entry(
    root: Path, source: sources.Source, known: set[str], called: set[str], apart: bytearray
) -> tuple[CodeType, tuple[str, ...], tuple[tuple[int, int], ...]]:
    """The entry of a module; the code of its cold functions goes to the end of `apart`, from where places count."""
    path = source.path.relative_to(root).as_posix()
    places = []
    code = _compiled(ast.fix_missing_locations(source.tree), path)
    for part in cool.cool(source, called, code):
        places.append((len(apart), len(apart) + len(part)))
        apart += part
    needs = [
        ".".join(parts[:count])
        for node in sources.top_imports(source.tree)
        for module, name, _ in sources.imported_names(node)
        for parts in [[*module.split("."), name] if name else module.split(".")]
        for count in range(1, len(parts) + 1)
    ]
    needed = tuple(dict.fromkeys(need for need in needs if need in known and need != source.name))
    return _compiled(source.tree, path) if places else code, needed, tuple(places)


def _compiled(tree: ast.Module, path: str) -> CodeType:
    code: CodeType = compile(tree, path, "exec", __future__.annotations.compiler_flag, dont_inherit=True)
    return code
