"""Command lines that start nothing, or something else than they say; how much room is left in names."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from dynamoc.analysis.check.arguments import SHELLS
from dynamoc.analysis.check.engines import NAMES
from dynamoc.analysis.check.rendering import Rendering, Workload, image_parts, rule
from dynamoc.compiler.faults import Fault
from dynamoc.documents.findings.edits import Change
from dynamoc.documents.findings.finding import Path
from dynamoc.documents.schema.problem import Problem
from dynamoc.documents.schema.suggestions import nearest, one_letter_off
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import COMPONENT_LABEL, SELECTOR_LABEL, entries, mapping, text, texts

Room = tuple[int, int, Tree, Path, str]
"""Characters that are left, number of the object, the object, path of the name, and what has the limit."""

#: the parameters by which a script reads the words behind it
_PARAMETERS = ("$@", "$*", "$0", "$1", "${@", "${*", "${0", "${1", "$#")
_PYTHONS = ("python", "python3", "python3.10", "python3.11", "python3.12")
_PROGRAMS = (*_PYTHONS, "bash", "/bin/sh", "/bin/bash")
#: servers of engines, which do not register with Dynamo: module, or program and its first word
_SERVERS = {
    "vllm.entrypoints.openai.api_server": "vllm",
    "vllm serve": "vllm",
    "sglang.launch_server": "sglang",
    "sglang serve": "sglang",
    "trtllm-serve": "trtllm",
}
#: the programs of Dynamo, as `python3 -m` gets them (components/src/dynamo)
_MODULES = (
    *("dynamo.frontend", "dynamo.global_planner", "dynamo.global_router", "dynamo.mocker", "dynamo.planner"),
    *("dynamo.profiler", "dynamo.router", "dynamo.sglang", "dynamo.trtllm", "dynamo.vllm"),
)
#: the engine of each image of Dynamo; "" for none
_IMAGES = {
    "vllm-runtime": "vllm",
    "sglang-runtime": "sglang",
    "tensorrtllm-runtime": "trtllm",
    "trtllm-runtime": "trtllm",
    "dynamo-frontend": "",
    "dynamo-planner": "",
}


def _leaders(rendering: Rendering) -> Iterator[Workload]:
    """One pod of each component; the main container of others is the operator's."""
    return (component.first for component in rendering.components)


@rule("check/no-command")
def no_command(rendering: Rendering) -> Iterator[Fault]:
    """Arguments that the operator's own command, or a program, cannot take for a program to run.

    Source: internal/dynamo/component_worker.go and component_frontend.go getBaseContainer, all releases: workers have
    the command `/bin/sh -c`, frontends `python3`, and what users write replaces command and args each as a whole.
    """
    for leader in _leaders(rendering):
        found = _no_command(leader)
        if found is not None:
            number, message, hint = found
            where = (*leader.main[0], *leader.arguments.item_place(number))
            yield leader.fault("check/no-command", where, f"{leader.component} starts nothing: {message}", hint)


def _no_command(leader: Workload) -> tuple[int, str, str] | None:
    """The number of an item, what is wrong, and what to write."""
    arguments = leader.arguments
    items, script = arguments.items, arguments.script()
    repository = image_parts(text(leader.main[1].get("image")))[0].rpartition("/")[2]
    module = "dynamo.frontend" if leader.type == "frontend" else f"dynamo.{_IMAGES.get(repository) or 'vllm'}"
    hint = f"set `command: [python3, -m, {module}]`, or put `python3 -m {module}` in front"
    if script is not None:
        number, said, _ = script
        if not said:
            return number, f"`{' '.join(items[:number])}` has no text to run.", hint
        if said.startswith("-"):
            return number, f"`{' '.join(items[:number])}` runs `{said}` as a command.", hint
        return _of_script(leader, number)
    if len(items) > 1 and items[0].rpartition("/")[2] in SHELLS and " " in items[1].strip():
        return 1, f"`{items[0]}` looks for a file called `{_short(items[1])}`.", "put `-c` before the text"
    if items and arguments.commands and " " in items[0].strip() and not items[0].startswith("{"):
        message = f"no program is called `{items[0]}`, with spaces in its name."
        return 0, message, "write each word as an item of its own"
    program = items[0].rpartition("/")[2] if items else ""
    if program in _PYTHONS:
        return _of_python(items, hint)
    near = _near(program)
    if near is not None:
        return 0, f"no image has a program `{program}`.", f"did you mean `{near}`?"
    if program in _MODULES:
        return 0, f"`{program}` is a module of Python, not a program.", f"write `python3`, `-m`, `{program}`"
    return None


def _near(program: str) -> str | None:
    """The program that a word is a slip away from."""
    if program in _PROGRAMS:
        return None

    return one_letter_off(program, _PROGRAMS)


def _of_script(leader: Workload, number: int) -> tuple[int, str, str] | None:
    """A program of a script that is misspelt, or a module in the place of one."""
    before = ""
    for word, _ in leader.arguments.words():
        if word[:1] == " " and word.strip() and f"\\{word}" in leader.arguments.items[number]:
            message = f"`\\{word}` begins with a space: lines that YAML's `>` joins leave the backslash before one."
            return number, message, "write `|` instead of `>`, or remove the backslashes"
        if word == "-m" and (near := _near(before)) is not None:
            return number, f"no image has a program `{before}`.", f"did you mean `{near}`?"
        if word in _MODULES and (before in ("", "exec", "&&", "||", "then", "do") or before.endswith(";")):
            return number, f"`{word}` is a module of Python, not a program.", f"write `python3 -m {word}`"
        before = word.rpartition("/")[2]
    return None


def _of_python(items: list[str], hint: str) -> tuple[int, str, str] | None:
    for number, item in enumerate(items[1:], 1):
        if item.startswith("--"):
            return number, f"`{items[0]}` gets `{item}` itself, without a module to run.", hint
        if item in (*_MODULES, *_PYTHONS):
            what = f"put `-m` before `{item}`" if item in _MODULES else "write it once"
            return number, f"`{items[0]} {item}` looks for a file of this name.", what
        if item not in ("-u", "-O", "-B", "-s", "-E"):
            return None
    return None


@rule("check/shell-words")
def shell_words(rendering: Rendering) -> Iterator[Fault]:
    """Words behind the text of `sh -c`, which the shell keeps as `$0`, `$1`, and does not run."""
    for leader in _leaders(rendering):
        script = leader.arguments.script()
        if script is None or not script[1] or script[1].startswith("-"):
            continue
        number, said, rest = script
        cut = _cut_line(said)
        if cut:
            message = (
                f"The shell of {leader.component} ends the command before `{_short(cut)}`, and looks for a program of "
                "that name."
            )
            where = (*leader.main[0], *leader.arguments.item_place(number))
            hint = "end the line before with a backslash and nothing behind it, and put no comment between the lines"
            yield leader.fault("check/shell-words", where, message, hint)
        # The operator's own arguments stay behind a command of the user, which mostly says the same.
        if " ".join(rest) in said:
            continue
        # One word behind a script is its name by custom: `bash -c '...' worker`.
        is_line = bool(rest) and any(char.isspace() for char in rest[0].strip())
        if len(rest) < (1 if is_line or (rest and rest[0].startswith("--") and len(rest[0]) > len("--")) else 2):
            continue
        if not any(each in said for each in _PARAMETERS):
            message = (
                f"The shell of {leader.component} runs `{_short(said)}` only: `-c` takes one text, and "
                f"`{_short(' '.join(rest))}` is lost."
            )
            where = (*leader.main[0], *leader.arguments.item_place(number + 1))
            hint = "write the whole command line as one text, or leave the shell out"
            yield leader.fault("check/shell-words", where, message, hint)


def _cut_line(script: str) -> str:
    """The first line that begins with a flag and continues no other one; "" for none."""
    lines = script.split("\n")
    for number, line in enumerate(lines[1:], 1):
        above = "\n".join(lines[:number])
        is_text = "<<" in above or above.count('"') % 2 or above.count("'") % 2
        # Items of an array of bash are on separate lines.
        is_text = is_text or above.count("(") > above.count(")")
        if line.lstrip().startswith("--") and not is_text and not _goes_on(lines[:number]):
            return line.strip()
    return ""


def _goes_on(lines: list[str]) -> bool:
    """Whether the last of some lines ends with a backslash that joins the next one to it."""
    return lines[-1].endswith("\\") and not lines[-1].lstrip().startswith("#")


def _short(text: str, most: int = 60) -> str:
    line = text.strip().split("\n")[0]
    return line if len(line) <= most else f"{line[: most - 3]}..."


@rule("check/command-twice")
def commands_twice(rendering: Rendering) -> Iterator[Fault]:
    """The module of the command once more among the arguments, where its parser ends the process."""
    for leader in _leaders(rendering):
        arguments = leader.arguments
        if arguments.script() is not None:
            continue
        before = [item for item in arguments.items[: arguments.commands] if item.startswith("dynamo.")]
        for number, item in enumerate(arguments.items[arguments.commands :], arguments.commands):
            words = item.split() if before else []
            if any(word in before for word in words):
                message = (
                    f"{leader.component} has `{before[0]}` in `command` and in `args`, and gets its own name as an "
                    "argument: it exits."
                )
                where = (*leader.main[0], *arguments.item_place(number))
                yield leader.fault("check/command-twice", where, message, "keep the flags only in `args`")
                break


@rule("check/joined-flag")
def joined_flags(rendering: Rendering) -> Iterator[Fault]:
    """A flag and its value as one argument, which no parser takes apart; spaces around one."""
    for leader in _leaders(rendering):
        arguments = leader.arguments
        items = arguments.items
        if not items or items[0].rpartition("/")[2] in SHELLS:
            continue
        for number, item in enumerate(items):
            where = (*leader.main[0], *arguments.item_place(number))
            flag, space, value = item.partition(" ")
            if item != item.strip() and not any(char.isspace() for char in item.strip()):
                message = f"{leader.component} gets {item!r} with the space around it, as part of the value."
                fault = leader.fault("check/joined-flag", where, message, f"write `{item.strip()}`")
                fault.problem.change = Change("write", item.strip(), item)
                yield fault
            elif space and flag.startswith("-") and "=" not in flag and flag.strip("-"):
                message = f"{leader.component} gets `{_short(item)}` as one argument: there is no flag of this name."
                hint = f'write two items: `{flag}` and `"{_short(value.strip())}"`'
                fault = leader.fault("check/joined-flag", where, message, hint)
                # Of several words, some may be further flags.
                if flag.startswith("--") and len(value.split()) == 1:
                    fault.problem.change = Change("write", f"{flag}={value.strip()}", item)
                yield fault


@rule("check/other-engine", "check/unknown-module")
def engines_of_images(rendering: Rendering) -> Iterator[Fault]:
    """A module that the image does not have."""
    for leader in _leaders(rendering):
        module = leader.arguments.module()
        server = _server(leader, module)
        if server:
            message = (
                f"{leader.component} runs `{server}`, which does not register with Dynamo: the frontend never sends it "
                "a request."
            )
            where = (*leader.main[0], *_place_of(leader, server.partition(" ")[0]))
            yield leader.fault("check/unknown-module", where, message, f"run `dynamo.{_SERVERS[server]}`")
        if not module.startswith("dynamo") or leader.arguments.several:
            continue
        where = (*leader.main[0], *_place_of(leader, module))
        if leader.arguments.engine is None and module not in _MODULES:
            # `dynamo.sgl` begins `dynamo.sglang`.
            begun = [each for each in _MODULES if each.startswith(module) and len(module) > len("dynamo.")]
            near = nearest(module, _MODULES, 3) or (begun[0] if len(begun) == 1 else None)
            if near:
                message = f"{leader.component} runs `{module}`, and Dynamo has no module of this name."
                yield leader.fault("check/unknown-module", where, message, f"did you mean `{near}`?")
            continue
        repository = image_parts(text(leader.main[1].get("image")))[0].rpartition("/")[2]
        engine, wanted = _IMAGES.get(repository), leader.arguments.engine
        if engine is not None and wanted and engine != wanted:
            message = f"{leader.component} runs `{module}`, but the image `{repository}` has no {NAMES[wanted]}."
            right = next(image for image, name in _IMAGES.items() if name == wanted)
            hint = f"use `{right}`" + (f", or run `dynamo.{engine}`" if engine else "")
            yield leader.fault("check/other-engine", where, message, hint)


def _server(leader: Workload, module: str) -> str:
    """The server of an engine that a worker runs instead of Dynamo's; "" for none."""
    if leader.type not in ("worker", "prefill", "decode") or leader.arguments.engine:
        return ""
    words = [word.rpartition("/")[2] for word, _ in leader.arguments.words()]
    pairs = {module, *words[:1], *map(" ".join, pairwise(words))}
    return next((each for each in _SERVERS if each in pairs), "")


def _place_of(leader: Workload, module: str) -> tuple[str | int, ...]:
    items = leader.arguments.items
    return leader.arguments.item_place(next((at for at, item in enumerate(items) if module in item), 0))


#: Grove joins the names of set, scaling group and clique (webhook validatePodNameConstraints); Kubernetes' limit of a
#: label leaves the rest to what it appends
_BUDGET = 45
#: of a Service's name, and of a label's value (RFC 1123; apimachinery validation LabelValueMaxLength)
_LABEL = 63
#: from here on, the next longer name is likely to break something
_FEW = 4


@rule("check/little-room")
def little_room(rendering: Rendering) -> Iterator[Fault]:
    """The name with the least room, of each limit."""
    for limit, rooms in ((_BUDGET, _of_cliques(rendering)), (_LABEL, _of_labels(rendering))):
        left = [room for room in rooms if 0 <= room[0] <= _FEW]
        if left:
            yield _fault(limit, min(left, key=lambda room: room[:2]))


def _of_cliques(rendering: Rendering) -> Iterator[Room]:
    for index, item in enumerate(rendering.objects):
        if item["kind"] != "PodCliqueSet":
            continue
        outline, name = mapping(item, "spec", "template"), text(mapping(item, "metadata").get("name"))
        groups = {
            clique: text(group.get("name"))
            for _, group in entries(outline, "podCliqueScalingGroups")
            for clique in texts(group.get("cliqueNames"))
        }
        for path, clique in entries(outline, "cliques", ("spec", "template")):
            own = text(clique.get("name"))
            left = _BUDGET - len(name) - len(own) - len(groups.get(own, ""))
            yield left, index, item, (*path, "name"), own


def _of_labels(rendering: Rendering) -> Iterator[Room]:
    """Names of Services, and of components in labels, which consist of those of the graph and the component."""
    for index, item in enumerate(rendering.objects):
        name = text(mapping(item, "metadata").get("name"))
        if item["kind"] == "Service":
            yield _LABEL - len(name), index, item, ("metadata", "name"), f"Service {name}"
        labels = mapping(item, "metadata", "labels")
        for key in (SELECTOR_LABEL, COMPONENT_LABEL):
            value = text(labels.get(key))
            if value:
                yield _LABEL - len(value), index, item, ("metadata", "labels", key), f"the label {key}"


def _fault(limit: int, room: Room) -> Fault:
    left, index, item, path, what = room
    if limit == _BUDGET:
        message = (
            f"The names of the graph and of `{what}` leave {left} of {limit} characters: Grove refuses the set if they "
            f"grow by {left + 1}."
        )
    else:
        message = (
            f"The names of the graph and the component leave {left} of {limit} characters for {what}: the API server "
            f"refuses it if they grow by {left + 1}."
        )
    return Fault(index, item, Problem("check/little-room", path, message, "use shorter names"))
