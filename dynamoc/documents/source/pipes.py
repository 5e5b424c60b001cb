"""Commands that render what a file is a part of, for hints: a Helm chart, a kustomization."""

from __future__ import annotations

import os
import shlex


def template_hint(file: str) -> str:
    """What to do with a template, which a file turned out to be."""
    chart = chart_of(file)
    if chart is not None:
        return f"This is a Helm template: `{helm_pipe(chart)}` renders its chart."
    return "This looks like a template. Render it first: `helm template CHART | dynamoc render -`, or `envsubst`."


def chart_of(file: str) -> str | None:
    """The directory of the chart whose template a file is; None for other files."""
    parts = file.split("/")
    for depth in range(len(parts) - 2, -1, -1):
        if parts[depth] == "templates":
            chart = "/".join(parts[:depth]) or ("/" if file.startswith("/") and depth else os.curdir)
            if os.path.isfile(os.path.join(chart, "Chart.yaml")):
                return chart
    return None


def helm_pipe(chart: str) -> str:
    return f"helm template {_quoted(chart)} | dynamoc render -"


def kustomize_pipe(directory: str) -> str:
    return f"kustomize build {_quoted(directory or os.curdir)} | dynamoc render -"


def _quoted(path: str) -> str:
    return shlex.quote(path)
