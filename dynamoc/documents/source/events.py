"""The event parser of libyaml, without the rest of PyYAML.

Of `import yaml` we need one C class and the events that it makes; the readers, resolvers and constructors around it
take longer to import than Python takes to start. So a package module stands in for `yaml` while `yaml._yaml` is
imported, and runs the real `yaml/__init__.py` as soon as anybody asks it for something. After that nothing differs
from an ordinary import. Where anything about this fails, and where PyYAML comes without libyaml, the ordinary import
and its pure parser do the same, slower.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from dynamoc.documents.source.document import Position, Report, position_of

#: Modules whose names `yaml._yaml` binds when it is imported, but that its event parser does not run.
_STOOD_IN = (
    "composer",
    "constructor",
    "emitter",
    "nodes",
    "parser",
    "reader",
    "representer",
    "scanner",
    "serializer",
    "tokens",
)
#: those of them whose errors the event parser raises
_RAISED = ("parser", "reader", "scanner")


def _load_alone() -> ModuleType:
    """`yaml._yaml`, imported below a package that is completed on demand."""
    package = _pending_package()
    sys.modules["yaml"] = package
    try:
        import yaml.error
        import yaml.events

        for name in _STOOD_IN:
            setattr(package, name, _StandIn(yaml.error.YAMLError, own_errors=name in _RAISED))
        # Not `from yaml import _yaml`, which would ask the package first.
        import yaml._yaml
    except BaseException:
        for name in [name for name in sys.modules if name == "yaml" or name.startswith("yaml.")]:
            del sys.modules[name]
        raise
    for name in _STOOD_IN:
        delattr(package, name)
    return sys.modules["yaml._yaml"]


def _pending_package() -> ModuleType:
    spec = next(filter(None, (finder.find_spec("yaml", None) for finder in sys.meta_path)))
    package = type(sys)("yaml")
    package.__spec__ = spec
    package.__loader__ = spec.loader
    package.__file__ = spec.origin
    package.__package__ = "yaml"
    package.__path__ = list(spec.submodule_search_locations or ())

    def complete(name: str) -> Any:
        if name.startswith("__") or spec.loader is None:
            raise AttributeError(name)
        package.__dict__.pop("__getattr__", None)
        spec.loader.exec_module(package)
        _replace_stand_ins(package)
        return getattr(package, name)

    package.__getattr__ = complete  # type: ignore[method-assign]
    return package


def _replace_stand_ins(package: ModuleType) -> None:
    bound = vars(sys.modules["yaml._yaml"])
    for name in _STOOD_IN:
        module = getattr(package, name)
        bound.update({word: getattr(module, word) for word in bound if hasattr(module, word)})


class _StandIn:
    """A module that has a class for every name, and a class of its own for errors that are raised."""

    def __init__(self, base: type[Exception], *, own_errors: bool) -> None:
        self._base = base
        self._own_errors = own_errors

    def __getattr__(self, name: str) -> type[Exception]:
        return type(name, (self._base,), {}) if self._own_errors and name.endswith("Error") else self._base


def _load() -> Any:
    """The class of the event parser."""
    if "yaml" not in sys.modules:
        try:
            return _load_alone().CParser
        except Exception:
            pass  # The ordinary import tells better what is wrong, or works.
    try:
        from yaml._yaml import CParser
    except ImportError:
        from yaml import SafeLoader

        return SafeLoader
    return CParser


#: `EventParser(text).get_event()` gives the next event, None at the end, and raises YAMLError.
EventParser: Any = _load()


def judge_lines(text: str, report: Report) -> None:
    """Stops where Kubernetes would read the text otherwise, or not at all."""
    _judge_separators(text, report)
    if "\ufeff" in text:
        _judge_marks(text, report)


def _judge_separators(text: str, report: Report) -> None:
    """kubectl cuts the text at each line that starts with `---`, and takes nothing else in it but a comment.

    Source: k8s.io/apimachinery pkg/util/yaml decoder.go (`YAMLReader`).
    """
    start = 0 if text.startswith("---") else _next_separator(text, 0)
    while start >= 0:
        end = text.find("\n", start)
        behind = text[start + 3 : end if end >= 0 else None].strip()
        if behind and behind[0] != "#":
            message, hint = "kubectl accepts only a comment after `---`.", "Start the document on the next line."
            if not behind.strip("-"):
                hint = "Write `---`, with three hyphens."
            report.stop(position_of(text, start + 3), "read/separator", message, hint)
        start = _next_separator(text, start)


def judge_conflict(text: str, report: Report) -> None:
    """Stops at what git leaves of a merge that nobody has finished."""
    start = 0 if text.startswith("<<<<<<< ") else text.find("\n<<<<<<< ") + 1
    is_marker = text.startswith("<<<<<<< ", start)
    rest = text[start:]
    if is_marker and (start == 0 or ("\n=======" in rest and "\n>>>>>>> " in rest)):
        message = "This is a git conflict marker: the file contains two versions of the lines that follow."
        hint = "Keep one of the two versions, and delete the lines that start with `<<<<<<<`, `=======` and `>>>>>>>`."
        report.stop(position_of(text, start), "read/conflict", message, hint)


def _next_separator(text: str, offset: int) -> int:
    found = text.find("\n---", offset)
    return found + 1 if found >= 0 else -1


def _judge_marks(text: str, report: Report) -> None:
    """A byte-order mark at the start of a line: libyaml skips it, Go makes it a part of the key."""
    for end in ("\n", "\r", "\x85", "\u2028", "\u2029"):
        offset = text.find(f"{end}\ufeff") + 1
        if offset:
            message = "An invisible byte-order mark (U+FEFF) is at the start of this line."
            hint = "Delete it; some editors show it as <feff>."
            report.stop(position_of(text, offset), "read/encoding", message, hint)


_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_HINT = "Save the file as UTF-8."


def is_utf16(data: bytes) -> bool:
    return data[:2] in _UTF16_MARKS


def decode(data: bytes, report: Report) -> str:
    """The text without its byte-order mark. Raises Unreadable where it is neither UTF-8 nor marked as UTF-16."""
    if is_utf16(data):
        try:
            return data.decode("utf-16")
        except UnicodeDecodeError:
            message = "The file starts as UTF-16, but continues in another encoding."
            report.stop(Position(0, 0), "read/encoding", message, _HINT)
    data = data.removeprefix(_UTF8_MARK)
    try:
        return data.decode()
    except UnicodeDecodeError as problem:
        message = f"The byte 0x{data[problem.start]:02x} is not valid UTF-8, which Kubernetes expects."
        report.stop(_position(data, problem.start), "read/encoding", message, _HINT)


def _position(data: bytes, offset: int) -> Position:
    start = data.rfind(b"\n", 0, offset) + 1
    return Position(data.count(b"\n", 0, offset), len(data[start:offset].decode(errors="replace")))
