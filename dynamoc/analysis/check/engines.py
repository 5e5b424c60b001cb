"""The flags that engines, frontends and mockers take: `engines.json`.

A group has the flags of one parser by the version that Dynamo 1.4 installs, and by name those of earlier and later
versions. `switch` is a flag without a value, `values` are listed, `closed` says that no version has others, `all` that
only plug-ins have others, `text` is a flag that needs a value, `json` one whose value is JSON, and `number` is `int`,
`float` or `human` (vLLM's `8k`) from `least` or `above` to `most` or `below`.

What a model needs, by its name: `models.txt`, and what names themselves say of sizes.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Any

from dynamoc.analysis.check.arguments import Arguments
from dynamoc.analysis.check.rendering import Component, Rendering
from dynamoc.kube.text import loads

GROUPS = {
    "vllm": ("vllm", "dynamo.vllm", "runtime"),
    "sglang": ("sglang", "dynamo.sglang", "runtime"),
    "trtllm": ("dynamo.trtllm", "runtime"),
    "frontend": ("dynamo.frontend",),
    "mocker": ("dynamo.mocker",),
}
NAMES = {"vllm": "vLLM", "sglang": "SGLang", "trtllm": "TensorRT-LLM"}
FILE = os.path.join(os.path.dirname(__file__), "engines.json")
#: flags of the same meaning, by engine: what to write instead of another engine's
SAME: tuple[dict[str, str], ...] = (
    {"vllm": "--model", "sglang": "--model-path", "trtllm": "--model-path"},
    {"vllm": "--tensor-parallel-size", "sglang": "--tp-size", "trtllm": "--tensor-parallel-size"},
    {"vllm": "--pipeline-parallel-size", "sglang": "--pp-size", "trtllm": "--pipeline-parallel-size"},
    {"vllm": "--data-parallel-size", "sglang": "--dp-size"},
    {"vllm": "--enable-expert-parallel", "sglang": "--ep-size", "trtllm": "--expert-parallel-size"},
    {"vllm": "--gpu-memory-utilization", "sglang": "--mem-fraction-static", "trtllm": "--free-gpu-memory-fraction"},
    {"vllm": "--max-model-len", "sglang": "--context-length", "trtllm": "--max-seq-len"},
    {"vllm": "--max-num-seqs", "sglang": "--max-running-requests", "trtllm": "--max-batch-size"},
    {"vllm": "--max-num-batched-tokens", "sglang": "--chunked-prefill-size", "trtllm": "--max-num-tokens"},
    {"vllm": "--block-size", "sglang": "--page-size", "trtllm": "--kv-block-size"},
    {"vllm": "--no-enable-prefix-caching", "sglang": "--disable-radix-cache"},
    {"vllm": "--enforce-eager", "sglang": "--disable-cuda-graph"},
)

#: flags that name files of settings, which may say otherwise
SETTINGS = {
    "vllm": ("--config",),
    "sglang": ("--config",),
    "trtllm": ("--extra-engine-args", "--extra-llm-api-options", "--override-engine-args"),
}


@cache
def _groups() -> dict[str, dict[str, Any]]:
    with open(FILE, encoding="utf-8") as file:
        found: dict[str, dict[str, Any]] = loads(file.read())
    return found


class Flags:
    """What one program takes, by its name in `GROUPS`."""

    def __init__(self, program: str) -> None:
        groups = [_groups()[name] for name in GROUPS[program]]
        self._known = {flag: about for group in reversed(groups) for flag, about in group["arguments"].items()}
        self._all = [flag for group in groups for flag in (*group["earlier"], *group["arguments"])]

    def about(self, flag: str) -> dict[str, Any] | None:
        """What is known of a flag; nothing of one of another version, None for one that no version has."""
        return self._known.get(flag, {} if flag in self._all else None)

    def has(self, flag: str) -> bool:
        """Whether it is one, the opposite of one, or begins one, which argparse takes for the whole."""
        if flag in self._all:
            return True
        opposite = "--" + flag.removeprefix("--no-") if flag.startswith("--no-") else flag
        return any(name.startswith((flag, opposite)) for name in self._all)

    def names(self) -> list[str]:
        return [flag for flag in self._all if flag.startswith("--")]


#: the last one names what clients ask for, which says the size as well
FLAGS = ("--model", "--model-path", "--model-name", "--served-model-name")
#: bytes of a parameter, and bytes a second that a pod reads from a good shared file system
_BYTES, _SPEED = 2, 1_000_000_000
#: bytes of a parameter in models whose names, or flags, say how they were made smaller
_SMALLER = {
    **dict.fromkeys(("fp8", "int8", "w8a8", "w8a16", "8bit", "modelopt", "w4afp8", "mxfp8"), 1.0),
    **dict.fromkeys(
        ("fp4", "nvfp4", "mxfp4", "int4", "awq", "gptq", "w4a16", "4bit", "bitsandbytes", "gguf", "q4"), 0.5
    ),
}
#: words of a model's name that say how it was trained or stored, and not what it is
_VARIANTS = (
    *("meta", "instruct", "chat", "it", "base", "hf", "bf16", "fp16", "dynamic", "quantized", "block", "thinking"),
    *("0528", "2507", "0905", "0324", "v0.1", "v0.2", "v0.3", "original", "turbo", "exp", "terminus"),
)
_UNITS = {"b": 1.0, "t": 1000.0}
_FILE = os.path.join(os.path.dirname(__file__), "models.txt")


class Facts:
    """What is known of one model; None where a size differs between variants."""

    def __init__(self, line: str) -> None:
        name, *numbers, self.page = line.split()
        self.name = name
        known = [None if each == "-" else float(each) for each in numbers]
        self.billions, self.bytes = known[0] or 0.0, known[1] or 0.0
        self.heads, self.kv_heads, self.context = (None if each is None else int(each) for each in known[2:5])


def name_of(arguments: Arguments) -> str:
    """The model, as the engine is told; "" where it is not, or by a variable."""
    found = next((value for flag in FLAGS if (value := arguments.value(flag))), "")
    return "" if "$" in found or "{" in found else found


def facts_of(arguments: Arguments) -> Facts | None:
    """What the table says of the model; None for one that it does not have."""
    return _facts(name_of(arguments))


@cache
def _facts(name: str) -> Facts | None:
    if not name:
        return None
    with open(_FILE, encoding="utf-8") as file:
        text = file.read()
    start = text.find(f"\n{key(name)} ")
    return None if start < 0 else Facts(text[start : text.index("\n", start + 1)])


def key(name: str) -> str:
    """The name of a model in the table: `qwen3-32b` for `Qwen/Qwen3-32B-FP8` and `/models/qwen3-32b-instruct/`."""
    words = name.rstrip("/").rpartition("/")[2].lower().replace("_", "-").split("-")
    return "-".join(word for word in words if word not in _SMALLER and word not in _VARIANTS)


def _words(arguments: Arguments) -> list[str]:
    """Those of the model's name."""
    name = next((value for flag in FLAGS if (value := arguments.value(flag))), "")
    return name.replace("-", " ").replace("_", " ").replace("/", " ").lower().split()


def billions(arguments: Arguments) -> float | None:
    """The size in billions of parameters that the table or the model's name tells; None where neither does."""
    words = _words(arguments)
    sizes = [
        float(word[:-1]) * _UNITS[word[-1]]
        for word in words
        if word[-1:] in _UNITS and word[:-1].replace(".", "", 1).isdecimal()
    ]
    facts = facts_of(arguments)
    return facts.billions if facts else max(sizes, default=None)


def size_of(component: Component, rendering: Rendering) -> float | None:
    """The size that the user gives for a component, else that of its model."""
    given = rendering.sizes.get(component.name.lower(), rendering.sizes.get(""))
    return billions(component.first.arguments) if given is None else given


def parsed_sizes(texts: list[str]) -> dict[str, float]:
    """`Worker=70B`, `70B` for all components, in billions. Raises ValueError, whose message is the text."""
    found = {}
    for text in texts:
        name, equals, size = text.rpartition("=")
        number = size.upper().removesuffix("B")
        if not number.replace(".", "", 1).isdecimal() or bool(equals) != bool(name):
            raise ValueError(text)
        found[name.lower()] = float(number)
    return found


def gigabytes(size: float, arguments: Arguments) -> float:
    """The weights of a model of so many billions of parameters, whose name and flags the arguments have."""
    facts = facts_of(arguments)
    flag = (arguments.value("--quantization", "-q") or "").lower().replace("_", "-").split("-")
    found = [_SMALLER[word] for word in (*_words(arguments), *flag) if word in _SMALLER]
    return size * min([*found, facts.bytes if facts else _BYTES])


def loading_time(size: float, arguments: Arguments) -> int:
    """Seconds to read the weights."""
    return int(gigabytes(size, arguments) * 1_000_000_000 / _SPEED)
