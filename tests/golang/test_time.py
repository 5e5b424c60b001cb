import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamoc.kube.go import print_duration, try_duration

HOUR = 3_600_000_000_000


@pytest.mark.parametrize(
    ("text", "nanoseconds", "printed"),
    [
        ("4h", 4 * HOUR, "4h0m0s"),
        ("90m", 90 * HOUR // 60, "1h30m0s"),
        ("1.5h", 90 * HOUR // 60, "1h30m0s"),
        ("-1.5h", -90 * HOUR // 60, "-1h30m0s"),
        ("15m", HOUR // 4, "15m0s"),
        (".5s", 500_000_000, "500ms"),
        ("1.s", 1_000_000_000, "1s"),
        ("1.0000000001s", 1_000_000_000, "1s"),
        ("10µs", 10_000, "10µs"),
        ("1h2m3s4ms5us6ns", 3_723_004_005_006, "1h2m3.004005006s"),
        ("0", 0, "0s"),
        ("-0", 0, "0s"),
        ("+5s", 5_000_000_000, "5s"),
        ("9223372036854775807ns", (1 << 63) - 1, "2562047h47m16.854775807s"),
        ("-9223372036854775808ns", -(1 << 63), "-2562047h47m16.854775808s"),
    ],
)
def test_durations_read_and_print_as_in_go(text: str, nanoseconds: int, printed: str) -> None:
    assert try_duration(text) == nanoseconds
    assert print_duration(nanoseconds) == printed


@pytest.mark.parametrize("text", ["", "4", "h", ".s", "1..5s", "1h 2m", "4d", "-", "9223372036854775808ns", "1h-2m"])
def test_what_go_refuses(text: str) -> None:
    assert try_duration(text) is None


@given(st.integers(-(1 << 63), (1 << 63) - 1))
def test_printed_durations_read_back(nanoseconds: int) -> None:
    assert try_duration(print_duration(nanoseconds)) == nanoseconds
