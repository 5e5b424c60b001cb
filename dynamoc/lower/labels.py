"""Labels that pods have in every generation."""

from __future__ import annotations

from dynamoc.kube.labels import METRICS_LABEL, MODEL_HASH_LABEL, SUB_TYPE_LABEL, TYPE_LABEL
from dynamoc.kube.names import model_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.model.graph import Component


def type_labels(component: Component) -> dict[str, str]:
    """What the component is, as far as it says so."""
    labels = {TYPE_LABEL: component.type, SUB_TYPE_LABEL: component.sub_type}
    return {label: value for label, value in labels.items() if value}


def model_label(component: Component) -> dict[str, str]:
    """By which the Service of a model finds its pods."""
    model = (component.model_ref or {}).get("name")
    return {MODEL_HASH_LABEL: model_hash(model)} if model else {}


def metrics_label(annotations: dict[str, str]) -> dict[str, str]:
    """By which the chart's PodMonitors find pods, unless an annotation says otherwise."""
    return {} if annotations.get("nvidia.com/enable-metrics") == "false" else {METRICS_LABEL: "true"}
