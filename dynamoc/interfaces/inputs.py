"""What the library takes and gives: options, sources (texts, paths, plain data, models), objects, explanations.

What is not a choice is a ValueError that lists the choices.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias, TypeGuard, get_args, runtime_checkable

from dynamoc.compiler.cluster import Trace
from dynamoc.compiler.explain.annotated import Describer
from dynamoc.compiler.explain.answer import Explanation as Explanation
from dynamoc.compiler.explain.answer import LostValue as LostValue
from dynamoc.compiler.explain.answer import ValueOrigin as ValueOrigin
from dynamoc.compiler.explain.answer import field_answers
from dynamoc.compiler.explain.traced_compilation import explain_object
from dynamoc.compiler.options import Options
from dynamoc.documents.emit.yaml import dump_json, dump_yaml
from dynamoc.documents.findings.finding import ERROR, Finding, Findings, Path
from dynamoc.documents.source.document import Document
from dynamoc.documents.source.files import expand, read_inputs, text_again
from dynamoc.documents.source.found import read_piped
from dynamoc.documents.source.secrets import conceal
from dynamoc.interfaces.cli.command_line import is_configuration, is_path, settled
from dynamoc.interfaces.cli.compiler_options import compiler_options
from dynamoc.interfaces.cli.failure import UsageError
from dynamoc.interfaces.cli.options import COMMANDS, defaults
from dynamoc.reference.releases import DEFAULT_RELEASE, RELEASES, get_release

Target: TypeAlias = Literal["auto", "grove", "lws", "plain"]
Standalone: TypeAlias = Literal["all", "shared", "graph"]
Version: TypeAlias = Literal["v1alpha1", "v1beta1"]


def options_of(cluster: list[str], arguments: Mapping[str, Any]) -> Options:
    """The options that arguments of `render` mean, as the command line means them; `cluster` are words of `--cluster`.

    Raises ValueError, and TypeError for one text in place of several.
    """
    values = {**defaults(COMMANDS["render"]), "jobs": "1", "cluster": cluster}
    for name, value in arguments.items():
        if name in ("deny", "warn", "allow", "include", "omit"):
            values[name] = listed_words(name, value)
        elif name == "release":
            values["operator_version"] = _release(value)
        elif name == "standalone":
            values[name] = "all" if value is True else value and choice(name, value, get_args(Standalone))
        elif name == "target":
            values[name] = choice(name, value, get_args(Target))
        else:
            values[name] = value
    try:
        return compiler_options(settled("render", values))
    except UsageError as problem:
        raise ValueError(str(problem)) from None


def choice(name: str, value: str, choices: tuple[str, ...]) -> str:
    """The value itself. ValueError, with the choices, where it is not one of them."""
    if value not in choices:
        raise ValueError(f"{name} {value!r} is not known; use one of {', '.join(choices)}")
    return value


def listed_words(name: str, words: Iterable[str]) -> list[str]:
    """Several words; TypeError for one alone, whose characters would be taken for words."""
    if isinstance(words, str):
        raise TypeError(f"{name} is a list of texts; write [{words!r}]")
    return list(words)


def answers(results: Mapping[str, str | os.PathLike[str]]) -> list[str]:
    """The files with the profiler's answers as values of `--profiling-result`."""
    found = {name: os.fspath(path) for name, path in results.items()}
    for name, path in found.items():
        if not os.path.isfile(path):
            raise ValueError(f"profiling_results[{name!r}]: the file {path} does not exist")
    return [f"{name}={path}" for name, path in found.items()]


def is_word(source: Any) -> TypeGuard[str | os.PathLike[str]]:
    """Whether a source of `cluster` is a word of `--cluster` or the path of a configuration, not objects."""
    if not isinstance(source, str | os.PathLike) or "\n" in (text := os.fspath(source)):
        return False
    return (os.path.isfile(text) and is_configuration(text)) or not any(map(is_path, text.split(",")))


def _release(name: str) -> str:
    if name == "latest":
        return DEFAULT_RELEASE
    try:
        get_release(name)
    except KeyError:
        raise ValueError(f"release {name!r} is not known; use one of latest, {', '.join(RELEASES)}") from None
    return name


@runtime_checkable
class Model(Protocol):
    """An object of `dynamoc.models`."""

    def to_dict(self) -> dict[str, Any]:
        """The object as plain data."""


Source: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any] | Model"
"""YAML or JSON text, the path of a file or directory, an object as plain data, or a model. A `str` with a line feed, or
that starts with `{`, is a text, any other a path."""
_MADE = "<object "


def read(sources: Iterable[Source], findings: Findings, side: str = "") -> list[Document]:
    """The documents of all sources, which together are one cluster. Texts have names of their `side`, if there is one.

    TypeError for what is no source, ValueError for a mapping with values that JSON does not have. What is wrong with
    texts and files is in `findings`.
    """
    documents: list[Document] = []
    for number, source in enumerate(sources, 1):
        if isinstance(source, Mapping):
            documents += _read_data(source, f"{side}{number}", findings)
        elif isinstance(source, Model):
            documents += _read_data(source.to_dict(), f"{side}{number}", findings)
        elif isinstance(source, str) and ("\n" in source or source.lstrip()[:1] == "{"):
            documents += _read_text(source.encode(), f"<text {side}{number}>", findings)
        elif isinstance(source, (str, os.PathLike)):
            documents += read_inputs(expand([os.fspath(source)], findings), findings)
        else:
            message = f"a source is a text, a path, a mapping or a model, not {type(source).__name__}"
            raise TypeError(message)
    return documents


def _read_data(value: Mapping[str, Any], name: str, findings: Findings) -> list[Document]:
    """Through the reader of JSON, so that each value is what it would be in a file."""
    try:
        text = json.dumps(value, indent=2, allow_nan=False, default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"source {name} is not plain JSON data: {error}") from None
    return _read_text(text.encode(), f"{_MADE}{name}>", findings)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Model):
        return value.to_dict()
    raise TypeError(f"{type(value).__name__} {value!r}")


def _read_text(data: bytes, name: str, findings: Findings) -> list[Document]:
    findings.texts[name] = data
    documents = read_piped(data, name, findings)
    findings.inputs.files += 1
    findings.inputs.count(document.value for document in documents)
    return documents


def as_reported(findings: Findings) -> None:
    """Hides secrets in findings, as commands do. Data has no lines: findings on it say their field, and no place."""
    if findings.items:
        conceal(findings.items, lambda file: _text_of(file, findings), findings.documents)
    for finding in findings.items:
        if finding.place is not None and finding.place.file.startswith(_MADE):
            finding.place = None
        finding.related = tuple(place for place in finding.related if not place.file.startswith(_MADE))


def _text_of(file: str, findings: Findings) -> str | None:
    if file in findings.texts:
        return findings.texts[file].decode(errors="replace").removeprefix("\ufeff")

    return text_again(file)


def listed(sources: Source | Iterable[Source]) -> list[Source]:
    """One source, or several, as a list."""
    if isinstance(sources, (str, os.PathLike, Mapping, Model)):
        return [sources]
    return list(sources)


Object = dict[str, Any]
"""An object as plain JSON data: `apiVersion`, `kind`, `metadata` and the rest, as `kubectl get -o json` has them."""


class InputError(Exception):
    """The API server or the operator would refuse the input. `findings` has the errors, and what else was found."""

    def __init__(self, findings: list[Finding]) -> None:
        self.findings = findings
        errors = [item for item in findings if item.severity == ERROR]
        super().__init__("\n".join(map(_line, errors)))


def _line(finding: Finding) -> str:
    where = str(finding.place) if finding.place else finding.subject
    return f"{where + ': ' if where else ''}{finding.message} [{finding.slug}]"


@dataclass(eq=False, slots=True)
class Rendering:
    """The objects that the operator would create, in an order that can be applied, and warnings and notes on them.

    A list of the objects, for all that only wants them: it can be iterated, and has a length.
    """

    objects: list[Object]
    findings: list[Finding]

    def __iter__(self) -> Iterator[Object]:
        return iter(self.objects)

    def __len__(self) -> int:
        return len(self.objects)

    def of_kind(self, kind: str) -> list[Object]:
        """The objects of a kind, such as `PodCliqueSet`."""
        return [item for item in self.objects if item["kind"] == kind]

    def to_yaml(self) -> str:
        """What `dynamoc render` prints."""
        return dump_yaml(self.objects)

    def to_json(self) -> str:
        """What `dynamoc render -o json` prints."""
        return dump_json(self.objects, as_list=True)


def explanations(
    documents: list[Document],
    options: Options,
    context: Sequence[Document],
    objects: list[Object],
    trace: Trace,
    asked: tuple[int, Path],
) -> list[Explanation]:
    """One for each value at or below the path of an object that was `asked` for."""
    index, path = asked
    explained, index = explain_object(objects[index], documents, options, trace, context)
    return [_explanation(answer) for answer in field_answers(explained, index, path, Describer(options))]


def _explanation(answer: Explanation) -> Explanation:
    lost = tuple(LostValue(item.value, item.lost_to, _origin(item.origin)) for item in answer.lost)
    origin = _origin(answer.origin)
    return Explanation(answer.object, answer.field, answer.value, origin, answer.step, answer.written, lost)


def _origin(origin: ValueOrigin | None) -> ValueOrigin | None:
    return _known(origin) if origin else None


def _known(origin: ValueOrigin) -> ValueOrigin:
    """Data has no lines."""
    place = None if origin.place and origin.place.file.startswith(_MADE) else origin.place
    text = re.sub(rf"{_MADE}[^>]*>:\d+:\d+ ?", "", origin.text)
    return ValueOrigin(origin.kind, text, origin.name, origin.path, place, tuple(map(_known, origin.computed_from)))
