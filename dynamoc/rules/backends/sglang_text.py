"""SGLang of releases 0.4 and 0.5: flags go into the text of the arguments, whatever the command is."""

from __future__ import annotations

from dynamoc.rules.backends.backend import Backend
from dynamoc.rules.backends.command import inject_into_text
from dynamoc.rules.backends.probes import drop_probes
from dynamoc.rules.backends.sglang import multinode_flags
from dynamoc.rules.draft import WORKER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.rules.draft import Pod


def update_container(pod: Pod) -> None:
    """Source: internal/dynamo/backend_sglang.go UpdateContainer, injectFlagsIntoPythonCommand."""
    if not pod.is_multinode:
        return
    main = pod.main
    if pod.role == WORKER:
        drop_probes(main)
    text = " ".join(main.get("args") or ())
    changed = inject_into_text(text, multinode_flags(pod), "sglang")
    if changed == text:
        _warn_of_one_node(pod)
    if main.get("args"):
        main["args"] = [changed]


def update_pod(pod: Pod) -> None:
    """SGLang needs nothing around its container."""


def _warn_of_one_node(pod: Pod) -> None:
    pod.operator.warn(
        "sglang/no-flags",
        f"The operator finds no `python … sglang` in the arguments of {pod.component.name}, so it adds no "
        "multinode flags.",
        (*pod.component.main_path, "args"),
        "Remove the command, and write the whole command line as the only argument.",
    )


SGLANG_TEXT = Backend(update_container, update_pod)
