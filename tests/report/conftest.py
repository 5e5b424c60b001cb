"""The command line, pages of it, and a browser that looks at them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run, dynamoc

__all__ = ["dynamoc"]

HOSTILE = "</script><img src=x onerror=alert(1)>\"'&`${x}"
GRAPH = """\
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata:
  name: chat
  namespace: team
spec:
  components:
  - name: Frontend
    type: frontend
    replicas: 2
    podTemplate:
      spec:
        containers:
        - name: main
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0
  - name: Worker
    type: worker
    replicas: 3
    podTemplate:
      spec:
        containers:
        - name: main
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-8B]
          env:
          - name: GREETING
            value: hello
          resources:
            limits:
              nvidia.com/gpu: 1
"""
OPTIONS = ("--target", "grove", "--operator-version", "1.4")
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def report(dynamoc: Run, text: str = GRAPH, *options: str) -> str:
    """The page of a graph."""
    Path("graph.yaml").write_text(text)
    return dynamoc("report", "graph.yaml", *OPTIONS, *options).out


def compared(dynamoc: Run, old: str, new: str) -> str:
    """The page of a comparison."""
    Path("old.yaml").write_text(old)
    Path("new.yaml").write_text(new)
    return dynamoc("diff", "old.yaml", "new.yaml", *OPTIONS, "-o", "html").out


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser of this machine; nothing is downloaded."""
    path = next(filter(None, map(shutil.which, _NAMES)), None)
    if path is None:
        pytest.skip(f"NOT TESTED: no browser on this machine ({', '.join(_NAMES)}); install chromium")
    api = pytest.importorskip("playwright.sync_api", reason="NOT TESTED: playwright is not installed")
    with api.sync_playwright() as playwright:
        # The sandbox needs privileges that containers do not have; the pages are our own.
        # However slow the machine is: no timeout here or below.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"], timeout=0)
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """`visit(html)` opens a page from a file. What it loads, and what it complains of, fails the test."""
    contexts: list[Any] = []
    wrong: list[str] = []

    def visit(html: str, *, width: int = 1200, height: int = 800, dark: bool = False) -> Any:
        path = tmp_path / f"page-{len(contexts)}.html"
        path.write_text(html)
        context = chromium.new_context(
            viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light"
        )
        context.set_default_timeout(0)
        context.set_default_navigation_timeout(0)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda dialog: wrong.append(f"dialog {dialog.message}"))
        page.on("request", lambda request: None if request.url == path.as_uri() else wrong.append(request.url))
        page.goto(path.as_uri())
        return page

    yield visit
    for context in contexts:
        context.close()
    assert wrong == []
