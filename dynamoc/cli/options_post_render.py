"""The options of `post-render`: those of `render` that are not about files."""

from __future__ import annotations

from dynamoc.cli.option_table import COMMANDS as HOT
from dynamoc.cli.option_table import Option

_ABSENT = (
    "check", "exclude", "explain", "filenames", "from_index", "keep_going", "layout", "load_restrictor", "output",
    "output_dir", "passthrough_per_input", "skip_foreign", "stdin_filename",
)  # fmt: skip

COMMANDS: dict[str, tuple[Option, ...]] = {
    "post-render": tuple(option for option in HOT["render"] if option.name not in _ABSENT)
}
