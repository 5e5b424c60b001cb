"""Pull secrets, found by the registry of an image."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.rules.draft import Pod


def add_pull_secrets(pod: Pod, image: str) -> None:
    """Appends the docker-registry Secrets of the namespace that know the image's registry, since 1.0 each once.

    The annotation `nvidia.com/disable-image-pull-secret-discovery: "true"` on the component turns it off since 0.6.
    Source: internal/secrets/docker.go, controller_common/resource.go AppendUniqueImagePullSecrets.
    """
    switch = pod.component.steering.get("nvidia.com/disable-image-pull-secret-discovery")
    if not image or (switch == "true" and pod.release.has("images/discovery-switch")):
        return
    names = pod.operator.cluster.pull_secrets(pod.namespace, image)
    if not names:
        return
    secrets = pod.spec.setdefault("imagePullSecrets", [])
    if pod.release.has("images/each-pull-secret-once"):
        known = {secret.get("name") for secret in secrets}
        # A Secret that writes one registry in two ways (`nvcr.io`, `https://nvcr.io/v1`) is found twice.
        names = [name for name in dict.fromkeys(names) if name not in known]
    secrets.extend({"name": name} for name in names)
