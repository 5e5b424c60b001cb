"""Builds the documentation as a site below dist/site/: `python -m tools.site [--version NAME]`.

`pages` gives what is built from: docs/, pages beside it such as README.md, and those that are made from tables.
Zensical checks every link and anchor. The playground is part of the site where dist/playground/ is built.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
import tomllib
import zlib
from pathlib import Path

from tools import generated_pages

ROOT = Path(__file__).parents[1]
DOCS, SITE, WORK, PLAYGROUND = (
    ROOT / "docs",
    ROOT / "dist" / "site",
    ROOT / "dist" / "docs",
    ROOT / "dist" / "playground",
)
#: pages of the site that lie outside of docs/, or have another name there
BESIDE = {
    "index.md": ROOT / "README.md",
    "contents.md": DOCS / "README.md",
    "contributing.md": ROOT / "CONTRIBUTING.md",
    "changelog.md": ROOT / "CHANGELOG.md",
    "code-of-conduct.md": ROOT / "CODE_OF_CONDUCT.md",
    "security-policy.md": ROOT / "SECURITY.md",
    "support.md": ROOT / "SUPPORT.md",
}
_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?![a-z]+:|#)([^)#\s]+)(#[^)]*)?\)")
_BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
#: a block of YAML with a graph; examples of findings are made of such, too
_GRAPH = re.compile(r"^```yaml\n((?:(?!^```$).)*?^kind: DynamoGraphDeployment\n.*?)^```$", re.MULTILINE | re.DOTALL)
_REDIRECT = (
    '<!doctype html><meta charset="utf-8"><title>dynamoc</title><meta http-equiv="refresh" content="0; url={}/">\n'
)


def pages() -> dict[str, str]:
    """Path on the site to Markdown, with the links of the site."""
    sources = {path.relative_to(DOCS).as_posix(): path for path in sorted(DOCS.rglob("*.md"))}
    del sources["README.md"]
    sources |= {name: path for name, path in BESIDE.items() if path.exists()}
    texts = {name: _linked(path.read_text(encoding="utf-8"), name, path) for name, path in sources.items()}
    made = {name: generated_pages.filled(text) for name, text in texts.items()} | generated_pages.pages(playground_link)
    return {name: _with_links(name, text) for name, text in made.items()}


def _with_links(name: str, text: str) -> str:
    return _GRAPH.sub(lambda found: f"{found[0]}\n\n{playground_link(found[1], name)}".rstrip(), text)


def playground_link(text: str, name: str, **choices: str) -> str:
    """A link of the page `name` that opens a text in the playground, by the fragment of site/playground/src/link.js.

    Empty where the playground is not built.
    """
    if not PLAYGROUND.is_dir():
        return ""
    packed = zlib.compress(json.dumps({"text": text, **choices}).encode(), 9, wbits=-15)
    fragment = base64.urlsafe_b64encode(packed).decode().rstrip("=")
    folder = "../" * name.count("/")
    return f'<a class="playground" href="{folder}playground/#1.{fragment}">Open in the playground</a>'


def _linked(text: str, name: str, source: Path) -> str:
    """A page with links that lead to pages of the site, or to files of the repository."""
    names = {path: page for page, path in BESIDE.items()}

    def target(found: re.Match[str]) -> str:
        shown, link, anchor = found.groups(default="")
        path = Path(os.path.normpath(source.parent / link))
        if path in names or path.is_relative_to(DOCS):
            page = names.get(path) or path.relative_to(DOCS).as_posix()
            return f"[{shown}]({posixpath.relpath(page, posixpath.dirname(name) or '.')}{anchor})"
        file, repository = path.relative_to(ROOT).as_posix(), os.environ.get("REPOSITORY_URL")
        return f"[{shown}]({repository}/blob/HEAD/{file})" if repository else f"{shown} (`{file}`)"

    parts = re.split(f"({_BLOCK.pattern})", text, flags=_BLOCK.flags)
    return "".join(part if part.startswith("```") else _LINK.sub(target, part) for part in parts)


def navigation(names: list[str]) -> list[dict[str, object]]:
    """The sections of zensical.toml, with the pages that are made for them."""
    sections = tomllib.loads((ROOT / "site" / "zensical.toml").read_text())["navigation"]
    sections["Contribute"] += [name for name in list(BESIDE)[2:] if name in names]
    for title in ("Findings", "Rules"):
        sections[title] += [name for name in names if name.startswith(f"{title.lower()}/")]
    shown = [{"Overview": "index.md"}, *({title: listed} for title, listed in sections.items())]
    return [*shown, {"Playground": "playground/index.html"}] if PLAYGROUND.is_dir() else shown


def write() -> None:
    """What Zensical builds from, below dist/docs/."""
    shutil.rmtree(WORK, ignore_errors=True)
    written = pages()
    for name, text in written.items():
        path = WORK / "pages" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for path in (*DOCS.glob("*.png"), ROOT / "site" / "site.css", ROOT / "site" / "site.js"):
        folder = WORK / "pages" / ("." if path.suffix == ".png" else "assets")
        folder.mkdir(exist_ok=True)
        shutil.copy(path, folder)
    for name in ("html", "svg"):
        (WORK / "pages" / f"example.{name}").write_text(_report(name), encoding="utf-8")
    config = (ROOT / "site" / "zensical.toml").read_text().partition("# Pages by section")[0]
    # JSON of lists and texts, one table each in a line, is TOML but for the colon.
    nav = json.dumps(navigation(list(written))).replace('": ', '" = ')
    site = f'site_url = {json.dumps(os.environ.get("SITE_URL", ""))}\nsite_dir = "built"\nnav = {nav}\n'
    (WORK / "zensical.toml").write_text(config.replace("[project]\n", f"[project]\n{site}", 1), encoding="utf-8")


def _report(form: str) -> str:
    command = [sys.executable, "-m", "dynamoc", "report", "examples/llama.yaml", "--target", "grove", "-o", form]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def build(version: str) -> None:
    """Below dist/site/: a folder for the version, the list of versions, and a redirect to this one."""
    write()
    subprocess.run([sys.executable, "-m", "zensical", "build", "--strict", "--clean"], cwd=WORK, check=True)
    shutil.rmtree(SITE / version, ignore_errors=True)
    shutil.copytree(WORK / "built", SITE / version)
    if PLAYGROUND.is_dir():
        shutil.copytree(PLAYGROUND, SITE / version / "playground", dirs_exist_ok=True)
    versions = sorted((path.name for path in SITE.iterdir() if path.is_dir()), reverse=True)
    listed = [{"version": name, "title": name, "aliases": []} for name in versions]
    (SITE / "versions.json").write_text(json.dumps(listed) + "\n")
    (SITE / "index.html").write_text(_REDIRECT.format(version))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--version", default="dev", help="name of the folder below dist/site/")
    build(parser.parse_args().version)
