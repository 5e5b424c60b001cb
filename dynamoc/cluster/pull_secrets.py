"""The operator's index of docker-registry Secrets: namespace and registry host to names of Secrets.

Source: internal/secrets/docker.go, internal/common/url.go GetHost.
"""

from __future__ import annotations

from dynamoc.cluster.go_url import registry_host
from dynamoc.kube.json_data import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.release.registry import Release

    Tree = dict[str, Any]
    Index = dict[tuple[str, str], list[str]]
    Broken = list[tuple[str, str]]

TYPE = "kubernetes.io/dockerconfigjson"
_KEY = ".dockerconfigjson"


def index_all_or_nothing(secrets: list[Tree]) -> tuple[Index, Broken]:
    """Up to 1.1: one Secret that cannot be read leaves the whole index empty. A Secret counts once a matching entry."""
    index: Index = {}
    broken: Broken = []
    for secret in secrets:
        try:
            hosts = registry_hosts(secret)
        except ValueError as error:
            broken.append((_label(secret), str(error)))
            continue
        for host in hosts:
            _names(index, secret, host).append(secret["metadata"]["name"])
    return ({} if broken else index), broken


def index_each(secrets: list[Tree]) -> tuple[Index, Broken]:
    """Since 1.3: what cannot be read is skipped, and a Secret counts once."""
    index: Index = {}
    broken: Broken = []
    for secret in secrets:
        try:
            addresses = registry_addresses(secret)
        except ValueError as error:
            broken.append((_label(secret), str(error)))
            continue
        for address in addresses:
            host = registry_host(address)
            if host is None:
                broken.append((_label(secret), f"`{address}` has no registry host"))
                continue
            names = _names(index, secret, host)
            if secret["metadata"]["name"] not in names:
                names.append(secret["metadata"]["name"])
    return index, broken


def index_all_once(secrets: list[Tree]) -> tuple[Index, Broken]:
    """1.2: one Secret that cannot be read still leaves the whole index empty, but a Secret counts once."""
    index, broken = index_each(secrets)
    return ({} if broken else index), broken


def index_of(secrets: list[Tree], release: Release) -> tuple[Index, Broken]:
    """The index as the operator of a release makes it, and Secrets that it cannot read, each with a reason."""
    found: tuple[Index, Broken] = globals()[release["images/pull-secret-index"]](secrets)
    return found


def registry_hosts(secret: Tree) -> list[str]:
    """One host for each entry of `auths`. ValueError where the operator fails on the Secret."""
    hosts = []
    for address in registry_addresses(secret):
        host = registry_host(address)
        if host is None:
            raise ValueError(f"`{address}` has no registry host")
        hosts.append(host)
    return hosts


def registry_addresses(secret: Tree) -> list[str]:
    """The keys of `auths` in the docker config, as written. ValueError where it isn't one."""
    try:
        config = loads(_docker_config(secret).decode())
    except ValueError as error:
        raise ValueError(f"its key {_KEY} is not JSON") from error
    if not isinstance(config, dict):
        raise ValueError(f"its key {_KEY} is not a JSON object")
    # Go matches names of fields without regard to case.
    auths = config.get("auths", next((value for key, value in config.items() if key.lower() == "auths"), None))
    if auths is None:
        return []
    if not isinstance(auths, dict):
        raise ValueError("its `auths` is not an object")
    return list(auths)


def _docker_config(secret: Tree) -> bytes:
    """`stringData` wins over `data`, as in the API server."""
    text = (secret.get("stringData") or {}).get(_KEY)
    if text is not None:
        return str(text).encode()
    from binascii import a2b_base64

    return a2b_base64(str((secret.get("data") or {}).get(_KEY) or ""))


def _names(index: Index, secret: Tree, host: str) -> list[str]:
    return index.setdefault((secret["metadata"]["namespace"], host), [])


def _label(secret: Tree) -> str:
    return f"{secret['metadata']['namespace']}/{secret['metadata']['name']}"
