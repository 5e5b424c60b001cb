"""What a release is made of: its version, its changelog, its metadata, and pages that people look for."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

import hatch_build

ROOT = Path(__file__).parents[2]
NEWEST = re.findall(r"^## (\d+\.\d+\.\d+) \(\d{4}-\d\d-\d\d\)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[0]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_all_that_names_a_version_names_the_newest() -> None:
    extension = json.loads((ROOT / "editors/vscode/package.json").read_text())
    plugin = (ROOT / "deploy/helm/dynamoc/plugin.yaml").read_text()
    assert extension["version"] == NEWEST
    assert f"version: {NEWEST}\n" in plugin
    assert PROJECT["tool"]["hatch"]["version"]["fallback-version"] == NEWEST
    texts = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "deploy").rglob("*.y*ml"), ROOT / "Dockerfile"]
    named = {
        version for path in texts for version in re.findall(r"dynamoc(?:-fn)?[:@-]v?(\d\.\d\.\d)", path.read_text())
    }
    assert named == {NEWEST}


def test_notes_on_changes_have_a_type() -> None:
    types = {item["directory"] for item in PROJECT["tool"]["towncrier"]["type"]}
    notes = [path.name for path in (ROOT / "changes").iterdir() if path.name not in ("README.md", "template.md.jinja")]
    assert [name for name in notes if not re.fullmatch(rf"[\w+-]+\.({'|'.join(types)})\.md", name)] == []


def metadata(monkeypatch: pytest.MonkeyPatch, repository: str) -> dict[str, object]:
    for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("REPOSITORY_URL", repository)
    found: dict[str, object] = {"version": "1.2.3"}
    hatch_build.MetadataHook(str(ROOT), {}).update(found)
    return found


def test_links_of_the_readme_lead_to_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    found = metadata(monkeypatch, "https://git.example.com/team/dynamoc")
    text = found["readme"]["text"]  # type: ignore[index]
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert links
    assert [link for link in links if not link.startswith("https://")] == []
    assert "https://git.example.com/team/dynamoc/raw/v1.2.3/docs/report.png" in links
    assert "https://git.example.com/team/dynamoc/blob/v1.2.3/docs/check.md" in links
    assert {"Changelog", "Documentation", "Issues", "Security", "Source"} == set(found["urls"])  # type: ignore[call-overload]


def test_without_a_repository_nothing_is_made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    found = metadata(monkeypatch, "")
    assert found == {
        "version": "1.2.3",
        "urls": {},
        "readme": {"content-type": "text/markdown", "text": (ROOT / "README.md").read_text()},
    }


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "SUPPORT.md", "SECURITY.md"])
def test_pages_of_the_community_lead_somewhere(page: str) -> None:
    for link in re.findall(r"\]\((?!https:)([^)#]+)", (ROOT / page).read_text()):
        assert (ROOT / link).exists(), link


def test_commands_of_the_guide_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for page in ("CONTRIBUTING.md", "changes/README.md", "docs/README.md"):
        assert set(re.findall(r"`make ([a-z-]+)", (ROOT / page).read_text())) <= targets
