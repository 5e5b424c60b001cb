"""What decides the output beside the input documents.

What a compilation needs to know beside its input: the operator's configuration, and what the cluster holds.
"""

from __future__ import annotations

from dataclasses import dataclass

from dynamoc.admission.cluster.config import OperatorConfig
from dynamoc.admission.cluster.config_files import load_config
from dynamoc.admission.cluster.previous import Previous, Running
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


class Options:
    """What decides the output beside the input documents. Unknown releases raise KeyError in `release`."""

    __slots__ = (
        "against",
        "apis",
        "context",
        "created_by",
        "generate_secrets",
        "include_intermediate",
        "jobs",
        "keeps_variables",
        "kube_minor",
        "kube_note",
        "namespace",
        "omit_replicas",
        "only_namespace",
        "operator_config",
        "operator_version",
        "passed_namespace",
        "passthrough",
        "past_errors",
        "previous",
        "profiling_results",
        "refuse_updates",
        "refused_objects",
        "running",
        "shard",
        "stable_names",
        "standalone",
        "strict",
        "strict_context",
        "target",
        "texts",
        "through",
        "unknown_fields",
        "used_results",
        "version_note",
    )

    def __init__(
        self,
        *,
        operator_version: str = DEFAULT_RELEASE,
        target: str = "auto",
        operator_config: str | None = None,
        context: list[str] | None = None,
        namespace: str | None = None,
        only_namespace: bool = False,
        keeps_passed: bool = False,
        passthrough: bool = True,
        unknown_fields: str = "error",
        strict_context: bool = False,
        strict: bool = False,
        refused_objects: str = "error",
        kube_minor: int | None = None,
        apis: list[str] | None = None,
        include_intermediate: bool = False,
        generate_secrets: bool = False,
        standalone: bool | str = False,
        stable_names: bool = False,
        omit_replicas: bool = False,
        running: Running | None = None,
        against: list[str] | None = None,
        created_by: str | None = None,
        profiling_results: dict[str, str] | None = None,
        through: str | None = None,
        jobs: int = 1,
        keeps_variables: bool = False,
    ) -> None:
        self.operator_version = operator_version
        self.target = target
        self.operator_config = operator_config
        self.context = context or []
        #: of documents that name none; None where the command line does not say
        self.namespace = namespace
        #: the only one that documents may name; None for any
        self.only_namespace = namespace if only_namespace else None
        #: of what passes through and names none; None leaves it so
        self.passed_namespace = None if keeps_passed else namespace
        self.passthrough = passthrough
        self.unknown_fields = unknown_fields
        self.strict_context = strict_context
        self.strict = strict
        self.refused_objects = refused_objects
        #: the minor of Kubernetes that judges objects; None is the newest that is known
        self.kube_minor = kube_minor
        #: what the cluster serves, as `cluster.api_groups.parsed_apis` gives it
        self.apis = apis or []
        self.include_intermediate = include_intermediate
        self.generate_secrets = generate_secrets
        #: whether no operator runs, or which part to print then: `shared`, `graph` or `all`, which True is
        self.standalone = standalone
        self.stable_names = stable_names
        #: whether an autoscaler sets the replicas of components with a scaling adapter
        self.omit_replicas = omit_replicas
        self.running = running
        self.against = against or []
        #: version of the operator that created the graphs, where it is not the one that renders them
        self.created_by = created_by
        #: files with the profiler's answers, by the names of their requests
        self.profiling_results = profiling_results or {}
        #: names of those of them that a request used
        self.used_results: set[str] = set()
        #: what follows of an answer: `graph`, even if it is not applied, or `pods`, what that is made into; None for
        #: what the operator creates for the request
        self.through = through
        self.jobs = jobs
        #: the part of the run that is compiled; the rest of the input is there, and nothing is made of it
        self.shard: Shard | None = None
        #: whether objects that hold `${` are annotated for Flux to leave them alone
        self.keeps_variables = keeps_variables
        #: whether of objects only YAML is asked for, so that other processes may hand over `emit.printed.Printed`
        self.texts = False
        #: whether a document that is refused is compiled all the same, as far as it goes, for pictures and explanations
        self.past_errors = False
        #: how `--operator-version auto` was understood
        self.version_note: str | None = None
        #: how `--cluster kubernetes=VERSION` was understood, where that is not as written
        self.kube_note: str | None = None
        #: what `against` holds, once it was read
        self.previous: Previous | None = None
        #: whether an update that the API server refuses is an error; it is rendered all the same where it is none
        self.refuse_updates = True

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


#: what a release rests on that was checked against less than recordings of it
EXACTNESS: tuple[Slug, Slug] = ("release/recorded-early", "release/source-only")


def read_surroundings(options: Options, findings: Findings) -> tuple[OperatorConfig, list[Document]]:
    """The operator's configuration and the documents that tell what exists in the cluster.

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
