"""`python -m bundling SOURCE FOLDER`: writes the bundle of the package `dynamoc` in SOURCE, and what reads it."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

from bundling.bundle import write

if __name__ == "__main__":
    # It looks again and again through trees that all stay.
    gc.disable()
    write(Path(sys.argv[1]), Path(sys.argv[2]))
