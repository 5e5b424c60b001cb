"""Pull secrets, found by the registry of an image."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.rules.draft import Pod

#: registries, and owners in them, whose images take no login
_PUBLIC = (
    "docker.io",
    "gcr.io",
    "ghcr.io",
    "index.docker.io",
    "mcr.microsoft.com",
    "nvcr.io/nvidia",
    "public.ecr.aws",
    "quay.io",
    "registry.k8s.io",
)


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
        _tell_unknown(pod, image)
        return
    secrets = pod.spec.setdefault("imagePullSecrets", [])
    if pod.release.has("images/each-pull-secret-once"):
        known = {secret.get("name") for secret in secrets}
        # A Secret that writes one registry in two ways (`nvcr.io`, `https://nvcr.io/v1`) is found twice.
        names = [name for name in dict.fromkeys(names) if name not in known]
    secrets.extend({"name": name} for name in names)


def _tell_unknown(pod: Pod, image: str) -> None:
    """Warns where a registry likely asks for a login, and nobody showed a Secret or named one for the pod."""
    registry = private_registry(image)
    named = pod.spec.get("imagePullSecrets") or (pod.component.pod_spec or {}).get("imagePullSecrets")
    if registry is None or named or not pod.operator.cluster.lacks_secrets:
        return
    is_main = image == (pod.component.main or {}).get("image")
    path = (*pod.component.main_path, "image") if is_main else pod.component.path
    message = f"No Secret is in the input or --context: if the cluster has one for the registry `{registry}`, the "
    message += "operator adds it to imagePullSecrets, and the output does not have it."
    hint = "add the Secret to --context, or name it in imagePullSecrets of the pod"
    pod.operator.warn("context/unknown-pull-secret", message, path, hint)


def private_registry(image: str) -> str | None:
    """The registry of an image, where it likely asks for a login; None for registries that everybody may read."""
    host, slash, rest = image.partition("/")
    if not slash or not ("." in host or ":" in host or host == "localhost"):
        return None
    if host in _PUBLIC or f"{host}/{rest.partition('/')[0]}" in _PUBLIC:
        return None
    return host
