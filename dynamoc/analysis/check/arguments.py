"""The command line of a container as the engine gets it, also behind a shell, and settings in ConfigMaps."""

from __future__ import annotations

from dynamoc.documents.findings.finding import Path
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import texts

_ENGINES = {"dynamo.vllm": "vllm", "dynamo.sglang": "sglang", "dynamo.trtllm": "trtllm"}
#: what a worker does in a graph that separates prefill from decode
MODE = "--disaggregation-mode"
MODES = (MODE, "--is-prefill-worker", "--is-decode-worker")
SHELLS = ("sh", "bash", "dash", "ash", "zsh")
#: what may quote other characters, or begin a comment
_SPECIAL = frozenset("'\"\\#")
#: what ends a command of a shell
_ENDS = ("&&", "||", "|", "&", ";", ">", ">>", "2>&1", "2>", "|&", "done", "fi")


class Arguments:
    """The words of command and args, those inside of shell strings one by one.

    engine   `vllm`, `sglang` or `trtllm`, None where the command runs none that is known
    is_open  whether a variable may bring further flags: `$(EXTRA_ARGS)`, and no value of a flag before it
    several  whether engines are started more than once, so that it is unknown which one a flag is for
    """

    def __init__(self, container: Tree) -> None:
        self._words: list[tuple[str, Path]] = []
        command, args = texts(container.get("command")), texts(container.get("args"))
        #: of command and args, as the container gets them; how many are of command
        self.items, self.commands = [*command, *args], len(command)
        for field, found in (("command", command), ("args", args)):
            for index, item in enumerate(found):
                self._words += [(word, (field, index)) for word in _words(item)]
        starts = [name for word, _ in self._words if (name := _engine(word)) is not None]
        self.engine = next((name for name in _ENGINES.values() if name in starts), None)
        self.several = len(starts) > 1
        #: where each flag is, in the order of the words
        self._flags: dict[str, list[int]] = {}
        for index, (word, _) in enumerate(self._words):
            if word.startswith("-"):
                self._flags.setdefault(self._flag(word), []).append(index)
        self.is_open = self._is_open()

    def _flag(self, word: str) -> str:
        """The flag of a word. vLLM's parser takes underscores for dashes (vllm.utils FlexibleArgumentParser)."""
        flag = word.partition("=")[0]
        return flag.replace("_", "-") if self.engine == "vllm" and flag.startswith("--") else flag

    def _is_open(self) -> bool:
        at = next((index for index, (word, _) in enumerate(self._words) if _engine(word) is not None), len(self._words))
        before, sums = "", 0
        for word, _ in self._words[at:]:
            # A shell computes what is in `$(( ... ))`: it is a value.
            sums += word.startswith("$((")
            if word.startswith("$") and not sums and (not before.startswith("-") or "=" in before):
                return True
            sums -= word.endswith("))") and sums > 0
            before = word
        return False

    def _at(self, flags: tuple[str, ...]) -> list[int]:
        """Where some flags are, in the order of the words."""
        found = [index for flag in flags for index in self._flags.get(flag, ())]
        return sorted(found) if len(found) > 1 else found

    def place(self, *flags: str) -> Path:
        """Where the last of some flags stands; where the words begin, if none does."""
        found = self._at(flags)
        return self._words[found[-1]][1] if found else self._words[0][1] if self._words else ()

    def has(self, *flags: str) -> bool:
        return any(flag in self._flags for flag in flags)

    def runs(self, module: str) -> bool:
        """Whether the words start Python with a module: `python3 -u -m NAME`."""
        program = ""
        for word, _ in self._words:
            if word == module and "python" in program:
                return True
            program = program if word.startswith("-") else word
        return False

    def module(self) -> str:
        """The Python module that is run: `dynamo.frontend`; "" without one, or several."""
        found = {word for (before, _), (word, _) in zip(self._words, self._words[1:], strict=False) if before == "-m"}
        return found.pop() if len(found) == 1 else ""

    def words(self) -> list[tuple[str, Path]]:
        """All words, those inside of shell strings one by one, each with its place."""
        return self._words

    def own(self) -> list[tuple[str, Path]]:
        """The words behind the module, up to where a shell ends its command; each with its place."""
        module = self.module()
        at = next((index for index, (word, _) in enumerate(self._words) if word == module), None)
        found: list[tuple[str, Path]] = []
        for word, path in self._words[at + 1 :] if module and at is not None else ():
            ends = word.endswith(";") and not word.endswith("};")
            if word in _ENDS:
                break
            found.append((word.removesuffix(";") if ends else word, path))
            if ends:
                break
        return found

    def script(self) -> tuple[int, str, list[str]] | None:
        """What a shell runs with `-c`: its number among the items of command and args, the text, and what follows.

        None where no shell is started, or not with `-c`. The text is "" without one.
        """
        if not self.items or self.items[0].rpartition("/")[2] not in SHELLS:
            return None
        for index, item in enumerate(self.items[1:], 1):
            if not item.startswith("-") or item.startswith("--"):
                return None
            if "c" in item:
                rest = self.items[index + 1 :]
                return index + 1, rest[0] if rest else "", rest[1:]
        return None

    def item_place(self, number: int) -> Path:
        """The place of an item of command and args, counted through both."""
        if number < self.commands:
            return "command", number
        return ("args", number - self.commands) if number < len(self.items) else ("command", self.commands - 1)

    def names_port(self, port: int) -> bool:
        """Whether a port is in some word: `8080`, `--listen=0.0.0.0:8080`."""
        return any(word.replace("=", ":").rpartition(":")[2] == str(port) for word, _ in self._words)

    def value(self, *flags: str) -> str | None:
        """The value of the last of some flags, as argparse takes it; None without one."""
        found = None
        for index in self._at(flags):
            _, equals, text = self._words[index][0].partition("=")
            if equals:
                found = text
            elif index + 1 < len(self._words) and not self._words[index + 1][0].startswith("--"):
                found = self._words[index + 1][0]
        return found

    def values(self, *flags: str) -> list[tuple[str, Path]]:
        """The values of all of some flags, in their order, each with its place."""
        found = []
        for index in self._at(flags):
            word, path = self._words[index]
            _, equals, text = word.partition("=")
            if equals:
                found.append((text, path))
            elif index + 1 < len(self._words):
                found.append((self._words[index + 1][0], path))
        return found

    def number(self, *flags: str, default: int = 1) -> int | None:
        """The value as a whole number; None where it cannot be known here, as `$(TP_SIZE)`."""
        text = self.value(*flags)
        if text is None:
            return None if self.has(*flags) or self.is_open else default
        return int(text) if text.isascii() and text.isdecimal() else None


def _engine(word: str) -> str | None:
    """The engine whose module a word names."""
    return _ENGINES.get(".".join(word.split(".", 2)[:2]))


def _words(text: str) -> list[str]:
    """A text with spaces may be a whole command line for a shell."""
    if len(text.split()) < 2 or text.lstrip().startswith(("{", "[")):
        return [text]
    text = text.replace("\\\n", " ")
    words = split(text)
    if words is None:
        return text.split()
    # What a shell runs may start another shell: `mpirun ... bash -c "python3 -m dynamo.trtllm ..."`.
    return [inner for word in words for inner in (_words(word) if word != text else [word])]


def split(text: str) -> list[str] | None:
    """The words of a command line as a POSIX shell has them, with its operators as words like others, and without
    comments; None where a quote is not closed. The same as `shlex.split`, which loads regular expressions.
    """
    if text.isascii() and text.isprintable() and not _SPECIAL.intersection(text):
        return text.split()
    words: list[str] = []
    word: str | None = None
    quote, at = "", 0
    while at < len(text):
        char = text[at]
        at += 1
        if char == "#" and word is None:
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        elif quote and char == quote:
            quote = ""
        elif char == "\\" and quote != "'":
            if at == len(text):
                return None
            # In double quotes, it stays before characters that mean nothing there.
            kept = "\\" if quote and text[at] not in '"\\' else ""
            word = (word or "") + kept + text[at]
            at += 1
        elif quote or not (char in "'\"" or char in " \t\r\n"):
            word = (word or "") + char
        elif char in "'\"":
            quote, word = char, word or ""
        elif word is not None:
            words.append(word)
            word = None
    if quote:
        return None
    return words if word is None else [*words, word]


#: names of TensorRT-LLM's settings for those of flags; other engines have the flags' own names, without dashes
_TRTLLM = {
    "--tensor-parallel-size": "tensor_parallel_size",
    "--pipeline-parallel-size": "pipeline_parallel_size",
    "--expert-parallel-size": "moe_expert_parallel_size",
}


def size_in(settings: Tree, flags: tuple[str, ...]) -> int | None:
    """The size that the settings give for one of some flags; None where they give none."""
    for flag in flags:
        plain = flag.lstrip("-")
        for name in (_TRTLLM.get(flag, plain), plain, plain.replace("-", "_")):
            value = settings.get(name)
            if isinstance(value, int) and not isinstance(value, bool):
                return value
    return None
