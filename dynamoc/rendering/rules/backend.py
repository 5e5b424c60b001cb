"""What an inference backend does to its pods, and how the backend is found."""

from __future__ import annotations

from dynamoc.admission.adapters import ROLES, for_role, has_role_templates
from dynamoc.admission.graph import Component
from dynamoc.documents.findings.finding import Refusal
from dynamoc.rendering.rules.draft import Pod, rule, tell_other_shell
from dynamoc.rendering.rules.engines import SGLANG, SGLANG_TEXT, TRTLLM
from dynamoc.rendering.rules.multinode import Backend
from dynamoc.rendering.rules.vllm import VLLM, VLLM_RAY, VLLM_RAY_ONLY

NOOP = "noop"
FRAMEWORKS = ("vllm", "sglang", "trtllm")

#: what `\s` means to Go
_SPACES = ("\t", "\n", "\f", "\r", " ")


def early_backend(component: Component, explicit: str, *, must_be_known: bool) -> str:
    """The backend of a component up to 0.6; later types of workers, prefill and decode, have none yet.

    `must_be_known` refuses a worker without one. Source: internal/dynamo/graph.go determineBackendFramework.
    """
    if component.type != "worker":
        return NOOP
    backend = determine_backend(component, explicit)
    if backend == NOOP and must_be_known:
        raise Refusal(
            "backend/unknown",
            f"Neither the command of {component.name} nor backendFramework names its backend; the operator fails "
            "to render the pod.",
            component.main_path if component.main else component.path,
            f"Set backendFramework to {', '.join(FRAMEWORKS[:-1])} or {FRAMEWORKS[-1]}.",
        )
    return backend


def determine_backend(component: Component, explicit: str) -> str:
    """The backend of a component: detected from its command, else the explicit one, else noop.

    Only workers have one. Raises `Refusal` where the command and `backendFramework` disagree, or where a command
    names several frameworks and nothing is explicit. Source: internal/dynamo/graph.go determineBackendFramework.
    """
    if not component.is_worker:
        return NOOP
    if has_role_templates(component.spec):
        return _backend_of_roles(component, explicit)
    main = component.main or {}
    text = " ".join([*(main.get("command") or []), *(main.get("args") or [])])
    found = [framework for framework in FRAMEWORKS if _runs(text, framework)] if "python" in text else []
    path = component.main_path
    if len(found) > 1:
        if explicit:
            return explicit
        raise Refusal(
            "backend/several",
            f"The command names several backends ({', '.join(found)}); the operator cannot choose one.",
            path,
            "Set spec.backendFramework, or run one backend per component.",
        )
    if found and explicit and found[0] != explicit:
        raise Refusal(
            "backend/mismatch",
            f"The command runs {found[0]}, but backendFramework is {explicit}; the operator fails to render the pod.",
            path,
            f"Set backendFramework to {found[0]}, or remove it.",
        )
    return found[0] if found else explicit or NOOP


def _backend_of_roles(component: Component, explicit: str) -> str:
    """The backend that the commands of all roles run, since 1.6."""
    found = {determine_backend(for_role(component, name), explicit) for name in ROLES} - {NOOP}
    if len(found) > 1:
        raise Refusal(
            "backend/several",
            f"The roles of {component.name} run several backends ({', '.join(sorted(found))}); the operator fails.",
            (*component.path, "roles"),
            "Run one backend in both roles.",
        )
    return next(iter(found), NOOP)


def _runs(text: str, framework: str) -> bool:
    """Whether the text has `python… -m … dynamo.<framework>` without `|`, `&` or `;` between.

    A hand-written scan of graph.go's regular expression, because importing `re` takes longer than all of it.
    """
    for breaker in "|&":
        text = text.replace(breaker, ";")
    return any(_runs_module(part, f"dynamo.{framework}") for part in text.split(";"))


def _runs_module(command: str, module: str) -> bool:
    start = command.find("python")
    while start >= 0:
        end = start + len("python")
        while command[end : end + 1] and command[end] in "0123456789.":
            end += 1
        if command[end : end + 1] in _SPACES and _has_flag_before(command, end + 1, module):
            return True
        start = command.find("python", start + 1)
    return False


def _has_flag_before(command: str, start: int, module: str) -> bool:
    """Whether ` -m ` is at or behind `start`, and the module's name behind it."""
    flag = command.find("-m", start)
    while flag >= 0:
        if command[flag + 2 : flag + 3] in _SPACES:
            return command.find(module, flag + 3) >= 0
        flag = command.find("-m", flag + 1)
    return False


@rule("backend/container", source="internal/dynamo/backend_*.go UpdateContainer")
def backend_container(pod: Pod) -> None:
    """Lets the backend change command, environment and probes of a multinode pod, and set its caches."""
    if pod.backend != NOOP:
        before = pod.main.get("command") or []
        _backend(pod).update_container(pod)
        tell_other_shell(pod, before)


@rule("backend/pod", source="internal/dynamo/backend_*.go UpdatePodSpec")
def backend_pod(pod: Pod) -> None:
    """Lets the backend add volumes and init containers to a multinode pod."""
    if pod.backend != NOOP:
        _backend(pod).update_pod(pod)


#: by the names that the constant `backends` of a release lists
_BACKENDS = {
    "sglang": SGLANG,
    "sglang_text": SGLANG_TEXT,
    "trtllm": TRTLLM,
    "vllm": VLLM,
    "vllm_ray": VLLM_RAY,
    "vllm_ray_only": VLLM_RAY_ONLY,
}


def _backend(pod: Pod) -> Backend:
    return _BACKENDS[pod.release["backends"][pod.backend]]
