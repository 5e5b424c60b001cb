"""The operator's configuration from a file, or the chart's; without a file, what reads one is not imported."""

from __future__ import annotations

from dynamoc.cluster.chart import chart_default
from dynamoc.diagnostics.finding import Finding
from dynamoc.limits import limit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.cluster.config import OperatorConfig
    from dynamoc.diagnostics.finding import Findings
    from dynamoc.release import Release


def load_config(path: str | None, release: Release, findings: Findings) -> OperatorConfig:
    """The configuration in the file at `path`, or what the release's Helm chart installs where `path` is None.

    The file is an OperatorConfiguration, values of the chart `dynamo-platform`, or (release 0.6) a mapping of the
    operator's flags. What the operator, or Helm, would refuse is an `error` in `findings`; what it would silently
    ignore is a `warning`. The result is usable in any case.
    """
    if path is None:
        return chart_default(release.name)
    return read_config_file(path, release.name, findings)


def read_config_file(path: str, release: str, findings: Findings) -> OperatorConfig:
    """The configuration in the file at `path`; the chart's defaults where it cannot be read."""
    from dynamoc.cluster.config_documents import config_from_document
    from dynamoc.source.reader import read_text

    try:
        with open(path, "rb") as file:
            data = file.read(limit("file-bytes") + 1)
    except OSError as error:
        findings.add(Finding("config/cannot-read", f"Cannot read {path}: {error.strerror}."))
        return chart_default(release)
    errors = findings.errors
    documents = read_text(data, path, findings, objects=False)
    if findings.errors > errors:
        return chart_default(release)
    if len(documents) > 1:
        from dynamoc.cluster.helm_release import of_platform

        documents = of_platform(documents)
    if len(documents) != 1 or not isinstance(documents[0].value, dict):
        message = "The operator's configuration must be one YAML document, a mapping."
        findings.add(Finding("config/not-a-mapping", f"{message} {path} has {len(documents)} documents."))
        return chart_default(release)
    return config_from_document(documents[0], release, findings)
