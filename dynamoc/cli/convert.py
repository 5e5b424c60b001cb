"""`dynamoc convert`: documents in the other API version, printed or rewritten in place."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from dynamoc.cli.compiler_options import jobs_of, watch
from dynamoc.cli.conclusion import conclude
from dynamoc.cli.dispatch import use_limits
from dynamoc.cli.failure import DONE, ERRORS, IMPOSSIBLE, UsageError
from dynamoc.cli.findings import report
from dynamoc.cli.option_table import EXCLUDE, FILENAME, FINDINGS_HELP, JOBS, LIMIT, LOAD_RESTRICTOR, REQUIRE_GRAPHS
from dynamoc.cli.output import write_stdout
from dynamoc.diagnostics import Findings
from dynamoc.diagnostics.finding import ERROR


def convert(
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="PATH...", help="Files, directories, or - for stdin.")
    ] = None,
    to: Annotated[Literal["v1beta1", "v1alpha1"], typer.Option("--to", help="The version to convert to.")] = "v1beta1",
    write: Annotated[
        bool, typer.Option("--write", help="Rewrite the files in place; comments and order are kept.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Exit with 1 if a document is in the other version, and with 2 for errors.")
    ] = False,
    lossless: Annotated[
        bool,
        typer.Option("--lossless", help="Keep what the other version cannot express in the operator's annotation."),
    ] = False,
    modeline: Annotated[
        str | None,
        typer.Option(
            "--modeline",
            metavar="DIR|URL",
            help="Begin each document of the operator's kinds with the comment that leads yaml-language-server to its "
            "schema, in DIR (of `dynamoc schema --output-dir DIR`) or at URL.",
        ),
    ] = None,
    output: Annotated[Literal["yaml", "json"], typer.Option("-o", "--output", help="Format on stdout.")] = "yaml",
    filename: Annotated[list[str] | None, typer.Option("-f", "--filename", metavar="PATH", help=FILENAME.help)] = None,
    image: Annotated[
        list[str] | None,
        typer.Option(
            "--image",
            metavar="[NAME=]IMAGE",
            help="For documents of Dynamo 0.1 to 0.3: the image of a component, or of all. Repeatable.",
        ),
    ] = None,
    graph_archive: Annotated[
        list[str] | None,
        typer.Option(
            "--graph-archive",
            metavar="[NAME=]FILE",
            help="For documents of Dynamo 0.1 to 0.3: the dynamo.yaml (or bento.yaml) of a graph's archive. "
            "Repeatable.",
        ),
    ] = None,
    exclude: Annotated[list[str] | None, typer.Option("--exclude", metavar="GLOB", help=EXCLUDE.help)] = None,
    load_restrictor: Annotated[
        Literal["root", "none"], typer.Option("--load-restrictor", help=LOAD_RESTRICTOR.help)
    ] = "root",
    require_graphs: Annotated[bool, typer.Option("--require-graphs", help=REQUIRE_GRAPHS.help)] = False,
    color: Annotated[Literal["auto", "always", "never"], typer.Option("--color", help="Colour findings.")] = "auto",
    findings_format: Annotated[
        Literal["text", "json", "github", "sarif", "junit", "gitlab", "checkstyle"],
        typer.Option("--findings", help=FINDINGS_HELP),
    ] = "text",
    jobs: Annotated[str, typer.Option("--jobs", metavar=JOBS.metavar, help=JOBS.help)] = "1",
    limit: Annotated[list[str] | None, typer.Option("--limit", metavar="NAME=NUMBER", help=LIMIT.help)] = None,
) -> None:
    """Convert graphs and components between v1alpha1 and v1beta1, as the operator's conversion webhook does.

    Other kinds pass through unchanged. What the other version cannot say is listed on stderr, with its line.
    Documents of Dynamo 0.1 to 0.3 become the graphs that you would write today.
    """
    from dynamoc.convert.command import convert_paths
    from dynamoc.generations.files import EarlyFiles

    if write and check:
        raise UsageError("--write and --check cannot be combined: --check changes nothing.")
    if modeline and (check or output == "json"):
        raise UsageError("--modeline writes comments: it cannot be combined with --check or -o json.")
    paths = [*(filename or ()), *(paths or ())]
    if not paths:
        raise UsageError("Give a PATH to convert.")
    use_limits(limit or [])
    findings = Findings()
    findings.inputs.follows_links = load_restrictor == "none"
    terms: dict[str, Any] = {"watch": watch, "write": write, "check": check, "lossless": lossless, "output": output}
    refusals: tuple[type[Exception], ...] = ()
    if modeline:
        from dynamoc.convert.modeline import NoModeline

        refusals = (NoModeline,)
    terms |= {"jobs": jobs_of(jobs), "modeline": modeline or None}
    try:
        early = EarlyFiles(image or [], graph_archive or [], findings, lossless=lossless)
        converted = convert_paths(paths, to, findings, exclude=exclude or (), others=early, **terms)
    except OSError as error:
        raise UsageError(f"{error.filename}: {error.strerror}.") from error
    except refusals as problem:
        raise UsageError(f"--modeline: {problem}") from None
    conclude(findings, {"paths": paths, "require_graphs": require_graphs, "jobs": jobs})
    report(findings, {"color": color, "findings": findings_format})
    if findings.errors:
        differs = all(item.severity != ERROR or item.slug == "convert/other-version" for item in findings.items)
        raise typer.Exit(IMPOSSIBLE if check and not differs else ERRORS)
    if converted.text:
        write_stdout(converted.text)
    raise typer.Exit(DONE)
