"""Charts of Helm and kustomizations: what other tools make manifests of, and what to run to get them."""

from __future__ import annotations

import os


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
    import shlex

    return shlex.quote(path)
