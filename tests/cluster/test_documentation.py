"""docs/operator-config.md names every setting that an operator reads."""

from pathlib import Path

import pytest

from dynamoc.cluster.fields import fields_of
from dynamoc.cluster.flags import FLAGS, SURROUNDINGS
from dynamoc.release import RELEASES

TEXT = (Path(__file__).parents[2] / "docs" / "operator-config.md").read_text()


@pytest.mark.parametrize("release", RELEASES)
def test_fields(release: str) -> None:
    missing = [name for name, (_, attribute) in fields_of(release).items() if attribute and f"`{name}`" not in TEXT]
    assert missing == []


def test_flags() -> None:
    flags = [flag for flag, (_, attribute) in FLAGS.items() if attribute]
    assert [name for name in (*flags, *SURROUNDINGS) if f"`{name}`" not in TEXT] == []
