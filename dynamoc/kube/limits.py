"""How much a run may read, print and make of small inputs. They protect the process, and hold for the whole of it.

etcd takes no object above 1.5 MiB, so nothing real comes near.
"""

from __future__ import annotations

import sys

#: as `--limit` names them, with their defaults; docs/security.md says what each counts
DEFAULTS = {
    "file-bytes": 16 << 20,
    "input-bytes": 256 << 20,
    # Up to five seconds of work and 300 MB a file.
    "values": 1_000_000,
    # Kubernetes stops at 10,000; the later stages walk a tree with a few of Python's 1,000 frames a level, and the
    # deepest field of a pod template is some 15 levels down.
    "depth": 100,
    "documents": 100_000,
    "findings": 1_000,
    "pods": 10_000,
    "objects": 100_000,
    "output-bytes": 256 << 20,
}
#: After so many errors in one file the rest is probably no Kubernetes YAML.
MAX_ERRORS = 50
#: a level of a document takes so many frames of Python
_FRAMES = 12
#: deeper, and Python's own recursion in C is at its end
MAX_DEPTH = 1_000
_UNITS = {"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "k": 10**3, "M": 10**6, "G": 10**9}
_limits = dict(DEFAULTS)


def limit(name: str) -> int:
    """The limit that holds. KeyError for an unknown name."""
    return _limits[name]


def hint(name: str, wanted: int | None = None) -> str:
    """How to raise a limit."""
    return f"If the input is meant to be so large, raise the limit: `--limit {name}={wanted or 2 * limit(name)}`."


def set_limits(words: list[str]) -> None:
    """From `NAME=NUMBER` words, over the defaults. ValueError, with a full sentence, where one is malformed."""
    _limits.update(DEFAULTS)
    for word in words:
        name, _, number = word.partition("=")
        if name not in DEFAULTS:
            raise ValueError(f"--limit {word}: known limits are {', '.join(DEFAULTS)}.")
        _limits[name] = _number(word, number)
    if _limits["depth"] > MAX_DEPTH:
        raise ValueError(f"--limit depth={_limits['depth']}: dynamoc supports at most {MAX_DEPTH:,} levels.")
    if _limits["depth"] > DEFAULTS["depth"]:
        sys.setrecursionlimit(max(sys.getrecursionlimit(), _FRAMES * _limits["depth"]))


def _number(word: str, text: str) -> int:
    digits = text.rstrip("KMGik")
    unit = _UNITS.get(text[len(digits) :], 0 if len(digits) < len(text) else 1)
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > 18 or int(digits) * unit < 1:
        raise ValueError(f"--limit {word}: write a whole number above 0 after `=`, such as 50000 or 64Mi.")
    return int(digits) * unit


def excessive_aliases(repeated: int, nodes: int) -> bool:
    """Whether Kubernetes refuses a document of which aliases repeat so many nodes.

    Source: go.yaml.in/yaml/v2 decode.go `unmarshal` and `allowedAliasRatio`. The document counts as a node, too.
    """
    if repeated <= 100 or nodes <= 1000:
        return False
    # It falls further, down to a tenth, beyond the nodes that we read.
    allowed = 0.99 - 0.89 * max(nodes - 400_000, 0) / 3_600_000
    return repeated / nodes > allowed
