"""What a worker does in a graph that separates prefill from decode."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.check.made import Workload

MODE = "--disaggregation-mode"
FLAGS = (MODE, "--is-prefill-worker", "--is-decode-worker")


def role(workload: Workload) -> str:
    """`prefill` or `decode`, "" for a worker that does both."""
    arguments = workload.arguments
    mode = (arguments.value(MODE) or "").removesuffix("_only")
    if mode in ("prefill", "decode"):
        return mode
    if arguments.has("--is-prefill-worker") or workload.type == "prefill":
        return "prefill"
    return "decode" if arguments.has("--is-decode-worker") else ""
