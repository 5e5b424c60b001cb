"""`make test-cluster`: clusters are started, asked, and stopped."""

import subprocess
import sys

from tools.apiserver import golden, record, shared
from tools.apiserver.cluster import Cluster
from tools.apiserver.crds import install

STEPS = ("record", "golden", "shared")


def main() -> None:
    steps = sys.argv[1:] or STEPS
    if set(steps) - set(STEPS):
        sys.exit(f"usage: python -m tools.apiserver [{'|'.join(STEPS)}]...")
    if "record" in steps:
        with Cluster() as cluster:
            install(cluster, "1.4")
            print(record.record(cluster), flush=True)
        subprocess.run([sys.executable, "-m", "pytest", "-q", "tests/apiserver"], check=True)
    # A cluster a release: CRDs of two releases of Grove want the same short names.
    for release in golden.APPLIED if "golden" in steps else ():
        with Cluster() as cluster:
            for line in golden.run(cluster, release):
                print(line, flush=True)
    if "shared" in steps:
        with Cluster() as cluster:
            print(shared.run(cluster, golden.APPLIED[-1]), flush=True)


if __name__ == "__main__":
    main()
