"""What the pages show is what the commands print, and nothing in them leads nowhere."""

from __future__ import annotations

import io
import re
import shlex
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.cli.conftest import Run
from tests.docs import architecture
from tests.docs.pages import PAGES, ROOT, sessions, shows, write_files

#: their inputs are made by tests of their own: tests/compare/test_docs.py and tests/requires/test_docs.py; or their
#: commands are those of other tools too: tests/flows
ELSEWHERE = ("diff.md", "upgrade.md", "requires.md", "kubectl.md", "kustomize.md", "argocd.md", "helm.md")
SHOWN = [page for page in PAGES if sessions(page) and page.name not in ELSEWHERE]


@pytest.mark.parametrize("page", SHOWN, ids=lambda page: page.name)
def test_commands_print_what_is_shown(page: Path, dynamoc: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(page, Path.cwd())
    for command, output in sessions(page):
        words = shlex.split(command)
        if words[0] == "dynamoc":
            if words[-2] == "<":
                *words, _, file = words
                monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(Path(file).read_bytes())))
            result = dynamoc(*words[1:])
            printed = result.err + result.out
        else:
            printed = subprocess.run(command, shell=True, check=True, capture_output=True, text=True).stdout
        assert shows(output, printed), (command, printed)


@pytest.mark.parametrize(
    ("shown", "is_shown"),
    [
        ("a\nb\nc\n", True),
        ("a\n...\n", True),
        ("...\nb\n...\n", True),
        ("a\nc\n", False),
        ("a\n...\nb\nc\n", False),
        ("...\nd\n", False),
        ("a\n...\nc\n...\n", False),
    ],
)
def test_an_output_is_shown_but_for_lines_that_are_left_out(shown: str, is_shown: bool) -> None:
    assert shows(shown, "a\nb\nc\n") is is_shown


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_output_is_left_out_whole(page: Path) -> None:
    assert [shown.command for shown in sessions(page) if shown.output == "...\n"] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_lines_fit(page: Path) -> None:
    # A row of a table is one line, and an output is as wide as it is.
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    long = [line[:60] for line in text.splitlines() if len(line) > 160 and not line.startswith(("|", "* `"))]
    assert long == []


def test_the_index_names_every_page() -> None:
    index = (ROOT / "docs" / "README.md").read_text()
    for page in PAGES:
        name = page.relative_to(ROOT / "docs") if page.is_relative_to(ROOT / "docs") else page.name
        assert page.name == "README.md" or f"({name})" in index, name


def test_modules_and_tables_that_pages_name_exist() -> None:
    rooms = "rendering|reference|compiler|admission|documents|kube|analysis|interfaces|tests"
    named = re.compile(rf"`(dynamoc/(?!bundle)[\w./-]+|(?:{rooms}|schemas|tools)/[\w./-]*(?:\.\w+|/))`")
    pages = [*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")]
    found = {name: page.name for page in pages for name in named.findall(page.read_text())}
    assert len(found) > 20
    # A word in capitals stands for any name.
    paths = {name: re.sub(r"[A-Z]{3,}.*", "", name) for name in found}
    there = {name for name in found if any((root / paths[name]).exists() for root in (ROOT, ROOT / "dynamoc"))}
    assert {name: page for name, page in found.items() if name not in there} == {}


def test_the_packages_on_the_page_of_the_architecture_are_those_of_the_source() -> None:
    page = architecture.PAGE.read_text()
    assert architecture.with_table(page) == page, "run python -m tests.docs.architecture"
    assert len(page.split("\n")) <= 120, "the whole pipeline is on one page"
