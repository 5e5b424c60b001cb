from __future__ import annotations

import json

from dynamoc.release import RELEASES
from tests.cli.conftest import Run


def test_releases_as_json(dynamoc: Run) -> None:
    result = dynamoc("release", "list", "-o", "json")
    assert result.code == 0
    rows = json.loads(result.out)
    assert [row["name"] for row in rows] == list(RELEASES)
    assert sum(row["default"] for row in rows) == 1
    assert all(row["source"] and row["exactness"] for row in rows)


def test_releases_as_text_are_a_line_each(dynamoc: Run) -> None:
    lines = dynamoc("release", "list").out.splitlines()
    assert [line.split("\t")[0] for line in lines] == list(RELEASES)


def test_the_default_release_of_the_option_is_the_releases_own() -> None:
    from dynamoc.cli.options import COMMANDS
    from dynamoc.release import DEFAULT_RELEASE

    for options in COMMANDS.values():
        [option] = [option for option in options if option.name == "operator_version"]
        assert option.default == DEFAULT_RELEASE
