"""CustomResourceDefinitions of what dynamoc renders to; they are other projects' and not in this one."""

import os
from pathlib import Path

from tools.apiserver.cluster import Cluster

#: Grove and LeaderWorkerSet that the platform chart of a release brings
_VERSIONS = {"1.0": ("grove-0.1.0-alpha.6", "lws-0.6.2")}
_NEWEST = ("grove-0.1.0-alpha.12-rc1", "lws-0.9.0")
_SHARED = Path(__file__).parents[3] / "shared"


def folders(release: str) -> list[Path]:
    """`dynamo-RELEASE`, Grove, LeaderWorkerSet and `others` (Istio, Volcano, KAI, …) in the folder DYNAMOC_CRDS."""
    given = os.environ.get("DYNAMOC_CRDS")
    root = Path(given) if given else _SHARED / "reference" / "crds"
    others = root / "others" if given else _SHARED / "test-cluster" / "crds"
    found = [root / f"dynamo-{release}", *(root / name for name in _VERSIONS.get(release, _NEWEST)), others]
    missing = [str(path) for path in found if not path.is_dir()]
    if missing:
        raise RuntimeError(f"No CRDs in {', '.join(missing)}: see tools/apiserver/README.md.")
    return found


def install(cluster: Cluster, release: str) -> None:
    """CRDs in place of those of another release."""
    for folder in folders(release):
        cluster.kubectl("apply", "--server-side", "--force-conflicts", "-f", str(folder))
    cluster.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=120s")
