"""From the values of a command line to the compiler's options."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from dynamoc.admission.cluster.capabilities import AGAINST, CONTEXT, config_of, is_captured, parsed_apis, part_of
from dynamoc.admission.cluster.config import fields_of
from dynamoc.admission.webhooks.defaults import dynamo_version, images, parsed
from dynamoc.compiler.options import Options, Shard
from dynamoc.documents.apiserver.services import NEWEST, OLDEST, minor_of
from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source.files import STDIN, expand, read_paths
from dynamoc.interfaces.cli.failure import USAGE, Progress, Stop, UsageError, report
from dynamoc.interfaces.cli.options import Values
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import image_version
from dynamoc.reference.releases import RELEASES, get_release

#: so many files take longer than loading what shows the progress
MANY = 100
NEWEST_KUBERNETES = "1.34"
_EARLY = ("0.1", "0.2", "0.3")


def compiler_options(values: Values, release_flag: str = "--operator-version") -> Options:
    """The options of the command line, each by its name; those below need more than their value.

    Raises UsageError for a release that dynamoc does not know, that or Stop for files that are not there.
    """
    version, note = values["operator_version"], None
    if version == "auto":
        version, note = operator_version(values["context"], values["paths"])
        values = {**values, "operator_version": version}
    try:
        get_release(version)
    except KeyError:
        known = ", ".join(RELEASES)
        message = f"{release_flag} {version} is not known; there are {known}."
        if version.startswith(_EARLY):
            message += " `dynamoc convert` turns documents of Dynamo 0.1 to 0.3 into graphs of today."
        raise UsageError(message) from None
    if values.get("stable_names") and not values.get("standalone"):
        raise UsageError("--omit worker-hash requires --standalone: the operator names workers by their hash.")
    if values.get("standalone") and values.get("include_intermediate"):
        raise UsageError(
            "--include intermediate cannot be combined with --standalone: only the operator reads those objects."
        )
    if values.get("standalone") and values.get("against"):
        raise UsageError(
            "--against cannot be combined with --standalone: without the operator, graphs are not in the cluster."
        )
    config = _operator_config(values)
    kube_minor, kube_note = _kube_minor(values["kube_version"])
    namespace = values["namespace"] or None
    taken = {name: values[name] for name in Options.__slots__ if name in values}
    settled: Values = {
        "operator_version": version,
        "operator_config": config,
        "context": _existing(values["context"], values, CONTEXT),
        "against": _existing(values.get("against") or [], values, AGAINST),
        "namespace": namespace,
        "only_namespace": namespace if values["only_namespace"] else None,
        "passed_namespace": None if values["keeps_passed"] else namespace,
        "created_by": _creator(values),
        "kube_minor": kube_minor,
        "apis": _apis(values["api_versions"]),
        "standalone": values.get("standalone") or False,
        "profiling_results": _profiling_results(values),
        "jobs": jobs_of(values.get("jobs", "auto")),
        "keeps_variables": _keeps_variables(values),
        "version_note": note,
        "kube_note": kube_note,
        "shard": shard_of(values),
    }
    return Options(**taken | settled)


def shard_of(values: Values) -> Shard | None:
    """The part of the run that `--shard` asks for; where it has the count alone, an Indexed Job's variable decides."""
    text = values.get("shard")
    if not text:
        return None
    index, slash, count = text.rpartition("/")
    if not slash and (variable := os.environ.get("JOB_COMPLETION_INDEX", "")).isdecimal():
        index = str(int(variable) + 1)
    if not (index.isdecimal() and count.isdecimal() and 1 <= int(index) <= int(count)):
        where = "" if slash else " JOB_COMPLETION_INDEX, which Kubernetes sets in an Indexed Job, is not set."
        raise UsageError(f"--shard {text}: write INDEX/COUNT, such as 3/16, with an index from 1 to the count.{where}")
    for name in ("standalone", "generate_secrets", "fix", "update_baseline"):
        if values.get(name):
            flag = {"generate_secrets": "include secrets"}.get(name, name.replace("_", "-"))
            raise UsageError(f"--shard cannot be combined with --{flag}, which needs all inputs in one run.")
    return Shard(int(index), int(count))


def jobs_of(text: str) -> int:
    """The processes that `--jobs` asks for, 0 for as many as there are processors. Raises UsageError."""
    if text == "1":
        return 1

    if text == "auto":
        return 0
    if not (text.isascii() and text.isdecimal() and len(text) < 6 and int(text)):
        raise UsageError(f"--jobs {text}: write a whole number above 0, or `auto`.")
    return int(text)


def _keeps_variables(values: Values) -> bool:
    """Whether Flux is kept from replacing variables: in files that it may apply, unless the command line says so.

    Files of `--layout per-input` are no more than what the operator creates of an input, to be compared with that.
    """
    choice = values.get("flux_substitute")
    return choice == "disabled" or (choice == "auto" and bool(values["output_dir"]) and values["layout"] != "per-input")


def _creator(values: Values) -> str | None:
    """The version of the operator that created the graphs."""
    told = values.get("created_by")
    if told is None:
        return None
    try:
        return get_release(told).version
    except KeyError:
        raise UsageError(f"--created-by {told} is not known; known releases: {', '.join(RELEASES)}.") from None


def _profiling_results(values: Values) -> dict[str, str]:
    """The files with the profiler's answers, by the names of their requests."""
    found: dict[str, str] = {}
    for text in values.get("profiling_result") or ():
        name, equals, file = text.partition("=")
        if not name or not equals or not file:
            raise UsageError(f"--profiling-result {text}: write NAME=FILE, with the name of the request.")
        if not os.path.isfile(file):
            raise UsageError(f"--profiling-result {text}: the file {file} does not exist.")
        found[name] = file
    return found


def input_files(values: Values, findings: Findings) -> list[str]:
    """The files behind the paths of the command line. Raises Stop where a path gives none, which is wrong usage."""
    findings.inputs.follows_links = values["load_restrictor"] == "none"
    findings.inputs.stdin = values["stdin_filename"] or "-"
    findings.inputs.part = str(shard_of(values) or "")
    files = expand([part_of(path, AGAINST) for path in values["paths"]], findings, values["exclude"])
    _stop_where_missing(findings, values)
    if values.get("skip_foreign"):
        findings.inputs.found.update(files)
    watch(findings, len(files))
    return files


def watch(findings: Findings, files: int) -> None:
    """Shows how far the run is, where there are many files and stderr is a terminal."""
    if files >= MANY and sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        findings.progress = Progress()


def _kube_minor(version: str) -> tuple[int | None, str | None]:
    """None for the newest, which needs no other rules, and a note where the version is a later one."""
    if version == NEWEST_KUBERNETES:
        return None, None

    minor = minor_of(version)
    if minor is None:
        raise UsageError(f"--cluster kubernetes={version} is not known; known versions: 1.{OLDEST} to 1.{NEWEST}.")
    if minor > NEWEST:
        return None, f"dynamoc knows Kubernetes up to 1.{NEWEST}, and judges objects for 1.{minor} by its rules."
    return None if minor == NEWEST else minor, None


def _apis(texts: list[str]) -> list[str]:
    """The APIs that the cluster serves."""
    if not texts:
        return []

    try:
        return parsed_apis(texts)
    except ValueError as error:
        example = "write GROUP/VERSION or GROUP/VERSION/KIND, such as grove.io/v1alpha1"
        raise UsageError(f"--cluster {error} is not an API: {example}.") from None


def _operator_config(values: Values) -> str | None:
    """The file that was named, or the one in a captured directory."""
    path: str | None = values["operator_config"]
    if path is None or os.path.isfile(path):
        return path
    if is_captured(path):
        return config_of(path, by_flags=not fields_of(get_release(values["operator_version"]).name))
    raise UsageError(f"--cluster {path}: the file does not exist.")


def _existing(paths: list[str], values: Values, part: str) -> list[str]:
    """The paths themselves, and of captured directories their part: the compiler looks for the files."""
    findings = Findings()
    findings.inputs.follows_links = values["load_restrictor"] == "none"
    paths = [part_of(path, part) for path in paths]
    expand(paths, findings)
    _stop_where_missing(findings, values)
    return paths


def _stop_where_missing(findings: Findings, values: Values) -> None:
    if findings.errors:
        report(findings, values)
        raise Stop(USAGE)


_ARGUMENT = "--operator-version="
_VERSION_LABEL = "app.kubernetes.io/version"
_IMAGE = "kubernetes-operator"


def operator_version(context: list[str], paths: list[str]) -> tuple[str, str]:
    """The version, and the note that says where it comes from. UsageError where nothing has it."""
    for document in _documents(context):
        told = version_of_operator(document)
        if told is not None:
            where = f"the operator's Deployment `{document['metadata']['name']}` in --cluster"
            return told, f"--operator-version auto is {told}, from {where}."
    versions = [
        (version, image)
        for document in _documents(paths)
        for _, image in images(document.get("spec"))
        if (version := dynamo_version(image)) is not None
    ]
    if not versions:
        hint = "neither an operator's Deployment in --cluster nor a Dynamo image in the input"
        raise UsageError(f"--operator-version auto finds {hint}; set the release, one of {', '.join(RELEASES)}.")
    newest, image = max(versions)
    text = ".".join(map(str, newest))
    note = f"of the newest Dynamo image in the input, `{image}`"
    if is_known(text):
        return text, f"--operator-version auto is {text}: the version {note}."
    known = [name for name in RELEASES if parsed(name) <= newest[:2]]
    nearest = known[-1] if known else next(iter(RELEASES))
    return nearest, f"--operator-version auto is {nearest}: no known release is nearer to the version {note}."


def version_of_operator(document: Tree) -> str | None:
    """The version of the operator that a Deployment runs: its argument, its label, or the tag of its image."""
    if document.get("kind") != "Deployment":
        return None
    metadata = document.get("metadata") or {}
    pod = ((document.get("spec") or {}).get("template") or {}).get("spec") or {}
    containers = [item for item in pod.get("containers") or () if isinstance(item, dict)]
    ours = [item for item in containers if str(item.get("image", "")).split("/")[-1].partition(":")[0] == _IMAGE]
    labels = metadata.get("labels") or {}
    if not ours and labels.get("app.kubernetes.io/name") != "dynamo-operator":
        return None
    told = [
        str(argument).removeprefix(_ARGUMENT)
        for item in containers
        for argument in item.get("args") or ()
        if str(argument).startswith(_ARGUMENT)
    ]
    told.append(str(labels.get(_VERSION_LABEL, "")))
    tags = (image_version(str(item["image"])) for item in ours)
    told += [".".join(map(str, tag)) for tag in tags if tag is not None]
    return next((version for version in told if is_known(version)), None)


def is_known(version: str) -> bool:
    try:
        get_release(version)
    except KeyError:
        return False
    return True


def _documents(paths: list[str]) -> Iterator[Tree]:
    """What can be read; what cannot is reported in the final reading."""
    findings = Findings()
    for document in read_paths(expand(list(filter(_can_be_read_again, paths)), findings), findings):
        if isinstance(document.value, dict):
            yield document.value


def _can_be_read_again(path: str) -> bool:
    """Pipes and stdin give their content once."""
    return path != STDIN and (os.path.isfile(path) or os.path.isdir(path) or not os.path.lexists(path))
