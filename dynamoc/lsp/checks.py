"""Checks while somebody types: the newest text counts, and what was found in an older one is not shown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from dynamoc.lsp.documents import Document
from dynamoc.lsp.processes import Unanswered, Worker

Publish = Callable[[Document, list[dict[str, Any]]], None]

#: seconds without a key before a text is checked
DELAY = 0.15


class Checks:
    """Checks texts, each some time after its last change.

    texts    the texts that are open, by path
    publish  takes a text and what was found in it
    failed   takes what went wrong with that
    """

    def __init__(
        self,
        worker: Worker,
        texts: Callable[[], dict[str, str]],
        publish: Publish,
        failed: Callable[[Exception], None],
    ) -> None:
        self._worker = worker
        self._failed = failed
        self._texts = texts
        self._publish = publish
        self._tasks: dict[str, asyncio.Future[None]] = {}

    def start(self, document: Document, delay: float = DELAY) -> None:
        self.stop(document.uri)
        self._tasks[document.uri] = asyncio.ensure_future(self._run(document, delay))

    def stop(self, uri: str) -> None:
        """Whatever is found from now on in a text that was is not published."""
        task = self._tasks.pop(uri, None)
        if task is not None:
            task.cancel()

    async def _run(self, document: Document, delay: float) -> None:
        try:
            await self._check(document, delay)
        except Exception as error:
            self._failed(error)

    async def _check(self, document: Document, delay: float) -> None:
        await asyncio.sleep(delay)
        found: list[dict[str, Any]] = []
        if not document.is_template:
            question = {"what": "check", "path": document.path, "texts": self._texts() | {document.path: document.text}}
            try:
                found = await self._worker.ask(question)
            except Unanswered:
                # What an older text had may be wrong for this one.
                found = []
        self._publish(document, found)
