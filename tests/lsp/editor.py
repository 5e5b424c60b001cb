"""An editor for tests: the client of the pygls library, which drives the real server over stdio.

It waits for messages and never for time. A server that ends fails whatever is waited for.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import BaseLanguageClient

SETTINGS = 'operator-version: "1.4"\ntarget: grove\nallow: {check/no-frontend: the graphs are one worker}\n'
SERVER = (sys.executable, "-m", "dynamoc", "lsp")


class ServerEnded(Exception):
    """The server ended while something was waited for."""


class Client(BaseLanguageClient):
    """Wakes whoever waits when the server ends."""

    def __init__(self) -> None:
        super().__init__("test", "1")
        self.news: asyncio.Condition | None = None
        self.ended = False

    async def server_exit(self, server: asyncio.subprocess.Process) -> None:  # noqa: ARG002
        self.ended = True
        assert self.news is not None
        async with self.news:
            self.news.notify_all()


class Editor:
    """Texts are of files in a folder, which need not be there; `name` is a path in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.client = Client()
        self.published: list[types.PublishDiagnosticsParams] = []
        self.logged: list[types.LogMessageParams] = []
        self._versions: dict[str, int] = {}

    async def start(self, command: tuple[str, ...] = SERVER, encodings: list[Any] | None = None) -> None:
        client = self.client
        client.news = asyncio.Condition()

        async def wake() -> None:
            assert client.news is not None
            async with client.news:
                client.news.notify_all()

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        async def publish(params: types.PublishDiagnosticsParams) -> None:
            # Of texts of an earlier dialogue, the last word may come late.
            if params.uri.startswith((self.folder.as_uri(), "untitled:")):
                self.published.append(params)
            await wake()

        @client.feature(types.WINDOW_LOG_MESSAGE)
        async def log(params: types.LogMessageParams) -> None:
            self.logged.append(params)
            await wake()

        await client.start_io(*command, cwd=str(self.folder))
        general = types.GeneralClientCapabilities(position_encodings=encodings) if encodings else None
        self.initialized = await client.initialize_async(
            types.InitializeParams(
                capabilities=types.ClientCapabilities(general=general),
                workspace_folders=[types.WorkspaceFolder(self.folder.as_uri(), "test")],
            )
        )
        client.initialized(types.InitializedParams())

    async def move(self, folder: Path) -> None:
        """Another folder, in which files may have changed since."""
        if folder != self.folder:
            self._change_folders(folder)
        self.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([]))
        self.folder, self.published, self.logged = folder, [], []

    def _change_folders(self, folder: Path) -> None:
        removed = [types.WorkspaceFolder(self.folder.as_uri(), "test")]
        added = [types.WorkspaceFolder(folder.as_uri(), "test")]
        event = types.WorkspaceFoldersChangeEvent(added, removed)
        self.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))

    def close_all(self) -> None:
        for name in list(self._versions):
            self.close(name)

    async def stop(self) -> None:
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()

    def uri(self, name: str) -> str:
        return name if name.startswith("untitled:") else (self.folder / name).as_uri()

    def file(self, name: str) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.uri(name))

    def open(self, name: str, text: str, language: str = "yaml") -> None:
        self._versions[name] = 1
        item = types.TextDocumentItem(self.uri(name), language, 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def write(self, name: str, text: str) -> int:
        """Changes the text; the version that it gets."""
        self._versions[name] += 1
        version = self._versions[name]
        document = types.VersionedTextDocumentIdentifier(version, self.uri(name))
        change = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))
        return version

    def close(self, name: str) -> None:
        self._versions.pop(name, None)
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(self.file(name)))

    async def until(self, condition: Callable[[], Any]) -> Any:
        """What a condition gives once it gives anything."""
        assert self.client.news is not None
        async with self.client.news:
            while not (found := condition()):
                if self.client.ended:
                    raise ServerEnded
                await self.client.news.wait()
        return found

    async def diagnostics(self, name: str, version: int = 1) -> list[types.Diagnostic]:
        """What was found in a version of a text, once that is known."""
        uri = self.uri(name)

        def found() -> list[list[types.Diagnostic]]:
            return [list(each.diagnostics) for each in self.published if (each.uri, each.version) == (uri, version)]

        known: list[list[types.Diagnostic]] = await self.until(found)
        return known[-1]

    async def hover(self, name: str, line: int, character: int) -> str:
        params = types.HoverParams(self.file(name), types.Position(line, character))
        answer = await self.client.text_document_hover_async(params)
        if answer is None:
            return ""
        assert isinstance(answer.contents, types.MarkupContent)
        return answer.contents.value

    async def completions(self, name: str, line: int, character: int) -> list[types.CompletionItem]:
        params = types.CompletionParams(self.file(name), types.Position(line, character))
        answer = await self.client.text_document_completion_async(params)
        assert isinstance(answer, types.CompletionList)
        return list(answer.items)

    async def definitions(self, name: str, line: int, character: int) -> list[types.Location]:
        params = types.DefinitionParams(self.file(name), types.Position(line, character))
        answer = await self.client.text_document_definition_async(params)
        assert isinstance(answer, list)
        return answer

    async def actions(self, name: str, diagnostics: list[types.Diagnostic]) -> list[types.CodeAction]:
        where = diagnostics[0].range if diagnostics else types.Range(types.Position(0, 0), types.Position(0, 0))
        params = types.CodeActionParams(self.file(name), where, types.CodeActionContext(diagnostics))
        return list(await self.client.text_document_code_action_async(params) or [])


Dialogue = Callable[[Editor], Awaitable[None]]


def talk(folder: Path, dialogue: Dialogue, **started: Any) -> Editor:
    """Holds a dialogue; the editor, with all that it was told.

    The server is the one of all tests, to which the folder is new; or one of its own, where it is `started` otherwise.
    """
    if not started:
        return SHARED.talk(folder, dialogue)

    async def run() -> Editor:
        editor = Editor(folder)
        await editor.start(**started)
        await dialogue(editor)
        await editor.stop()
        return editor

    running: Coroutine[Any, Any, Editor] = run()
    return asyncio.run(running)


class Shared:
    """One server for many dialogues, one after the other: starting one takes longer than most of them."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._editor: Editor | None = None

    def talk(self, folder: Path, dialogue: Dialogue) -> Editor:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            threading.Thread(target=self._loop.run_forever, daemon=True).start()
        return self._wait(self._talk(folder, dialogue))

    def _wait(self, running: Coroutine[Any, Any, Any]) -> Any:
        assert self._loop is not None
        return asyncio.run_coroutine_threadsafe(running, self._loop).result()

    async def _talk(self, folder: Path, dialogue: Dialogue) -> Editor:
        editor = self._editor or Editor(folder)
        if self._editor is None:
            await editor.start()
            self._editor = editor
        await editor.move(folder)
        try:
            await dialogue(editor)
        finally:
            editor.close_all()
        return editor

    def stop(self) -> None:
        if self._editor is not None:
            self._wait(self._editor.stop())
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)


SHARED = Shared()


def mark(text: str) -> tuple[str, int, int]:
    """A text without its mark `‸`, and the line and column (in UTF-16) where that was."""
    before, _, after = text.partition("‸")
    line = before.count("\n")
    column = len(before.rpartition("\n")[2].encode("utf-16-le")) // 2
    return before + after, line, column


def applied(text: str, edits: list[types.TextEdit]) -> str:
    """A text after edits, with positions in UTF-16."""
    lines = text.split("\n")
    starts = [0]
    for each in lines:
        starts.append(starts[-1] + len(each) + 1)

    def offset(position: types.Position) -> int:
        line = lines[position.line].encode("utf-16-le")[: 2 * position.character].decode("utf-16-le")
        return starts[position.line] + len(line)

    for edit in sorted(edits, key=lambda each: offset(each.range.start), reverse=True):
        text = text[: offset(edit.range.start)] + edit.new_text + text[offset(edit.range.end) :]
    return text
