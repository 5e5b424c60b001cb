"""Flags into commands, the way the operator finds a place for them."""

from __future__ import annotations

from dynamoc.tracing import converting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.release.registry import Release

    Tree = dict[str, Any]

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
    """The end of the last word with the framework behind the `python` that starts here; None where there is none."""
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
