"""The command line of a container as the engine gets it, also where a shell runs it."""

from __future__ import annotations

from dynamoc.kube.lenient import texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Path

    Tree = dict[str, Any]

_ENGINES = {"vllm": "dynamo.vllm", "sglang": "dynamo.sglang", "trtllm": "dynamo.trtllm"}


class Arguments:
    """The words of command and args, those inside of shell strings one by one.

    engine  `vllm`, `sglang` or `trtllm`, None where the command runs none that is known
    """

    def __init__(self, container: Tree) -> None:
        self._words: list[tuple[str, Path]] = []
        for field in ("command", "args"):
            for index, text in enumerate(texts(container.get(field))):
                self._words += [(word, (field, index)) for word in _words(text)]
        self.engine = self._engine()

    def _engine(self) -> str | None:
        for name, module in _ENGINES.items():
            if any(word == module or word.startswith(f"{module}.") for word, _ in self._words):
                return name
        return None

    def place(self, *flags: str) -> Path:
        """Where the last of some flags stands; where the words begin, if none does."""
        found = [path for word, path in self._words if word.partition("=")[0] in flags]
        return found[-1] if found else self._words[0][1] if self._words else ()

    def has(self, *flags: str) -> bool:
        return any(word.partition("=")[0] in flags for word, _ in self._words)

    def value(self, *flags: str) -> str | None:
        """The value of the last of some flags, as argparse takes it; None where there is none."""
        found = None
        for index, (word, _) in enumerate(self._words):
            flag, equals, text = word.partition("=")
            if flag not in flags:
                continue
            if equals:
                found = text
            elif index + 1 < len(self._words) and not self._words[index + 1][0].startswith("--"):
                found = self._words[index + 1][0]
        return found

    def values(self, *flags: str) -> list[tuple[str, Path]]:
        """The values of all of some flags, in their order, each with its place."""
        found = []
        for index, (word, path) in enumerate(self._words):
            flag, equals, text = word.partition("=")
            if flag in flags and equals:
                found.append((text, path))
            elif flag in flags and index + 1 < len(self._words):
                found.append((self._words[index + 1][0], path))
        return found

    def number(self, *flags: str, default: int = 1) -> int | None:
        """The value as a whole number; None where it is none that can be known here, as `$(TP_SIZE)`."""
        text = self.value(*flags)
        if text is None:
            return None if self.has(*flags) else default
        return int(text) if text.isascii() and text.isdecimal() else None


def _words(text: str) -> list[str]:
    """A text with spaces may be a whole command line for a shell."""
    if not any(char.isspace() for char in text.strip()) or text.lstrip().startswith(("{", "[")):
        return [text]
    import shlex

    text = text.replace("\\\n", " ")
    try:
        words = shlex.split(text)
    except ValueError:
        return text.split()
    # What a shell is told to run may be told to another: `mpirun ... bash -c "python3 -m dynamo.trtllm ..."`.
    return [inner for word in words for inner in (_words(word) if word != text else [word])]
