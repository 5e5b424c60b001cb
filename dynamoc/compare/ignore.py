"""Which changes are left out of account: patterns that the output names, with what each kept out.

A pattern is a path as the output prints it, with `*` for any part of one step, and `**` for any number of steps, at
its end too where nothing else is said: `metadata.labels`, `**.env[DYN_*]`, `Service/*:spec.ports`.
"""

from __future__ import annotations

from dynamoc.compare.path import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.compare.path import Steps
    from dynamoc.compare.result import Change

#: What only a cluster writes, or dynamoc for Flux: objects from a cluster or from files can be compared with those
#: that are rendered.
BUILT_IN = (
    "status",
    "metadata.creationTimestamp",
    "metadata.generation",
    "metadata.managedFields",
    "metadata.ownerReferences",
    "metadata.resourceVersion",
    "metadata.selfLink",
    "metadata.uid",
    "metadata.annotations[kubectl.kubernetes.io/last-applied-configuration]",
    "metadata.annotations[nvidia.com/last-applied-*]",
    "metadata.annotations[kustomize.toolkit.fluxcd.io/substitute]",
)


class Ignores:
    """A list of patterns, and how many changes each has kept out so far."""

    def __init__(self, patterns: list[str]) -> None:
        """ValueError for a pattern that is empty or has an open bracket."""
        self._patterns = [Pattern(text) for text in patterns]

    def keeps_out(self, kind: str, name: str, change: Change) -> bool:
        """Whether a pattern matches; the first that does counts the change."""
        for pattern in self._patterns:
            if pattern.matches(kind, name, change.steps):
                pattern.count += 1
                return True
        return False

    def counts(self) -> list[tuple[str, int]]:
        return [(pattern.text, pattern.count) for pattern in self._patterns]


class Pattern:
    """One pattern, and how many changes it has matched."""

    __slots__ = ("count", "kind", "name", "steps", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.count = 0
        subject, colon, path = text.partition(":")
        # A colon may also stand in a key; kinds are written with a capital.
        if not colon or not (subject[:1].isupper() or subject.startswith("*/")):
            subject, path = "", text
        self.kind, _, name = subject.partition("/")
        self.name = name or "*"
        self.steps = _split(path)

    def matches(self, kind: str, name: str, steps: Steps) -> bool:
        from fnmatch import fnmatchcase

        if self.kind and not (fnmatchcase(kind, self.kind) and fnmatchcase(name, self.name)):
            return False
        return _match(self.steps, words(steps))


def _match(pattern: list[str], steps: list[str]) -> bool:
    """Whether the pattern matches a path or one above it."""
    from fnmatch import fnmatchcase

    if not pattern:
        return True
    if pattern[0] == "**":
        return any(_match(pattern[1:], steps[skip:]) for skip in range(len(steps) + 1))
    if not steps:
        return False
    step, wanted = steps[0], pattern[0]
    if wanted.startswith("["):
        # A key with dots is printed in brackets as well.
        same = fnmatchcase(step.removeprefix("[").removesuffix("]"), _literal(wanted[1:-1]))
    else:
        same = fnmatchcase(step, _literal(wanted))
    return same and _match(pattern[1:], steps[1:])


def _literal(text: str) -> str:
    """Only `*` and `?` are special: brackets are part of paths."""
    return text.replace("[", "[[]")


def _split(path: str) -> list[str]:
    """`a.b[c.d].e` as `a`, `b`, `[c.d]`, `e`."""
    parts: list[str] = []
    rest = path
    while rest:
        if rest[0] == "[":
            end = rest.find("]")
            if end < 0:
                raise ValueError(f"{path!r} has an open bracket")
            parts.append(rest[: end + 1])
            rest = rest[end + 1 :].removeprefix(".")
            continue
        cut = min((place for place in (rest.find("."), rest.find("[")) if place >= 0), default=len(rest))
        parts.append(rest[:cut])
        rest = rest[cut:].removeprefix(".") if rest[cut : cut + 1] == "." else rest[cut:]
    if not parts or not all(parts):
        raise ValueError(f"{path!r} is not a path")
    return parts
