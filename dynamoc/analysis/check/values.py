"""Flags that a program does not have, and values that it does not take."""

from __future__ import annotations

from collections.abc import Iterator
from json import loads
from typing import Any

from dynamoc.analysis.check.engines import NAMES, SAME, Flags
from dynamoc.analysis.check.rendering import Rendering, Workload, rule
from dynamoc.compiler.faults import Fault
from dynamoc.documents.findings.edits import Change
from dynamoc.documents.findings.finding import ERROR, WARNING, Path
from dynamoc.documents.schema.suggestions import edits, nearest
from dynamoc.kube.merge import at
from dynamoc.kube.text import loads as go_loads

About = dict[str, Any]

Given = tuple[str, str | None, Path, bool]
"""A flag, its value (None without one), its place, and whether the value is behind `=`."""

_PROGRAMS = {"dynamo.frontend": "frontend", "dynamo.mocker": "mocker"}
#: what says that a text is filled in elsewhere
_OPEN = ("$", "{{", "<", "`")
#: dashes that editors make of `--`
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_CURLY = ("\u201c", "\u201d", "\u201e", "\u2018", "\u2019")
#: what an engine serves by default (components/src/dynamo); "" for one that asks
_TEST_MODELS = {"vllm": "Qwen/Qwen3-0.6B", "sglang": "", "trtllm": "TinyLlama/TinyLlama-1.1B-Chat-v1.0"}
#: connectors of vLLM and Dynamo, and the roles that vLLM knows (vllm/config/kv_transfer.py)
_CONNECTORS = (
    *("NixlConnector", "LMCacheConnectorV1", "LMCacheMPConnector", "MultiConnector", "DynamoConnector", "PdConnector"),
    *("MooncakeConnector", "OffloadingConnector", "P2pNcclConnector", "SharedStorageConnector", "ExampleConnector"),
)
_ROLES = ("kv_producer", "kv_consumer", "kv_both")
_UNITS = {"k": 1000, "m": 1000**2, "g": 1000**3, "t": 1000**4}


def _programs(rendering: Rendering) -> Iterator[tuple[Workload, str, Flags]]:
    read: dict[str, Flags] = {}
    for _, leader in rendering.leaders():
        if leader.arguments.several:
            continue
        module = leader.arguments.module()
        # Modules inside of one, such as `dynamo.vllm.omni`, have other parsers.
        engine = leader.arguments.engine if module == f"dynamo.{leader.arguments.engine}" else None
        program = engine or _PROGRAMS.get(module)
        if program and leader.arguments.own():
            yield leader, program, read.get(program) or read.setdefault(program, Flags(program))


def _given(leader: Workload) -> Iterator[Given]:
    """The flags of a command line, each with what argparse takes for its value."""
    words = leader.arguments.own()
    dashed = leader.arguments.engine == "vllm"
    for (word, path), (after, _) in zip(words, [*words[1:], ("--", ())], strict=True):
        flag, equals, value = word.partition("=")
        if not flag.startswith("--") or flag == "--":
            continue
        flag = flag.replace("_", "-") if dashed else flag
        if equals:
            yield flag, value, path, True
        else:
            yield flag, None if after.startswith("--") else after, path, False


@rule("check/unknown-flag", "check/flag-value", "check/no-model")
def flags(rendering: Rendering) -> Iterator[Fault]:
    """Flags that a parser ends the process for, and values that it refuses, or that end the engine when it starts."""
    for leader, program, known in _programs(rendering):
        curly = [(word, path) for word, path in leader.arguments.own() if _is_curly(word)]
        if curly:
            # What follows from it is not a separate finding.
            yield _curly_fault(leader, program, *curly[0])
            continue
        yield from _unknown_flags(leader, program, known)
        yield from _values(leader, program, known)
        yield from _no_model(leader, program)


def _is_curly(word: str) -> bool:
    """Whether quotes that an editor made curly are around a word, its value, or the first name in its JSON."""
    if word.isascii():
        return False
    value = word.partition("=")[2] or word
    return any(each[:1] in _CURLY or each[-1:] in _CURLY or each.lstrip("{[ ")[:1] in _CURLY for each in (word, value))


def _curly_fault(leader: Workload, program: str, word: str, path: Path) -> Fault:
    flag, equals, value = word.partition("=")
    plain = f"{_bare(flag)}{equals}{_bare(value)}"
    message = f"{leader.component} has curly quotes in `{word}`, which are letters to {_named(program)}: it exits."
    hint = f"write `{plain}`"
    fault = leader.fault("check/flag-value", (*leader.main[0], *path), message, hint)
    fault.problem.change = _written(leader, word, path, word, hint)
    return fault


def _bare(text: str) -> str:
    """Without curly quotes around it, and with plain ones inside."""
    inside = text.strip("".join(_CURLY))
    return "".join({"\u2018": "'", "\u2019": "'"}.get(char, '"') if char in _CURLY else char for char in inside)


#: the flags that name a model, or a file that may
_MODELS = ("--model", "--model-path", "--config", "--extra-engine-args", "--help", "--version")


def _no_model(leader: Workload, program: str) -> Iterator[Fault]:
    """An engine without a model: SGLang asks for one, the others have one for tests."""
    arguments = leader.arguments
    if program in NAMES and not arguments.has(*_MODELS) and not arguments.is_open and program in _TEST_MODELS:
        default = _TEST_MODELS[program]
        effect = f"it serves {default}" if default else "it exits"
        message = f"{leader.component} names no model: {effect}."
        where = (*leader.main[0], *arguments.own()[0][1])
        flag = SAME[0][program]
        yield leader.fault("check/no-model", where, message, f"add `{flag}`", severity=WARNING if default else ERROR)


def _unknown_flags(leader: Workload, program: str, known: Flags) -> Iterator[Fault]:
    """Other engines' flags, and slips of the pen."""
    words = leader.arguments.own()
    if any(word.startswith(("--dyn-chat-processor", "--chat-processor")) for word, _ in words):
        # The frontend passes flags that it does not know to the engine's parser.
        return
    for word, path in words:
        flag = word.partition("=")[0]
        hint = _unknown(flag, program, known, words) if _is_flag(flag) else None
        if hint is not None:
            message = f"{leader.component} has `{flag}`, which {_named(program)} does not know: it exits."
            fault = leader.fault("check/unknown-flag", (*leader.main[0], *path), message, hint)
            fault.problem.change = _written(leader, word, path, flag, hint)
            yield fault


def _written(leader: Workload, word: str, path: Path, old: str, hint: str) -> Change | None:
    """The change of a word that is a whole item, where the hint has one thing to write for a part of it."""
    new = hint.partition("`")[2].partition("`")[0]
    is_item = at(leader.item, (*leader.main[0], *path)) == word
    if not is_item or not hint.startswith(("write `", "did you mean `")) or "`; it is" in hint:
        return None
    return Change("write", word.replace(old, new, 1), word)


def _is_flag(word: str) -> bool:
    if word[:1] in _DASHES and word[:1]:
        return len(word.strip(_DASHES)) > 1 and word.strip(_DASHES)[0].isalpha()
    is_long = word.startswith("--") and len(word) > len("--") + 1 and word not in ("--help", "--version")
    # A single dash before a long name, as in `-model`.
    is_single = word.startswith("-") and word[1:2].isalpha() and len(word) > len("-tpp")
    return (is_long or is_single) and "." not in word and not any(each in word for each in _OPEN)


def _named(program: str) -> str:
    return NAMES.get(program) or f"dynamo.{program}"


def _unknown(flag: str, program: str, known: Flags, words: list[tuple[str, Path]]) -> str | None:
    """The hint for a flag that a program does not have; None where it has it, or may have."""
    if flag[0] in _DASHES:
        return f"write `--{flag.strip(_DASHES)}`, with two plain dashes"
    plain = flag.replace("_", "-") if program == "vllm" else flag
    if known.has(plain):
        return None
    if not flag.startswith("--") and known.about(f"-{flag}") is not None:
        return f"write `-{flag}`, with two dashes"
    if not flag.startswith("--"):
        return None
    there = {word.partition("=")[0] for word, _ in words}
    same = flag.lower().replace("_", "-")
    if known.about(same) is not None:
        return f"write `{same}`"
    other = _of_another(flag, program)
    if other is not None:
        return other
    near = min((name for name in known.names() if name not in there and _is_slip(same, name)), key=len, default=None)
    return f"did you mean `{near}`?" if near is not None else None


def _is_slip(flag: str, name: str) -> bool:
    """Whether a flag is a name with a slip in some words, or with its words joined otherwise: `--max-model-length`.

    Flags of which a whole word is another one may be those of a later version: `--kda-prefill-backend`.
    """
    said, known = flag[2:].split("-"), name[2:].split("-")
    if len(said) != len(known):
        return edits("".join(said), "".join(known), 2) < (2 if len(flag) > len("--tp-size-x") else 1)
    slips = 0
    for one, other in zip(said, known, strict=True):
        if one != other:
            slips += 1
            shorter, longer = sorted((one, other), key=len)
            # The same word in another form: `length` for `len`, `cache` for `caching`.
            stem = shorter[: max(len(shorter) - 1, len("len"))]
            cut = len(stem) >= len("len") and longer.startswith(stem) and edits(one, other, 4) < len("word")
            # Two swapped letters are one edit; of three letters, one is a third.
            if not cut and (len(one) < len("len") or edits(one, other, 3) > (1 if len(one) < len("memory") else 2)):
                return False
    return slips in (1, 2)


def _of_another(flag: str, program: str) -> str | None:
    """The hint where it is the flag of another engine."""
    for other in NAMES if program in NAMES else ():
        theirs = Flags(other) if other != program else None
        # SGLang's `--tp` is short for `--tp-size`.
        named = [each for each in (flag, f"{flag}-size") if theirs and theirs.about(each) is not None]
        if named:
            same = next((names.get(program) for names in SAME if names.get(other) in named and program in names), None)
            what = f"it is a flag of {NAMES[other]}"
            return f"write `{same}`; {what}" if same else f"remove it; {what}"
    return None


def _values(leader: Workload, program: str, known: Flags) -> Iterator[Fault]:
    for flag, value, path, is_joined in _given(leader):
        about = known.about(flag)
        found = _wrong(value, about, is_joined=is_joined) if about else None
        if found is None and flag == "--kv-transfer-config" and value:
            found = _wrong_transfer(value)
        if found is None or not about or (value is not None and _is_open(value, about)):
            continue
        said, hint = found
        message = f"{leader.component} gives `{flag}` {said}: {_named(program)} exits."
        fault = leader.fault("check/flag-value", (*leader.main[0], *path), message, hint)
        if value and is_joined and hint.startswith("did you mean"):
            fault.problem.change = _written(leader, f"{flag}={value}", path, value, hint)
        yield fault


def _is_open(value: str, about: About) -> bool:
    """Whether a value is filled in elsewhere."""
    return any(each in value for each in (("$", "{{") if about.get("json") else _OPEN))


def _wrong(value: str | None, about: About, *, is_joined: bool) -> tuple[str, str] | None:
    """What is wrong with a value, and what to write."""
    if about.get("switch"):
        is_truth = value is not None and value.lower() in ("true", "false", "1", "0", "yes", "no")
        return (f"the value `{value}`", "write the flag alone, or leave it out") if is_truth or is_joined else None
    if about.get("number"):
        return ("no value", "write a number behind it") if value is None else _wrong_number(value, about)
    if about.get("text") and not value:
        return "no value", "write one behind it"
    if about.get("json"):
        return ("no value", "write JSON in single quotes behind it") if value is None else _wrong_json(value)
    if about.get("values") and value is not None:
        return _wrong_choice(value, about)
    return None


def _wrong_number(value: str, about: About) -> tuple[str, str] | None:
    number = _number(value, about)
    span = _span(about)
    if number is None:
        return None if value == about.get("word") else (f"`{value}`, which is not a number", f"write {span}")
    low, above = about.get("least"), about.get("above")
    high, below = about.get("most"), about.get("below")
    fits = (low is None or number >= low) and (above is None or number > above)
    fits = fits and (high is None or number <= high) and (below is None or number < below)
    return None if fits else (f"`{value}`", f"write {span}")


def _number(value: str, about: About) -> float | None:
    kind = about["number"]
    unit = _UNITS.get(value[-1:].lower(), 1) if kind == "human" else 1
    try:
        # vLLM's `1k` is 1000, and `1K` 1024; for a range, that is the same.
        return (int if kind == "int" else float)(value[:-1] if unit > 1 else value) * unit
    except ValueError:
        return None


def _span(about: About) -> str:
    """The numbers that it takes, in words."""
    what = "a number" if about["number"] == "float" else "a whole number"
    low = about.get("least", about.get("above"))
    high = about.get("most", about.get("below"))
    if low is None:
        return what
    first = f"from {low}" if "least" in about else f"above {low}"
    return f"{what} {first}" + (f" to {high}" if "most" in about else f" and below {high}" if high is not None else "")


def _wrong_json(value: str) -> tuple[str, str] | None:
    try:
        loads(value)
    except ValueError as problem:
        quoted = 'put it in single quotes, with double quotes inside: \'{"kv_connector": "NixlConnector"}\''
        return f"`{value}`, which is not valid JSON ({problem})", quoted
    return None


def _wrong_transfer(value: str) -> tuple[str, str] | None:
    """An unknown connector, or a role that vLLM does not know."""
    try:
        said = go_loads(value)
    except ValueError:
        return None
    connector, role = (said.get(key) for key in ("kv_connector", "kv_role")) if isinstance(said, dict) else (None, None)
    if not isinstance(connector, str):
        return None
    near = nearest(connector, _CONNECTORS, 4) if connector not in _CONNECTORS else None
    if near is not None and "kv_connector_module_path" not in said:
        return f"the connector `{connector}`", f"did you mean `{near}`?"
    if role not in _ROLES and "$" not in str(role):
        what = "no `kv_role`" if role is None else f"the `kv_role` `{role}`"
        return what, f"write one of {', '.join(_ROLES)}"
    return None


def _wrong_choice(value: str, about: About) -> tuple[str, str] | None:
    known = [*about["values"], *about.get("earlier", ())]
    if value in known:
        return None

    near = nearest(value, known, 3)
    # One letter of a short word, or a digit, may make another word that a later version has: `fp8` and `fp4`.
    is_slip = near is not None and edits(value.lower(), near.lower(), 2) < 2 and (value.isalpha() or about.get("all"))
    other = near is not None and (len(value) >= len("prefi") or near.lower() == value.lower())
    other = other and (
        bool(about.get("all")) or _letters(str(near)) != _letters(value) or str(near).lower() == value.lower()
    )
    if near and ((is_slip and len(value) >= len("fp8")) or other):
        return f"`{value}`", f"did you mean `{near}`?"
    return (f"`{value}`", f"write one of {', '.join(about['values'])}") if about.get("closed") else None


def _letters(word: str) -> str:
    return "".join(char for char in word.lower() if not char.isdigit())
