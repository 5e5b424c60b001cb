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
from typing import Any

from bundling import cool, inner, plain_classes, sink, sources, strip

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
    functions start and end that are apart. It is the same wherever and whenever one version of Python writes it.
    """
    profile = json.loads((root / "benchmarks" / "startup.json").read_text())
    modules = sources.read(root)
    left = tuple(name for name in modules if name in _LOOSE or name.startswith(_AS_WRITTEN))
    exported = {each for name in ("dynamoc", *_PUBLIC) for each in sources.exported(modules[name].tree)}
    public = dict.fromkeys(_PUBLIC, exported)
    for each in modules.values():
        inner.take(each)
    plain_classes.write_out(modules, (*left, *_PUBLIC))
    strip.strip(modules, public, left)
    users = {name: set(commands.split(", ")) for name, commands in profile["modules"].items()}
    sink.sink(modules, public, left, users)
    groups = _groups(profile["modules"], [name for name in modules if name not in _LOOSE])
    known = {name for names in groups for name in names}
    codes = {name: _compiled(root, modules[name]) for name in sorted(known)}
    apart: dict[str, list[cool.Apart]] = {}
    used = sources.uses_of_others(modules)
    for name, calls in _callers(profile["functions"]).items():
        if name in users and name in codes and name not in public:
            apart[name] = cool.cool(modules[name], len(users[name]), calls, codes[name], used[name])
            codes[name] = _compiled(root, modules[name])
    places, behind = _behind(apart)
    needs = _without_repeats({name: _needs(modules[name], known) for name in sorted(known)})
    written = [
        marshal.dumps({name: (codes[name], needs[name], places.get(name, ())) for name in names}) for names in groups
    ]
    ends = list(itertools.accumulate(map(len, written)))
    number = {name: index for index, names in enumerate(groups) for name in names}
    packages = dict.fromkeys(name for name in number if modules[name].is_package)
    head = marshal.dumps((number, packages, tuple(zip([0, *ends], ends, strict=False))))
    return importlib.util.MAGIC_NUMBER + len(head).to_bytes(8, "big") + head + b"".join(written) + behind


def _callers(profile: dict[str, list[str]]) -> dict[str, dict[str, tuple[str, ...]]]:
    """The commands that call functions, by modules and qualified names."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for commands, functions in profile.items():
        for module, _, qualname in (each.partition(":") for each in functions):
            found.setdefault(module, {})[qualname] = tuple(commands.split(", "))
    return {module: found[module] for module in sorted(found)}


def _behind(apart: dict[str, list[cool.Apart]]) -> tuple[dict[str, tuple[tuple[int, int], ...]], bytes]:
    """Where the functions stand that are apart, and all of them: together those that the same command calls first."""
    parts: dict[Any, dict[tuple[str, int], CodeType]] = {}
    for name, found in apart.items():
        for index, each in enumerate(found):
            part = each.callers[0] if each.callers else (name, index)
            parts.setdefault(part, {})[name, index] = each.code
    out = bytearray()
    where: dict[tuple[str, int], tuple[int, int]] = {}
    for codes in parts.values():
        start = len(out)
        out += marshal.dumps(codes)
        where.update(dict.fromkeys(codes, (start, len(out))))
    places = {name: tuple(where[name, index] for index in range(len(found))) for name, found in apart.items()}
    return places, bytes(out)


def _groups(profile: dict[str, str], names: list[str]) -> list[list[str]]:
    """Modules that the same commands import, those with the most users first; each other module for itself."""
    found: dict[str, list[str]] = {}
    for name in names:
        if name in profile:
            found.setdefault(profile[name], []).append(name)
    groups = [members for _, members in sorted(found.items(), key=lambda item: (-item[0].count(","), item[0]))]
    return [*groups, *([name] for name in names if name not in profile)]


def _needs(source: sources.Source, known: set[str]) -> tuple[str, ...]:
    """The modules of the bundle that a module imports when it is imported; the package around it comes first."""
    needs = [source.name.rpartition(".")[0]]
    needs += [
        ".".join(parts[:count])
        for node in sources.top_imports(source.tree)
        for module, name, _ in sources.imported_names(node)
        for parts in [[*module.split("."), name] if name else module.split(".")]
        for count in range(1, len(parts) + 1)
    ]
    return tuple(dict.fromkeys(need for need in needs if need in known and need != source.name))


def _without_repeats(needs: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """What modules import, without what comes with another of their imports."""
    all_of: dict[str, set[str]] = {}

    def reached(name: str) -> set[str]:
        if name not in all_of:
            # A package may import a module of its own.
            all_of[name] = set()
            all_of[name] = {*needs[name]}.union(*map(reached, needs[name])) - {name}
        return all_of[name]

    def comes_with(name: str, other: str) -> bool:
        return name in reached(other) and other not in reached(name)

    return {
        name: tuple(each for each in found if not any(comes_with(each, other) for other in found))
        for name, found in needs.items()
    }


def _compiled(root: Path, source: sources.Source) -> CodeType:
    tree, path = ast.fix_missing_locations(source.tree), source.path.relative_to(root).as_posix()
    code: CodeType = compile(tree, path, "exec", __future__.annotations.compiler_flag, dont_inherit=True)
    return code
