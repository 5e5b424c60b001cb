"""Patches of a kustomization, which are no objects of their own."""

from __future__ import annotations

import os

from dynamoc.source.reader import read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.diagnostics.inputs import Inputs

_FILES = ("kustomization.yaml", "kustomization.yml", "Kustomization")


def is_patch(file: str, inputs: Inputs) -> bool:
    """Whether a kustomization beside or above the file names it as a patch, which is no object of its own."""
    directory = os.path.dirname(file)
    while True:
        patches = inputs.patches.get(directory)
        if patches is None:
            patches = inputs.patches[directory] = frozenset(_patches(directory))
        if patches and os.path.realpath(file) in patches:
            return True
        if directory in ("", os.curdir, "/"):
            return False
        directory = os.path.dirname(directory)


def _patches(directory: str) -> Iterator[str]:
    """The real paths of the files that the kustomization of a directory lists as patches."""
    from dynamoc.diagnostics.finding import Findings

    for name in _FILES:
        path = os.path.join(directory, name)
        if not os.path.isfile(path):
            continue
        try:
            with open(path, "rb") as stream:
                data = stream.read()
        except OSError:
            return
        for document in read_text(data, path, Findings(), objects=False):
            for listed in _listed(document.value):
                yield os.path.realpath(os.path.join(directory, listed))


def _listed(value: Any) -> Iterator[str]:
    if not isinstance(value, dict):
        return
    for key in ("patches", "patchesStrategicMerge", "patchesJson6902"):
        items = value.get(key)
        for item in items if isinstance(items, list) else ():
            path = item.get("path") if isinstance(item, dict) else item
            if isinstance(path, str) and "\n" not in path:
                yield path
