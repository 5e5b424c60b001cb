"""The page of dependencies is that of uv.lock; each has a licence that allows redistribution, and a hash."""

from __future__ import annotations

import re

from tools.supply.dependencies import LICENCES, PAGE, licence, locked, runtime


def test_each_dependency_is_on_the_page() -> None:
    text = PAGE.read_text()
    rows = dict(re.findall(r"^\| ([\w.-]+) \| (\d[\w.]*) \|", text, re.MULTILINE))
    packages = locked()
    assert rows == {name: packages[name]["version"] for name in runtime()}


def test_licences_allow_redistribution() -> None:
    said = {name: licence(name) for name in runtime()}
    assert len([text for text in said.values() if text]) > 10
    assert {name: text for name, text in said.items() if text and text not in LICENCES} == {}


def test_each_file_in_the_lock_has_a_hash() -> None:
    files = [
        (name, file)
        for name, item in locked().items()
        if "registry" in item["source"]
        for file in (*item.get("wheels", ()), *filter(None, [item.get("sdist")]))
    ]
    assert len(files) > 100
    assert [name for name, file in files if not file.get("hash", "").startswith("sha256:")] == []
