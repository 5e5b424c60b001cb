"""`python -m bundling SOURCE FILE`: writes the bundle of the package `dynamoc` in the folder SOURCE."""

from __future__ import annotations

import sys
from pathlib import Path

from bundling.bundle import bundle

if __name__ == "__main__":
    Path(sys.argv[2]).write_bytes(bundle(Path(sys.argv[1])))
