"""From the values of a command line to the compiler's options."""

from __future__ import annotations

import os

from dynamoc.cli.failure import UsageError
from dynamoc.compiler import Options
from dynamoc.release import RELEASES, get_release

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.cli.options import Values

_OUTPUT_OPTIONS = ("generate_secrets", "include_intermediate", "passthrough")


def compiler_options(values: Values) -> Options:
    """Raises UsageError for a release that dynamoc does not know and for files that are not there."""
    try:
        get_release(values["operator_version"])
    except KeyError:
        known = ", ".join(RELEASES)
        raise UsageError(f"--operator-version {values['operator_version']} is not known; there are {known}.") from None
    config = values["operator_config"]
    for path in (*values["paths"], *values["context"], *([config] if config else [])):
        if path != "-" and not os.path.exists(path):
            raise UsageError(f"{path}: No such file or directory.")
    return Options(
        operator_version=values["operator_version"],
        target=values["target"],
        operator_config=config,
        context=values["context"],
        namespace=values["namespace"] or None,
        unknown_fields=values["unknown_fields"],
        strict_context=values["strict_context"],
        **{name: values[name] for name in _OUTPUT_OPTIONS if name in values},
    )
