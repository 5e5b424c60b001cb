"""Start-up time, throughput and memory, as multiples of a bare Python. Prints figures; judges none.

    ./run python benchmarks/run.py [--runs 20]

Commands run in turns and factors are between medians, so that a busy machine disturbs all alike.
`helm template` of a chart of similar size is measured beside it where helm is found.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.inputs import graph

BARE = "python -c pass"
CHART_TEMPLATE = """\
{{- range $i := until (int .Values.workers) }}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $.Release.Name }}-{{ $i }}
  labels: {app: {{ $.Chart.Name | quote }}}
spec:
  replicas: {{ $.Values.replicas }}
  selector: {matchLabels: {app: {{ $.Chart.Name | quote }}}}
  template:
    metadata: {labels: {app: {{ $.Chart.Name | quote }}}}
    spec:
      containers:
        - name: main
          image: {{ $.Values.image | quote }}
{{- end }}
"""


def chart(folder: Path) -> Path:
    templates = folder / "chart" / "templates"
    templates.mkdir(parents=True)
    (templates / "workers.yaml").write_text(CHART_TEMPLATE)
    (folder / "chart" / "Chart.yaml").write_text("apiVersion: v2\nname: workers\nversion: 0.1.0\n")
    (folder / "chart" / "values.yaml").write_text("workers: 8\nreplicas: 2\nimage: registry.example/vllm:1.0.0\n")
    return folder / "chart"


def measure(command: list[str]) -> tuple[float, float]:
    """(seconds of a run, megabytes at its peak)"""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)} exited with {process.returncode}")
    return seconds, usage.ru_maxrss / 1024


def commands(folder: Path, many: int) -> dict[str, list[str]]:
    (folder / "one.yaml").write_text(graph(0))
    (folder / "many").mkdir()
    for number in range(many):
        (folder / "many" / f"graph-{number:03}.yaml").write_text(graph(number))
    script = shutil.which("dynamoc", path=os.path.dirname(sys.executable))
    dynamoc = [script] if script else [sys.executable, "-m", "dynamoc"]
    per_input = ["--output-dir", str(folder / "out"), "--layout", "per-input"]
    render = [*dynamoc, "render", "--target", "grove"]
    found = {
        BARE: [sys.executable, "-c", "pass"],
        "dynamoc --version": [*dynamoc, "--version"],
        "dynamoc validate, 200 lines": [*dynamoc, "validate", "--target", "grove", str(folder / "one.yaml")],
        "dynamoc render, 200 lines": [*render, str(folder / "one.yaml")],
        "dynamoc render -o json": [*render, str(folder / "one.yaml"), "-o", "json"],
        f"dynamoc render, {many} graphs": [*render, str(folder / "many"), *per_input],
        f"dynamoc diff, {many} graphs": [*dynamoc, "diff", str(folder / "many"), str(folder / "many")],
        f"dynamoc upgrade, {many} graphs": [*dynamoc, "upgrade", str(folder / "many"), "--from", "1.0", "--to", "1.4"],
        f"dynamoc requires, {many} graphs": [*dynamoc, "requires", "--target", "grove", str(folder / "many")],
    }
    helm = shutil.which("helm")
    if helm:
        found["helm template"] = [helm, "template", "x", str(chart(folder))]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--graphs", type=int, default=200)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        listed = commands(Path(folder), given.graphs)
        times: dict[str, list[float]] = {name: [] for name in listed}
        peaks: dict[str, float] = {}
        for turn in range(given.runs + 1):
            for name, command in listed.items():
                if name.endswith("graphs") and turn % 7:
                    continue
                seconds, peaks[name] = measure(command)
                if turn:
                    times[name].append(seconds)
    base = statistics.median(times[BARE])
    print(f"{'':32} {'best':>9} {'median':>10} {'x python':>9} {'peak':>8}")
    for name, taken in times.items():
        best, median = min(taken), statistics.median(taken)
        each = f"   {1000 * (median - base) / given.graphs:.1f} ms a graph" if name.endswith("graphs") else ""
        row = f"{1000 * best:6.1f} ms {1000 * median:7.1f} ms {median / base:9.1f} {peaks[name]:5.0f} MB"
        print(f"{name:32} {row}{each}")
    if not shutil.which("helm"):
        print("helm template: no helm on PATH, not measured")


if __name__ == "__main__":
    main()
