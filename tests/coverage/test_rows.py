"""Each row of the founding documents holds in each release that it is about."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import quick_yaml
from tests.cli.conftest import Run, dynamoc
from tests.coverage import special
from tests.coverage.checks import Outcome, failures
from tests.coverage.pages import PAGE, page_text
from tests.coverage.table import COUNT, Case, load_table

__all__ = ["dynamoc"]

TABLE = load_table()


def test_the_table_has_every_row() -> None:
    assert list(TABLE.rows) == list(range(1, COUNT + 1))


def test_every_row_is_checked_or_says_why_it_cannot_be() -> None:
    unchecked = [number for number, row in TABLE.rows.items() if not row.get("case")]
    assert unchecked == []
    for number, row in TABLE.rows.items():
        assert all(case.get("expect") or case.get("function") for case in row["case"]), number


@pytest.mark.parametrize("case", TABLE.cases(), ids=lambda case: case.id)
def test_row(case: Case, dynamoc: Run) -> None:
    outcome = run(case, dynamoc)
    found = failures(outcome, case.values.get("expect", [])) if outcome else []
    if found:
        pytest.fail(f"{TABLE.rows[case.row]['feature']}, release {case.release}:\n" + "\n".join(found), pytrace=False)
    if "function" in case.values:
        getattr(special, case.values["function"])(case, dynamoc, outcome)


def run(case: Case, dynamoc: Run) -> Outcome | None:
    """The outcome of the case's command, None where it has no input."""
    for name, text in case.values.get("files", {}).items():
        Path(name).write_text(TABLE.inputs.get(text, text).replace("@config", TABLE.inputs["config"]))
    if "input" not in case.values:
        return None
    Path("in.yaml").write_text(document(case))
    command = case.values.get("run", "render --target plain").split()
    line = [command[0], "in.yaml", *command[1:]]
    if command[0] != "convert":
        line += ["--operator-version", case.release]
    result = dynamoc(*line, "--findings", "json")
    printed = [item for item in quick_yaml.load_all(result.out) if item] if command[0] in ("render", "convert") else []
    told = json.loads(result.err)["findings"] if result.err.startswith("{") else []
    return Outcome(result.code, result.out, result.err, printed, told)


def document(case: Case) -> str:
    """The input with the changes of the case."""
    text = TABLE.inputs.get(case.values["input"], case.values["input"])
    changes: dict[str, Any] = case.values.get("set", {})
    if changes:
        first, *rest = quick_yaml.load_all(text)
        for path, value in changes.items():
            _change(first, path.split(">"), value)
        text = yaml.safe_dump_all([first, *rest], sort_keys=False)
    more = case.values.get("more")
    return text + ("---\n" + TABLE.inputs.get(more, more) if more else "")


def _change(value: Any, path: list[str], new: Any) -> None:
    for step in path[:-1]:
        if isinstance(value, list):
            value = next(item for item in value if item["name"] == step)
        else:
            value = value.setdefault(step, {})
    if new == "-":
        value.pop(path[-1], None)
    else:
        value[path[-1]] = new


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text() == page_text(TABLE), "run `python -m tests.coverage`"
