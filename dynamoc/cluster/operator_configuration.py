"""Reading an `OperatorConfiguration` as the operator does: decode, default, check.

The operator decodes without strictness (cmd/main.go LoadAndValidateOperatorConfig), so it drops unknown fields without
a word. They are warnings here, since whoever wrote them expected something of them.
"""

from __future__ import annotations

from dynamoc.cluster.assign import set_attribute
from dynamoc.cluster.chart import operator_default
from dynamoc.cluster.fields import API_VERSION, KIND, fields_of
from dynamoc.cluster.validation import validate
from dynamoc.golang.time import print_duration, try_duration
from dynamoc.release.config_fields import BOOLEAN, DURATION, INTEGER, STRING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.cluster.config import OperatorConfig
    from dynamoc.cluster.config_findings import Report
    from dynamoc.release.config_fields import Field

    Tree = dict[str, Any]

_TYPES: dict[str, type] = {STRING: str, BOOLEAN: bool, INTEGER: int, DURATION: str}
_ARTICLES = {STRING: "a string", BOOLEAN: "true or false", INTEGER: "an integer", DURATION: "a duration such as `4h`"}


def read_operator_configuration(tree: Tree, release: str, report: Report) -> OperatorConfig:
    """The configuration that an operator of `release` starts with; what it would refuse goes to `report`."""
    fields = fields_of(release)
    if tree.get("kind", KIND) != KIND or tree.get("apiVersion", API_VERSION) != API_VERSION:
        report.error(
            "config/wrong-kind",
            ("kind",) if tree.get("kind", KIND) != KIND else ("apiVersion",),
            f"The operator reads only a `{KIND}` of `{API_VERSION}`, and does not start with another kind.",
            f"write `apiVersion: {API_VERSION}` and `kind: {KIND}`",
        )
    values = _leaves(tree, fields, report)
    config = operator_default(release)
    for name, value in values.items():
        attribute = fields[name][1]
        # Empty values make room for the operator's defaults.
        if attribute is not None and value is not None and value != "" and not (value == 0 and type(value) is int):
            set_attribute(config, attribute, print_duration(value) if type(value) is int else value)
    if values.get("checkpoint.seccomp.disabled"):
        config.checkpoint.seccomp_profile = ""
    config.checkpoint.cleanup_image = (
        config.checkpoint.cleanup_image.strip() or operator_default(release).checkpoint.cleanup_image
    )
    validate(config, values, release, report)
    return config


def _leaves(tree: Tree, fields: dict[str, Field], report: Report) -> dict[str, Any]:
    """Known fields of the right type by dotted name; durations as nanoseconds."""
    sections = {name[:index] for name in fields for index, letter in enumerate(name) if letter == "."}
    values: dict[str, Any] = {}
    pending: list[tuple[str, Tree]] = [("", tree)]
    while pending:
        prefix, section = pending.pop(0)
        for key, value in section.items():
            name = f"{prefix}{key}"
            if name in fields:
                _read_leaf(name, value, fields[name][0], values, report)
            elif name not in sections:
                _unknown(name, [*fields, *sections], report)
            elif isinstance(value, dict):
                pending.append((f"{name}.", value))
            elif value is not None:
                report.error("config/wrong-type", name.split("."), f"`{name}` must be a mapping.")
    return values


def _read_leaf(name: str, value: object, kind: str, values: dict[str, Any], report: Report) -> None:
    if value is None:
        return
    if type(value) is not _TYPES[kind]:
        report.error("config/wrong-type", name.split("."), f"`{name}` must be {_ARTICLES[kind]}, not {value!r}.")
    elif kind == DURATION:
        assert isinstance(value, str)
        nanoseconds = try_duration(value)
        if nanoseconds is None:
            report.error(
                "config/duration",
                name.split("."),
                f"`{name}: {value}` is not a duration as Go reads one; the operator does not start with it.",
                "a number needs a unit: `300ms`, `30s`, `15m`, `4h`, `1h30m`",
            )
        else:
            values[name] = nanoseconds
    else:
        values[name] = value


def _unknown(name: str, known: list[str], report: Report) -> None:
    from difflib import get_close_matches

    *above, last = name.split(".")
    prefix = ".".join([*above, ""])
    siblings = {other[len(prefix) :].split(".")[0] for other in known if other.startswith(prefix)}
    near = get_close_matches(last, sorted(siblings), 1)
    elsewhere = [other for other in sorted(known) if other.endswith(f".{last}")]
    hint = f"did you mean `{near[0]}`?" if near else f"did you mean `{elsewhere[0]}`?" if elsewhere else None
    report.warning(
        "config/unknown-field", (*above, last), f"The operator has no setting `{name}` and ignores it.", hint
    )
