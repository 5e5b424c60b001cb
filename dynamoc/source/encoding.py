"""Bytes to text, as the readers of Kubernetes decode them."""

from __future__ import annotations

from dynamoc.source.report import Position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.source.report import Report

_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_HINT = "Save the file as UTF-8."


def is_utf16(data: bytes) -> bool:
    return data[:2] in _UTF16_MARKS


def decode(data: bytes, report: Report) -> str:
    """The text without its byte-order mark. Raises Unreadable where it is neither UTF-8 nor marked as UTF-16."""
    if is_utf16(data):
        try:
            return data.decode("utf-16")
        except UnicodeDecodeError:
            message = "The file starts as UTF-16, but continues in another encoding."
            report.stop(Position(0, 0), "read/encoding", message, _HINT)
    data = data.removeprefix(_UTF8_MARK)
    try:
        return data.decode()
    except UnicodeDecodeError as problem:
        message = f"The byte 0x{data[problem.start]:02x} is not valid UTF-8, which Kubernetes expects."
        report.stop(_position(data, problem.start), "read/encoding", message, _HINT)


def _position(data: bytes, offset: int) -> Position:
    start = data.rfind(b"\n", 0, offset) + 1
    return Position(data.count(b"\n", 0, offset), len(data[start:offset].decode(errors="replace")))
