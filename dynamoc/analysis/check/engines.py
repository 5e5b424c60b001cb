"""The flags that engines, frontends and mockers take: `engines.json`, of which each line is read when it is needed.

A group has the flags of one parser by the version that Dynamo 1.4 installs, and by name those of earlier and later
versions. `switch` is a flag without a value, `values` are listed, `closed` says that no version has others, `all` that
only plug-ins have others, `text` is a flag that needs a value, `json` one whose value is JSON, and `number` is `int`,
`float` or `human` (vLLM's `8k`) from `least` or `above` to `most` or `below`.
"""

from __future__ import annotations

import os
from typing import Any

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


class Flags:
    """What one program takes, by its name in `GROUPS`."""

    def __init__(self, program: str) -> None:
        with open(FILE, encoding="utf-8") as file:
            text = file.read()
        self._texts = []
        for group in GROUPS[program]:
            start = text.index(f'\n"{group}": ')
            self._texts.append(text[start : text.index("\n}}", start)])

    def about(self, flag: str) -> dict[str, Any] | None:
        """What is known of a flag; nothing of one of another version, None for one that no version has."""
        for text in self._texts:
            start = text.find(f'\n"{flag}": ')
            if start >= 0:
                end = text.find("\n", start + 1)
                found: dict[str, Any] = loads(text[text.index(": ", start) + 2 : end if end >= 0 else None].rstrip(","))
                return found
        return {} if any(f'"{flag}"' in self._earlier(text) for text in self._texts) else None

    def has(self, flag: str) -> bool:
        """Whether it is one, the opposite of one, or begins one, which argparse takes for the whole."""
        opposite = "--" + flag.removeprefix("--no-") if flag.startswith("--no-") else flag
        return any(f'"{each}' in text for text in self._texts for each in (flag, opposite))

    def names(self) -> list[str]:
        found: list[str] = []
        for text in self._texts:
            found += [name for name in loads(self._earlier(text)) if name.startswith("--")]
            found += [line[1 : line.index('"', 1)] for line in text.split("\n") if line.startswith('"--')]
        return found

    @staticmethod
    def _earlier(text: str) -> str:
        start = text.index('"earlier": ') + len('"earlier": ')
        return text[start : text.index("\n", start)].rstrip(",")
