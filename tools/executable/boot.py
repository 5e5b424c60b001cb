# mypy: ignore-errors
"""What the executable runs first: imports, and files of packages, come from the end of its own file.

The file ends with data, an index as `marshal` writes it, the length of the index in eight bytes, and `MAGIC`. The
index has modules (start, end, whether it is a package), extension modules and other files (start, end), by name; and
from where places count.
"""

import posix
import sys
from _frozen_importlib import ModuleSpec
from marshal import loads

MAGIC = b"dynamoc\0"
try:
    _ROOT = posix.readlink("/proc/self/exe") + "/"
except OSError:
    posix.write(2, b"dynamoc: error: This executable finds itself in /proc, which is not mounted here.\n")
    posix._exit(2)


def _read(start, end):
    return posix.pread(_FILE, end - start, start)


def _content(start, end):
    """What lies at a place of the index; one that starts below zero is packed."""
    found = _read(_START + abs(start), _START + end)
    if start > 0:
        return found
    from zlib import decompress

    return decompress(found)


_FILE = posix.open("/proc/self/exe", posix.O_RDONLY | posix.O_CLOEXEC)
_END = posix.fstat(_FILE).st_size - 16
_TAIL = _read(_END, _END + 16)
assert _TAIL[8:] == MAGIC
_MODULES, _EXTENSIONS, _FILES, _START = loads(_read(_END - int.from_bytes(_TAIL[:8], "little"), _END))


def data(path):
    """The content of a file below the executable. FileNotFoundError where it has none."""
    place = _FILES.get(path[len(_ROOT) :])
    if place is None:
        raise FileNotFoundError(2, "No such file or directory", path)
    return _content(*place)


class Finder:
    """Finds and loads all modules of the executable."""

    @staticmethod
    def find_spec(name, _path=None, _target=None):
        if name in _MODULES:
            is_package = _MODULES[name][2]
            file = _ROOT + name.replace(".", "/") + ("/__init__.py" if is_package else ".py")
            spec = ModuleSpec(name, Finder, origin=file, is_package=is_package)
            spec.has_location = True
            if is_package:
                spec.submodule_search_locations = [file[: -len("/__init__.py")]]
            return spec
        if name in _EXTENSIONS:
            return _extension(name)
        return None

    @staticmethod
    def create_module(_spec):
        return None

    @staticmethod
    def exec_module(module):
        exec(Finder.get_code(module.__name__), module.__dict__)

    @staticmethod
    def get_code(name):
        start, end, _ = _MODULES[name]
        return loads(_content(start, end))

    @staticmethod
    def get_data(path):
        return data(path)

    @staticmethod
    def is_package(name):
        return _MODULES[name][2]

    @staticmethod
    def get_filename(name):
        return Finder.find_spec(name).origin

    @staticmethod
    def get_source(_name):
        return None


def _extension(name):
    """The system loads a library from a file: one in memory."""
    from _frozen_importlib_external import ExtensionFileLoader

    start, end = _EXTENSIONS[name]
    handle = posix.memfd_create(name, posix.MFD_CLOEXEC)
    content = memoryview(_content(start, end))
    while content:
        content = content[posix.write(handle, content) :]
    path = f"/proc/self/fd/{handle}"
    return ModuleSpec(name, ExtensionFileLoader(name, path), origin=path)


def _patch():
    """Lets programs open and list the files of packages."""
    import builtins
    import io
    import os

    opened, listed = io.open, os.listdir

    def open_(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None):
        if not isinstance(file, int) and str(file).startswith(_ROOT):
            raw = io.BytesIO(data(str(file)))
            return raw if "b" in mode else io.TextIOWrapper(raw, encoding or "utf-8", errors, newline)
        return opened(file, mode, buffering, encoding, errors, newline, closefd, opener)

    def listdir(path="."):
        if not isinstance(path, int) and str(path).startswith(_ROOT):
            folder = str(path)[len(_ROOT) :].rstrip("/") + "/"
            return sorted({name[len(folder) :].partition("/")[0] for name in _FILES if name.startswith(folder)})
        return listed(path)

    builtins.open = io.open = open_
    os.listdir = listdir


class Folder:
    """Lists the modules below a folder of the executable, for `pkgutil`."""

    def __init__(self, path):
        if not path.startswith(_ROOT):
            raise ImportError(path)
        self._package = path[len(_ROOT) :].replace("/", ".") + "."

    def find_spec(self, _name, _target=None):
        return None

    def iter_modules(self, prefix=""):
        for name in sorted({*_MODULES, *_EXTENSIONS, *_BUNDLED}):
            child = name[len(self._package) :]
            if name.startswith(self._package) and "." not in child:
                yield prefix + child, (name in _BUNDLED and _BUNDLED[name]) or (name in _MODULES and _MODULES[name][2])


_BUNDLED = {}


def _use_bundle():
    """The modules of dynamoc come from its bundle, as in a wheel."""
    name = f"dynamoc/bundle.{sys.implementation.cache_tag}"
    from dynamoc import _bundle

    _bundle.Loader.get_data = staticmethod(data)
    bundle = memoryview(data(_ROOT + name))
    found = _bundle.Bundle(_ROOT + name, bundle)
    _BUNDLED.update({each: each in found._packages for each in found._groups})
    sys.meta_path.insert(0, found)


sys.meta_path.insert(0, Finder)
sys.path_hooks.append(Folder)
sys.frozen = True
_patch()
_use_bundle()
from dynamoc.__main__ import diff_main, script  # noqa: E402

if sys.argv[0].rpartition("/")[2] == "dynamoc-diff":
    sys.exit(diff_main())
script()
