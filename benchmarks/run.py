"""Writes docs/performance.md: what starts, commands and many graphs take, as multiples of a bare Python.

    ./run python -m benchmarks.run [--runs 20] [--graphs 1 100 1000 5000] [--print]

dynamoc runs as a wheel installs it. CPU time is user and system time; instructions are counted by valgrind, where that
is installed. `helm template` and `kustomize build` are measured beside it where they are found.
"""

from __future__ import annotations

import argparse
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks import inputs, startup
from benchmarks.installed import ROOT, Installed
from benchmarks.measuring import BARE, Meter, medians

PAGE = ROOT / "docs" / "performance.md"
_TABLES = re.compile(r"<!-- figures.*?-->\n.*?<!-- end -->\n", re.DOTALL)
#: name of an input to its options; the files are those of benchmarks/startup.py
MEASURED = {
    "light.yaml": ("1.0", "plain"),
    "picker.yaml": ("1.0", "plain"),
    "grove.yaml": ("1.4", "grove"),
}
COMMANDS = {
    "render": "render {file} --operator-version {release} --target {target}",
    "render -o json": "render {file} --operator-version {release} --target {target} -o json",
    "render -o annotated": "render {file} --operator-version {release} --target {target} -o annotated",
    "validate": "validate {file} --operator-version {release} --target {target}",
    "explain FILE:LINE": "explain {file}:20 --operator-version {release} --target {target}",
    "check": "check {file} --operator-version {release} --target {target}",
    "report -o svg": "report {file} -o svg --operator-version {release} --target {target}",
    "report": "report {file} --operator-version {release} --target {target}",
    "requires": "requires {file} --operator-version {release} --target {target}",
    "diff": "diff {file} {file} --operator-version {release} --target {target}",
    "convert": "convert {file} --to v1beta1",
    "upgrade": "upgrade {file} --from {release} --to 1.5 --target {target}",
}
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


KUSTOMIZATION = "resources: [grove.yaml]\nnamespace: inference\n"


def others(folder: Path) -> dict[str, list[str]]:
    """Native tools at work of similar size, where they are installed."""
    found = {}
    helm, kustomize = shutil.which("helm"), shutil.which("kustomize")
    if helm:
        found["helm template"] = [helm, "template", "x", str(chart(folder))]
    if kustomize:
        (folder / "kustomization.yaml").write_text(KUSTOMIZATION)
        found["kustomize build"] = [kustomize, "build", str(folder)]
    return found


def cold(installed: Installed, meter: Meter, folder: Path, runs: int) -> Iterator[str]:
    """Commands on one graph each: multiples of the CPU time and, in parentheses, the instructions of a bare Python."""
    commands = {"dynamoc --version": installed.command("--version"), **others(folder)}
    alone = list(commands)
    for name, line in COMMANDS.items():
        for file, (release, target) in MEASURED.items():
            words = line.format(file=file, release=release, target=target)
            commands[f"{name}, {file}"] = installed.command(words)
    seconds = medians(meter, {"": BARE, **commands}, runs)
    bare = meter.instructions(BARE)

    def multiple(name: str) -> str:
        # What takes longer takes minutes under valgrind.
        counted = meter.instructions(commands[name]) if seconds[name] < 0.5 else None
        return f"{seconds[name] / seconds['']:.1f}" + (
            "" if counted is None or not bare else f" ({counted / bare:.1f})"
        )

    yield f"`python -c pass` takes {1000 * seconds['']:.1f} ms; " + ", ".join(
        f"`{name}` {multiple(name)}" for name in alone
    )
    yield ""
    yield "| command | light | picker | grove |"
    yield "| --- | ---: | ---: | ---: |"
    for name in COMMANDS:
        yield f"| {name} | " + " | ".join(multiple(f"{name}, {file}") for file in MEASURED) + " |"


def many(installed: Installed, meter: Meter, folder: Path, counts: list[int]) -> Iterator[str]:
    """Rows of many graphs, one large graph, and many components."""
    yield "| `render` of | CPU | a graph | x the row above | peak |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    options = "--operator-version 1.4 --target plain -n inference --layout per-input --output-dir"
    before = None
    for count in counts:
        given = inputs.write_graphs(folder / f"graphs-{count}", count)
        seconds, peak = meter.cpu(installed.command(f"render {given} {options} {folder / f'out-{count}'}"))
        each = seconds / count
        growth = "" if before is None else f"{each / before:.2f}"
        before = each
        name = f"{count:,} graph{'s' * (count > 1)}"
        yield f"| {name} | {seconds:.2f} s | {1000 * each:.1f} ms | {growth} | {peak:.0f} MB |"
    (folder / "one.yaml").write_text(inputs.components(25))
    (folder / "set.yaml").write_text("---\n".join(inputs.components(25, f"set-{number}") for number in range(8)))
    for name, file in (("one graph of 25 components", "one.yaml"), ("8 graphs of 25 components", "set.yaml")):
        line = f"render {folder / file} --operator-version 1.4 --target plain"
        seconds, peak = meter.cpu(installed.command(line))
        yield f"| {name} | {seconds:.2f} s | | | {peak:.0f} MB |"


def figures(runs: int, counts: list[int]) -> str:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "inputs").mkdir()
        startup.write_inputs(folder / "inputs")
        installed = Installed(folder / "site")
        meter = Meter(folder / "inputs", installed.environment)
        return "\n".join(
            [
                f"Python {platform.python_version()}, {platform.system()} {platform.machine()}. CPU times of commands "
                f"are medians of {runs} runs.{_missing()}",
                "",
                *cold(installed, meter, folder / "inputs", runs),
                "",
                *many(installed, meter, folder, counts),
                "",
            ]
        )


def _missing() -> str:
    names = [name for name in ("helm", "kustomize") if shutil.which(name) is None]
    return f" Not installed, and so not measured: {', '.join(names)}." if names else ""


def with_figures(page: str, text: str) -> str:
    """The page with other tables."""
    marked = f"<!-- figures: written by `python -m benchmarks.run` -->\n{text}<!-- end -->\n"
    return _TABLES.sub(lambda _: marked, page)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--graphs", type=int, nargs="*", default=[1, 100, 1000, 5000])
    parser.add_argument("--print", action="store_true", help="print the tables, and leave the page as it is")
    given = parser.parse_args()
    text = figures(given.runs, given.graphs)
    if given.print:
        sys.stdout.write(text)
    else:
        PAGE.write_text(with_figures(PAGE.read_text(), text))


if __name__ == "__main__":
    main()
