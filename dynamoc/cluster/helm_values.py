"""Helm values as a template sees them, and the settings that templates make of them."""

from __future__ import annotations

from dynamoc.cluster.chart import HELM_NAMESPACE, HELM_RELEASE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path

    Tree = dict[str, Any]
    #: release name and namespace
    Installed = tuple[str, str]

AS_DOCUMENTED = (HELM_RELEASE, HELM_NAMESPACE)


class Values:
    """The user's values over the chart's defaults, and which of them made which setting of the operator."""

    __slots__ = ("_defaults", "_tree", "namespace", "origins", "release", "settings")

    def __init__(self, tree: Tree, defaults: dict[Path, Any], installed: Installed = AS_DOCUMENTED) -> None:
        self._tree = tree
        self._defaults = defaults
        #: the name of the Helm release, and its namespace
        self.release, self.namespace = installed
        self.settings: Tree = {}
        self.origins: dict[str, Path] = {}

    def get(self, *path: str) -> Any:
        """What a template sees at `path`; a null of the user takes the chart's default away, as in Helm."""
        value: Any = self._tree
        for index, key in enumerate(path):
            if not isinstance(value, dict) or key not in value:
                return self._defaults.get(path)
            value = value[key]
            if value is None and index < len(path) - 1:
                return None
        return value

    def has(self, *path: str) -> bool:
        """Whether the user wrote `path`."""
        value: Any = self._tree
        for key in path:
            if not isinstance(value, dict) or key not in value:
                return False
            value = value[key]
        return True

    def set(self, name: str, value: object, *origin: str) -> None:
        """Write the setting `name` (dotted); `origin` is the value it came from."""
        *sections, last = name.split(".")
        tree = self.settings
        for section in sections:
            tree = tree.setdefault(section, {})
        tree[last] = value
        self.origins[name] = origin

    def copy(self, name: str, *path: str) -> None:
        """A setting that a template copies, quoted, where the value isn't empty."""
        value = self.get(*path)
        if value:
            self.set(name, quoted(value), *path)


def quoted(value: object) -> str:
    """How `{{ value | quote }}` reads back."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def full_name(values: Values, release: str) -> str:
    """`dynamo-operator.fullname` of the chart: the prefix of all objects of the operator (_helpers.tpl)."""
    override = values.get("dynamo-operator", "fullnameOverride")
    name = quoted(values.get("dynamo-operator", "nameOverride") or "dynamo-operator")
    full = release if name in release else f"{release}-{name}"
    if override:
        full = quoted(override)
    return full[:63].removesuffix("-")
