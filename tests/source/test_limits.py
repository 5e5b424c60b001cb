"""Whatever a file holds, it is read or refused at once: what would take hours is refused."""

from __future__ import annotations

import tracemalloc

import pytest

from dynamoc.kube.limits import DEFAULTS, excessive_aliases
from tests.source.reading import HEAD, read, told, values

MAX_BYTES, MAX_DEPTH, MAX_NODES = (DEFAULTS[name] for name in ("file-bytes", "depth", "values"))


def slugs(data: bytes, file: str = "f.yaml") -> list[str]:
    return [slug for slug, _ in told(data, file)]


@pytest.mark.parametrize("opening", [b"[", b"{a: ", b"{", b"- ", b"? ", b'{"a":', b"[{a: ", b"- [", b"a: ["])
@pytest.mark.parametrize("file", ["f.yaml", "f.json"])
def test_thirty_thousand_levels(opening: bytes, file: str) -> None:
    (slug,) = slugs(opening * 30_000, file)
    assert slug in ("read/too-deep", "read/json", "read/unclosed-bracket", "read/no-value", "read/key")


def test_indented_levels() -> None:
    text = "".join(f"{' ' * level}a:\n" for level in range(MAX_DEPTH + 1))
    assert told(text) == [("read/too-deep", f"{MAX_DEPTH + 1}:{MAX_DEPTH + 1}")]


def test_the_depth_that_is_allowed() -> None:
    nested = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert len(values(nested)) == 1
    assert len(values(nested, "f.json")) == 1
    assert told(f"[{nested}]") == [("read/too-deep", f"1:{MAX_DEPTH + 1}")]


@pytest.mark.parametrize("byte", [b"\0", b" ", b"\n", b"#", b"a", b"[", b"\xff"])
def test_a_hundred_megabytes_of_nothing(byte: bytes) -> None:
    data = byte * 100_000_000
    tracemalloc.start()
    found = slugs(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == ["read/too-large"]
    assert peak < 1_000_000


@pytest.mark.parametrize("piece", [b" ", b"\n", b"# c\n", b"\r", "\u2028".encode()])
def test_as_much_nothing_as_a_file_may_hold(piece: bytes) -> None:
    assert slugs(piece * (MAX_BYTES // len(piece))) == []


@pytest.mark.slow
@pytest.mark.parametrize("piece", [b"- \n", b"- !a b\n", b"- &a b\n"])
def test_too_many_values(piece: bytes) -> None:
    assert slugs(piece * (MAX_NODES + 1))[-1] == "read/too-large"


@pytest.mark.slow
def test_too_many_values_in_json() -> None:
    assert slugs(b'{"a":[' + b"1," * MAX_NODES + b"1]}") == ["read/too-large"]


def laughs(levels: int) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]" for level in range(1, levels)]
    return "\n".join(lines)


def test_a_billion_laughs() -> None:
    assert told(HEAD + laughs(9)) == [("read/aliases", "6:25")]


def test_some_laughter() -> None:
    assert read(HEAD + laughs(3))[1] == []


def test_aliases_within_the_share_but_beyond_the_limit() -> None:
    text = HEAD + "a: &a [" + "x," * 9_900 + "]\nb:\n" + "- *a\n" * 99 + "c: [" + "y," * 100_000 + "]\n"
    assert slugs(text.encode()) == ["read/aliases"]


def test_the_share_of_aliases() -> None:
    """The edges of Go's rule: go.yaml.in/yaml/v2 decode.go."""
    assert not excessive_aliases(100, 100_000)
    assert not excessive_aliases(999, 1000)
    assert excessive_aliases(1000, 1001)
    assert not excessive_aliases(990, 1001)
    assert not excessive_aliases(396_000, 400_000)
    assert excessive_aliases(396_001, 400_000)
    assert excessive_aliases(850_000, MAX_NODES)
    assert not excessive_aliases(840_000, MAX_NODES)


def test_huge_numbers_are_texts_or_floats() -> None:
    (value,) = values("[" + "9" * 1_000_000 + ", 0x" + "f" * 1_000_000 + ", 1e-" + "9" * 300 + "]")
    assert [type(item) for item in value] == [str, str, int]
