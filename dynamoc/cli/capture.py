"""`dynamoc capture`: a script that collects what a cluster shows, or kubectl at once."""

from __future__ import annotations

from typing import Annotated

import typer

from dynamoc.cli.failure import DONE, UsageError


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
    from dynamoc.capture.script import script

    text = script(directory, context, namespaces or [])
    if run:
        raise typer.Exit(_run(text))
    from dynamoc.cli.output import write_stdout

    write_stdout(text)
    raise typer.Exit(DONE)


def _run(text: str) -> int:
    import subprocess
    from shutil import which

    for tool in ("sh", "kubectl"):
        if which(tool) is None:
            raise UsageError(f"--run needs {tool}, which is not on PATH.")
    # Not through stdin: kubectl may ask there for a password.
    return subprocess.run(["sh", "-c", text], check=False).returncode
