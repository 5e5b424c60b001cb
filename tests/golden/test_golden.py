"""What dynamoc renders is what the operator was recorded to do, case by case."""

from typing import Any

import pytest
import yaml
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from tests.golden.cases import Case, cases, followed
from tests.golden.rendering import rendered

ALL = [(case, target) for case in cases() for target in case.targets]


class Record(SingleFileSnapshotExtension):
    """Compares with the operator's recorded answer. A record is never written from dynamoc's own output."""

    file_extension = "yaml"
    _write_mode = WriteMode.TEXT

    def serialize(self, data: Any, **_: Any) -> str:
        return yaml.safe_dump(data, sort_keys=True, allow_unicode=True, width=120)

    @classmethod
    def write_snapshot(cls, **_: Any) -> None:
        raise AssertionError("records come from `python -m tools.golden_records`, not from --snapshot-update")

    @classmethod
    def delete_snapshots(cls, **_: Any) -> None:
        raise AssertionError("records come from `python -m tools.golden_records`, not from --snapshot-update")


def record_of(case: Case, target: str) -> type[Record]:
    class CaseRecord(Record):
        @classmethod
        def get_location(cls, **_: Any) -> str:
            return str(case.expected(target)[0])

        @classmethod
        def dirname(cls, **_: Any) -> str:
            return str(case.folder)

    return CaseRecord


@pytest.mark.parametrize(("case", "target"), ALL, ids=[f"{case.name}-{target}" for case, target in ALL])
def test_case(case: Case, target: str, snapshot: SnapshotAssertion) -> None:
    objects, errors = rendered(case, target)
    if case.show:
        assert not errors
        shown = case.shown(objects)
        assert shown == case.recorded(target)
        if not case.earlier:
            assert shown == snapshot.use_extension(record_of(case, target))
    else:
        assert errors, "the operator refuses this input"
        assert all(error.place for error in errors)
        assert "refused" in case.recorded(target)


def test_a_record_is_followed_by_differences() -> None:
    record = {"A/old": {"list": [{"n": 1}, 2, 3], "same": 1, "went": 1}, "B/went": {}, "C/same": {}}
    differences = {
        "renamed": {"A/new": "A/old"},
        "A/new": {"list": {0: {"n": 2}, "gone": [1], "added": {1: 9, 3: 8}}, "went": None, "came": {"x": 1}},
        "B/went": None,
    }
    assert followed(record, differences) == {
        "A/new": {"list": [{"n": 2}, 9, 3, 8], "same": 1, "came": {"x": 1}},
        "C/same": {},
    }
