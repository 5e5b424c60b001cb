from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source.files import expand, read_paths
from dynamoc.kube.limits import DEFAULTS
from tests.source.reading import HEAD


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in (
        "b.yaml",
        "a.yml",
        "sub/c.json",
        "sub/d.YAML",
        "sub/deep/e.yaml",
        "notes.md",
        ".git/x.yaml",
        ".h.yaml",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(HEAD)
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def expanded(*paths: str) -> list[str]:
    findings = Findings()
    found = expand(list(paths), findings)
    assert findings.items == []
    assert expand(found, findings) == found
    return found


ALL = ["a.yml", "b.yaml", "sub/c.json", "sub/d.YAML", "sub/deep/e.yaml"]


@pytest.mark.parametrize(
    ("paths", "files"),
    [
        (["b.yaml"], ["b.yaml"]),
        (["notes.md"], ["notes.md"]),
        ([".h.yaml", ".git"], [".h.yaml", ".git/x.yaml"]),
        (["."], [f"./{name}" for name in ALL]),
        (["sub/"], ["sub/c.json", "sub/d.YAML", "sub/deep/e.yaml"]),
        (["sub", "b.yaml"], ["sub/c.json", "sub/d.YAML", "sub/deep/e.yaml", "b.yaml"]),
        (["b.yaml", "./b.yaml", "sub/../b.yaml", "*.yaml"], ["b.yaml"]),
        (["*.yaml"], ["b.yaml"]),
        (["*"], ALL),
        (["**"], ALL),
        (["**/*.yaml"], ["b.yaml", "sub/deep/e.yaml"]),
        (["sub/**/*.yaml"], ["sub/deep/e.yaml"]),
        (["**/deep/**"], ["sub/deep/e.yaml"]),
        (["*/deep"], ["sub/deep/e.yaml"]),
        (["s?b/[cd].*"], ["sub/c.json", "sub/d.YAML"]),
        (["notes.*", "a.*"], None),
        (["-"], ["-"]),
        (["-", "a.yml", "-"], ["-", "a.yml"]),
    ],
)
def test_expand(tree: Path, paths: list[str], files: list[str] | None) -> None:
    if files is None:
        findings = Findings()
        assert expand(paths, findings) == ["a.yml"]
        assert [item.slug for item in findings.items] == ["read/no-match"]
    else:
        assert expanded(*paths) == files


def test_an_absolute_pattern(tree: Path) -> None:
    assert expanded(f"{tree}/sub/*.json") == [f"{tree}/sub/c.json"]


def test_a_name_that_looks_like_a_pattern(tree: Path) -> None:
    (tree / "[a]*.yaml").write_text(HEAD)
    assert expanded("[a]*.yaml") == ["[a]*.yaml"]


def test_links_in_circles(tree: Path) -> None:
    (tree / "sub/up").symlink_to(tree)
    (tree / "sub/deep/up").symlink_to("..")
    (tree / "z.yaml").symlink_to("b.yaml")
    assert expanded(".") == [f"./{name}" for name in ALL]
    assert expanded("**/*.json") == ["sub/c.json"]
    assert expanded("sub/**/c.*") == ["sub/c.json"]


@pytest.mark.parametrize(
    ("path", "slug", "part"),
    [
        ("nothing", "read/not-found", "nothing"),
        ("nothing/at/all.yaml", "read/not-found", "nothing/at/all.yaml"),
        ("", "read/not-found", "''"),
        ("empty", "read/no-files", "*.json"),
        ("*.txt", "read/no-match", "*.txt"),
        ("nothing/*.yaml", "read/no-match", "nothing/*.yaml"),
    ],
)
def test_what_gives_nothing_is_an_error_and_hides_nothing(tree: Path, path: str, slug: str, part: str) -> None:
    findings = Findings()
    assert expand([path, "b.yaml"], findings) == ["b.yaml"]
    assert [item.slug for item in findings.items] == [slug]
    assert findings.errors == 1
    assert part in findings.items[0].message


def test_a_forgotten_extension(tree: Path) -> None:
    findings = Findings()
    expand(["sub/c"], findings)
    assert findings.items[0].hint == "Write sub/c.json."


def test_one_unreadable_file_hides_no_other(tree: Path) -> None:
    (tree / "bad.yaml").write_text("a: [\n")
    (tree / "dangling.yaml").symlink_to("nothing")
    findings = Findings()
    documents = read_paths(expand(["bad.yaml", "dangling.yaml", "sub", "b.yaml"], findings), findings)
    assert [item.slug for item in findings.items] == ["read/unclosed-bracket", "read/unreadable"]
    assert [item.file for item in documents] == ["sub/c.json", "sub/d.YAML", "sub/deep/e.yaml", "b.yaml"]


def test_a_directory_that_cannot_be_listed(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listing = os.listdir

    def refuse(path: str) -> list[str]:
        if path.endswith("deep"):
            raise PermissionError(13, "Permission denied", path)
        return listing(path)

    monkeypatch.setattr(os, "listdir", refuse)
    findings = Findings()
    assert expand(["sub", "b.yaml"], findings) == ["b.yaml"]
    assert [item.message for item in findings.items] == ["sub/deep cannot be read: Permission denied."]


def test_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'{"apiVersion":"v1",\n\t"kind":"Pod"}')))
    findings = Findings()
    (document,) = read_paths(["-"], findings)
    assert str(document.place(("kind",))) == "-:2:9"


def test_a_huge_file_is_not_read_to_its_end(tree: Path) -> None:
    with open(tree / "huge.yaml", "wb") as file:
        file.truncate(100 * DEFAULTS["file-bytes"])
    findings = Findings()
    assert read_paths(["huge.yaml"], findings) == []
    assert [item.slug for item in findings.items] == ["read/too-large"]


def test_a_pipe(tree: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, HEAD.encode())
    os.close(writing)
    findings = Findings()
    documents = read_paths(expand([f"/dev/fd/{reading}"], findings), findings)
    os.close(reading)
    assert [item.value["kind"] for item in documents] == ["ConfigMap"]


def test_a_pipe_in_a_directory_is_no_manifest(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "gone.yaml").symlink_to(tmp_path / "nowhere.yaml")
    (tmp_path / "loop.yaml").symlink_to(tmp_path / "loop.yaml")
    findings = Findings()
    files = expand([str(tmp_path)], findings)
    assert [os.path.basename(file) for file in files] == ["gone.yaml", "loop.yaml"]
    assert read_paths(files, findings) == []
    assert [item.slug for item in findings.items] == ["read/unreadable"] * 2


def test_names_of_files_may_be_any_bytes(tmp_path: Path) -> None:
    path = os.path.join(os.fsencode(tmp_path), b"a\xff.yaml")
    with open(path, "wb") as stream:
        stream.write(b"kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n")
    findings = Findings()
    [document] = read_paths(expand([str(tmp_path)], findings), findings)
    assert os.fsencode(document.file) == path
    assert findings.items == []
