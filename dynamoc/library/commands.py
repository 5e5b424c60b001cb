"""`render`, `validate` and `convert` for Python programs: the commands of the same names, without files and streams."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from dynamoc.compiler import compile_documents
from dynamoc.diagnostics import Findings
from dynamoc.library.choices import Version, choice, options_of, profiling_results
from dynamoc.library.inputs import read, without_made_places
from dynamoc.library.results import InputError, Rendering

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import TypedDict, Unpack

    from dynamoc.diagnostics.finding import Finding
    from dynamoc.library.choices import RefusedObjects, Standalone, Target, UnknownFields
    from dynamoc.library.inputs import Source
    from dynamoc.library.results import Object

    class Arguments(TypedDict, total=False):
        """What `render` and `validate` take beside sources; the options of the command line have the same names."""

        release: str
        target: Target
        namespace: str | None
        default_namespace: str | None
        operator_config: str | os.PathLike[str] | None
        context: Iterable[Source]
        api_versions: Iterable[str]
        kube_version: str | None
        created_by: str | None
        profiling_results: Mapping[str, str | os.PathLike[str]]
        through: str | None
        unknown_fields: UnknownFields
        refused_objects: RefusedObjects
        strict_context: bool
        strict: bool
        passthrough: bool
        include_intermediate: bool
        standalone: bool | Standalone
        stable_names: bool
        omit_replicas: bool


_DEFAULTS: dict[str, Any] = {
    "release": "latest",
    "target": "auto",
    "namespace": None,
    "default_namespace": None,
    "operator_config": None,
    "api_versions": (),
    "kube_version": None,
    "unknown_fields": "error",
    "refused_objects": "error",
    "strict_context": False,
    "strict": False,
    "standalone": False,
}
_SWITCHES = ("created_by", "include_intermediate", "omit_replicas", "passthrough", "stable_names", "through")
_OTHERS = ("context", "profiling_results")


def render(*sources: Source, **arguments: Unpack[Arguments]) -> Rendering:
    """The objects that the operator would create for all sources, which together are one cluster.

    Raises InputError where the API server or the operator would refuse something, and ValueError, which lists the
    choices, for an argument that is none of them. `release` is `latest` or a name of `dynamoc release list`.
    `context` holds objects that exist in the cluster.
    """
    objects, findings = _compiled(sources, arguments)
    if findings.errors:
        raise InputError(findings.items)
    return Rendering(objects, findings.items)


def validate(*sources: Source, **arguments: Unpack[Arguments]) -> list[Finding]:
    """Errors, warnings and notes on all sources, as `dynamoc validate` reports them. It takes what `render` takes."""
    return _compiled(sources, arguments)[1].items


def convert(*sources: Source, to: Version = "v1beta1", lossless: bool = False) -> Rendering:
    """The objects of all sources, graphs and components in the API version `to`, as the operator converts them.

    Other objects stay as they are. `findings` tells what is lost; with `lossless`, the operator's annotation keeps it.
    Raises InputError for what cannot be converted, and ValueError for a version that does not exist.
    """
    from typing import get_args

    from dynamoc.convert.command import VERSIONS
    from dynamoc.convert.rewrite import converted, needs_conversion, refuse_foreign

    version = VERSIONS[choice("to", to, get_args(Version))]
    findings = Findings()
    objects = []
    for document in read(sources, findings):
        refuse_foreign(document, findings)
        if needs_conversion(document.value, version):
            objects.append(converted(document, version, findings, lossless=lossless))
        else:
            objects.append(document.value)
    without_made_places(findings)
    if findings.errors:
        raise InputError(findings.items)
    return Rendering(objects, findings.items)


def _compiled(sources: tuple[Source, ...], arguments: Arguments) -> tuple[list[Object], Findings]:
    if not sources:
        raise ValueError("there is no source: give a text, a path, a mapping or a model")
    given: dict[str, Any] = {**arguments}
    unknown = given.keys() - {*_DEFAULTS, *_SWITCHES, *_OTHERS}
    if unknown:
        known = ", ".join(sorted((*_DEFAULTS, *_SWITCHES, *_OTHERS)))
        raise TypeError(f"{min(unknown)} is not an argument; there are {known}")
    named = {**_DEFAULTS, **{name: given[name] for name in given if name not in _OTHERS}}
    if given.get("profiling_results"):
        named["profiling_results"] = profiling_results(given["profiling_results"])
    options = options_of(**named)
    findings = Findings()
    documents = read(sources, findings)
    context = _context(given.get("context", ()), findings)
    objects: list[Object] = []
    if not findings.errors:
        objects = compile_documents(documents, options, findings, context=context)
        if options.strict_context:
            from dynamoc.requires.strict import without_missing

            without_missing(objects, documents, options, findings, context=context)
    without_made_places(findings)
    return objects, findings


def _context(sources: Iterable[Source], findings: Findings) -> list[Any]:
    """The documents of what exists, whose numbers are not those of the input."""
    own = Findings()
    documents = read([sources] if isinstance(sources, (str, os.PathLike)) else sources, own)
    findings.take(own)
    return documents
