"""What decides the output beside the input documents."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field

from dynamoc.admission.cluster.config import OperatorConfig
from dynamoc.admission.cluster.config_files import load_config
from dynamoc.admission.cluster.previous import Previous, Running
from dynamoc.admission.operator import Standalone
from dynamoc.documents.findings.finding import Finding, Findings
from dynamoc.documents.source.document import Document
from dynamoc.documents.source.files import expand, read_paths
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import identity
from dynamoc.kube.text import hex_digest
from dynamoc.reference.releases import DEFAULT_RELEASE, RELEASES, Release, get_release, is_newer
from dynamoc.reference.slugs import Slug


@dataclass(frozen=True, slots=True)
class Shard:
    """One of `count` parts of a run, by its number from 1. Where an input belongs follows from its name alone."""

    number: int
    count: int

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    def has(self, *name: str) -> bool:
        return (
            int(hex_digest("\0".join(name).encode(errors="surrogateescape"))[:12], 16) % self.count == self.number - 1
        )


@dataclass(eq=False, slots=True)
class Options:
    """What decides the output beside the input documents. Unknown releases raise KeyError in `release`.

    namespace         of documents that name none; None where the command line does not say
    only_namespace    the only one that documents may name; None for any
    passed_namespace  of what passes through and names none; None leaves it so
    kube_minor        the minor of Kubernetes that judges objects; None is the newest that is known
    apis              what the cluster serves, as `cluster.api_groups.parsed_apis` gives it
    standalone        whether no operator runs, or which part to print then: `shared`, `graph` or `all`, which True is
    omit_replicas     whether an autoscaler sets the replicas of components with a scaling adapter
    created_by        version of the operator that created the graphs, where it is not the one that renders them
    profiling_results files with the profiler's answers, by the names of their requests
    through           what follows of an answer: `graph`, even if it is not applied, or `pods`, what that is made into;
                      None for what the operator creates for the request
    jobs              processes for files that are compiled each on its own
    keeps_variables   whether objects that hold `${` are annotated for Flux to leave them alone
    used_results      names of profiling results that a request used
    shard             the part of the run that is compiled; the rest of the input is there, and nothing is made of it
    past_errors       whether a document that is refused is compiled all the same, as far as it goes
    version_note      how `--operator-version auto` was understood
    kube_note         how `--cluster kubernetes=VERSION` was understood, where that is not as written
    previous          what `against` holds, once it was read
    refuse_updates    whether an update that the API server refuses is an error; otherwise it is rendered
    """

    _: KW_ONLY
    operator_version: str = DEFAULT_RELEASE
    target: str = "auto"
    operator_config: str | None = None
    context: list[str] = field(default_factory=list)
    namespace: str | None = None
    only_namespace: str | None = None
    passed_namespace: str | None = None
    passthrough: bool = True
    unknown_fields: str = "error"
    strict_context: bool = False
    strict: bool = False
    refused_objects: str = "error"
    kube_minor: int | None = None
    apis: list[str] = field(default_factory=list)
    include_intermediate: bool = False
    generate_secrets: bool = False
    standalone: bool | str = False
    stable_names: bool = False
    omit_replicas: bool = False
    running: Running | None = None
    against: list[str] = field(default_factory=list)
    created_by: str | None = None
    profiling_results: dict[str, str] = field(default_factory=dict)
    through: str | None = None
    jobs: int = 1
    keeps_variables: bool = False
    used_results: set[str] = field(default_factory=set)
    shard: Shard | None = None
    past_errors: bool = False
    version_note: str | None = None
    kube_note: str | None = None
    previous: Previous | None = None
    refuse_updates: bool = True

    def place_passed(self) -> Options:
        """Puts what passes through into the namespace that it would be applied to, for comparisons with a cluster."""
        self.passed_namespace = self.namespace or "default"
        return self

    def owns(self, value: Tree) -> bool:
        """Whether an object of the input belongs to the part of the run that is compiled."""
        return self.shard is None or self.shard.has(*identity(value, self.namespace or "default"))

    @property
    def release(self) -> Release:
        return get_release(self.operator_version)


def without_operator(options: Options) -> Standalone | None:
    """What collects the losses of a rendering that stands alone, None where the operator is there."""
    if not options.standalone:
        return None

    part = {} if options.standalone is True else {"part": options.standalone}
    return Standalone(stable_names=options.stable_names, **part)


#: what a release rests on that was checked against less than recordings of it
EXACTNESS: tuple[Slug, Slug] = ("release/recorded-early", "release/source-only")


def read_surroundings(options: Options, findings: Findings) -> tuple[OperatorConfig, list[Document]]:
    """The operator's configuration and the documents that show what exists in the cluster.

    What the inputs update is read into `options.previous`.
    """
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

    if options.against and options.previous is None:
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
    options.past_errors = True
    again = Findings()
    again.texts, again.inputs = findings.texts, findings.inputs
    return again
