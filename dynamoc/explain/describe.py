"""Origins in words."""

from __future__ import annotations

from dynamoc.diagnostics.finding import format_path
from dynamoc.explain import origin as kinds
from dynamoc.tree import at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Place
    from dynamoc.explain.origin import Origin
    from dynamoc.options import Options


class Describer:
    """Words for the origins of one compilation."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.release = options.release.name
        self._config: Any = None

    def short(self, origin: Origin) -> str:
        """A few words, for a comment or a table: `graph.yaml:12:7`, `rule env/service`."""
        if origin.kind in (kinds.USER, kinds.CONTEXT):
            return str(origin.place)
        if origin.kind in (kinds.RULE, kinds.BUILDER) or origin.kind in (kinds.CONSTANT, kinds.CONFIG):
            words = f"{origin.kind} {origin.name}"
        elif origin.kind == kinds.NAMESPACE:
            words = "--namespace" if origin.name == "command-line" else "default namespace"
        else:
            words = origin.kind.replace("-", " ")
        places = list(dict.fromkeys(str(item.place) for item in origin.sources()[1:] if item.kind == kinds.USER))
        return f"{words} from {', '.join(places)}" if places else words

    def sentence(self, origin: Origin) -> str:
        """Where the value comes from, in full."""
        path = format_path(origin.path)
        if origin.kind == kinds.USER:
            return f"{origin.place} {path}"
        if origin.kind == kinds.CONTEXT:
            return f"{origin.place} {path}, which exists in the cluster"
        if origin.kind == kinds.SCHEMA:
            return f"{self.release} schema default for {path}"
        if origin.kind == kinds.WEBHOOK:
            return f"{self.release} webhook default for {path}"
        if origin.kind == kinds.CONVERSION:
            return f"the conversion to v1beta1, which sets {path}"
        if origin.kind == kinds.NAMESPACE:
            if origin.name == "command-line":
                return "--namespace on the command line"
            return "the default namespace: neither the document nor --namespace sets one"
        if origin.kind == kinds.CONSTANT:
            return f"{self.release} default: {origin.name}"
        if origin.kind == kinds.CONFIG:
            place = self.config_place(origin.name)
            where = f"{place}" if place else "the default of the Helm chart"
            return f"the operator's configuration, {origin.name}: {where}"
        return f"the {origin.kind} {origin.name}"

    def config_place(self, key: str) -> Place | None:
        """The line of the operator's configuration that sets a key, None for a default."""
        file = self.options.operator_config
        if file is None:
            return None
        from dynamoc.diagnostics.finding import Findings

        if self._config is None:
            from dynamoc.source.files import read_paths

            self._config = read_paths([file], Findings())
        path = tuple(key.split("."))
        for document in self._config:
            if at(document.value, path) is not None:
                place: Place = document.place(path)
                return place
        return None
