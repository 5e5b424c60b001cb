"""What a compilation needs to know beside its input: the operator's configuration, and what the cluster holds."""

from __future__ import annotations

from dynamoc.diagnostics.finding import Finding
from dynamoc.release import RELEASES
from dynamoc.release.known_releases import is_newer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.cluster.config import OperatorConfig
    from dynamoc.diagnostics.catalog.slugs import Slug
    from dynamoc.diagnostics.finding import Findings
    from dynamoc.options import Options
    from dynamoc.release import Release
    from dynamoc.source.document import Document

#: what a release rests on that was checked against less than recordings of it
EXACTNESS: tuple[Slug, Slug] = ("release/recorded-early", "release/source-only")


def read_surroundings(options: Options, findings: Findings) -> tuple[OperatorConfig, list[Document]]:
    """The operator's configuration and the documents that tell what exists in the cluster.

    What the inputs update is read into `options.previous`.
    """
    from dynamoc.cluster.config_files import load_config

    release = options.release
    if release.exactness != "recorded":
        findings.add(_exactness(release))
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


def _exactness(release: Release) -> Finding:
    """What a release rests on that was not checked against recordings. Who chose one newer than `latest` sees it."""
    slug = EXACTNESS[0]
    against = "the output of a commit before the release, and against the source after that commit"
    if release.exactness == "source":
        slug, against = EXACTNESS[1], "its source only"
        if release.compared_graphs:
            against = f"its source, and its code on {release.compared_graphs} random graphs, only"
        against += ", not against the output of a running operator"
    message = f"Release {release.name} of the operator was checked against {against}."
    finding = Finding(slug, message, hint="docs/releases.md explains what that means.")
    finding.aside = not is_newer(release.name)
    return finding


def past_errors(findings: Findings, options: Options) -> Findings:
    """Findings for a second compilation, which goes past the errors of the first one as far as it can.

    Its own are of no use: an error may lead to many others.
    """
    from dynamoc.diagnostics.finding import Findings

    options.past_errors = True
    again = Findings()
    again.texts, again.inputs = findings.texts, findings.inputs
    return again
