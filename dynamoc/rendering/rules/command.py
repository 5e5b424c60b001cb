"""Flags in commands: where the operator puts its own, and what it reads of vLLM's.

Up to 1.5 the operator knows the long spellings as separate words, and the first number counts. Since 1.6 it reads
them as vLLM does: short names, underscores, `flag=value`, and the last one counts.
Source: internal/dynamo/backend_vllm.go getFlagValue of 1.4; normalizeVLLMFlags, parseVLLMLaunchArgs of 1.6.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from dynamoc.documents.findings.finding import Refusal
from dynamoc.kube.merge import Tree
from dynamoc.kube.tracing import converting
from dynamoc.reference.releases import Release
from dynamoc.rendering.rules.draft import Pod

_SHELL_SAFE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-")
_NEEDS_QUOTES = frozenset(" \t\n'\"\\{}[]$`!")


def shell_quote(text: str) -> str:
    """Text as one word inside `sh -c`: double quotes where it has anything special, else unchanged.

    A single quote becomes `'"'"'` even inside double quotes, as the operator writes it.
    Source: internal/dynamo/utils.go shellQuoteForBashC.
    """
    if not _NEEDS_QUOTES.intersection(text):
        return text
    for plain, quoted in (("\\", "\\\\"), ('"', '\\"'), ("$", "\\$"), ("`", "\\`"), ("'", "'\"'\"'")):
        text = text.replace(plain, quoted)
    return f'"{text}"'


def quoted(words: list[str] | None) -> str:
    return " ".join(shell_quote(word) for word in words or ())


def joined(words: list[str] | None, release: Release) -> str:
    """Words as part of a command line for a shell; 0.6 trusts that none of them needs quotes."""
    return quoted(words) if release.has("command/shell-quoting") else " ".join(words or ())


def posix_quoted(words: list[str] | None) -> str:
    """Words that `sh -c` reads back as they are: single quotes where needed (utils.go shellQuotePOSIX)."""
    return " ".join(_posix_quote(word) for word in words or ())


def _posix_quote(text: str) -> str:
    if text and all(char in _SHELL_SAFE for char in text):
        return text
    return "'" + text.replace("'", "'\\''") + "'"


def is_python(command: list[str] | None) -> bool:
    """Whether the command starts with a Python interpreter, by name or path, with or without version digits.

    Source: internal/dynamo/backend_sglang.go isPythonCommand.
    """
    directory, _, name = (command[0] if command else "").rpartition("/")
    if not name.startswith("python") or "\n" in directory:
        return False
    major, *minors = name.removeprefix("python").split(".")
    return (not major or _is_digits(major)) and all(map(_is_digits, minors))


def _is_digits(text: str) -> bool:
    return text.isascii() and text.isdecimal()


def expanded_args(main: Tree) -> list[str]:
    """The words of all args; one arg may hold a whole command line."""
    return [word for arg in main.get("args") or () for word in go_fields(arg)]


def go_fields(text: str) -> list[str]:
    """strings.Fields: Go's white space is Python's without the four separators U+001C to U+001F."""
    if not any(char in text for char in "\x1c\x1d\x1e\x1f"):
        return text.split()
    words, word = [], ""
    for char in text:
        if char.isspace() and char not in "\x1c\x1d\x1e\x1f":
            if word:
                words.append(word)
            word = ""
        else:
            word += char
    return [*words, word] if word else words


def flag_value(words: list[str], flag: str) -> int:
    """The integer behind the first `flag` that has one, else 1. `--flag=value` is not seen."""
    for index, word in enumerate(words[:-1]):
        if word == flag:
            number = parse_int64(words[index + 1])
            if number is not None:
                return number
    return 1


def has_arg(words: list[str], flag: str, value: str) -> bool:
    """Whether the words set the flag to the value: in two words, or in one that holds `flag value` or `flag=value`.

    A word that goes on behind the value counts too: `--load-format gmsx` has `--load-format gms`.
    Source: internal/dynamo/utils.go hasArg.
    """
    for index, word in enumerate(words):
        if f"{flag} {value}" in word or f"{flag}={value}" in word:
            return True
        if word == flag and words[index + 1 : index + 2] == [value]:
            return True
    return False


def command_line_has(main: Tree, flag: str, value: str) -> bool:
    """`has_arg` on command and args, as written and by words (utils.go containerCommandLineHasArg)."""
    parts = [*(main.get("command") or ()), *(main.get("args") or ())]
    return has_arg(parts, flag, value) or has_arg([word for part in parts for word in go_fields(part)], flag, value)


@converting
def parse_int64(text: str) -> int | None:
    """strconv.ParseInt(text, 10, 64), None where it fails."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not (digits.isascii() and digits.isdecimal()):
        return None
    number = int(text)
    return number if -(2**63) <= number < 2**63 else None


def inject_flags(main: Tree, flags: str, release: Release, *, needs_shell: bool, framework: str) -> None:
    """Adds flags to the command that runs the backend.

    A Python command gets them as further args, or is wrapped into `sh -c "exec …"` where a flag needs a shell. In any
    other command they go behind the first `python … <framework>` of the first arg that has one; where none has, the
    command stays as it is. Source: internal/dynamo/utils.go injectFlagsIntoContainerCommand.
    """
    command, args = main.get("command") or [], main.get("args") or []
    if is_python(command):
        if needs_shell:
            line = [joined(command, release), *([joined(args, release)] if args else []), flags]
            main["command"] = ["sh", "-c"]
            main["args"] = ["exec " + " ".join(line)]
        else:
            main["args"] = [*args, *go_fields(flags)]
        return
    for index, arg in enumerate(args):
        changed = inject_into_text(arg, flags, framework)
        if changed != arg:
            main["args"] = [*args[:index], changed, *args[index + 1 :]]
            return


#: as the regular expressions of Go know them
_SPACE = ("\t", "\n", "\f", "\r", " ")
_VERSION = tuple("0123456789.")


def inject_into_text(text: str, flags: str, framework: str) -> str:
    """Flags behind each `python… …<framework>…` word of a command line (injectFlagsIntoPythonCommand)."""
    pieces, done, start = [], 0, text.find("python")
    while start >= 0:
        end = _end_of_command(text, start, framework)
        if end is not None:
            # The character behind the command is used up with it: no other command begins there.
            pieces += [text[done:end], f" {flags}"]
            done, start = end, end
        start = text.find("python", start + 1)
    return "".join([*pieces, text[done:]])


def _end_of_command(text: str, start: int, framework: str) -> int | None:
    """The end of the last word with the framework behind the `python` that starts here; None without one."""
    behind = start + len("python")
    while text[behind : behind + 1] in _VERSION:
        behind += 1
    if text[behind : behind + 1] not in _SPACE:
        return None
    separators = (index for index in map(text.find, "|&;", (behind,) * 3) if index >= 0)
    last = min(separators, default=len(text))
    found = text.rfind(framework, behind + 1, last)
    if found < 0:
        return None
    spaces = (index for index in (text.find(space, found, last) for space in _SPACE) if index >= 0)
    return min(spaces, default=last)


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

    space = r"[\t\n\f\r ]"
    pattern = rf"(^|{space})((?:exec{space}+)?vllm serve(?:{space}+[^|&;]*)?)({space}|\Z|[|&;])"
    return re.sub(pattern, lambda match: f"{match[1]}{match[2].strip()} {flags}{match[3]}", text)


_TENSOR, _PIPELINE, _DATA = "--tensor-parallel-size", "--pipeline-parallel-size", "--data-parallel-size"
_LOCAL, _DATA_BACKEND = "--data-parallel-size-local", "--data-parallel-backend"
_EXECUTOR, _ELASTIC = "--distributed-executor-backend", "--enable-elastic-ep"
_SHORT = {"-tp": _TENSOR, "-pp": _PIPELINE, "-dp": _DATA, "-dpl": _LOCAL, "-dpb": _DATA_BACKEND}
_WORDS = (_DATA_BACKEND, _EXECUTOR)
_WITH_VALUE = frozenset((_TENSOR, _PIPELINE, _DATA, _LOCAL, *_WORDS))
_KNOWN = _WITH_VALUE | {_ELASTIC}
#: where a shell ends a word
_CONTROL = ";&|<>()"


@dataclass(eq=False, slots=True, kw_only=True)
class LaunchArgs:
    """world_size   processes of one engine
    data_parallel   engines; `says_data_parallel` is whether the user gave the number
    is_ray          engines are Ray actors
    is_elastic      engines come and go while others serve
    is_mp           processes on several nodes are run by multiprocessing
    """

    world_size: int
    data_parallel: int
    says_data_parallel: bool
    is_ray: bool
    is_elastic: bool
    is_mp: bool


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
    """Long names and values as separate words; what is no flag of interest stays as it is."""
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
