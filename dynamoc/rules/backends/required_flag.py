"""A flag that must be in a command line which the operator does not write otherwise.

Source: internal/dynamo/backend_vllm.go ensureContainerCommandLineFlag, injectFlagsIntoDirectCommand of release 1.6.
"""

from __future__ import annotations

from dynamoc.diagnostics.finding import Refusal
from dynamoc.rules.backends.command import go_fields, has_arg, inject_flags

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.rules.draft import Pod

    Tree = dict[str, Any]

_SHELLS = ("sh", "bash")


def require_flag(pod: Pod, flag: str, value: str) -> None:
    """Adds `flag value` behind the Python module, else behind `vllm serve`, else to the arguments of a program."""
    main, flags = pod.main, f"{flag} {value}"
    if _has(main, flag, value):
        return
    inject_flags(main, flags, pod.release, needs_shell=False, framework="vllm")
    for field in ("args", "command"):
        if not _has(main, flag, value):
            _add_to_words(main, field, flags)
    command = main.get("command") or []
    if not _has(main, flag, value) and (not command or command[0].rpartition("/")[2] not in _SHELLS):
        main["args"] = [*(main.get("args") or ()), flag, value]
    if not _has(main, flag, value):
        raise Refusal(
            "vllm/no-place-for-flag",
            f"The operator cannot add `{flags}` to this command line, and fails to render the pod.",
            (*pod.component.main_path, "command"),
            f"Write `{flags}` yourself.",
        )


def _has(main: Tree, flag: str, value: str) -> bool:
    """By words (getExpandedCommandLine): a longer value is another one."""
    parts = [*(main.get("command") or ()), *(main.get("args") or ())]
    return has_arg([word for part in parts for word in go_fields(part)], flag, value)


def _add_to_words(main: Tree, field: str, flags: str) -> None:
    words = main.get(field) or []
    for index, word in enumerate(words):
        changed = _behind_serve(word, flags)
        if changed != word:
            main[field] = [*words[:index], changed, *words[index + 1 :]]
            return


def _behind_serve(text: str, flags: str) -> str:
    if "vllm serve" not in text:
        return text
    import re

    space = r"[\t\n\f\r ]"
    pattern = rf"(^|{space})((?:exec{space}+)?vllm serve(?:{space}+[^|&;]*)?)({space}|\Z|[|&;])"
    return re.sub(pattern, lambda match: f"{match[1]}{match[2].strip()} {flags}{match[3]}", text)
