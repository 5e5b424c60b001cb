"""Where modules come from in a wheel: its bundle. The build puts this file there as `dynamoc/_bundle.py`.

A bundle has the code of modules in one file, for one version of Python; `bundling` writes it while a wheel is built.
Reading it takes a fraction of the time of finding, checking and reading a file for each module. The files are installed
as well, and all but the code comes from them: lines of tracebacks, data, resources. Where no bundle fits (a source
tree, an editable install, another Python, a zip file), modules are imported as usual.

This module is imported from its file in each run; `from __future__ import annotations` would import one more.
"""

import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader
from _imp import _fix_co_filename  # type: ignore[attr-defined]
from marshal import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, ModuleType
    from typing import Any

    # The code of a module, modules that it imports when it is imported, and where the code of its functions stands that
    # is apart: for each function the start and the end of the part of the bundle that has it.
    Entry = tuple[CodeType, tuple[str, ...], tuple[tuple[int, int], ...]]
    _cold_warm: Any

#: where the index starts: behind the magic number of Python's bytecode and the length of the index
_INDEX = 12


class Bundle:
    """Finds the modules of one package; a finder for `sys.meta_path`."""

    def __init__(self, path: str, data: memoryview) -> None:
        self._start = _INDEX + int.from_bytes(data[4:_INDEX], "big")
        self._path = path
        self._folder = path.rpartition("/")[0]
        self._data = data
        self._groups: dict[str, int]
        self._groups, self._packages, self._places = loads(data[_INDEX : self._start])
        self._apart = self._start + (self._places[-1][1] if self._places else 0)
        self._entries: dict[str, Entry] = {}
        self._codes: dict[tuple[str, int], CodeType] = {}

    def find_spec(self, name: str, _path: "Any" = None, _target: "Any" = None) -> ModuleSpec | None:
        """The spec of a module; what it imports is imported first."""
        if name not in self._groups:
            return None
        # Python's own way holds a lock for each module, which takes longer than to run most of them. A package waits:
        # what it imports may be in it.
        if name not in self._packages and "threading" not in sys.modules:
            self._import(self._entry(name)[1])
        return self._spec(name)

    def _import(self, names: tuple[str, ...]) -> None:
        """What `import` does where nobody else imports meanwhile."""
        modules = sys.modules
        for name in names:
            if name in modules:
                continue
            code, needs, _ = self._entry(name)
            spec = self._spec(name)
            module = modules[name] = _module(spec)
            _fix_co_filename(code, spec.origin)
            try:
                self._import(needs)
                exec(code, module.__dict__)
            except BaseException:
                del modules[name]
                raise
            parent, _, child = name.rpartition(".")
            setattr(modules[parent], child, module)

    def code(self, name: str) -> "CodeType":
        """The code of a module."""
        return self._entry(name)[0]

    def cold_code(self, name: str, index: int, file: str) -> "CodeType":
        """The code of a function of a module that stands apart."""
        if (name, index) not in self._codes:
            start, end = self._entry(name)[2][index]
            self._codes.update(loads(self._data[self._apart + start : self._apart + end]))
        code = self._codes[name, index]
        _fix_co_filename(code, file)
        return code

    def _spec(self, name: str) -> ModuleSpec:
        folder = f"{self._folder}/{name[8:].replace('.', '/')}"
        is_package = name in self._packages
        file = f"{folder}/__init__.py" if is_package else f"{folder}.py"
        spec = ModuleSpec(name, Loader(name, file, self), origin=file)
        if is_package:
            spec.submodule_search_locations = [folder]
        # `has_location` and `cached` are properties, which take longer to set.
        spec._set_fileattr = True  # type: ignore[attr-defined]
        spec._cached = self._path  # type: ignore[attr-defined]
        # Each import of the module asks for it, and Python 3.11 writes an error message where it is not there.
        spec._initializing = False  # type: ignore[attr-defined]
        return spec

    def _entry(self, name: str) -> "Entry":
        found = self._entries.get(name)
        if found is None:
            start, end = self._places[self._groups[name]]
            self._entries.update(loads(self._data[self._start + start : self._start + end]))
            found = self._entries[name]
        return found


class Module(type(sys)):  # type: ignore[misc]
    """A module without a `__getattr__` of its own.

    For others, Python 3.11 writes an error message each time that it asks a module whether it is a package, which
    `from module import name` does.
    """

    __slots__ = ()
    __getattribute__ = object.__getattribute__


def _module(spec: ModuleSpec) -> "ModuleType":
    name, path = spec.name, spec.submodule_search_locations
    package = name.rpartition(".")[0] if path is None else name
    module = Module(name)
    names = module.__dict__
    names["__spec__"] = spec
    names["__loader__"] = spec.loader
    names["__package__"] = package
    names["__file__"] = spec.origin
    names["__cached__"] = spec._cached  # type: ignore[attr-defined]
    if path is not None:
        names["__path__"] = path
    return module


class Loader(SourceFileLoader):
    """Loads code from the bundle, and all else from the file of the source."""

    def __init__(self, name: str, file: str, bundle: Bundle) -> None:
        self.name = name
        self.path = file
        self.bundle = bundle

    def create_module(self, spec: ModuleSpec) -> "ModuleType":
        return _module(spec)

    def get_code(self, name: str) -> "CodeType":
        code = self.bundle.code(name)
        _fix_co_filename(code, self.path)
        return code


def _use_bundle() -> None:
    """Import the modules of the package from its bundle, where it has one that fits."""
    path = f"{sys.modules['dynamoc'].__path__[0]}/bundle.{sys.implementation.cache_tag}"
    try:
        with open(path, "rb", buffering=0) as file:
            # Nothing is copied, and what nobody asks for is not read.
            from mmap import ACCESS_READ, mmap

            data = memoryview(mmap(file.fileno(), 0, access=ACCESS_READ))
    except (ImportError, OSError, ValueError):  # a Python without memory maps; no bundle; an empty one
        return
    if data[: len(MAGIC_NUMBER)] == MAGIC_NUMBER:
        sys.meta_path.insert(0, Bundle(path, data))
        if "yaml" not in sys.modules:
            sys.meta_path.insert(0, Yaml())


def loader(names: "dict[str, Any]", units: "tuple[Any, ...]") -> "Any":
    """What fills the globals of a bundled module when a function first reads them: `_sunk_load(2)` for unit 2.

    A unit is the name of its flag with (module, name in it or "", name here) for each import; or its flag, a name, and
    the function that makes its value.
    """

    def load(index: int) -> None:
        flag, *rest = units[index]
        if len(rest) == 2:
            # Another thread may have made it: all take the first.
            names.setdefault(rest[0], rest[1]())
        else:
            for module, name, here in rest[0]:
                found = __import__(module, names, None, (name,) if name else ())
                names[here] = getattr(found, name) if name else found
        names[flag] = False

    return load


def lru_cache(most: "int | None") -> "Any":
    """functools.lru_cache, without the module around it."""
    from _functools import _lru_cache_wrapper  # type: ignore[import-not-found]

    return lambda function: _lru_cache_wrapper(function, most, False, lambda *counts: counts)


def cache(function: "Any") -> "Any":
    """functools.cache, as well."""
    return lru_cache(None)(function)


_hash: "Any" = None


def sha256(data: bytes) -> "Any":
    """hashlib.sha256, without OpenSSL where Python has a module of its own for it."""
    global _hash  # noqa: PLW0603 - a module that is not there is searched for on each import
    if _hash is None:
        try:
            _hash = __import__("_sha2" if sys.version_info >= (3, 12) else "_sha256").sha256
        except ImportError:
            from hashlib import sha256 as _hash
    return _hash(data)


def _apart(*given: "Any", _cold_index: int, **named: "Any") -> "Any":
    """What all functions do whose code is not read yet: each is called with its number."""
    return _cold_warm(_cold_index)(*given, **named)  # noqa: F821 - of the module that has the function


def cold(names: "dict[str, Any]", plain: "tuple[str, ...]", later: "tuple[str, ...]") -> "Any":
    """Makes the functions of a module whose code stands apart: at once those that are `plain`, which have the first
    numbers and nothing but a name, and by what it returns those with more. `later` are plain ones with the next
    numbers: functions whose code stands apart call them, nothing else does, so they come with the first code."""
    code = _apart.__code__
    function_type: Any = type(_apart)
    functions: list[Any] = [None] * (len(plain) + len(later))
    defaults: dict[int, tuple[Any, Any]] = {}

    def fill(index: int, added: "tuple[str, ...]") -> None:
        for name in added:
            names[name] = functions[index] = function = function_type(code, names, name)
            function.__kwdefaults__ = {"_cold_index": index}
            index += 1

    fill(0, plain)

    def make(name: str, text: "str | None" = None, given: "Any" = None, named: "Any" = None) -> "Any":
        function = function_type(code, names, name)
        index = len(functions)
        function.__kwdefaults__ = {"_cold_index": index}
        functions.append(function)
        if text is not None:
            function.__doc__ = text
        if given is not None or named is not None:
            defaults[index] = given, named
        return function

    def warm(index: int) -> "Any":
        """The function with this number, with its code. Another thread may call it meanwhile: the code comes last."""
        if functions and functions[len(plain) + len(later) - 1] is None:
            fill(len(plain), later)
        function, spec = functions[index], names["__spec__"]
        code = spec.loader.bundle.cold_code(spec.name, index, spec.loader.path)
        if index in defaults:
            given, named = defaults[index]
            function.__defaults__ = given
            function.__kwdefaults__ = {**function.__kwdefaults__, **(named or {})}
        function.__qualname__ = code.co_qualname
        function.__code__ = code
        return function

    names["_cold_warm"] = warm
    return make


#: Modules whose names `yaml._yaml` binds when it is imported, but that its event parser does not run.
_STOOD_IN = (
    *("composer", "constructor", "emitter", "nodes", "parser", "reader", "representer", "scanner", "serializer"),
    "tokens",
)
#: those of them whose errors the event parser raises
_RAISED = ("parser", "reader", "scanner")


class Yaml:
    """Gives the event parser of libyaml without the rest of PyYAML.

    dynamoc needs one C class of PyYAML and the events that it makes; the readers, resolvers and constructors around it
    take longer to import than Python takes to start. So a package stands in for `yaml` until something else is asked of
    it, and then runs the real `yaml/__init__.py`: after that nothing differs from an ordinary import. Where anything
    about this fails, and where PyYAML comes without libyaml, the import is the ordinary one.
    """

    def find_spec(self, name: str, _path: "Any" = None, _target: "Any" = None) -> "Any":
        if name != "yaml":
            return None
        sys.meta_path.remove(self)
        try:
            self._package = self._alone()
        except Exception:
            # The ordinary import says better what is wrong, or works.
            return None
        spec = ModuleSpec(name, self, origin=self._package.__file__, is_package=True)  # type: ignore[arg-type]
        spec.submodule_search_locations = list(self._package.__path__)
        return spec

    def create_module(self, _spec: ModuleSpec) -> "ModuleType":
        return self._package

    def exec_module(self, _module: "ModuleType") -> None:
        """What it is without the rest is there already."""

    def _alone(self) -> "ModuleType":
        """The package with `yaml._yaml` below it."""
        package = sys.modules["yaml"] = self._pending()
        try:
            from yaml.error import YAMLError

            for name in ("yaml.error", "yaml.events"):
                __import__(name)
            for name in _STOOD_IN:
                setattr(package, name, _StandIn(YAMLError, own_errors=name in _RAISED))
            __import__("yaml._yaml")
        except BaseException:
            for name in [name for name in sys.modules if name == "yaml" or name.startswith("yaml.")]:
                del sys.modules[name]
            raise
        for name in _STOOD_IN:
            delattr(package, name)
        return package

    def _pending(self) -> "ModuleType":
        """The package, which completes itself once something else is asked of it."""
        spec: Any = next(filter(None, (finder.find_spec("yaml", None) for finder in sys.meta_path)))
        package = type(sys)("yaml")
        package.__file__ = spec.origin
        package.__package__ = "yaml"
        package.__path__ = list(spec.submodule_search_locations)

        def complete(name: str) -> "Any":
            if name.startswith("__"):
                raise AttributeError(name)
            package.__dict__.pop("__getattr__", None)
            package.__spec__, package.__loader__ = spec, spec.loader
            spec.loader.exec_module(package)
            bound = vars(sys.modules["yaml._yaml"])
            for each in _STOOD_IN:
                module = getattr(package, each)
                bound.update({word: getattr(module, word) for word in bound if hasattr(module, word)})
            return getattr(package, name)

        package.__getattr__ = complete  # type: ignore[method-assign]
        return package


class _StandIn:
    """A module that has a class for every name, and a class of its own for errors that are raised."""

    def __init__(self, base: type[Exception], *, own_errors: bool) -> None:
        self._base = base
        self._own_errors = own_errors

    def __getattr__(self, name: str) -> type[Exception]:
        return type(name, (self._base,), {}) if self._own_errors and name.endswith("Error") else self._base


_use_bundle()
