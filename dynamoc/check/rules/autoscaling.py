"""Replicas that somebody else sets."""

from __future__ import annotations

from dynamoc.check.registry import rule
from dynamoc.kube.lenient import mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynamoc.check.made import Made
    from dynamoc.schema.problem import Problem


@rule("check/owned-replicas")
def owned_replicas(made: Made) -> Iterator[Problem]:
    """Replicas in a file beside a scaling adapter: the file and the autoscaler overwrite each other."""
    for name, path, component in made.written_components():
        adapter = component.get("scalingAdapter")
        is_on = isinstance(adapter, dict) and (adapter.get("enabled") is True or "componentType" not in component)
        if is_on and mapping(component, "scalingAdapter").get("enabled") is not False and "replicas" in component:
            message = (
                f"{name} has a scaling adapter, which sets `replicas`: each time this file is applied, the number goes "
                f"back to {component['replicas']}."
            )
            hint = "let the tool that applies it ignore `replicas`, or use `render --omit-replicas`"
            yield made.problem("check/owned-replicas", (*path, "replicas"), message, hint)
