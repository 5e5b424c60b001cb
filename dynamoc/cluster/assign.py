"""Setting attributes of an OperatorConfig by dotted name, so that defaults and fields can be tables."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.cluster.config import OperatorConfig
    from dynamoc.release.default_settings import Setting


def apply(config: OperatorConfig, settings: dict[str, Setting]) -> None:
    """Set each `section.attribute` of `settings`. A wrong name is a mistake in a table: AttributeError."""
    for name, value in settings.items():
        set_attribute(config, name, value)


def set_attribute(config: OperatorConfig, name: str, value: Setting) -> None:
    owner: object = config
    *sections, last = name.split(".")
    for section in sections:
        owner = getattr(owner, section)
    setattr(owner, last, value)


def get_attribute(config: OperatorConfig, name: str) -> object:
    value: object = config
    for section in name.split("."):
        value = getattr(value, section)
    return value
