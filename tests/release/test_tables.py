"""The tables of `dynamoc.reference`: all that differs between releases, and nothing of it elsewhere."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import dynamoc
from dynamoc.admission.cluster import helm_chart, helm_values, operator_configuration, secrets
from dynamoc.admission.webhooks import checks
from dynamoc.analysis.compare.releases import SECTIONS
from dynamoc.documents.schema.schemas import definitions
from dynamoc.reference import chart, configuration, constants, features, programs, releases
from dynamoc.reference.constants import CONSTANTS
from dynamoc.reference.features import FEATURES
from dynamoc.reference.releases import GONE, RELEASES, holder, merged, newest
from dynamoc.rendering.rules import order as order_order
from dynamoc.rendering.rules.draft import RULES

ROOT = Path(dynamoc.__file__).parent
PAGE = (ROOT.parent / "docs" / "releases.md").read_text()
#: a name of a function, variable or module that holds a release: `judge_1_0`, `v1_4`
_IN_NAME = re.compile(r"(?<![0-9])[01]_[0-9](?![0-9])")

_VERSIONS = {f"({name.replace('.', ', ')}, 0)" for name in RELEASES}


#: modules with tables by release
TABLES = (chart, configuration, constants, features, programs, releases)
#: tables by release of the functions beside them
_TABLES = {ROOT / "rendering" / "rules" / "order.py", ROOT / "admission" / "webhooks" / "checks.py"}


def modules() -> list[Path]:
    """All of dynamoc but its tables and the models of the newest release."""
    tables = _TABLES | {Path(str(module.__file__)) for module in TABLES}
    own = [path for path in sorted(ROOT.rglob("*.py")) if path not in tables]
    return [path for path in own if path.relative_to(ROOT).parts[:2] != ("reference", "models")]


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


def test_nothing_outside_names_a_release() -> None:
    for path in modules():
        name = path.relative_to(ROOT).as_posix()
        assert not _IN_NAME.search(path.stem), name
        assert list(released(ast.parse(path.read_text()))) == [], name


def tables() -> dict[str, dict[str, Any]]:
    """All tables by release: mappings whose keys are releases."""
    found = {}
    for module in (*TABLES, order_order, checks):
        for name, value in vars(module).items():
            if isinstance(value, dict) and value is not RELEASES and value and set(value) <= set(releases.ORDER):
                found[f"{module.__name__.rpartition('.')[2]}.{name}"] = value
    return found


@pytest.mark.parametrize("name", tables())
def test_entries_are_in_the_order_of_releases(name: str) -> None:
    table = tables()[name]
    assert list(table) == [release for release in releases.ORDER if release in table]


def test_release_diff_shows_every_table() -> None:
    """Beside those that have a section of their own: order of rules, CRDs of others, releases."""
    shown = [table for tables in SECTIONS.values() for table in tables.values()]
    assert {name for name, table in tables().items() if not any(table is other for other in shown)} == {
        "releases.KNOWN_RELEASES",
        "order.ORDERS",
        "releases.OUTPUT_CRDS",
    }


@pytest.mark.parametrize("name", tables())
def test_an_entry_says_what_changed(name: str) -> None:
    """A release that is like the one before has no entry, so that there is nothing to copy into the next one."""
    table = tables()[name]
    if name == "releases.KNOWN_RELEASES":
        return
    for before, entry in zip(table, list(table)[1:], strict=False):
        old = merged(table, before) if isinstance(table[before], dict) else newest(table, before)
        if isinstance(old, dict) and not name.startswith("chart.KNOWN"):
            same = [
                key
                for key, value in table[entry].items()
                if (value is GONE and key not in old) or value == old.get(key, GONE)
            ]
            assert same == [], entry
        else:
            assert table[entry] != old, entry


def asked(path: Path) -> Iterator[tuple[str, str]]:
    """What a module asks a release: `("constant", name)` of `release[...]`, `("feature", name)` of `release.has(...)`,
    `("topic", name)` of `release.of(...)`; each with a name that is written out."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith("release"):
            names, kind = [node.slice], "constant"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("has", "of"):
            if not ast.unparse(node.func.value).endswith("release"):
                continue
            names, kind = node.args[:1], "feature" if node.func.attr == "has" else "topic"
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "builder":
            names = [each.value for each in node.keywords if each.arg in ("when", "unless")]
            kind = "feature"
        else:
            continue
        yield from (
            (kind, name.value) for name in names if isinstance(name, ast.Constant) and isinstance(name.value, str)
        )


def test_modules_ask_for_constants_and_features_that_there_are() -> None:
    constants = {name for delta in CONSTANTS.values() for name in delta}
    known = {
        "constant": constants,
        "feature": {feature.name for feature in FEATURES},
        "topic": {name.partition("/")[0] for name in constants},
    }
    found = [(kind, name) for path in sorted(ROOT.rglob("*.py")) for kind, name in asked(path)]
    assert [each for each in found if each[1] not in known[each[0]]] == []
    assert {kind for kind, _ in found} == set(known)


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
    for table, module in (
        (chart.TEMPLATES, helm_chart),
        (chart.CHECKS, helm_values),
        (configuration.CHECKS, operator_configuration),
    ):
        assert [name for name in flat(table) if not callable(getattr(module, name, None))] == []
    assert all(callable(getattr(secrets, release["images/pull-secret-index"])) for release in RELEASES.values())


def flat(value: Any) -> set[str]:
    """The texts in a table, but its keys."""
    if isinstance(value, str):
        return {value}
    parts = value.values() if isinstance(value, dict) else () if value is GONE else value
    return {text for part in parts for text in flat(part)}


@pytest.mark.parametrize("name", releases.ORDER)
def test_what_is_written_for_a_release_is_there(name: str) -> None:
    """docs/adding-a-release.md: what its first steps make, and the page that says how it was checked."""
    assert (ROOT / "documents" / "schema" / "data" / f"{name}.json").exists(), "run `python -m tools.schemas`"
    assert definitions(name), "run `python -m tools.schemas`"
    assert re.search(rf"(?<![0-9.]){re.escape(name)}(?![0-9])", PAGE), f"docs/releases.md does not name {name}"
    assert name in named((ROOT.parent / "README.md").read_text()), f"README.md does not name {name}"
    notes = "\n".join(path.read_text() for path in [ROOT.parent / "CHANGELOG.md", *ROOT.parent.glob("changes/*.md")])
    assert name in named(notes), f"neither CHANGELOG.md nor a note in changes/ names {name}"


def test_all_folders_of_schemas_are_releases() -> None:
    folders = {path.name for path in (ROOT.parent / "schemas").iterdir() if path.is_dir()}
    assert folders == {*releases.ORDER}, "a folder of schemas/, or its line in reference/releases.txt, is missing"


def test_every_rule_has_a_place_in_the_order_of_a_release() -> None:
    placed = {step for steps in order_order.ORDERS.values() for step in steps}
    assert [rule.name for step, rule in RULES.items() if step not in placed] == [], "add it to rendering/rules/order.py"


def named(text: str) -> set[str]:
    """The releases that a text names, also as a part of `1.1 to 1.3`."""
    order, found = releases.ORDER, set()
    for start, end in re.findall(r"(?<![\w.-])(\d\.\d)(?: to (\d\.\d))?(?![\w-]|\.\d)", text):
        if start in order and (end or start) in order:
            found |= {*order[order.index(start) : order.index(end or start) + 1]}
    return found


def test_a_range_names_the_releases_in_it() -> None:
    assert named("0.4, 0.5, 1.1 to 1.3, dynamoc 0.6.2") == {"0.4", "0.5", "1.1", "1.2", "1.3"}


def test_the_default_is_the_newest_release_that_was_recorded() -> None:
    default = releases.DEFAULT_RELEASE
    recorded = [name for name, facts in releases.KNOWN_RELEASES.items() if facts["exactness"] == "recorded"]
    assert default == recorded[-1]
    assert f"checked against recordings: {default}." in PAGE
    readme = (ROOT.parent / "README.md").read_text()
    assert f"| {default}, the default | " in readme
