"""The tables of `dynamoc.release`: all that differs between releases, and nothing of it elsewhere."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, get_args

import pytest

import dynamoc.release
from dynamoc.cluster import helm_checks, helm_templates, pull_secrets, validation
from dynamoc.modules import function_named
from dynamoc.release import RELEASES, chart_values, config_fields, known_releases, table_names, webhook_checks
from dynamoc.release.constants import CONSTANTS
from dynamoc.release.deltas import GONE, holder, merged, newest
from dynamoc.release.difference import SECTIONS
from dynamoc.release.features import FEATURES
from dynamoc.schema.crds import definitions
from dynamoc.webhooks import defaults

ROOT = Path(dynamoc.__file__).parent
PAGE = (ROOT.parent / "docs" / "releases.md").read_text()
#: a name of a function, variable or module that holds a release: `judge_1_0`, `v1_4`
_IN_NAME = re.compile(r"(?<![0-9])[01]_[0-9](?![0-9])")

_VERSIONS = {f"({name.replace('.', ', ')}, 0)" for name in RELEASES}


def modules() -> list[Path]:
    """All of dynamoc but its tables and the models of releases."""
    own = (path for path in sorted(ROOT.rglob("*.py")) if "release" not in path.relative_to(ROOT).parts[:1])
    return [path for path in own if not path.relative_to(ROOT).as_posix().startswith("api/release_")]


def released(tree: ast.AST) -> Iterator[str]:
    """What names a release: texts that are one, and names that hold one. Messages and docstrings may."""
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
        if text.removeprefix("v").removesuffix(".0") in RELEASES:
            yield text
        if isinstance(node, ast.Tuple) and ast.unparse(node) in _VERSIONS:
            yield ast.unparse(node)
        for field in ("name", "id", "attr", "module", "arg"):
            name = getattr(node, field, None)
            if isinstance(name, str) and _IN_NAME.search(name):
                yield name


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_nothing_outside_names_a_release(path: Path) -> None:
    assert not _IN_NAME.search(path.stem)
    assert list(released(ast.parse(path.read_text()))) == []


def tables() -> dict[str, dict[str, Any]]:
    """All tables by release: mappings whose keys are releases."""
    found = {}
    for info in iter_modules(dynamoc.release.__path__):
        if info.name in ("difference", "registry"):  # which read the tables of the others
            continue
        module = import_module(f"dynamoc.release.{info.name}")
        for name, value in vars(module).items():
            if isinstance(value, dict) and value and set(value) <= set(known_releases.ORDER):
                found[f"{info.name}.{name}"] = value
    return found


@pytest.mark.parametrize("name", tables())
def test_entries_are_in_the_order_of_releases(name: str) -> None:
    table = tables()[name]
    assert list(table) == [release for release in known_releases.ORDER if release in table]


def test_release_diff_shows_every_table() -> None:
    """Beside those that have a section of their own: order of rules, CRDs of others, releases."""
    shown = [table for tables in SECTIONS.values() for table in tables.values()]
    assert {name for name, table in tables().items() if not any(table is other for other in shown)} == {
        "known_releases.RELEASES",
        "order.POD_RULES",
        "output_crds.OUTPUT_CRDS",
    }


@pytest.mark.parametrize("name", tables())
def test_an_entry_says_what_changed(name: str) -> None:
    """A release that is like the one before has no entry, so that there is nothing to copy into the next one."""
    table = tables()[name]
    if name == "known_releases.RELEASES":
        return
    for before, entry in zip(table, list(table)[1:], strict=False):
        old = merged(table, before) if isinstance(table[before], dict) else newest(table, before)
        if isinstance(old, dict) and not name.startswith("chart_keys"):
            same = [
                key
                for key, value in table[entry].items()
                if (value is GONE and key not in old) or value == old.get(key, GONE)
            ]
            assert same == [], entry
        else:
            assert table[entry] != old, entry


def test_names_of_constants_and_features_are_those_of_the_tables() -> None:
    assert get_args(table_names.Constant) == tuple(sorted({name for delta in CONSTANTS.values() for name in delta}))
    assert get_args(table_names.FeatureName) == tuple(sorted(feature.name for feature in FEATURES))


def test_a_wrong_name_is_no_silent_no() -> None:
    release: Any = RELEASES["1.4"]
    with pytest.raises(KeyError, match="typo"):
        release.has("typo")
    with pytest.raises(KeyError, match="typo"):
        release["typo"]
    with pytest.raises(KeyError, match="ports/typo"):
        release.of("ports", "typo")


def test_an_entry_holds_until_the_next() -> None:
    table = {"0.5": {"a": 1, "b": 1}, "1.2": {"a": 2, "b": GONE}}
    assert [merged(table, name) for name in ("0.4", "0.6", "1.6")] == [{}, {"a": 1, "b": 1}, {"a": 2}]
    assert [holder(table, name) for name in ("0.5", "1.1", "1.2")] == ["0.5", "0.5", "1.2"]
    with pytest.raises(KeyError):
        newest(table, "0.4")
    with pytest.raises(KeyError):
        merged(table, "9.9")


def test_functions_that_tables_name_exist() -> None:
    lists = [names for delta in webhook_checks.CHECKS.values() for names in delta.values() if names is not GONE]
    checks = {name for names in lists for name in names}
    updates = {name for delta in webhook_checks.UPDATES.values() for name in delta.values() if name is not GONE}
    assert all(callable(function_named("dynamoc.webhooks", name)) for name in checks | updates)
    for table, module in (
        (webhook_checks.DEFAULTS, defaults),
        (chart_values.TEMPLATES, helm_templates),
        (chart_values.CHECKS, helm_checks),
        (config_fields.CHECKS, validation),
    ):
        assert [name for name in flat(table) if not callable(getattr(module, name, None))] == []
    assert all(callable(getattr(pull_secrets, release["images/pull-secret-index"])) for release in RELEASES.values())


def flat(value: Any) -> set[str]:
    """The texts in a table, but its keys."""
    if isinstance(value, str):
        return {value}
    parts = value.values() if isinstance(value, dict) else () if value is GONE else value
    return {text for part in parts for text in flat(part)}


@pytest.mark.parametrize("name", known_releases.ORDER)
def test_what_is_written_for_a_release_is_there(name: str) -> None:
    """docs/adding-a-release.md: what its first steps make, and the page that says how it was checked."""
    assert (ROOT / "schema" / "data" / f"{name}.json").exists(), "run `python -m dynamoc.api.generate`"
    assert definitions(name), "run `python -m dynamoc.api.generate`"
    assert re.search(rf"(?<![0-9.]){re.escape(name)}(?![0-9])", PAGE), f"docs/releases.md does not name {name}"


def test_the_default_is_the_newest_release_that_was_recorded() -> None:
    default = known_releases.DEFAULT_RELEASE
    recorded = [name for name, facts in known_releases.RELEASES.items() if facts["exactness"] == "recorded"]
    assert default == recorded[-1]
    assert f"checked against recordings: {default}." in PAGE
    readme = (ROOT.parent / "README.md").read_text()
    assert f"(the default: the newest that was checked against recordings of the operator, {default})" in readme
