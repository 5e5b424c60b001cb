"""From the words of a command line to the values that commands work with.

`parse` takes the plain spellings: `--option value`, `--option=value`, `-o value`, switches and paths. For anything
else, from `--help` to a misspelt option, it gives None, and typer parses the same line.
"""

from __future__ import annotations

import os
import re

from dynamoc.admission.cluster.capabilities import is_captured
from dynamoc.interfaces.cli.failure import UsageError
from dynamoc.interfaces.cli.options import (
    CHOICE,
    COMMANDS,
    INCLUDED,
    MANY,
    OMITTED,
    OUTCOMES,
    PART,
    PIPED,
    SWITCH,
    Option,
    Values,
    defaults,
)
from dynamoc.kube.limits import set_limits
from dynamoc.reference.slugs import SEVERITY_OF

#: names that meant something until 0.2, and what means it now; 0.3 drops both
OLD_FLAGS = {
    "--api-versions": "--cluster API",
    "-a": "--cluster API",
    "--context": "--cluster PATH",
    "--default-namespace": "--namespace",
    "--exit-zero": "--allow changes",
    "--explain": "-o annotated",
    "--fail-on": "--deny",
    "--fail-on-empty": "--deny empty",
    "--generate-secrets": "--include secrets",
    "--jobs": "an option of render --layout per-input and convert only; leave it out",
    "--include-intermediate": "--include intermediate",
    "--kube-version": "--cluster kubernetes=VERSION",
    "--no-passthrough": "--omit inputs",
    "--omit-replicas": "--omit replicas",
    "--passthrough": "--include inputs",
    "--refused-objects": "--warn objects",
    "--require-graphs": "--deny empty",
    "--select": "--only",
    "--stable-names": "--omit worker-hash",
    "--strict": "--deny context,pods",
    "--strict-context": "--deny context",
    "--through": "--include pods",
    "--to-operator-config": "--to-cluster",
    "--unknown-fields": "--deny, --warn or --allow unknown-fields",
}
OLD_COMMANDS = {
    "argocd": "plugin argocd",
    "config": "check --show-settings",
    "finding": "explain",
    "fn": "plugin kustomize",
    "graph": "report -o mermaid",
    "post-render": "plugin helm",
    "release": "upgrade --from OLD --to NEW, or --version --verbose",
    "rule": "explain",
    "rules": "explain --list",
}
#: groups of findings, and what `--deny`, `--warn` and `--allow` do to them
GROUPS = {
    "advice": "Warnings and notes of check. --deny: fail for each.",
    "changes": "What diff finds. --allow: exit with 0.",
    "context": "References to objects that neither the output, the input nor --cluster has. --deny: reject them.",
    "empty": "Input without graphs, output without objects. --deny: fail.",
    "missing": "What requires does not find in the cluster. --deny: fail.",
    "namespace": "Documents with another namespace than --namespace. --deny: reject them.",
    "objects": "Objects of the operator that the API server rejects. --warn: print them.",
    "pods": "Pods that the API server rejects, of objects that it accepts. --deny: reject their graph.",
    "unknown-fields": "Fields that the API does not have. --warn, --allow: drop them, with a warning or a note.",
    "warnings": "All warnings. --deny: fail for each.",
    "|".join(OUTCOMES): "What upgrade does to graphs, the worst first. --deny: fail for this and worse; refused is "
    "denied unless --allow refused.",
}
_CONFIGURATIONS = ("OperatorConfiguration", "HelmRelease")
_KIND = re.compile(r'(?:^|[{,]\s*)"?kind"?\s*:\s*"?(\w+)', re.MULTILINE)
_API = re.compile(r"(?:[a-z0-9.-]+/)?v\d\w*(?:/\w+)?")
KUBERNETES = "kubernetes="


def parse(argv: list[str]) -> tuple[str, Values] | None:
    """The command and its values, or None where typer must look at the line."""
    command, rest = split_command(argv)
    options = COMMANDS.get(command)
    if options is None:
        return None
    by_flag = {flag: option for option in options for flag in option.flags}
    values = defaults(options)
    words = iter(rest)
    for word in words:
        if not word.startswith("-") or word == "-":
            values["paths"].append(word)
            continue
        if word == "--":
            values["paths"] += words
            break
        flag, equals, value = word.partition("=")
        option = by_flag.get(flag)
        if option is None or (equals and not flag.startswith("--")):
            return None
        if option.kind == PART and not equals:
            equals, value = "=", option.choices[-1]
        if option.kind == SWITCH:
            if equals:
                return None
            values[option.name] = not option.default
            continue
        if not equals:
            value = next(words, "--")
            if value.startswith("-") and value != "-":
                return None
        if not _store(option, value, values):
            return None
    values["paths"][:0] = values.get("filenames", ())
    return (command, values) if has_input(command, values) else None


def split_command(argv: list[str]) -> tuple[str, list[str]]:
    """The name of a command, which may have two words, and the words behind it."""
    size = 2 if argv[:1] == ["plugin"] else 1
    return " ".join(argv[:size]), argv[size:]


def has_input(command: str, values: Values) -> bool:
    """Whether a command line names its input, or needs none; standard input is filled in."""
    if command in PIPED and not values["paths"]:
        values["paths"] = ["-"]
    if command == "check" and values["settings"] and not values["paths"]:
        values["paths"] = [os.curdir]
    return bool(values["paths"] or values.get("from_index") or values.get("list") or command == "upgrade")


def _store(option: Option, value: str, values: Values) -> bool:
    if option.kind in (CHOICE, PART) and value not in option.choices:
        return False
    if option.kind == MANY:
        values[option.name].append(value)
    else:
        values[option.name] = value
    return True


def refuse_old_names(argv: list[str]) -> None:
    """UsageError for a command or an option that has another name now."""
    if argv and argv[0] in OLD_COMMANDS:
        raise UsageError(f"`dynamoc {argv[0]}` is now `dynamoc {OLD_COMMANDS[argv[0]]}`.")
    command, rest = split_command(argv)
    known = {flag for option in COMMANDS.get(command, ()) for flag in option.flags}
    for word in rest if command in COMMANDS else ():
        if word == "--":
            return
        flag = word.partition("=")[0]
        if flag in OLD_FLAGS and flag not in known:
            raise UsageError(f"{flag} is now {OLD_FLAGS[flag]}.")


def use_limits(words: list[str]) -> None:
    """The limits of this run. Raises UsageError for one that does not exist."""
    try:
        set_limits(words)
    except ValueError as problem:
        raise UsageError(str(problem)) from None


def settled(command: str, values: Values) -> Values:
    """The values with what `--cluster`, `--deny`, `--include` and the like mean. Raises UsageError."""
    found = {**values, **_surroundings(values), **_levels(command, values)}
    included, omitted = _words(values, "include", INCLUDED), _words(values, "omit", OMITTED)
    found["include_intermediate"] = "intermediate" in included
    found["generate_secrets"] = "secrets" in included
    found["through"] = next((name for name in ("pods", "graph") if name in included), None)
    found["passthrough_per_input"] = "inputs" in included
    found["passthrough"] = "inputs" not in omitted
    found["omit_replicas"] = "replicas" in omitted
    found["stable_names"] = "worker-hash" in omitted
    # Those tools put what they get back into a namespace themselves.
    found["keeps_passed"] = command.startswith("plugin")
    if command == "render":
        found["explain"] = values["output"] == "annotated"
        found["output"] = "yaml" if found["explain"] else values["output"]
    return found


def _words(values: Values, name: str, choices: tuple[str, ...]) -> list[str]:
    """The words of an option that takes several, also in one value with commas."""
    words = [word.strip() for value in values.get(name) or () for word in value.split(",")]
    for word in words:
        if word not in choices:
            raise UsageError(f"--{name} {word} is not known; use one of {', '.join(choices)}.")
    return words


def _surroundings(values: Values) -> Values:
    """What each value of `--cluster` is: configuration, objects, an API, or the version of Kubernetes."""
    configs = [values["config"]] if values.get("config") else []
    context: list[str] = []
    apis: list[str] = []
    kubernetes = "1.34"
    for value in values.get("cluster") or ():
        words = [value] if os.path.lexists(value) else filter(None, map(str.strip, value.split(",")))
        for word in words:
            if word.startswith(KUBERNETES):
                kubernetes = word.removeprefix(KUBERNETES)
            elif not is_path(word):
                apis.append(word)
            elif os.path.isfile(word) and is_configuration(word):
                configs.append(word)
            else:
                context.append(word)
    if len(set(configs)) > 1:
        raise UsageError(f"--cluster: {configs[0]} and {configs[1]} both configure the operator; give one.")
    captured = [path for path in context if is_captured(path)]
    return {
        "operator_config": next(iter([*configs, *captured]), None),
        "context": context,
        "api_versions": apis,
        "kube_version": kubernetes,
    }


def is_path(word: str) -> bool:
    """Whether a value of `--cluster` names a file or directory."""
    return os.path.lexists(word) or not (word.startswith(KUBERNETES) or _API.fullmatch(word))


def is_configuration(path: str) -> bool:
    """Whether a file holds the operator's configuration: by its kind, or as values of the chart, which have none."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(1 << 16)
    except (OSError, UnicodeDecodeError):
        return False
    kinds = set(_KIND.findall(text))
    # Of a ConfigMap with the configuration in it, reading it as one says what to do.
    inside = kinds == {"ConfigMap"} and _CONFIGURATIONS[0] in text
    return not kinds or inside or not kinds.isdisjoint(_CONFIGURATIONS)


def _names(values: Values, flag: str) -> dict[str, str]:
    """Names of findings and groups that an option gives, with their reasons: `NAME`, `NAME,NAME` or `NAME: reason`."""
    found = {}
    for value in values.get(flag) or ():
        name, colon, reason = value.partition(":")
        for part in [name] if colon else name.split(","):
            found[part.strip()] = reason.strip()
    return found


def _levels(command: str, values: Values) -> Values:
    """What `--deny`, `--warn` and `--allow` ask for."""
    deny, warn, allow = (_names(values, flag) for flag in ("deny", "warn", "allow"))
    groups = {part for names in GROUPS for part in names.split("|")}
    for flag, names in (("deny", deny), ("warn", warn), ("allow", allow)):
        for name in names:
            is_known = name in SEVERITY_OF or any(slug.startswith(f"{name}/") for slug in SEVERITY_OF)
            if name not in groups and not is_known:
                raise UsageError(f"--{flag} {name} is not a finding or a group; `dynamoc explain --list` lists them.")
    for name in deny.keys() & warn.keys() | deny.keys() & allow.keys() | warn.keys() & allow.keys():
        raise UsageError(f"{name} has two levels; give one of --deny, --warn and --allow.")
    unknown = "unknown-fields"
    worst = "note" if "advice" in deny else "warning" if "warnings" in deny else "error"
    found: Values = {
        "unknown_fields": "warn" if unknown in warn else "prune" if unknown in allow else "error",
        "refused_objects": "warn" if "objects" in warn else "error",
        "strict_context": "context" in deny,
        "strict": "pods" in deny,
        "only_namespace": "namespace" in deny,
        "require_graphs": "empty" in deny or "input/no-graph" in deny,
        "fail_on_empty": "empty" in deny or "output/empty" in deny,
        "exit_zero": "changes" in allow,
        "levels": dict.fromkeys(deny.keys() - groups, "error") | dict.fromkeys(warn.keys() - groups, "warning"),
    }
    if command in ("check", "validate", "report"):
        found["select"] = values["only"]
        found["ignore"] = [f"{name}: {reason}" if reason else name for name, reason in allow.items() if name != unknown]
        found["fail_on"] = worst
        return found
    found["levels"] |= dict.fromkeys(allow.keys() - groups, "allow")
    if worst != "error":
        found["levels"]["*"] = worst
    if command == "upgrade":
        denied = [name for name in OUTCOMES if name in deny]
        found["fail_on"] = denied or (["never"] if "refused" in allow else [])
    if command == "requires":
        found["fail_on"] = "missing" if "missing" in deny else "never"
    return found
