"""Versions of the Dynamo runtime in images."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamoc.kube.names import image_version, runtime_version


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("nvcr.io/nvidia/vllm-runtime:1.4.0", (1, 4, 0)),
        ("host:5000/image:v10.20.30-rc.1+build.7", (10, 20, 30)),
        (" image:V0.0.1@sha256:abc ", (0, 0, 1)),
        ("image:1.4.0-0alpha", (1, 4, 0)),
        ("image:1.4.0-0.1", (1, 4, 0)),
        ("image", None),
        ("host:5000/image", None),
        ("image@sha256:abc", None),
        ("image:latest", None),
        ("image:1.4", None),
        ("image:1.4.0.1", None),
        ("image:01.4.0", None),
        ("image:1.4.0-01", None),
        ("image:1.4.0-", None),
        ("image:1.4.0+", None),
        ("image:vv1.4.0", None),
        ("image:1.4.0_1", None),
        ("image:18446744073709551616.0.0", None),
        ("", None),
    ],
)
def test_a_tag_is_a_strict_version_with_an_optional_v(image: str, version: tuple[int, int, int] | None) -> None:
    assert image_version(image) == version


def test_an_override_wins_and_has_no_v() -> None:
    assert runtime_version("image:1.4.0", "1.5.2") == (1, 5, 2)
    assert runtime_version("image:1.4.0", "v1.5.2") is None


@given(
    st.tuples(*[st.integers(0, 2**64 - 1)] * 3), st.sampled_from(["", "v", "V"]), st.sampled_from(["", "-rc1", "+b"])
)
def test_every_version_reads_back(version: tuple[int, int, int], prefix: str, suffix: str) -> None:
    text = ".".join(map(str, version))
    assert image_version(f"registry.example.com:5000/team/image:{prefix}{text}{suffix}") == version
