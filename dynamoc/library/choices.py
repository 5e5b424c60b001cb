"""From keyword arguments to the compiler's options. What is not a choice is a ValueError that lists the choices."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from dynamoc.options import Options
from dynamoc.release import DEFAULT_RELEASE, RELEASES, get_release

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Target: TypeAlias = Literal["auto", "grove", "lws", "plain"]
UnknownFields: TypeAlias = Literal["error", "warn", "prune"]
RefusedObjects: TypeAlias = Literal["error", "warn"]
Standalone: TypeAlias = Literal["all", "shared", "graph"]
Version: TypeAlias = Literal["v1alpha1", "v1beta1"]


def options_of(
    *,
    release: str,
    target: str,
    namespace: str | None,
    default_namespace: str | None,
    operator_config: str | os.PathLike[str] | None,
    api_versions: Iterable[str],
    kube_version: str | None,
    unknown_fields: str,
    refused_objects: str,
    strict_context: bool,
    strict: bool,
    standalone: bool | str,
    **switches: Any,
) -> Options:
    """The options that arguments of `render` mean."""
    if namespace and default_namespace:
        raise ValueError("namespace and default_namespace both fill in the namespace; give one")
    config = os.fspath(operator_config) if operator_config is not None else None
    if config is not None and not os.path.isfile(config):
        raise ValueError(f"operator_config {config!r}: the file does not exist")
    return Options(
        operator_version=_release(release),
        target=choice("target", target, get_args(Target)),
        namespace=namespace or None,
        default_namespace=default_namespace or None,
        operator_config=config,
        apis=_apis(api_versions),
        kube_minor=_kube_minor(kube_version),
        unknown_fields=choice("unknown_fields", unknown_fields, get_args(UnknownFields)),
        refused_objects=choice("refused_objects", refused_objects, get_args(RefusedObjects)),
        strict_context=strict_context,
        strict=strict,
        standalone=standalone
        if isinstance(standalone, bool)
        else choice("standalone", standalone, get_args(Standalone)),
        **switches,
    )


def choice(name: str, value: str, choices: tuple[str, ...]) -> str:
    """The value itself. ValueError, with the choices, where it is none of them."""
    if value not in choices:
        raise ValueError(f"{name} {value!r} is not known; use one of {', '.join(choices)}")
    return value


def listed_words(name: str, words: Iterable[str]) -> list[str]:
    """Several words; TypeError for one alone, whose characters would be taken for words."""
    if isinstance(words, str):
        raise TypeError(f"{name} is a list of texts; write [{words!r}]")
    return list(words)


def profiling_results(results: Mapping[str, str | os.PathLike[str]]) -> dict[str, str]:
    """The files with the profiler's answers, by the names of their requests."""
    found = {name: os.fspath(path) for name, path in results.items()}
    for name, path in found.items():
        if not os.path.isfile(path):
            raise ValueError(f"profiling_results[{name!r}]: the file {path} does not exist")
    return found


def _release(name: str) -> str:
    if name == "latest":
        return DEFAULT_RELEASE
    try:
        get_release(name)
    except KeyError:
        raise ValueError(f"release {name!r} is not known; use one of latest, {', '.join(RELEASES)}") from None
    return name


def _apis(texts: Iterable[str]) -> list[str]:
    from dynamoc.cluster.api_groups import parsed_apis

    if isinstance(texts, str):
        texts = [texts]
    try:
        return parsed_apis(texts)
    except ValueError as error:
        message = f"api_versions: {error} is not an API; write GROUP/VERSION or GROUP/VERSION/KIND"
        raise ValueError(message) from None


def _kube_minor(version: str | None) -> int | None:
    """None for the newest that is known, by which later ones are judged too."""
    if version is None:
        return None
    from dynamoc.apiserver.kube_versions import NEWEST, OLDEST, minor_of

    minor = minor_of(version)
    if minor is None:
        choices = ", ".join(f"1.{known}" for known in range(OLDEST, NEWEST + 1))
        raise ValueError(f"kube_version {version!r} is not known; use one of {choices}")
    return None if minor >= NEWEST else minor
