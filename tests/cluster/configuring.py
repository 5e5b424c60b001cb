"""Reading configurations that stand in the test itself."""

from pathlib import Path

import pytest

from dynamoc.admission.cluster.config import OperatorConfig
from dynamoc.admission.cluster.config_files import load_config
from dynamoc.documents.findings.finding import Findings
from dynamoc.reference.releases import RELEASES

SHARED = Path(__file__).parents[3] / "shared" / "conformance"
needs_recordings = pytest.mark.skipif(not SHARED.exists(), reason=f"no recordings in {SHARED}")

MINIMAL = """
rbac: {plannerClusterRoleName: p, dgdrProfilingClusterRoleName: d, eppClusterRoleName: e}
mpi: {sshSecretName: ssh, sshSecretNamespace: ops}
"""


class Release:
    """Stands in where a release is not registered yet."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.version = f"{name}.0"


def release(name: str) -> Release:
    return RELEASES.get(name) or Release(name)


def read(text: str, name: str, tmp_path: Path) -> tuple[OperatorConfig, list[str]]:
    """The configuration, and findings as `severity slug line`."""
    file = tmp_path / "config.yaml"
    file.write_text(text)
    findings = Findings()
    config = load_config(str(file), release(name), findings)
    return config, [f"{item.severity} {item.slug} {item.place.line if item.place else '-'}" for item in findings.items]


def as_dict(config: object) -> dict[str, object]:
    """All settings by dotted name."""
    found: dict[str, object] = {}
    for name in sorted({slot for cls in type(config).__mro__ for slot in getattr(cls, "__slots__", ())}):
        value = getattr(config, name)
        if hasattr(value, "__slots__"):
            found.update({f"{name}.{below}": item for below, item in as_dict(value).items()})
        else:
            found[name] = value
    return found
