"""Flags of dynamo.vllm that its image does not take any more, or cannot do without.

Source: components/src/dynamo/vllm/args.py and backend_args.py, by the commits of the releases.
"""

from __future__ import annotations

from dynamoc.check.made import dynamo_minor, image_parts
from dynamoc.check.registry import rule
from dynamoc.check.roles import MODE, role
from dynamoc.check.rules.gpus import engines
from dynamoc.diagnostics.change import Change
from dynamoc.diagnostics.finding import ERROR, WARNING
from dynamoc.kube.lenient import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynamoc.check.made import Component, Made, Workload
    from dynamoc.stages.faults import Fault

_CONFIG, _CONNECTOR = "--kv-transfer-config", "--connector"
#: the flag, and what to write instead of it
_OLD_ROLES = {"--is-prefill-worker": f"{MODE}=prefill", "--is-decode-worker": f"{MODE}=decode"}
#: versions of the image: from which `--connector` ends the process, and the old roles are deprecated; and from which
#: the old roles end it, too
_FIRST, _WITHOUT_ROLES = (1, 0), (1, 4)


def _version(workload: Workload) -> tuple[int, ...]:
    """Of the runtime image; nothing where the tag tells none, or the image is not one of Dynamo's own."""
    repository, tag, _ = image_parts(text(workload.main[1].get("image")))
    minor = dynamo_minor(tag)
    return tuple(map(int, minor.split("."))) if minor and repository.endswith("vllm-runtime") else ()


@rule("check/old-flag")
def old_flags(made: Made) -> Iterator[Fault]:
    """Flags that were replaced."""
    for component, leader, _ in engines(made):
        arguments, version = leader.arguments, _version(leader)
        if arguments.engine != "vllm" or version < _FIRST:
            continue
        found = {flag: new for flag, new in _OLD_ROLES.items() if arguments.has(flag)}
        if arguments.has(_CONNECTOR):
            found[_CONNECTOR] = _CONFIG
        for flag, new in found.items():
            ends = flag == _CONNECTOR or version >= _WITHOUT_ROLES
            effect = "does not know any more, and exits" if ends else "takes with a warning"
            shown = ".".join(map(str, version))
            message = f"{component.name} has `{flag}`, which the image of Dynamo {shown} {effect}."
            where = (*leader.main[0], *arguments.place(flag))
            fault = leader.fault("check/old-flag", where, message, f"write `{new}`")
            fault.problem.severity = ERROR if ends else WARNING
            fault.problem.change = Change("write", new, flag) if flag in _OLD_ROLES else None
            yield fault


#: what an image of a range of versions, the end left out, does with a flag
_TOO_NEW = (
    (MODE, (0,), (1, 0), "does not know", "use `--is-prefill-worker` or `--is-decode-worker`, or a later image"),
    # Its default for --connector cannot be unset, and excludes the other flag.
    (_CONFIG, (0, 6), (0, 7), "never takes", "use `--connector`, or a later image"),
    # The operator adds it for several nodes; vLLM knows it since 0.11.1, and the images of 0.7 have 0.11.0.
    (
        "--nnodes",
        (0,),
        (0, 8),
        "does not know",
        "annotate the graph with `nvidia.com/vllm-distributed-executor-backend: ray`, or use an image of 0.8 or later",
    ),
)


@rule("check/new-flag")
def new_flags(made: Made) -> Iterator[Fault]:
    """Flags that came after the image."""
    for component, leader, _ in engines(made):
        version = _version(leader)
        for flag, first, end, effect, hint in _TOO_NEW if leader.arguments.engine == "vllm" else ():
            if leader.arguments.has(flag) and first <= version < end:
                shown = ".".join(map(str, version))
                message = f"{component.name} has `{flag}`, which the image of Dynamo {shown} {effect}: it exits."
                where = (*leader.main[0], *leader.arguments.place(flag))
                yield leader.fault("check/new-flag", where, message, hint)


@rule("check/no-transfer-config")
def no_transfer_config(made: Made) -> Iterator[Fault]:
    """A prefill worker that is not told how caches travel."""
    for component, leader, engine in engines(made):
        arguments = leader.arguments
        is_prefill = arguments.value(MODE) == "prefill" or arguments.has("--is-prefill-worker")
        if arguments.engine != "vllm" or not is_prefill or engine.file or _version(leader) < _FIRST:
            continue
        if not arguments.has(_CONFIG) and not arguments.is_open:
            message = f"{component.name} is a prefill worker without `{_CONFIG}`: dynamo.vllm exits."
            hint = f'add `{_CONFIG}` with `{{"kv_connector": "NixlConnector", "kv_role": "kv_both"}}`'
            where = (*leader.main[0], *arguments.place(MODE, "--is-prefill-worker"))
            yield leader.fault("check/no-transfer-config", where, message, hint)


#: what both sides of NIXL compare before they talk (vLLM, nixl connector compute_nixl_compatibility_hash)
_SAME = (("--model",), ("--dtype",), ("--kv-cache-dtype",))


@rule("check/transfer-compatibility")
def transfer_compatibility(made: Made) -> Iterator[Fault]:
    """Prefill and decode workers that refuse each other's caches."""
    sides: dict[str, list[tuple[Component, Workload]]] = {"prefill": [], "decode": []}
    for component, leader, _ in engines(made):
        if leader.arguments.engine == "vllm" and "NixlConnector" in (leader.arguments.value(_CONFIG) or ""):
            sides.setdefault(role(leader), []).append((component, leader))
    # Of several models in a graph, nobody here knows which belong together.
    if any(len(sides[each]) != 1 for each in ("prefill", "decode")):
        return
    [(one, prefill)], [(other, decode)] = sides["prefill"], sides["decode"]
    for flags in _SAME:
        left, right = (leader.arguments.value(*flags) or "auto" for leader in (prefill, decode))
        if left != right and not any("$" in value for value in (left, right)):
            message = (
                f"{one.name} has `{flags[0]} {left}`, and {other.name} `{flags[0]} {right}`: NIXL compares them, and "
                "the two refuse each other."
            )
            where = (*decode.main[0], *decode.arguments.place(*flags))
            yield decode.fault("check/transfer-compatibility", where, message, f"use the same `{flags[0]}` in both")
