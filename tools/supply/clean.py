"""Installs dist/release/ on a clean Debian, as users do, and renders there: `python -m tools.supply.clean`.

Needs root, debootstrap and Debian's packages. In the new system there is no network: the wheels that the wheel needs
are downloaded before. dist/clean/ is kept for the next run.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
RELEASE, CLEAN, BARE = ROOT / "dist" / "release", ROOT / "dist" / "clean", ROOT / "dist" / "bare"
RENDER = "render /mnt/llama.yaml --target grove --operator-version 1.4"


def main() -> int:
    machine = subprocess.run(["uname", "-m"], check=True, capture_output=True, text=True).stdout.strip()
    wanted = _rendered([sys.executable, "-m", "dynamoc", *RENDER.replace("/mnt", "examples").split()], cwd=ROOT)
    for folder, packages in ((CLEAN, "python3,python3-venv"), (BARE, "")):
        if not (folder / "etc").is_dir():
            more = [f"--include={packages}"] if packages else []
            subprocess.run(["debootstrap", "--variant=minbase", *more, "bookworm", str(folder)], check=True)
        shutil.copy(ROOT / "examples" / "llama.yaml", folder / "mnt")
    [wheel] = RELEASE.glob("*.whl")
    line = [sys.executable, "-m", "pip", "download", "-q", "--python-version", "3.11", "--only-binary", ":all:"]
    shutil.rmtree(CLEAN / "wheels", ignore_errors=True)
    subprocess.run([*line, "--platform", f"manylinux_2_28_{machine}", "--platform", f"manylinux2014_{machine}",
                    "-d", str(CLEAN / "wheels"), str(wheel)], check=True)  # fmt: skip
    install = (
        "rm -rf /tmp/v && python3 -m venv /tmp/v && /tmp/v/bin/pip install -q --no-index --find-links /wheels dynamoc"
    )
    failed = []
    for name, folder, command in (
        ("the wheel, with Debian's Python", CLEAN, f"{install} && /tmp/v/bin/dynamoc {RENDER}"),
        ("the executable, without Python", BARE, f"/mnt/dynamoc {RENDER}"),
        (
            "the executable as a plugin of kubectl",
            BARE,
            f"cp /mnt/dynamoc /tmp/kubectl-dynamoc && /tmp/kubectl-dynamoc {RENDER}",
        ),
    ):
        if folder == BARE:
            shutil.copy(RELEASE / f"dynamoc-linux-{machine}", BARE / "mnt" / "dynamoc")
        alone = ["unshare", "--net", "--mount", "--pid", "--fork", f"--mount-proc={folder}/proc"]
        inside = [*alone, "chroot", str(folder), "sh", "-ec", command]
        same = _rendered(inside) == wanted
        print(f"{'same bytes' if same else 'DIFFERENT'}: {name}")
        failed += [] if same else [name]
    return bool(failed)


def _rendered(command: list[str], cwd: Path | None = None) -> bytes:
    done = subprocess.run(command, cwd=cwd, check=False, capture_output=True)
    if done.returncode:
        print(done.stderr.decode(errors="replace")[-2000:], file=sys.stderr)
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
