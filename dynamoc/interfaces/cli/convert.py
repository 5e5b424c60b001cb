"""`dynamoc convert`: documents in the other API version, printed or rewritten in place.

`dynamoc capture`: a script that collects what a cluster shows, or kubectl at once.

`dynamoc lsp`: the language server, which needs packages that no other command does.
"""

from __future__ import annotations

import subprocess
from shutil import which
from typing import Annotated

import typer

from dynamoc.admission.convert.command import Converted, convert_paths
from dynamoc.compiler.generations.conversion import EarlyFiles
from dynamoc.documents.findings.finding import ERROR, Findings
from dynamoc.interfaces.capture import script
from dynamoc.interfaces.cli.compiler_options import jobs_of, watch
from dynamoc.interfaces.cli.failure import DONE, ERRORS, IMPOSSIBLE, UsageError, conclude, report, write_stdout
from dynamoc.interfaces.cli.option_table import Values
from dynamoc.interfaces.lsp.server import serve


def convert(values: Values) -> int:
    if values["write"] and values["check"]:
        raise UsageError("--write and --check cannot be combined: --check changes nothing.")
    if values["modeline"] and (values["check"] or values["output"] == "json"):
        raise UsageError("--modeline writes comments: it cannot be combined with --check or -o json.")
    findings = Findings()
    findings.inputs.follows_links = values["load_restrictor"] == "none"
    try:
        converted = _converted(values, findings)
    except OSError as error:
        raise UsageError(f"{error.filename}: {error.strerror}.") from error
    except ValueError as problem:
        from dynamoc.admission.convert.round_trip import NoModeline

        if not isinstance(problem, NoModeline):
            raise
        raise UsageError(f"--modeline: {problem}") from None
    conclude(findings, values)
    report(findings, values)
    if findings.errors:
        differs = all(item.severity != ERROR or item.slug == "convert/other-version" for item in findings.items)
        return IMPOSSIBLE if values["check"] and not differs else ERRORS
    if converted.text:
        write_stdout(converted.text)
    return DONE


def _converted(values: Values, findings: Findings) -> Converted:
    jobs, lossless = jobs_of(values["jobs"]), values["lossless"]
    early = EarlyFiles(values["image"], values["graph_archive"], findings, lossless=lossless)
    return convert_paths(
        values["paths"],
        values["to"],
        findings,
        write=values["write"],
        check=values["check"],
        lossless=lossless,
        output=values["output"],
        exclude=values["exclude"],
        watch=watch,
        others=early,
        jobs=jobs,
        modeline=values["modeline"] or None,
    )


def capture(
    directory: Annotated[
        str, typer.Option("-o", "--output-dir", metavar="DIR", help="The directory to fill.")
    ] = "cluster",
    run: Annotated[bool, typer.Option("--run", help="Run kubectl now, instead of printing the script.")] = False,
    context: Annotated[
        str | None, typer.Option("--kube-context", metavar="NAME", help="The kubectl context to use.")
    ] = None,
    namespaces: Annotated[
        list[str] | None,
        typer.Option(
            "-n",
            "--namespace",
            metavar="NAMESPACE",
            help="Limit claims, Secrets and graphs to this namespace. Repeatable.",
        ),
    ] = None,
) -> None:
    """Collect what --context, --operator-config and --against want to know of a cluster.

    Prints a script for any POSIX shell that fills DIR; with --run, kubectl does it at once. It only reads: the
    operator's Deployment and configuration, names and versions of CRDs, nodes, claims, classes, queues, graphs, and of
    Secrets the names and types. `render`, `diff`, `upgrade` and `requires` take DIR with --cluster.
    """
    text = script(directory, context, namespaces or [])
    if run:
        raise typer.Exit(_run(text))

    write_stdout(text)
    raise typer.Exit(DONE)


def _run(text: str) -> int:

    for tool in ("sh", "kubectl"):
        if which(tool) is None:
            raise UsageError(f"--run needs {tool}, which is not on PATH.")
    # Not through stdin: kubectl may ask there for a password.
    return subprocess.run(["sh", "-c", text], check=False).returncode


def lsp(
    stdio: Annotated[  # noqa: ARG001
        bool, typer.Option("--stdio", help="No effect: some editors pass it to every server.")
    ] = False,
) -> None:
    """Run the language server on stdin and stdout, for editors.

    It reports what `check` reports while somebody types, explains and completes fields, follows names, and renames
    components. dynamoc.yaml and DYNAMOC_* variables choose the release and all else. docs/editors.md shows how to set
    up editors.
    """
    raise typer.Exit(serve())
