"""From the values of a command line to the compiler's options."""

from __future__ import annotations

import os
import sys

from dynamoc.cli.failure import USAGE, Stop, UsageError
from dynamoc.cli.findings import report
from dynamoc.cluster.captured import AGAINST, CONTEXT, MARKER, config_of, is_captured, part_of
from dynamoc.diagnostics import Findings
from dynamoc.options import Options
from dynamoc.release import RELEASES, get_release
from dynamoc.source.files import expand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.cli.option_table import Values

#: so many files take longer than loading what shows the progress
MANY = 100
NEWEST_KUBERNETES = "1.34"
_OUTPUT_OPTIONS = ("generate_secrets", "include_intermediate", "omit_replicas", "passthrough", "stable_names")
_EARLY = ("0.1", "0.2", "0.3")


def compiler_options(values: Values, release_flag: str = "--operator-version") -> Options:
    """Raises UsageError for a release that dynamoc does not know, that or Stop for files that are not there."""
    version, note = values["operator_version"], None
    if version == "auto":
        from dynamoc.cli.auto import operator_version

        version, note = operator_version([*_cluster(values), *values["context"]], values["paths"])
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
        raise UsageError("--stable-names requires --standalone: the operator names workers by their hash.")
    if values.get("standalone") and values.get("include_intermediate"):
        raise UsageError(
            "--include-intermediate cannot be combined with --standalone: only the operator reads those objects."
        )
    if values.get("standalone") and values.get("against"):
        raise UsageError(
            "--against cannot be combined with --standalone: without the operator, graphs are not in the cluster."
        )
    if values["namespace"] and values["default_namespace"]:
        raise UsageError(
            "--namespace and --default-namespace both fill in the namespace; --namespace also refuses others. Give one."
        )
    config = _operator_config(values)
    kube_minor, kube_note = _kube_minor(values["kube_version"])
    options = Options(
        operator_version=version,
        target=values["target"],
        operator_config=config,
        context=_existing([*_cluster(values), *values["context"]], values, CONTEXT),
        against=_existing(values.get("against") or [], values, AGAINST),
        namespace=values["namespace"] or None,
        default_namespace=values["default_namespace"] or None,
        unknown_fields=values["unknown_fields"],
        strict_context=values["strict_context"],
        strict=values["strict"],
        refused_objects=values["refused_objects"],
        created_by=_creator(values),
        kube_minor=kube_minor,
        apis=_apis(values["api_versions"]),
        standalone=values.get("standalone") or False,
        profiling_results=_profiling_results(values),
        through=values.get("through") or None,
        keeps_variables=_keeps_variables(values),
        **{name: values[name] for name in _OUTPUT_OPTIONS if name in values},
    )
    options.version_note, options.kube_note = note, kube_note
    return options


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
    files = expand([part_of(path, AGAINST) for path in values["paths"]], findings, values["exclude"])
    _stop_where_missing(findings, values)
    if values.get("skip_foreign"):
        findings.inputs.found.update(files)
    watch(findings, len(files))
    return files


def watch(findings: Findings, files: int) -> None:
    """Shows how far the run is, where there are many files and somebody at a terminal."""
    if files >= MANY and sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        from dynamoc.cli.progress import Progress

        findings.progress = Progress()


def _kube_minor(version: str) -> tuple[int | None, str | None]:
    """None for the newest, which needs no rules of its own, and a note where the version is a later one."""
    if version == NEWEST_KUBERNETES:
        return None, None
    from dynamoc.apiserver.kube_versions import NEWEST, OLDEST, minor_of

    minor = minor_of(version)
    if minor is None:
        raise UsageError(f"--kube-version {version} is not known; known versions: 1.{OLDEST} to 1.{NEWEST}.")
    if minor > NEWEST:
        return None, f"dynamoc knows Kubernetes up to 1.{NEWEST}, and judges objects for 1.{minor} by its rules."
    return None if minor == NEWEST else minor, None


def _apis(texts: list[str]) -> list[str]:
    """The APIs that the cluster serves."""
    if not texts:
        return []
    from dynamoc.cluster.api_groups import parsed_apis

    try:
        return parsed_apis(texts)
    except ValueError as error:
        example = "write GROUP/VERSION or GROUP/VERSION/KIND, such as grove.io/v1alpha1"
        raise UsageError(f"--api-versions {error} is not an API: {example}.") from None


def _cluster(values: Values) -> list[str]:
    path = values.get("cluster")
    if path and not is_captured(path):
        raise UsageError(f"--cluster {path}: `dynamoc capture` did not create this directory; {MARKER} is missing.")
    return [path] if path else []


def _operator_config(values: Values) -> str | None:
    """The file that was named, or the one in a captured directory."""
    path: str | None = values["operator_config"] or next(iter(_cluster(values)), None)
    if path is None or os.path.isfile(path):
        return path
    if is_captured(path):
        from dynamoc.cluster.fields import fields_of

        return config_of(path, by_flags=not fields_of(get_release(values["operator_version"]).name))
    raise UsageError(f"--operator-config {path}: the file does not exist.")


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
