import pytest

from dynamoc.admission.cluster.operator_configuration import parse_host, registry_host


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.0.0", "nvcr.io"),
        ("nvcr.io/nvidia/x@sha256:abc", "nvcr.io"),
        ("localhost:5000/x", "localhost:5000"),
        ("https://index.docker.io/v1/", "index.docker.io"),
        ("https://user:secret@registry.example.com:443/v2", "registry.example.com:443"),
        ("vllm/x:1", "vllm"),
        ("x:1", "x:1"),
        ("HOST.io/x", "HOST.io"),
        ("[::1]:80/x", "[::1]:80"),
        ("x:latest", None),
        ("repo@sha256:abc", None),
        ("${IMAGE}", None),
        ("a b/c", None),
        ("registry/x%zz", None),
        ("/x", None),
        ("", None),
    ],
)
def test_registry_host(address: str, host: str | None) -> None:
    assert registry_host(address) == host


@pytest.mark.parametrize(
    "url", ["10.0.0.1:8001", ":x", "%zz", "http://[::1", "http://a:b", "http://b c/x", "x\n", "http://a/%0"]
)
def test_go_refuses(url: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse_host(url)


@pytest.mark.parametrize(
    "url", ["", "model-express:8001", "http://m:8001", "a/b:c", "http://a:/", "http://%E4.example"]
)
def test_go_takes(url: str) -> None:
    parse_host(url)
