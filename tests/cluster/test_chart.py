"""Defaults: three ways to say nothing must mean the same."""

from pathlib import Path

import pytest

from dynamoc.cluster.chart import CHART, OPERATOR, chart_default, operator_default
from dynamoc.cluster.config import OperatorConfig
from dynamoc.cluster.settings import get_attribute
from tests.cluster.configuring import SHARED, as_dict, needs_recordings, read, release

RELEASES = ("0.6", "1.0", "1.4")


@pytest.mark.parametrize("name", RELEASES)
def test_helm_values_that_say_nothing_are_the_default(name: str, tmp_path: Path) -> None:
    config, findings = read("global: {}\n", name, tmp_path)
    assert findings == []
    assert as_dict(config) == as_dict(chart_default(name))


@needs_recordings
@pytest.mark.parametrize("name", RELEASES)
def test_recorded_default_configuration_is_the_default(name: str, tmp_path: Path) -> None:
    """The `kai` corpora were recorded with what the chart installs by default, KAI aside."""
    config, findings = read((SHARED / f"{name}-kai" / "operator-config.yaml").read_text(), name, tmp_path)
    config.orchestrators.kai_scheduler.enabled = chart_default(name).orchestrators.kai_scheduler.enabled
    config.orchestrators.grove.enabled = chart_default(name).orchestrators.grove.enabled
    assert findings == []
    assert as_dict(config) == as_dict(chart_default(name))


@needs_recordings
def test_recorded_configurations_are_taken(tmp_path: Path) -> None:
    files = sorted(SHARED.glob("*/operator-config.yaml"))
    assert files
    for file in files:
        assert read(file.read_text(), file.parent.name[:3], tmp_path)[1] == [], file


@pytest.mark.parametrize("table", [OPERATOR, CHART])
def test_tables_name_settings_that_exist(table: dict[str, dict[str, object]]) -> None:
    for delta in table.values():
        for name in delta:
            get_attribute(OperatorConfig(), name)


def test_unknown_release() -> None:
    with pytest.raises(KeyError):
        operator_default("9.9")


def test_releases_differ_where_they_are_known_to() -> None:
    addresses = {name: chart_default(name).infrastructure.nats_address for name in RELEASES}
    assert addresses["1.0"].endswith(".svc.cluster.local:4222")
    assert addresses["1.4"] == ""
    assert chart_default("0.6").orchestrators.grove.enabled is None
    assert chart_default("1.0").orchestrators.grove.enabled is False
    assert release("1.0").name == "1.0"
