"""docs/operator-config.md names every setting that an operator reads."""

import re
from pathlib import Path

import pytest

from dynamoc.admission.cluster.config import fields_of
from dynamoc.admission.cluster.config_files import flags_of
from dynamoc.reference.configuration import FLAGS, SURROUNDINGS
from dynamoc.reference.releases import RELEASES, merged
from tests.cluster.configuring import read

TEXT = (Path(__file__).parents[2] / "docs" / "operator-config.md").read_text()


@pytest.mark.parametrize("release", RELEASES)
def test_fields(release: str) -> None:
    missing = [name for name, (_, attribute) in fields_of(release).items() if attribute and f"`{name}`" not in TEXT]
    assert missing == []


@pytest.mark.parametrize("release", FLAGS)
def test_flags(release: str) -> None:
    flags = [flag for flag, (_, attribute) in flags_of(release).items() if attribute]
    assert [name for name in (*flags, *merged(SURROUNDINGS, release)) if f"`{name}`" not in TEXT] == []


@pytest.mark.parametrize(("number", "release"), [(0, "1.4"), (1, "1.4"), (2, "0.6")])
def test_the_examples_are_configurations(number: int, release: str, tmp_path: Path) -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    assert len(blocks) == 3
    config, findings = read(blocks[number], release, tmp_path)
    assert findings == []
    assert config.orchestrators.grove.enabled or number == 2
    assert config.ingress.controller_class_name == "nginx"
