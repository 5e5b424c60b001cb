"""What vLLM is asked for on its command line, as the operator reads it.

Up to 1.5 the operator knows the long spellings as words of their own, and the first number counts. Since 1.6 it reads
them as vLLM does: short names, underscores, `flag=value`, and the last one counts.
Source: internal/dynamo/backend_vllm.go getFlagValue of 1.4; normalizeVLLMFlags, parseVLLMLaunchArgs of 1.6.
"""

from __future__ import annotations

from itertools import pairwise

from dynamoc.rules.backends.command import command_line_has, expanded_args, flag_value, go_fields, has_arg, parse_int64

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.release.registry import Release

    Tree = dict[str, Any]

_TENSOR, _PIPELINE, _DATA = "--tensor-parallel-size", "--pipeline-parallel-size", "--data-parallel-size"
_LOCAL, _DATA_BACKEND = "--data-parallel-size-local", "--data-parallel-backend"
_EXECUTOR, _ELASTIC = "--distributed-executor-backend", "--enable-elastic-ep"
_SHORT = {"-tp": _TENSOR, "-pp": _PIPELINE, "-dp": _DATA, "-dpl": _LOCAL, "-dpb": _DATA_BACKEND}
_WORDS = (_DATA_BACKEND, _EXECUTOR)
_WITH_VALUE = frozenset((_TENSOR, _PIPELINE, _DATA, _LOCAL, *_WORDS))
_KNOWN = _WITH_VALUE | {_ELASTIC}
#: where a shell ends a word
_CONTROL = ";&|<>()"


class LaunchArgs:
    """world_size   processes of one engine
    data_parallel   engines; `says_data_parallel` tells whether the user gave the number
    is_ray          engines are Ray actors
    is_elastic      engines come and go while others serve
    is_mp           processes on several nodes are run by multiprocessing
    """

    __slots__ = ("data_parallel", "is_elastic", "is_mp", "is_ray", "says_data_parallel", "world_size")

    def __init__(
        self,
        *,
        world_size: int,
        data_parallel: int,
        says_data_parallel: bool,
        is_ray: bool,
        is_elastic: bool,
        is_mp: bool,
    ) -> None:
        self.world_size = world_size
        self.data_parallel = data_parallel
        self.says_data_parallel = says_data_parallel
        self.is_ray = is_ray
        self.is_elastic = is_elastic
        self.is_mp = is_mp


def launch_args(main: Tree, release: Release) -> LaunchArgs:
    """What `args` ask for: the sizes by which the operator spreads engines over nodes."""
    words = expanded_args(main)
    if release.has("vllm/reads-flags-as-vllm"):
        return _read(words)
    return LaunchArgs(
        world_size=flag_value(words, _TENSOR) * flag_value(words, _PIPELINE),
        data_parallel=flag_value(words, _DATA),
        says_data_parallel=_DATA in words,
        is_ray=False,
        is_elastic=_ELASTIC in words,
        is_mp=False,
    )


def asks_for_mp(main: Tree, release: Release) -> bool:
    """Whether command and args ask for multiprocessing."""
    if release.has("vllm/reads-flags-as-vllm"):
        return _read(_command_line(main)).is_mp
    return command_line_has(main, _EXECUTOR, "mp")


def asks_for_elastic_ray(main: Tree, release: Release) -> bool:
    """Whether command and args ask for elastic EP on the Ray backend, the only one that can do it."""
    words = _command_line(main)
    if release.has("vllm/reads-flags-as-vllm"):
        found = _read(words)
        return found.is_elastic and found.is_ray
    return _ELASTIC in words and any(has_arg(words, flag, "ray") for flag in (_DATA_BACKEND, "-dpb"))


def _command_line(main: Tree) -> list[str]:
    return [word for part in (*(main.get("command") or ()), *(main.get("args") or ())) for word in go_fields(part)]


def _read(words: list[str]) -> LaunchArgs:
    words = _normal(words)
    sizes = {_TENSOR: 1, _PIPELINE: 1, _DATA: 1}
    texts = dict.fromkeys(_WORDS, "")
    for word, value in pairwise(words):
        if word in sizes:
            number = parse_int64(value)
            sizes[word] = sizes[word] if number is None else number
        elif word in texts:
            texts[word] = value
    return LaunchArgs(
        world_size=sizes[_TENSOR] * sizes[_PIPELINE],
        data_parallel=sizes[_DATA],
        says_data_parallel=_DATA in words,
        is_ray=texts[_DATA_BACKEND] == "ray",
        is_elastic=_ELASTIC in words,
        is_mp=texts[_EXECUTOR] == "mp",
    )


def _normal(words: list[str]) -> list[str]:
    """Long names and values as words of their own; what is no flag of interest stays as it is."""
    normal: list[str] = []
    is_executor = False
    for word in words:
        if is_executor and not word.startswith("-"):
            normal.append(_before_control(word))
            is_executor = False
            continue
        flag, equals, value = word.partition("=")
        flag = _long_name(flag)
        value = _before_control(value) if flag in _WORDS else value
        if equals and (flag not in _WITH_VALUE or value.startswith("--")):
            normal.append(word)
        else:
            normal += [flag, value] if equals else [flag]
        is_executor = not equals and flag == _EXECUTOR
    return normal


def _long_name(flag: str) -> str:
    dashed = flag.replace("_", "-")
    return _SHORT.get(flag) or (dashed if dashed in _KNOWN else flag)


def _before_control(value: str) -> str:
    ends = [value.index(char) for char in _CONTROL if char in value]
    return value[: min(ends)] if ends else value
