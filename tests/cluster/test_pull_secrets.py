import json
from base64 import b64encode
from typing import Any

import pytest

from dynamoc.admission.cluster.context import ClusterContext
from dynamoc.admission.cluster.helm_values import chart_default
from tests.cluster.configuring import release


def secret(
    name: str, *registries: str, namespace: str = "default", text: str | None = None, **fields: Any
) -> dict[str, Any]:
    config = json.dumps({"auths": {registry: {} for registry in registries}}) if text is None else text
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": namespace},
        "type": "kubernetes.io/dockerconfigjson",
        "data": {".dockerconfigjson": b64encode(config.encode()).decode()},
        **fields,
    }


def found(image: str, *secrets: dict[str, Any], name: str = "1.0", restricted: str = "") -> list[str]:
    config = chart_default(name)
    config.namespace.restricted = restricted
    return ClusterContext(secrets, config, release(name)).pull_secrets("default", image)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("registry", "image", "matches"),
    [
        ("nvcr.io", "nvcr.io/nvidia/x:1", True),
        ("https://nvcr.io/v2/", "nvcr.io/nvidia/x:1", True),
        ("nvcr.io", "nvcr.io:443/nvidia/x:1", False),
        ("nvcr.io", "NVCR.io/nvidia/x:1", False),
        ("https://index.docker.io/v1/", "docker.io/library/x:1", False),
        ("https://index.docker.io/v1/", "x:latest", False),
        ("vllm", "vllm/x:1", True),
        ("nvcr.io", "${REGISTRY}/x:1", False),
        ("nvcr.io", "", False),
    ],
)
def test_the_registry_is_the_host(registry: str, image: str, matches: bool) -> None:
    assert found(image, secret("s", registry)) == (["s"] if matches else [])


def test_secrets_come_in_order_of_name() -> None:
    assert found("nvcr.io/x", secret("b", "nvcr.io"), secret("a", "nvcr.io"), secret("c", "ghcr.io")) == ["a", "b"]


def test_other_namespaces_and_types_do_not_count() -> None:
    assert found("nvcr.io/x", secret("a", "nvcr.io", namespace="other"), secret("b", "nvcr.io", type="Opaque")) == []


def test_an_operator_bound_to_a_namespace_sees_no_other() -> None:
    assert found("nvcr.io/x", secret("a", "nvcr.io"), restricted="other") == []
    assert found("nvcr.io/x", secret("a", "nvcr.io"), restricted="default") == ["a"]


def test_plain_text_wins_over_data() -> None:
    text = {"stringData": {".dockerconfigjson": '{"AUTHS": {"ghcr.io": {}}}'}}
    assert found("ghcr.io/x", secret("a", "nvcr.io", **text)) == ["a"]


@pytest.mark.parametrize("text", ["", "[]", "no json", '{"auths": []}', '{"auths": {"a b": {}}}'])
def test_one_broken_secret_spoils_them_all_until_1_4(text: str) -> None:
    secrets = (secret("good", "nvcr.io"), secret("bad", text=text, namespace="other"))
    assert found("nvcr.io/x", *secrets, name="0.6") == found("nvcr.io/x", *secrets, name="1.0") == []
    assert found("nvcr.io/x", *secrets, name="1.4") == ["good"]
    where = ClusterContext(secrets, chart_default("1.0"), release("1.0"))  # type: ignore[arg-type]
    assert [name for name, _ in where.broken_pull_secrets()] == ["other/bad"]


def test_two_entries_for_a_host_count_twice_until_1_4() -> None:
    twice = secret("a", "nvcr.io", "https://nvcr.io")
    assert found("nvcr.io/x", twice, name="1.0") == ["a", "a"]
    assert found("nvcr.io/x", twice, name="1.4") == ["a"]


def test_no_auths_is_fine() -> None:
    assert found("nvcr.io/x", secret("a", "nvcr.io"), secret("b", text="{}")) == ["a"]
