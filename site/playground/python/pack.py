"""Run by build.mjs in Pyodide: /package.zip with dynamoc, its bundle for this Python, PyYAML and the bridge.

The files have one time, so that the same sources give the same bytes.
"""

import gc
import os
import sys
import zipfile
from pathlib import Path

sys.path.insert(0, "/src")
gc.disable()
from bundling.bundle import write  # noqa: E402

SOURCE, MADE = Path("/src/dynamoc"), Path("/made")
MADE.mkdir()
write(SOURCE.parent, MADE)
files = {f"dynamoc/{path.name}": path for path in MADE.iterdir()}
for folder, _, names in os.walk(SOURCE):
    if "__pycache__" not in folder:
        files |= {Path(folder, name).relative_to("/src").as_posix(): Path(folder, name) for name in names}
files = {name: path for name, path in files.items() if not name.startswith("dynamoc/bundle.") or path.parent == MADE}
files |= {f"yaml/{path.name}": path for path in Path("/yaml").glob("*.py")}
files |= {"bridge.py": Path("/here/bridge.py"), "lsprotocol/types.py": Path("/here/lsprotocol_types.py")}
files |= {"pygls/uris.py": Path("/here/pygls_uris.py")}
with zipfile.ZipFile("/package.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
    for name in sorted(files):
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        entry.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(entry, files[name].read_bytes())
    for package in ("lsprotocol", "pygls"):
        archive.writestr(zipfile.ZipInfo(f"{package}/__init__.py", (1980, 1, 1, 0, 0, 0)), b"")
