"""The inputs whose reading by the operator's own code is recorded: refused at `decode`, or read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.source.reading import read

CONFORMANCE = Path(__file__).parents[2].parent / "shared/conformance"


@pytest.mark.skipif(not CONFORMANCE.exists(), reason=f"no records at {CONFORMANCE}")
def test_what_the_operator_reads_is_read() -> None:
    differences = []
    for input_file in sorted(CONFORMANCE.glob("*/inputs/*.yaml")):
        records = input_file.parents[1].glob(f"expected/*/{input_file.stem}.json")
        stages = {json.loads(record.read_text()).get("stage") for record in records}
        _, findings = read(input_file.read_bytes(), input_file.name)
        if bool(findings) != (stages == {"decode"}):
            differences.append((str(input_file), stages, findings))
    assert differences == []
