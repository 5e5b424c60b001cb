"""What a compilation needs to know beside its input: the operator's configuration, and what the cluster holds."""

from __future__ import annotations

from dynamoc.diagnostics.finding import Finding
from dynamoc.release import RELEASES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.cluster.config import OperatorConfig
    from dynamoc.diagnostics.finding import Findings
    from dynamoc.options import Options
    from dynamoc.source.document import Document


def read_surroundings(options: Options, findings: Findings) -> tuple[OperatorConfig, list[Document]]:
    """The operator's configuration and the documents that tell what exists in the cluster.

    What the inputs update is read into `options.previous`.
    """
    from dynamoc.cluster.config_files import load_config

    release = options.release
    if release.exactness == "source":
        against = "its source only"
        if release.compared_graphs:
            against = f"its source, and its code on {release.compared_graphs} random graphs, only"
        findings.add(
            Finding(
                "release/source-only",
                f"Release {release.name} of the operator was checked against {against}, not against the output "
                "of a running operator.",
                hint="docs/releases.md explains what that means.",
            )
        )
    if release.exactness == "recorded early":
        message = (
            f"Release {release.name} of the operator was checked against the output of a commit before the release, "
        )
        message += "and against the source after that commit."
        hint = "docs/releases.md explains what that means."
        findings.add(Finding("release/recorded-early", message, hint=hint))
    if release.version != RELEASES[release.name].version:
        message = f"It is unknown what the patch {release.version} changes: it is rendered as {release.name}.0, "
        message += "with its own version wherever the operator writes one."
        findings.add(Finding("release/patch", message, hint="See docs/releases.md."))
    if options.version_note is not None:
        findings.add(Finding("release/auto", options.version_note))
    if options.kube_note is not None:
        findings.add(Finding("config/kube-version", options.kube_note))
    config = load_config(options.operator_config, release, findings)
    if not options.context and not options.against:
        return config, []
    from dynamoc.source.files import expand, read_paths

    if options.against and options.previous is None:
        from dynamoc.cluster.previous import Previous

        errors = findings.errors
        existing = read_paths(expand(options.against, findings), findings)
        options.previous = Previous(existing, options.namespace, findings, complete=findings.errors == errors)
    return config, read_paths(expand(options.context, findings), findings)


def past_errors(findings: Findings, options: Options) -> Findings:
    """Findings for a second compilation, which goes past the errors of the first one as far as it can.

    Its own are of no use: an error may lead to many others.
    """
    from dynamoc.diagnostics.finding import Findings

    options.past_errors = True
    again = Findings()
    again.texts, again.inputs = findings.texts, findings.inputs
    return again
