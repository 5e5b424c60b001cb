"""Findings as JUnit XML, for the test reports of CI servers, and as Checkstyle XML, which reviewdog and others take.

Source: the JUnit schema of Jenkins (xunit plugin, junit-10.xsd); checkstyle's XMLLogger.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from dynamoc import __version__
from dynamoc.diagnostics.arrange import arrange, cut
from dynamoc.diagnostics.finding import ERROR, Finding
from dynamoc.diagnostics.printable import one_line

_CHECKSTYLE = {"error": "error", "warning": "warning", "note": "info"}
#: where a finding about no file is shown
_NO_FILE = "dynamoc"


def format_junit(findings: list[Finding]) -> str:
    """A test suite a file, a test case a finding: errors are failures; warnings and notes pass, with their text.

    Without findings there is one test case, which passed.
    """
    root = Element("testsuites", name="dynamoc")
    for file, found in _by_file(findings).items():
        failures = sum(finding.severity == ERROR for finding in found)
        suite = SubElement(root, "testsuite", name=file, tests=str(len(found)), failures=str(failures), errors="0")
        for finding in found:
            _case(suite, file, finding)
    if not len(root):
        suite = SubElement(root, "testsuite", name="dynamoc", tests="1", failures="0", errors="0")
        SubElement(suite, "testcase", classname="dynamoc", name="no findings")
    return _text(root)


def _case(suite: Element, file: str, finding: Finding) -> None:
    name = f"{finding.slug} {_where(finding)}".strip()
    case = SubElement(suite, "testcase", classname=file, name=name)
    if finding.place is not None and finding.place.file == file:
        case.set("file", file)
        case.set("line", str(finding.place.line))
    if finding.severity == ERROR:
        failure = SubElement(case, "failure", type=finding.slug, message=one_line(finding.message))
        failure.text = _told(finding)
    else:
        SubElement(case, "system-out").text = f"{finding.severity}: {_told(finding)}"


def format_checkstyle(findings: list[Finding]) -> str:
    """A file element a file, with an error element a finding, whose severity is error, warning or info."""
    root = Element("checkstyle", version=__version__)
    for file, found in _by_file(findings).items():
        holder = SubElement(root, "file", name=file)
        for finding in found:
            error = SubElement(holder, "error")
            if finding.place is not None and finding.place.file == file:
                error.set("line", str(finding.place.line))
                error.set("column", str(finding.place.column))
            error.set("severity", _CHECKSTYLE[finding.severity])
            error.set("message", _told(finding))
            error.set("source", finding.slug)
    return _text(root)


def _by_file(findings: list[Finding]) -> dict[str, list[Finding]]:
    files: dict[str, list[Finding]] = {}
    for finding in cut(arrange(findings), lambda finding: finding.severity):
        files.setdefault(file_of(finding) or _NO_FILE, []).append(finding)
    return files


def file_of(finding: Finding) -> str | None:
    """The file that a finding is shown at: that which a piped document names as its source counts."""
    if finding.place is None:
        return None
    name = finding.place.source or finding.place.file
    return "stdin" if name == "-" else one_line(name)


def _where(finding: Finding) -> str:
    place = finding.place
    return f"{place.line}:{place.column}" if place is not None else one_line(finding.subject or "")


def _told(finding: Finding) -> str:
    lines = finding.whole_message.split("\n") + ([f"hint: {finding.hint}"] if finding.hint else [])
    return "\n".join(map(one_line, lines))


def _text(root: Element) -> str:
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"
