"""The pages of the site: docs/ and what is made from tables, with links that lead somewhere."""

from __future__ import annotations

import posixpath
import re

import pytest

from dynamoc.compiler.explain.answer import all_steps
from dynamoc.interfaces.cli.options import COMMANDS
from dynamoc.reference.findings import entries
from tools import site

_BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return site.pages()


def test_every_link_leads_to_a_page_and_every_page_is_in_the_navigation(pages: dict[str, str]) -> None:
    made = {"report.png", "example.svg", "example.html"}
    for name, text in pages.items():
        for link in re.findall(r"\]\(([^)#\s]+)", _CODE.sub("", _BLOCK.sub("", text))):
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), link))
            assert "://" in link or target in pages or target in made, (name, link)
    listed = [
        name for section in site.navigation(list(pages)) for listed in section.values() for name in _names(listed)
    ]
    assert sorted(name for name in listed if not name.startswith("playground/")) == sorted(pages)


def _names(listed: object) -> list[str]:
    return [listed] if isinstance(listed, str) else list(listed)  # type: ignore[call-overload]


def test_the_site_describes_each_finding_rule_and_option(pages: dict[str, str]) -> None:
    headings = {line.removeprefix("## ") for text in pages.values() for line in text.splitlines()}
    assert {*entries(), *(step.name for step in all_steps())} <= headings
    flags = {option.flags[-1] for options in COMMANDS.values() for option in options if not option.hidden}
    assert [flag for flag in sorted(flags) if f"`{flag}" not in pages["reference.md"]] == []


def test_what_only_the_repository_has_is_left_out(pages: dict[str, str]) -> None:
    assert [name for name, text in pages.items() if "<!-- repository" in text or "<!-- generated" in text] == []


def test_no_line_of_prose_is_too_wide(pages: dict[str, str]) -> None:
    """Output in code blocks and rows of tables are as wide as they are."""
    lines = ((name, line) for name, text in pages.items() for line in _BLOCK.sub("", text).splitlines())
    assert [line for line in lines if len(line[1]) > 160 and not line[1].startswith(("|", "* `", "<a "))] == []
