"""A document of Dynamo 0.1 to 0.3 as the v1beta1 document that users write today."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from dynamoc.admission.convert import spelling
from dynamoc.admission.convert.nodes import Layout
from dynamoc.admission.convert.plain import Conversion, Plain
from dynamoc.admission.convert.rewrite import Rewritten, converted, finding, needs_conversion, refuse_foreign
from dynamoc.admission.convert.specs import V1ALPHA1, V1BETA1
from dynamoc.compiler.generations.component import Archive, Service, component, component_type, read_archive
from dynamoc.compiler.generations.images import NAME, Images, backend, role_of, roles_of
from dynamoc.compiler.generations.kinds import GRAPH, IMAGE, EarlyKind, artifact_of, check_early, early_kind
from dynamoc.documents.findings.finding import ERROR, NOTE, WARNING, Finding, Findings, Path, Refusal
from dynamoc.documents.schema.check import check
from dynamoc.documents.schema.suggestions import nearest
from dynamoc.documents.source.document import Document
from dynamoc.documents.source.reader import read_text
from dynamoc.kube.merge import Tree
from dynamoc.reference.releases import ORDER
from dynamoc.reference.slugs import Severity, Slug

Files = list[tuple[Rewritten, list[Document]]]
_LAYOUT = Layout(2, 0)
#: what a file must hold for one of its documents to be of these generations
_MARKS = (b"dynamoGraph", b"dynamoComponent", b"dynamoTag", b"DynamoComponent", b"DynamoDeployment", b"DynamoNim")

_METADATA = ("name", "generateName", "namespace", "labels", "annotations")
#: what an archive says of a service and no graph does
_CONFIG_LOST = ("http_exposed", "api_endpoints", "traffic")
_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


@dataclass(eq=False)
class EarlyDocument:
    """One graph or component on its way to v1beta1.

    archive  the description of its archive, None where it is not given
    """

    kind: EarlyKind
    document: Document
    images: Images
    archive: Archive | None
    findings: Findings
    claims: list[Tree] = field(default_factory=list, init=False)

    def converted(self) -> list[Tree]:
        """The v1beta1 document and the claims that the operator created for it; [] where something is wrong."""
        errors = self.findings.errors
        value = self._clean()
        if self.findings.errors > errors:
            return []
        alpha = self._graph(value) if self.kind.role == GRAPH else self._component(value)
        if self.findings.errors > errors:
            return []
        beta = self._in_beta(alpha)
        return [] if beta is None else [beta, *self._named_claims(value)]

    def tell(
        self, path: Path, slug: Slug, message: str, hint: str | None = None, severity: Severity | None = None
    ) -> None:
        value = self.document.value
        subject = f"{value['kind']}/{(value.get('metadata') or {}).get('name', '')}"
        item = Finding(slug, message, place=self.document.place(path, key=True), hint=hint, path=path, subject=subject)
        item.severity = severity or item.severity
        self.findings.add(item)

    def _clean(self) -> Tree:
        """The document as its operator read it. What it does not know is dropped, with a warning."""
        value, problems = check_early(self.kind, _with_mount_points(self.document.value), unknown="warning")
        for problem in problems:
            if problem.path[-1] == "mountPath" and "pvc" in problem.path:
                problem.slug = "generation/alias"
                problem.message = "`mountPath` is not a field of a claim: it is taken for `mountPoint`."
            self.tell(problem.path, problem.slug, problem.message, problem.hint, problem.severity)
        return value

    def _graph(self, value: Tree) -> Tree:
        spec = value["spec"]
        services = self._services(spec.get("services") or {})
        envs = spec.get("envs") or []
        if self.archive is not None:
            archived = {name: component_type(self.archive.config(name)) for name in services}
        else:
            archived = dict.fromkeys(services, "")
        roles = roles_of(archived)
        out: Tree = {}
        for name, given in services.items():
            config = self.archive.config(name) if self.archive is not None else {}
            service = Service(name, roles[name], given or {}, config, envs)
            service.claim = f"{value['metadata'].get('name', '')}-{name.lower()}"
            service.settings = self.kind.name == "DynamoGraphDeployment"
            out[name] = self._made(service, ("spec", "services", name))
        alpha = self._backend([item["extraPodSpec"]["mainContainer"]["image"] for item in out.values()])
        kept = [item for item in envs if item.get("name") != NAME]
        alpha |= {"envs": kept, "services": out} if kept else {"services": out}
        if self.archive is not None:
            self._tell_config(self.archive)
        self._tell_archive(value)
        return self._whole("DynamoGraphDeployment", value, alpha)

    def _services(self, given: Tree) -> Tree:
        """The services of the graph with what the document says of them: those of the archive, if it is known."""
        if self.archive is None:
            if not given:
                message = "The graph's services are in its archive only."
                hint = "give its description with `--graph-archive dynamo.yaml`"
                self.tell(("spec",), "generation/no-services", message, hint)
            return given
        known = self.archive.services
        for name in given:
            if name not in known:
                near = nearest(name, known)
                message = f"The archive has no service `{name}`: these settings have no effect."
                hint = f"did you mean `{near}`?" if near else f"it has {', '.join(known)}"
                self.tell(("spec", "services", name), "generation/unknown-service", message, hint)
        return {name: given.get(name) for name in known}

    def _tell_config(self, archive: Archive) -> None:
        for name, (index, config) in archive.services.items():
            for key in _CONFIG_LOST:
                if config.get(key):
                    path = ("services", index, "config", key)
                    message = f"`{key}` of `{name}` is dropped: the operator's configuration decides about ingresses."
                    place = archive.document.place(path, key=True)
                    self.findings.add(Finding("convert/no-successor", message, severity=NOTE, place=place, path=path))

    def _component(self, value: Tree) -> Tree:
        spec = value["spec"]
        name = spec.get("serviceName") or str(spec.get("dynamoTag", "")).rpartition(":")[2] or value["metadata"]["name"]
        service = Service(name, role_of(name), spec, {}, [])
        service.claim = value["metadata"].get("name", "")
        made = self._made(service, ("spec",))
        made = {"serviceName": name, **self._backend([made["extraPodSpec"]["mainContainer"]["image"]]), **made}
        self._tell_archive(value)
        return self._whole("DynamoComponentDeployment", value, made)

    def _made(self, service: Service, path: Path) -> Tree:
        self._find_image(service, path)

        def tell(
            below: Path, slug: Slug, message: str, hint: str | None = None, severity: Severity | None = None
        ) -> None:
            self.tell((*path, *below), slug, message, hint, severity)

        found, claims = component(service, tell)
        self.claims += claims
        return found

    def _find_image(self, service: Service, path: Path) -> None:
        artifact = artifact_of(self.kind, self.document.value)
        service.image = self.images.today(service.name, artifact)
        if service.image:
            return
        built = self.images.built(artifact)
        if built is None:
            message = f"Nothing says which image `{service.name}` runs: its operator built one from the archive."
            hint = f"give it with `--image {service.name}=IMAGE`, or one for all with `--image IMAGE`"
            self.tell(path, "generation/no-image", message, hint)
            return
        service.image, service.secrets = built.image, built.secrets
        message = f"`{service.name}` gets the image that {built.document.value['kind']} names, {built.image}. It was "
        message += "built for `dynamo serve`, which nothing starts any more."
        hint = f"give an image of today with `--image {service.name}=IMAGE`"
        self.tell(path, "generation/old-image", message, hint)

    def _tell_archive(self, value: Tree) -> None:
        name = value["spec"].get(self.kind.artifact, "")
        message = f"The archive `{name}` has no successor: images say what components run."
        if self.kind.role == GRAPH and self.archive is None:
            message += " The graph has the services that the document names; the archive may have more."
            hint = "give its description with `--graph-archive dynamo.yaml`, if you have it"
            self.tell(("spec", self.kind.artifact), "convert/no-successor", message, hint)
        else:
            self.tell(("spec", self.kind.artifact), "convert/no-successor", message, severity=NOTE)
        if self.kind.role == GRAPH:
            message = "Clients reach the frontend at port 8000 of its Service today; it was port 3000."
            self.tell(("spec",), "convert/port", message)

    def _backend(self, images: list[str]) -> Tree:
        """The field that names the backend, if the images are of one."""
        found = {known[0] for known in map(backend, images) if known is not None}
        return {"backendFramework": found.pop()} if len(found) == 1 else {}

    def _whole(self, kind: str, value: Tree, spec: Tree) -> Tree:
        metadata = {key: value["metadata"][key] for key in _METADATA if key in value["metadata"]}
        if _APPLIED in (metadata.get("annotations") or {}):
            metadata["annotations"] = {key: item for key, item in metadata["annotations"].items() if key != _APPLIED}
        metadata = {key: item for key, item in metadata.items() if item}
        return {"apiVersion": V1ALPHA1, "kind": kind, "metadata": metadata, "spec": spec}

    def _in_beta(self, alpha: Tree) -> Tree | None:
        try:
            conversion = Conversion(alpha, V1BETA1)
        except Refusal as refusal:
            self.tell(refusal.path, refusal.slug, refusal.message, refusal.hint, ERROR)
            return None
        beta: Tree = conversion.build(Plain(alpha))
        for problem in check(ORDER[-1], beta["kind"], V1BETA1, beta)[1]:
            if problem.severity == ERROR:
                origins = conversion.origins(problem.path)
                message = f"The API server rejects the result: {problem.message}"
                self.tell(origins[0] if origins else (), "convert/refused", message, problem.hint)
        return beta

    def _named_claims(self, value: Tree) -> list[Tree]:
        """The claims, each once, in the namespace of the document."""
        namespace = value["metadata"].get("namespace")
        claims = {claim["metadata"]["name"]: claim for claim in self.claims}
        for claim in claims.values():
            if namespace:
                claim["metadata"]["namespace"] = namespace
        return list(claims.values())


def _with_mount_points(value: Tree) -> Tree:
    """The document with `mountPoint` where the documentation of 0.2 writes `mountPath`; both are checked as written."""
    spec = value.get("spec")
    if not isinstance(spec, dict):
        return value
    services = spec.get("services")
    if isinstance(services, dict):
        spec = {**spec, "services": {name: _mounted(item) for name, item in services.items()}}
    return {**value, "spec": _mounted(spec)}


def _mounted(component: Any) -> Any:
    claim = component.get("pvc") if isinstance(component, dict) else None
    if not isinstance(claim, dict) or "mountPath" not in claim or "mountPoint" in claim:
        return component
    return {**component, "pvc": {**claim, "mountPoint": claim["mountPath"]}}


def yaml_text(objects: list[dict[str, Any]]) -> str:
    """One document an object, keys in the order that they have."""
    return "---\n".join(map(_text, objects))


def _text(value: dict[str, Any]) -> str:
    try:
        return spelling.serialize(spelling.NodeMaker({}, value).take(()), _LAYOUT)
    except spelling.Unusual:
        from dynamoc.admission.convert import round_trip

        return round_trip.serialize(round_trip.NodeMaker({}, value).take(()), _LAYOUT)


class EarlyConversion:
    """Files with such documents, each with what becomes of it; `images` and `archives` are as in `EarlyFiles`."""

    def __init__(
        self, files: Files, images: list[str], archives: list[str], findings: Findings, *, lossless: bool
    ) -> None:
        self.images = Images(images)
        self.findings = findings
        self.lossless = lossless
        self._words = archives
        self._files = files

    def refuse(self, *, write: bool) -> None:
        """Adds an error for each such document: to `write` it in place is refused, or it is only looked for."""
        for kind, document in self._early():
            slug: Slug = "convert/other-version"
            message = f"This {kind.name} is written for {kind.releases}."
            hint = "`dynamoc convert --to v1beta1` prints the graph of today"
            if write:
                slug = "convert/early-in-place"
                hint = "convert it without --write, and save the output as a new file"
                message = f"A {kind.name} of {kind.releases} is not converted in place: much of it has no successor."
            self.findings.add(finding(document, ("kind",), slug, ERROR, message, hint))

    def refuse_version(self) -> None:
        """Adds an error for each such document: only v1beta1 can be written."""
        for kind, document in self._early():
            message = f"A {kind.name} of {kind.releases} is converted to v1beta1 only."
            self.findings.add(
                finding(document, ("kind",), "convert/early-version", ERROR, message, "write `--to v1beta1`")
            )

    def convert(self) -> None:
        """Fills in what becomes of each file."""
        archives = dict(self._archives())
        self.images.learn(document for _, document in self._early())
        for out, documents in self._files:
            for document in documents:
                out.documents += self._converted(document, archives)
            out.converted = len(documents)
            out.data = yaml_text(out.documents).encode()
        for name in self.images.unused():
            message = f"No component and no archive is called `{name}`: `--image {name}=…` has no effect."
            self.findings.add(Finding("generation/unused-image", message))

    def _early(self) -> Iterator[tuple[EarlyKind, Document]]:
        for _, documents in self._files:
            for document in documents:
                kind = early_kind(document.value)
                if kind is not None:
                    yield kind, document

    def _archives(self) -> Iterator[tuple[str, Archive]]:
        """Archives by the name of what they describe, "" for all."""
        for word in self._words:
            name, equals, file = word.partition("=")
            archive = read_archive(file if equals else word, self.findings)
            if archive is not None:
                yield name if equals else "", archive

    def _converted(self, document: Document, archives: dict[str, Archive]) -> list[Tree]:
        kind, value = early_kind(document.value), document.value
        if kind is None:
            refuse_foreign(document, self.findings)
            if not needs_conversion(value, V1BETA1):
                return [value]
            return [converted(document, V1BETA1, self.findings, lossless=self.lossless)]
        if kind.role == IMAGE:
            message = f"A {kind.name} has no successor: you build images yourself, and graphs name them."
            self.findings.add(finding(document, ("kind",), "convert/no-successor", WARNING, message, None))
            return []
        name, artifact = str((value.get("metadata") or {}).get("name", "")), artifact_of(kind, value)
        archive = archives.get(name) or archives.get(artifact) or archives.get("")
        return EarlyDocument(kind, document, self.images, archive, self.findings).converted()


@dataclass(eq=False)
class EarlyFiles:
    """The files of one run that hold such documents.

    images    words of `--image`: `NAME=IMAGE` for a component or an archive of that name, `IMAGE` for all others
    archives  words of `--graph-archive`: `NAME=FILE` for a graph or an archive of that name, `FILE` for all others
    """

    images: list[str]
    archives: list[str]
    findings: Findings
    _: KW_ONLY
    lossless: bool = False
    _files: list[tuple[Rewritten, list[Document]]] = field(default_factory=list, init=False)

    def take(self, data: bytes, file: str) -> Rewritten | None:
        """What becomes of a file with such documents, once `finish` has filled it in; None for other files."""
        text = data.replace(b"\0", b"")
        if not any(mark in text for mark in _MARKS):
            return None

        found = Findings()
        documents = read_text(data, file, found)
        if found.errors or not any(early_kind(document.value) for document in documents):
            return None
        self.findings.take(found)
        self.findings.inputs.count(document.value for document in documents)
        self._files.append((Rewritten(b""), documents))
        return self._files[-1][0]

    def finish(self, to: str, *, write: bool, check: bool) -> None:
        """Converts what was taken; only names the documents where `check` says so, and refuses to `write` in place."""
        if not self._files:
            if self.images or self.archives:
                message = "The input has no document of Dynamo 0.1 to 0.3: --image and --graph-archive have no effect."
                self.findings.add(Finding("generation/unused-option", message))
            return

        terms = (self._files, self.images, self.archives, self.findings)
        conversion = EarlyConversion(*terms, lossless=self.lossless)
        if check or write:
            conversion.refuse(write=write)
        elif to != "v1beta1":
            conversion.refuse_version()
        else:
            conversion.convert()
