"""`--operator-version auto`: the release of the operator that the cluster shows, or that the images ask for."""

from __future__ import annotations

from dynamoc.cli.failure import UsageError
from dynamoc.diagnostics import Findings
from dynamoc.kube.names import image_version
from dynamoc.release import RELEASES, get_release
from dynamoc.source.files import STDIN, expand, read_paths
from dynamoc.webhooks.newer import dynamo_version, images, parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Tree = dict[str, Any]

_ARGUMENT = "--operator-version="
_VERSION_LABEL = "app.kubernetes.io/version"
_IMAGE = "kubernetes-operator"


def operator_version(context: list[str], paths: list[str]) -> tuple[str, str]:
    """The version, and the note that says where it comes from. UsageError where nothing tells it."""
    for document in _documents(context):
        told = version_of_operator(document)
        if told is not None:
            where = f"the operator's Deployment `{document['metadata']['name']}` in --context"
            return told, f"--operator-version auto is {told}, from {where}."
    versions = [
        (version, image)
        for document in _documents(paths)
        for _, image in images(document.get("spec"))
        if (version := dynamo_version(image)) is not None
    ]
    if not versions:
        hint = "neither an operator's Deployment in --context nor a Dynamo image in the input"
        raise UsageError(f"--operator-version auto finds {hint}; set the release, one of {', '.join(RELEASES)}.")
    newest, image = max(versions)
    text = ".".join(map(str, newest))
    note = f"of the newest Dynamo image in the input, `{image}`"
    if is_known(text):
        return text, f"--operator-version auto is {text}: the version {note}."
    known = [name for name in RELEASES if parsed(name) <= newest[:2]]
    nearest = known[-1] if known else next(iter(RELEASES))
    return nearest, f"--operator-version auto is {nearest}: no known release is nearer to the version {note}."


def version_of_operator(document: Tree) -> str | None:
    """The version of the operator that a Deployment runs: its argument, its label, or the tag of its image."""
    if document.get("kind") != "Deployment":
        return None
    metadata = document.get("metadata") or {}
    pod = ((document.get("spec") or {}).get("template") or {}).get("spec") or {}
    containers = [item for item in pod.get("containers") or () if isinstance(item, dict)]
    ours = [item for item in containers if str(item.get("image", "")).split("/")[-1].partition(":")[0] == _IMAGE]
    labels = metadata.get("labels") or {}
    if not ours and labels.get("app.kubernetes.io/name") != "dynamo-operator":
        return None
    told = [
        str(argument).removeprefix(_ARGUMENT)
        for item in containers
        for argument in item.get("args") or ()
        if str(argument).startswith(_ARGUMENT)
    ]
    told.append(str(labels.get(_VERSION_LABEL, "")))
    tags = (image_version(str(item["image"])) for item in ours)
    told += [".".join(map(str, tag)) for tag in tags if tag is not None]
    return next((version for version in told if is_known(version)), None)


def is_known(version: str) -> bool:
    try:
        get_release(version)
    except KeyError:
        return False
    return True


def _documents(paths: list[str]) -> Iterator[Tree]:
    """What can be read; what cannot is told when it is read for good."""
    findings = Findings()
    for document in read_paths(expand([path for path in paths if path != STDIN], findings), findings):
        if isinstance(document.value, dict):
            yield document.value
