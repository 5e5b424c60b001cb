"""`make test-cluster`: a cluster is started, asked, and stopped."""

import subprocess
import sys

from tests.api_server import golden, record, shared
from tests.api_server.cluster import Cluster
from tests.api_server.crds import install

STEPS = ("record", "golden", "shared")


def main() -> None:
    steps = sys.argv[1:] or STEPS
    if set(steps) - set(STEPS):
        sys.exit(f"usage: python -m tests.api_server [{'|'.join(STEPS)}]...")
    with Cluster() as cluster:
        if "record" in steps:
            install(cluster, "1.4")
            print(record.record(cluster), flush=True)
        if "golden" in steps:
            for line in golden.run(cluster):
                print(line, flush=True)
        if "shared" in steps:
            print(shared.run(cluster), flush=True)
    if "record" in steps:
        sys.exit(subprocess.run([sys.executable, "-m", "pytest", "-q", "tests/api_server"], check=False).returncode)


if __name__ == "__main__":
    main()
