"""Images, what they are pinned to, and whether they fit together; when Grove ends a gang, all pods of a graph."""

from __future__ import annotations

from collections.abc import Iterator

from dynamoc.admission.cluster.operator_configuration import registry_host
from dynamoc.admission.cluster.secrets import TYPE, registry_addresses
from dynamoc.analysis.check.engines import loading_time, size_of
from dynamoc.analysis.check.rendering import Rendering, Workload, dynamo_minor, image_parts, rule
from dynamoc.compiler.faults import Fault
from dynamoc.documents.findings.edits import Change
from dynamoc.documents.findings.finding import Path
from dynamoc.documents.schema.problem import ALPHANUMERIC, Problem
from dynamoc.kube.go import print_duration, try_duration
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import entries, identity, mapping, text, texts, whole
from dynamoc.reference.slugs import Slug

#: the runtime images of a release of Dynamo, by the end of their names
_RUNTIMES = ("vllm-runtime", "sglang-runtime", "tensorrtllm-runtime", "dynamo-frontend")


@rule("check/floating-image")
def floating(rendering: Rendering) -> Iterator[Fault]:
    """Images whose content can change: without a tag, or `latest`."""
    for workload in rendering.workloads:
        for path, container in workload.containers():
            image = text(container.get("image"))
            _, tag, digest = image_parts(image)
            if not image or digest or tag not in ("", "latest") or "$" in image:
                continue
            what = f"has the tag `{tag}`" if tag else "has no tag, which means `latest`"
            message = f"The image `{image}` {what}: pods of the same graph can run different versions."
            yield workload.fault("check/floating-image", (*path, "image"), message, "name a version, or a digest")


_SIGNS = "._-"


@rule("check/image-name")
def image_names(rendering: Rendering) -> Iterator[Fault]:
    """References that the kubelet cannot read: InvalidImageName."""
    for workload in rendering.workloads:
        for path, container in workload.containers():
            image = text(container.get("image"))
            found = None if not image or any(each in image for each in "${<") else _unreadable(image)
            if found is not None:
                said, right = found
                message = f"The image `{image}` {said}: the pod stays in InvalidImageName."
                change = Change("write", right, image) if right else None
                hint = right and f"write `{right}`"
                yield workload.fault("check/image-name", (*path, "image"), message, hint, change=change)


def _unreadable(image: str) -> tuple[str, str | None] | None:
    """What is wrong with a reference, and the right one where there is one (distribution/reference, its grammar)."""
    scheme, slashes, rest = image.partition("://")
    if slashes:
        return f"begins with `{scheme}://`, which is for web pages", rest
    if image.split() != [image]:
        return "has a space in it", "".join(image.split())
    name, tag, _ = image_parts(image)
    first, slash, rest = name.partition("/")
    has_host = bool(slash) and ("." in first or ":" in first or first == "localhost")
    repository = rest if has_host else name
    if not _is_name(repository.lower()):
        return f"has the name `{repository}`, which no registry allows", None
    if repository != repository.lower():
        host = first + slash if has_host else ""
        return "has capital letters in its name", f"{host}{repository.lower()}{image[len(name) :]}"
    if image[len(name) :].startswith(":") and not (tag and _is_word(tag) and tag[0] not in ".-"):
        return f"has the tag `{tag}`, which no registry allows", None
    return None


def _is_name(repository: str) -> bool:
    """Whether all parts of a name begin and end with a letter or a digit, and have nothing else but signs."""
    parts = repository.split("/")
    return all(part and _is_word(part) and part[0] not in _SIGNS and part[-1] not in _SIGNS for part in parts)


def _is_word(part: str) -> bool:
    return not part.strip(ALPHANUMERIC + _SIGNS)


@rule("check/runtime-versions")
def several_versions(rendering: Rendering) -> Iterator[Fault]:
    """Runtime images of several versions in one graph: frontend and workers speak one protocol."""
    first: dict[str, str] = {}
    for workload in rendering.workloads:
        path, container = workload.main
        repository, tag, _ = image_parts(text(container.get("image")))
        version = dynamo_minor(tag)
        if not repository.endswith(_RUNTIMES) or version is None:
            continue
        known = next(iter(first), version)
        first.setdefault(version, workload.component)
        if version != known:
            message = (
                f"{workload.component} runs Dynamo {version}, but {first[known]} runs {known}: the parts of a graph "
                "must be of the same version."
            )
            yield workload.fault(
                "check/runtime-versions", (*path, "image"), message, f"use {known} in both, or {version}"
            )


#: the first runtime that can find others through Kubernetes (lib/runtime/src/discovery/kube.rs)
_FIRST_WITHOUT_ETCD = (0, 7)
#: the first whose requests travel over TCP unless something else is asked for (lib/runtime/src/distributed.rs,
#: 18b64e90b)
_FIRST_WITHOUT_NATS = (0, 8)
#: those whose KV events travel over NATS unless something else is asked for, the last one excluded
#: (components/src/dynamo/common/utils/runtime.py, frontend/main.py, vllm/args.py create_kv_events_config of e930526b1)
_EVENTS_OVER_NATS = ((1, 0), (1, 1))


@rule("check/old-runtime", "check/no-etcd", "check/no-nats")
def missing_services(rendering: Rendering) -> Iterator[Fault]:
    """Images that look for etcd or NATS, where the operator sets no address of it: they try localhost, and exit."""
    for workload in rendering.workloads:
        path, container = workload.main
        repository, tag, _ = image_parts(text(container.get("image")))
        minor = dynamo_minor(tag)
        if not repository.endswith(_RUNTIMES) or minor is None or not _runs_dynamo(container):
            continue
        version = tuple(map(int, minor.split(".")))
        slug, finds, hint = _missing_etcd(workload, version) or _missing_nats(workload, version) or ("", "", "")
        if slug:
            variable = "NATS_SERVER" if slug == "check/no-nats" else "ETCD_ENDPOINTS"
            message = (
                f"{workload.component} runs Dynamo {minor}, which {finds}, but operator {rendering.release.name} does "
                f"not set {variable} with this configuration: the process does not connect, and serves nothing."
            )
            yield workload.fault(slug, (*path, "image"), message, hint)


def _runs_dynamo(container: Tree) -> bool:
    """Whether a container starts a program of Dynamo, and no ConfigMap or Secret may hold the addresses."""
    words = " ".join((*texts(container.get("command")), *texts(container.get("args"))))
    sources = [
        (kind, text(mapping(item, kind).get("name"))) for _, item in entries(container, "envFrom") for kind in item
    ]
    is_open = any(kind == "configMapRef" or "nats" in name or "etcd" in name for kind, name in sources)
    return "dynamo." in words and not is_open


def _missing_etcd(workload: Workload, version: tuple[int, ...]) -> tuple[Slug, str, str] | None:
    if workload.variable("ETCD_ENDPOINTS") or _setting(workload, "DYN_STORE_KV", "--store-kv"):
        return None
    if version < _FIRST_WITHOUT_ETCD:
        hint = "use an image of 0.7 or later; or set `infrastructure.etcdAddress` in the operator's configuration"
        return "check/old-runtime", "finds other components through etcd only", f"{hint}, and {_ANNOTATE}"
    if _setting(workload, "DYN_DISCOVERY_BACKEND", "--discovery-backend") in ("", "etcd"):
        hint = "set `infrastructure.etcdAddress` in the operator's configuration, or use the backend `kubernetes`"
        return "check/no-etcd", "finds other components through etcd here", hint
    return None


_ANNOTATE = "annotate the graph with `nvidia.com/dynamo-discovery-backend: etcd`"
_NATS_ADDRESS = "or set `infrastructure.natsAddress` in the operator's configuration"


def _missing_nats(workload: Workload, version: tuple[int, ...]) -> tuple[Slug, str, str] | None:
    if workload.variable("NATS_SERVER"):
        return None
    requests = _setting(workload, "DYN_REQUEST_PLANE", "--request-plane")
    if requests == "nats" or (not requests and version < _FIRST_WITHOUT_NATS):
        hint = "use an image of 0.8 or later" if version < _FIRST_WITHOUT_NATS else "use the request plane `tcp`"
        return "check/no-nats", "sends requests through NATS", f"{hint}, {_NATS_ADDRESS}"
    first, end = _EVENTS_OVER_NATS
    events = _setting(workload, "DYN_EVENT_PLANE", "--event-plane")
    if first <= version < end and events in ("", "nats") and _has_events(workload):
        hint = f"set DYN_EVENT_PLANE to `zmq` in all components, use images of 1.2 or later, {_NATS_ADDRESS}"
        return "check/no-nats", "sends KV events through NATS", hint
    return None


def _setting(workload: Workload, variable: str, flag: str) -> str:
    """The value of a flag, else of its variable; "" where neither is there."""
    found = workload.arguments.value(flag)
    pair = workload.variable(variable)
    return found or (text(pair[1].get("value")) if pair else "")


def _has_events(workload: Workload) -> bool:
    """Whether an image of 1.0 sends or reads KV events."""
    arguments = workload.arguments
    if arguments.engine == "vllm":
        given = arguments.value("--kv-events-config")
        is_off = arguments.has("--no-enable-prefix-caching") or (given is not None and "true" not in given.lower())
        return workload.role != "decode" and not is_off and not arguments.is_open
    if arguments.engine == "sglang":
        return "zmq" in (arguments.value("--kv-events-config") or "")
    if arguments.engine == "trtllm":
        return arguments.has("--publish-events-and-metrics")
    is_off = arguments.has("--no-router-kv-events", "--no-kv-events")
    switch = _setting(workload, "DYN_ROUTER_USE_KV_EVENTS", "")
    return _setting(workload, "DYN_ROUTER_MODE", "--router-mode") == "kv" and not is_off and switch.lower() != "false"


@rule("check/unused-pull-secret")
def unused_pull_secrets(rendering: Rendering) -> Iterator[Fault]:
    """Pull secrets for registries that no image of the pod is from."""
    secrets = {identity(value, "default")[2:]: value for value in rendering.others.get("Secret", ())}
    for workload in rendering.workloads if secrets else ():
        images = [text(container.get("image")) for _, container in workload.containers()]
        namespace = text(mapping(workload.item, "metadata").get("namespace")) or "default"
        for path, reference in entries(workload.template.spec, "imagePullSecrets", workload.template.path):
            name = text(reference.get("name"))
            hosts = _hosts(secrets.get((namespace, name)))
            used = {registry_host(image) for image in images}
            if hosts and not hosts & used:
                message = (
                    f"The pull secret `{name}` is for {', '.join(sorted(hosts))}, and no image of "
                    f"{workload.component} is from there."
                )
                hint = "name the secret of the registry that the images are from"
                yield workload.fault("check/unused-pull-secret", (*path, "name"), message, hint)


def _hosts(secret: Tree | None) -> set[str]:
    """The registries of a pull secret; none where its content is not known."""
    if secret is None or secret.get("type") != TYPE:
        return set()
    try:
        return {host for address in registry_addresses(secret) if (host := registry_host(address))}
    except (ValueError, KeyError):
        return set()


_SET = "PodCliqueSet"
_SECOND = 1_000_000_000
#: where a set names none (Grove, api/core/v1alpha1 PodCliqueSetTemplateSpec.terminationDelay)
_DEFAULT_DELAY = 4 * 3600 * _SECOND


def _delay(item: Tree) -> int:
    """Nanoseconds that a gang may be without pods that it needs."""
    found = try_duration(text(mapping(item, "spec", "template").get("terminationDelay")))
    return _DEFAULT_DELAY if found is None else found


@rule("check/gang-ends-loading")
def gang_ends_loading(rendering: Rendering) -> Iterator[Fault]:
    """A container without a startup probe counts as started, and as not ready while it loads its model.

    Source: Grove, operator/internal/controller/podclique computeMinAvailableBreachedCondition, and
    internal/utils/kubernetes HasAnyStartedButNotReadyContainer.
    """
    for component, leader in rendering.leaders():
        path, container = leader.main
        size = size_of(component, rendering)
        if leader.item["kind"] != _SET or leader.arguments.engine is None or size is None:
            continue
        if mapping(container, "startupProbe") or not mapping(container, "readinessProbe"):
            continue
        needed, delay = loading_time(size, leader.arguments), _delay(leader.item)
        if needed * _SECOND > delay:
            message = (
                f"{component.name} has no startup probe, so Grove counts it as missing while it loads. The weights of "
                f"a model of {size:g}B parameters take about {needed} s to read at 1 GB/s, and Grove ends the gang "
                f"after {print_duration(delay)}."
            )
            hint = "add a `startupProbe` that waits long enough"
            yield leader.fault("check/gang-ends-loading", (*path, "readinessProbe"), message, hint)


def _parts(item: Tree) -> Iterator[tuple[Path, str, Tree, bool]]:
    """Path, name and content of what counts its own minimum: scaling groups, and cliques in none; and which it is."""
    outline = mapping(item, "spec", "template")
    path: Path = ("spec", "template")
    grouped = {
        name for _, group in entries(outline, "podCliqueScalingGroups") for name in texts(group.get("cliqueNames"))
    }
    for at, group in entries(outline, "podCliqueScalingGroups", path):
        yield at, text(group.get("name")), group, True
    for at, clique in entries(outline, "cliques", path):
        if text(clique.get("name")) not in grouped:
            yield (*at, "spec"), text(clique.get("name")), mapping(clique, "spec"), False


@rule("check/gang-without-spare")
def gang_without_spare(rendering: Rendering) -> Iterator[Fault]:
    """Source: Grove's API, `minAvailable` of cliques and scaling groups: below it, the whole gang ends."""
    for index, item in enumerate(rendering.objects):
        if item["kind"] != _SET:
            continue
        for path, name, part, _ in _parts(item):
            replicas, least = whole(part.get("replicas")), whole(part.get("minAvailable"))
            if least > 1 and least == replicas:
                message = (
                    f"`{name}` needs all of its {replicas} replicas: if one is missing for "
                    f"{print_duration(_delay(item))}, Grove ends all pods of the graph."
                )
                problem = Problem(
                    "check/gang-without-spare",
                    (*path, "minAvailable"),
                    message,
                    "lower `minAvailable`, or add replicas",
                )
                yield Fault(index, item, problem)


@rule("check/partial-gang")
def partial_gangs(rendering: Rendering) -> Iterator[Fault]:
    """Nodes of one engine that are not scheduled together."""
    for index, item in enumerate(rendering.objects):
        if item["kind"] != _SET:
            continue
        outline = mapping(item, "spec", "template")
        grouped = {
            name for _, group in entries(outline, "podCliqueScalingGroups") for name in texts(group.get("cliqueNames"))
        }
        for path, clique in entries(outline, "cliques", ("spec", "template")):
            own, name = mapping(clique, "spec"), text(clique.get("name"))
            replicas, least = whole(own.get("replicas")), whole(own.get("minAvailable"))
            # Replicas of other cliques are spares of a node, not further nodes.
            if name in grouped and name.endswith("-wkr") and least < replicas:
                message = (
                    f"`{name}` has {replicas} nodes of one engine, and Grove starts the gang when {least} of them "
                    "can run: the others may wait while these hold their GPUs."
                )
                hint = "use an operator that asks for all nodes (1.1 and later)"
                problem = Problem("check/partial-gang", (*path, "spec", "minAvailable"), message, hint)
                yield Fault(index, item, problem)
