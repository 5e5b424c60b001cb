"""What a document says that is younger than the operator it is rendered for: images and annotations.

Fields that a release does not know are told by the schema.
"""

from __future__ import annotations

from dynamoc.kube.names import image_version
from dynamoc.release import RELEASES
from dynamoc.schema.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path
    from dynamoc.release import Release

#: how images of Dynamo are called, in NVIDIA's registry and in others
_FOLDER = "ai-dynamo"
_NAMES = ("vllm-runtime", "sglang-runtime", "tensorrtllm-runtime", "dynamo-frontend", "dynamo-planner")


def tell(document: dict[str, Any], release: Release) -> list[Problem]:
    """A warning for each version of Dynamo and each annotation that the release is too old for."""
    problems = []
    seen = set()
    found, annotations = _names(document)
    for path, image in found:
        version = dynamo_version(image)
        if version is None or version[:2] <= parsed(release.name) or version in seen:
            continue
        seen.add(version)
        name = f"{version[0]}.{version[1]}"
        knows = f"release {name} knows it" if name in RELEASES else f"dynamoc knows no release {name} yet"
        message = f"The image is of Dynamo {'.'.join(map(str, version))}, newer than the operator {release.version}"
        hint = (
            f"render with `--operator-version {name}`, if the cluster has that operator" if name in RELEASES else None
        )
        problems.append(Problem("release/newer-image", path, f"{message}; {knows}.", hint, "warning"))
    for path, name in annotations:
        first = _first_reader(name)
        if first is not None and parsed(first) > parsed(release.name):
            message = (
                f"The operator {release.version} does not read the annotation `{name}`; release {first} was the first."
            )
            problems.append(Problem("release/newer-annotation", path, message, severity="warning"))
    return problems


def _first_reader(annotation: str) -> str | None:
    """The release that read the annotation first; None for other people's."""
    if not annotation.startswith("nvidia.com/"):
        return None
    from dynamoc.release.user_annotations import ANNOTATIONS

    return next((release for release, names in ANNOTATIONS.items() if annotation in names), None)


def parsed(name: str) -> tuple[int, int]:
    major, _, minor = name.partition(".")
    return int(major), int(minor)


def dynamo_version(image: str) -> tuple[int, int, int] | None:
    """The version of an image of Dynamo, None for other images and for tags that are no version."""
    *folders, name = image.partition("@")[0].split("/")
    if _FOLDER not in folders and name.partition(":")[0] not in _NAMES:
        return None
    return image_version(image)


def images(value: Any, path: Path = ()) -> list[tuple[Path, str]]:
    """The images below a value, with their paths."""
    found: list[tuple[Path, str]] = []
    _collect(value, path, found, [])
    return found


def _names(document: dict[str, Any]) -> tuple[list[tuple[Path, str]], list[tuple[Path, str]]]:
    """The images of a document's spec, and the keys of all its annotations, with their paths."""
    found: list[tuple[Path, str]] = []
    annotations: list[tuple[Path, str]] = []
    for key, item in document.items():
        _collect({key: item}, (), found if key == "spec" else [], annotations)
    return found, annotations


def _collect(value: Any, path: Path, images: list[tuple[Path, str]], annotations: list[tuple[Path, str]]) -> None:
    if value.__class__ is dict:
        for key, item in value.items():
            if item.__class__ is dict and key == "annotations":
                annotations += [((*path, key, name), name) for name in item if isinstance(name, str)]
                _collect(item, (*path, key), images, [])
            elif item.__class__ is dict or item.__class__ is list:
                _collect(item, (*path, key), images, annotations)
            elif key == "image" and isinstance(item, str):
                images.append(((*path, key), item))
    elif value.__class__ is list:
        for index, item in enumerate(value):
            if item.__class__ is dict or item.__class__ is list:
                _collect(item, (*path, index), images, annotations)
