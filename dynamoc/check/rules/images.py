"""Images: what they are pinned to, and whether they fit together."""

from __future__ import annotations

from dynamoc.check.made import image_parts
from dynamoc.check.registry import rule
from dynamoc.kube.lenient import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynamoc.check.made import Made
    from dynamoc.stages.faults import Fault

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
        version = _version(tag)
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


def _version(tag: str) -> str | None:
    """`1.4` of `1.4.0`, `v1.4.0-cuda13`."""
    parts = tag.removeprefix("v").split("-")[0].split(".")
    return ".".join(parts[:2]) if len(parts) >= 2 and all(part.isdigit() for part in parts[:2]) else None
