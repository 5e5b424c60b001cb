"""Defaults: three ways to say nothing must mean the same."""

from pathlib import Path

import pytest

from dynamoc.admission.cluster.config import OperatorConfig, get_attribute
from dynamoc.admission.cluster.helm_values import chart_default, operator_default
from dynamoc.reference.configuration import CHART, OPERATOR
from tests.cluster.configuring import SHARED, as_dict, needs_recordings, read, release

RELEASES = ("0.6", "1.0", "1.4")


@pytest.mark.parametrize("name", [*RELEASES, "1.1", "1.2", "1.3"])
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


def test_what_came_between_1_0_and_1_4() -> None:
    """defaults.go and values.yaml of the three releases."""
    charts = {name: chart_default(name) for name in ("1.1", "1.2", "1.3")}
    assert all(chart.infrastructure.nats_address.endswith(":4222") for chart in charts.values())
    assert {chart.checkpoint.storage.type for chart in charts.values()} == {""}
    assert {chart.checkpoint.seccomp_profile for chart in charts.values()} == {"profiles/block-iouring.json"}
    assert [chart.checkpoint.cleanup_image for chart in charts.values()] == ["", "", "busybox:1.36"]
    assert [chart.service_mesh.enabled for chart in charts.values()] == [None, None, False]
    assert not any(chart.service_mesh.wanted for chart in charts.values())


def test_the_switch_for_snapshots_with_gpu_memory_service(tmp_path: Path) -> None:
    """values.yaml featureGates.gmsSnapshot of 1.2 and 1.3; 1.4 has no such switch."""
    text = "dynamo-operator: {featureGates: {gmsSnapshot: true}}\n"
    for name in ("1.2", "1.3"):
        config, findings = read(text, name, tmp_path)
        assert findings == []
        assert config.checkpoint.gms_snapshot
    assert len(read(text, "1.4", tmp_path)[1]) == 1


def test_the_mesh_of_1_2_has_its_switch_in_the_values_only(tmp_path: Path) -> None:
    """operator-config.yaml of 1.2."""
    config, findings = read("dynamo-operator: {dynamo: {serviceMesh: {enabled: true}}}\n", "1.2", tmp_path)
    assert findings == []
    assert config.service_mesh.wanted
    assert config.service_mesh.enabled is None
