"""What a rendered directory says of itself: the record in its index, how it differs from it, and `--from-index`.

The index may come from another author, with the repository: it can ask for what options of `render` do, and for no file
outside of the current directory.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from dynamoc import __version__
from dynamoc.compiler.options import Options
from dynamoc.documents.emit.directory import STAGED, Staged
from dynamoc.documents.emit.files import (
    ABANDONED,
    EDITED,
    FOREIGN,
    INDEX,
    INTERRUPTED,
    LEFT_OVER,
    MISSING,
    OUTDATED,
    PROGRAM,
    Faults,
    Tracked,
    digest,
    read_index,
)
from dynamoc.documents.findings.finding import Finding, Findings
from dynamoc.documents.source.files import STDIN, expand
from dynamoc.interfaces.cli.command_line import KUBERNETES, is_path
from dynamoc.interfaces.cli.compiler_options import shard_of
from dynamoc.interfaces.cli.failure import UsageError
from dynamoc.interfaces.cli.options import CHOICE, COMMANDS, MANY, PART, SWITCH, Option, Values, defaults
from dynamoc.kube.merge import Tree
from dynamoc.reference.releases import RELEASES

#: Options that decide nothing about the files, or protect the process, and those that the record has elsewhere.
NOT_RECORDED = frozenset((
    "check", "color", "filenames", "findings", "from_index", "jobs", "limit", "load_restrictor",
    "operator_version", "output_dir", "shard",
))  # fmt: skip
#: options that name files or directories
PATHS = ("against", "cluster", "config")
ANSWERS = "profiling_result"
#: what the record knows the digests of
ROLES = ("inputs", "configuration", "context")
_SHOWN = 5
_WRITE = "Run the same command without --check."
_YIELD = "Remove the file to have it written again; move what was changed by hand into the input."
_FAULTS = {
    MISSING: ("The file is missing.", _WRITE),
    OUTDATED: ("The file is not what the inputs give.", _WRITE),
    LEFT_OVER: ("The file belongs to an object that is gone.", _WRITE),
    INTERRUPTED: ("A run was interrupted while it wrote the directory.", _WRITE),
    EDITED: ("The file was edited since dynamoc wrote it, and is not what the inputs give.", _YIELD),
    FOREIGN: ("dynamoc did not write the file that has the name of an object's.", _YIELD),
    ABANDONED: ("The file belongs to an object that is gone, and was edited since dynamoc wrote it.", "Remove it."),
}


def record_of(values: Values, options: Options, findings: Findings, files: list[str]) -> Tree:
    """What a directory is rendered from. Paths start at the directory: it may move, with what it is made from."""
    directory = values["output_dir"]
    configuration = [options.operator_config] if options.operator_config else []
    known = Findings()
    known.inputs.follows_links = values["load_restrictor"] == "none"
    context = expand([*options.context, *options.against], known)
    record: Tree = {
        PROGRAM: __version__,
        "release": _release(options),
        "options": _recorded(values),
        "paths": [relative(path, values, findings) for path in values["paths"]],
        "inputs": _digests(files, values, findings),
        "configuration": _digests([*configuration, *options.profiling_results.values()], values, findings),
        "context": _digests(context, values, findings),
    }
    if values["exclude"] or values["explain"] or findings.inputs.ignores:
        # Patterns and comments depend on where the command runs.
        record["from"] = os.path.relpath(os.curdir, directory)
    return record


def relative(path: str, values: Values, findings: Findings) -> str:
    """A path as it leads from the directory; `-` for what can be read once only."""
    return STDIN if path == STDIN or path in findings.texts else os.path.relpath(path, values["output_dir"])


def _release(options: Options) -> str:
    """The name of the release, or the version of a patch of it."""
    release = options.release
    return release.name if release.version == RELEASES[release.name].version else release.version


def _recorded(values: Values) -> Tree:
    """The options that were given, by their long names."""
    found: Tree = {}
    for option in COMMANDS["render"]:
        value = values[option.name]
        if option.name == "output" and values["explain"]:
            value = "annotated"
        if option.name == "cluster" and not any(KUBERNETES in word for word in value):
            # Its default changes with releases of dynamoc.
            value = [*value, f"{KUBERNETES}{values['kube_version']}"]
        if option.name in NOT_RECORDED or value in (option.default, []):
            continue
        if option.name in PATHS:
            value = _each(value, values["output_dir"])
        elif option.name == ANSWERS:
            pairs = (text.partition("=") for text in value)
            value = [f"{name}={os.path.relpath(file, values['output_dir'])}" for name, _, file in pairs]
        found[option.flags[-1].removeprefix("--")] = value
    return found


def _each(value: str | list[str], directory: str) -> str | list[str]:
    if isinstance(value, list):
        return [os.path.relpath(path, directory) if is_path(path) else path for path in value]
    return os.path.relpath(value, directory)


def _digests(files: Iterable[str], values: Values, findings: Findings) -> dict[str, str]:
    return {relative(file, values, findings): _digest(file, findings) for file in files}


def _digest(file: str, findings: Findings) -> str:
    """The digest of a file; empty where it cannot be read, which the findings report."""
    known = findings.texts.get(findings.inputs.stdin if file == STDIN else file)
    if known is not None:
        return digest(known)
    try:
        with open(file, "rb") as stream:
            return digest(stream.read())
    except OSError:
        return ""


def tell_faults(faults: Faults, directory: str, findings: Findings) -> None:
    """Adds an error a file that is not what the inputs give."""
    for name, fault in faults:
        message, hint = _FAULTS[fault]
        findings.add(Finding("output/outdated", message, subject=os.path.join(directory, name), hint=hint))


def tell_in_the_way(faults: Faults, directory: str, findings: Findings) -> None:
    """Adds an error a file that keeps others from being written."""
    for name, fault in faults:
        message, hint = _FAULTS[fault]
        findings.add(Finding("output/in-the-way", message, subject=os.path.join(directory, name), hint=hint))


def tell_set_aside(staged: Staged, findings: Findings) -> None:
    """Adds a warning on what has the name of dynamoc's staging folder, and was not left by a run of dynamoc here."""
    for name in staged.set_aside:
        message = (
            f"No run of dynamoc left {STAGED} in this directory. Its name is {name} now, and nothing in it was used."
        )
        hint = f"Look at what it holds and where it comes from, such as a commit, and remove it: no file of {STAGED} "
        hint += "belongs in a repository."
        findings.add(Finding("output/set-aside", message, subject=os.path.join(staged.directory, STAGED), hint=hint))


def tell_removed(staged: Tracked, findings: Findings) -> None:
    """Adds a note on the files that were removed, and a warning on each that had to stay."""
    removed = staged.removed
    if removed:
        files = "1 file of an object that is" if len(removed) == 1 else f"{len(removed)} files of objects that are"
        shown = ", ".join(removed[:_SHOWN]) + (f" and {len(removed) - _SHOWN} more" if len(removed) > _SHOWN else "")
        verb = "was" if len(removed) == 1 else "were"
        findings.add(Finding("output/removed", f"{files} gone {verb} removed from {staged.directory}: {shown}."))
    for name, fault in staged.left:
        message = _FAULTS[fault][0] if fault == ABANDONED else "dynamoc did not write the file of a rejected input."
        subject = os.path.join(staged.directory, name)
        findings.add(Finding("output/left", f"{message} It stays as it is.", subject=subject, hint="Remove it."))


def tell_changes(before: Tree, now: Tree, directory: str, findings: Findings) -> None:
    """Adds a note on what is not as it was when the directory was rendered."""
    points = []
    if before.get(PROGRAM) != now[PROGRAM]:
        points.append(f"dynamoc {before.get(PROGRAM)} rendered the directory, this is {now[PROGRAM]}")
    for role in ROLES:
        old, new = before.get(role) or {}, now[role]
        differs = [name for name in old.keys() & new.keys() if old[name] != new[name]]
        for what, names in (("changed", differs), ("new", new.keys() - old.keys()), ("gone", old.keys() - new.keys())):
            points += [f"{what}: {os.path.normpath(os.path.join(directory, name))}" for name in sorted(names)]
    if points:
        finding = Finding("output/inputs-changed", f"{directory} was rendered from other inputs:")
        finding.points = points
        findings.add(finding)


#: what may be given beside it
_BESIDE = frozenset(("check", "color", "deny", "findings", "from_index", "jobs", "limit", "load_restrictor", "shard"))


def values_of_index(values: Values) -> tuple[Values, Tree]:
    """The values of the command line that wrote the index, and the index. UsageError where it asks for too much."""
    directory = values["from_index"]
    table = {option.flags[-1].removeprefix("--"): option for option in COMMANDS["render"]}
    unset = defaults(COMMANDS["render"])
    given = [
        flag
        for flag, option in table.items()
        if option.name not in _BESIDE and values[option.name] != unset[option.name]
    ]
    if given or values["paths"]:
        what = f"--{given[0]}" if given else "PATH"
        raise UsageError(f"--from-index takes {what} from the index of {directory}; leave it out.")
    index = read_index(directory, str(shard_of(values) or ""))
    restored = {**unset, **{name: values[name] for name in _BESIDE & values.keys() if name != "deny"}}
    free = values["load_restrictor"] == "none"
    try:
        for name, value in index["options"].items():
            option = table.get(name)
            if option is None or option.name in NOT_RECORDED or not _fits(option, value):
                raise ValueError(f"the option --{name}")
            restored[option.name] = _placed(option, value, directory, free=free)
        restored["deny"] = [*restored["deny"], *(name for name in values["deny"] if name not in restored["deny"])]
        restored["operator_version"] = str(index["release"])
        restored["paths"] = [_path(path, directory, free=free) for path in index["paths"]]
        base = _path(index["from"], directory, free=True) if "from" in index else os.curdir
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        reason = f"{error} is not what this dynamoc writes" if str(error) else "it is damaged"
        raise UsageError(f"{os.path.join(directory, INDEX)} cannot be used: {reason}.") from None
    restored["output_dir"] = directory
    return (_moved(restored, base) if base != os.curdir else restored), index


def _fits(option: Option, value: Any) -> bool:
    """Whether an option takes a value."""
    if option.kind == SWITCH:
        return isinstance(value, bool)
    if option.kind == MANY:
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    return isinstance(value, str) and (option.kind not in (CHOICE, PART) or value in option.choices)


def _placed(option: Option, value: Any, directory: str, *, free: bool) -> Any:
    if option.name in PATHS:
        if isinstance(value, list):
            return [_path(item, directory, free=free) if is_path(item) else item for item in value]
        return _path(value, directory, free=free)
    if option.name == ANSWERS:
        pairs = (item.partition("=") for item in value)
        return [f"{name}={_path(file, directory, free=free)}" for name, _, file in pairs]
    return value


def _path(path: str, directory: str, *, free: bool) -> str:
    """A path of the index, from the current directory."""
    if path == STDIN:
        return path
    found = os.path.relpath(os.path.join(directory, path))
    if not free and not f"{os.path.realpath(found)}/".startswith(f"{os.getcwd().rstrip('/')}/"):
        raise UsageError(
            f"The index of {directory} names {found}, which is outside of the current directory. Run the command from "
            "a directory above it, or read it all the same with --load-restrictor none."
        )
    return found


def _moved(values: Values, base: str) -> Values:
    """The values as they are from the directory in which the command ran, which becomes the current one."""
    target = os.path.abspath(base)
    moved = dict(values)
    for name in (*PATHS, "paths", "output_dir"):
        value = values[name]
        moved[name] = (
            [_from(item, target) if is_path(item) else item for item in value]
            if isinstance(value, list)
            else value and _from(value, target)
        )
    pairs = (item.partition("=") for item in values[ANSWERS])
    moved[ANSWERS] = [f"{name}={_from(file, target)}" for name, _, file in pairs]
    os.chdir(target)
    return moved


def _from(path: str, target: str) -> str:
    return path if path == STDIN else os.path.relpath(path, target)
