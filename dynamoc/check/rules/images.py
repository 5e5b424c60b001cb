"""Images: what they are pinned to, and whether they fit together."""

from __future__ import annotations

from dynamoc.check.made import dynamo_minor, image_parts
from dynamoc.check.registry import rule
from dynamoc.cluster.go_url import registry_host
from dynamoc.cluster.pull_secrets import TYPE, registry_addresses
from dynamoc.kube.identity import identity
from dynamoc.kube.lenient import entries, mapping, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dynamoc.check.made import Made
    from dynamoc.stages.faults import Fault

    Tree = dict[str, Any]

#: the runtime images of a release of Dynamo, by the end of their names
_RUNTIMES = ("vllm-runtime", "sglang-runtime", "tensorrtllm-runtime", "dynamo-frontend")


@rule("check/floating-image")
def floating(made: Made) -> Iterator[Fault]:
    """Images whose content can change: without a tag, or `latest`."""
    for workload in made.workloads:
        for path, container in workload.containers():
            image = text(container.get("image"))
            _, tag, digest = image_parts(image)
            if not image or digest or tag not in ("", "latest") or "$" in image:
                continue
            what = f"has the tag `{tag}`" if tag else "has no tag, which means `latest`"
            message = f"The image `{image}` {what}: pods of the same graph can run different versions."
            yield workload.fault("check/floating-image", (*path, "image"), message, "name a version, or a digest")


@rule("check/runtime-versions")
def several_versions(made: Made) -> Iterator[Fault]:
    """Runtime images of several versions in one graph: frontend and workers speak one protocol."""
    first: dict[str, str] = {}
    for workload in made.workloads:
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


@rule("check/old-runtime")
def old_runtimes(made: Made) -> Iterator[Fault]:
    """Images that do not know how the operator lets them find each other."""
    for workload in made.workloads:
        path, container = workload.main
        repository, tag, _ = image_parts(text(container.get("image")))
        version, backend = dynamo_minor(tag), workload.variable("DYN_DISCOVERY_BACKEND")
        if not repository.endswith(_RUNTIMES) or version is None or workload.variable("ETCD_ENDPOINTS"):
            continue
        is_old = tuple(map(int, version.split("."))) < _FIRST_WITHOUT_ETCD
        if is_old and backend and backend[1].get("value") == "kubernetes":
            message = (
                f"{workload.component} runs Dynamo {version}, which registers in etcd only; operator "
                f"{made.release.name} gives it no address of one."
            )
            hint = (
                "use an image of 0.7 or later, or annotate the graph with `nvidia.com/dynamo-discovery-backend: etcd`"
            )
            yield workload.fault("check/old-runtime", (*path, "image"), message, hint)


@rule("check/unused-pull-secret")
def unused_pull_secrets(made: Made) -> Iterator[Fault]:
    """Pull secrets for registries that no image of the pod is from."""
    secrets = {identity(value, "default")[2:]: value for value in made.others if value.get("kind") == "Secret"}
    for workload in made.workloads if secrets else ():
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
