"""Names of the files in an output directory."""

from __future__ import annotations

import os

from dynamoc.cli.failure import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789.-")
#: bytes of a name on the file systems of Linux and macOS
_LONGEST = 255


def input_name(path: str, roots: list[str], extension: str) -> str:
    """The output file of one input: its own name, below the folders that it lies in under a directory of `roots`.

    `a/b.yaml` is `b.json` where the file itself or `a/` was given, and `a/b.json` where `.` was. Stdin is `stdin.json`.
    """
    if path == "-":
        return f"stdin.{extension}"
    path = os.path.normpath(path)
    relative = os.path.basename(path)
    given = [os.path.normpath(root) for root in roots]
    if path not in given:
        # With `a` and `a/b` both given, the nearer one names the file.
        for root in sorted(given, key=len, reverse=True):
            below = os.path.relpath(path, root)
            if not below.startswith(os.pardir):
                relative = below
                break
    folder, base = os.path.split(os.path.splitext(relative)[0])
    return os.path.join(folder, _fitting(base, extension))


def distinct_input_names(paths: list[str], roots: list[str], extension: str) -> dict[str, str]:
    """`input_name` of each path. Raises UsageError where two inputs would share a file, also by letter case alone."""
    names: dict[str, str] = {}
    taken: dict[str, str] = {}
    for path in paths:
        names[path] = input_name(path, roots, extension)
        other = taken.setdefault(names[path].casefold(), path)
        if other != path:
            raise UsageError(
                f"{other} and {path} would both be written to {names[path]}. Rename one, or render them separately."
            )
    return names


def object_name(item: dict[str, Any], extension: str) -> str:
    """`NAMESPACE_KIND.GROUP_NAME`, all that makes an object one of its own; no Kubernetes name has an underscore."""
    metadata = item["metadata"]
    group = item["apiVersion"].rpartition("/")[0]
    kind = item["kind"].lower() + (f".{group}" if group else "")
    parts = [metadata.get("namespace"), kind, metadata["name"]]
    return _fitting("_".join(_portable(part) for part in parts if part), extension)


def _fitting(name: str, extension: str) -> str:
    """The name with its extension; where it is too long for a file system, 16 digits of its digest replace the end."""
    if len(os.fsencode(name)) + len(extension) + 1 <= _LONGEST:
        return f"{name}.{extension}"
    from dynamoc.kube.sha256 import hex_digest

    digest = hex_digest(os.fsencode(name))[:16]
    kept = os.fsencode(name)[: _LONGEST - len(digest) - len(extension) - 2].decode(errors="ignore")
    return f"{kept}-{digest}.{extension}"


def _portable(text: str) -> str:
    """Roles may be called `system:x`, which some file systems refuse."""
    return "".join(char if char in _PLAIN else f"%{ord(char):02X}" for char in text)


def refuse_feedback(directory: str, roots: list[str]) -> None:
    """UsageError where the next run would take this run's output for its input."""
    inside = os.path.realpath(directory)
    if os.path.lexists(directory) and not os.path.isdir(directory):
        raise UsageError(f"--output-dir {directory} is a file.")
    for root in roots:
        if root != "-" and os.path.isdir(root) and (inside + os.sep).startswith(os.path.realpath(root) + os.sep):
            raise UsageError(
                f"--output-dir {directory} is inside the input directory {root}: the next run would read its own "
                "output. Choose a directory outside it."
            )
