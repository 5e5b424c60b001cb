"""Where one value comes from, as data."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path, Place
    from dynamoc.source.document import Document

USER = "user"
CONTEXT = "context"
SCHEMA = "schema-default"
WEBHOOK = "webhook-default"
CONVERSION = "conversion"
NAMESPACE = "namespace"
CONSTANT = "constant"
CONFIG = "config"
RULE = "rule"
BUILDER = "builder"
KINDS = (USER, CONTEXT, SCHEMA, WEBHOOK, CONVERSION, NAMESPACE, CONSTANT, CONFIG, RULE, BUILDER)


class Origin:
    """Where a value comes from, and what happened to it on the way.

    kind      one of KINDS
    document  of user and context: where it was written; also of a default: the document that lacks the value
    path      field path in that document
    name      of constant, config, rule and builder: which one; of namespace: who named it
    step      name of the rule or builder that put the value where it stands, or None
    before    the value that stood there until then, traced, or None
    inputs    origins that the value was computed from
    """

    __slots__ = ("_place", "before", "document", "inputs", "kind", "name", "path", "step")

    def __init__(
        self,
        kind: str,
        *,
        document: Document | None = None,
        path: Path = (),
        name: str = "",
        step: str | None = None,
        before: Any = None,
        inputs: tuple[Origin, ...] = (),
    ) -> None:
        self.kind = kind
        self.document = document
        self.path = path
        self.name = name
        self.step = step
        self.before = before
        self.inputs = inputs
        self._place: Place | None = None

    def put(self, step: str, before: Any = None) -> Origin:
        """The same origin, set by a step over an earlier value."""
        return Origin(
            self.kind,
            document=self.document,
            path=self.path,
            name=self.name,
            step=step,
            before=self.before if before is None else before,
            inputs=self.inputs,
        )

    def key(self) -> tuple[str, str, int, Path]:
        """What makes two origins one: which source, and where in it."""
        if self.document is None:
            return (self.kind, self.name, 0, ())
        return (self.kind, self.document.file, self.document.index, self.path)

    @property
    def place(self) -> Place | None:
        """The line of the input that holds the value, or its nearest ancestor; None where no file does."""
        if self._place is None and self.document is not None:
            # The name of a v1alpha1 service is a key.
            is_name = len(self.path) == 3 and self.path[:2] == ("spec", "services")
            self._place = self.document.place(self.path, key=is_name)
        return self._place

    @property
    def written(self) -> Any:
        """The value as its document has it, None where none does. A service of v1alpha1 is written as a key."""
        value: Any = None if self.document is None else self.document.value
        for step in self.path:
            held = isinstance(value, dict) and step in value
            if not held and not (isinstance(value, list) and isinstance(step, int) and step < len(value)):
                return None
            value = value[step]
        return self.path[-1] if self.path and isinstance(value, dict) and value else value

    def sources(self) -> list[Origin]:
        """This origin and those it was computed from."""
        found = [self]
        for item in self.inputs:
            found += item.sources() if item.inputs else (item,)
        return found
