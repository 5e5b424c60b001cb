"""`dynamoc lsp`: the language server on standard input and output."""

from __future__ import annotations

import asyncio
import gc
import os
import traceback
from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from dynamoc import __version__
from dynamoc.interfaces.lsp.completion import completions, hover_of, subject_at, symbols
from dynamoc.interfaces.lsp.diagnostics import Checks, Pages, actions, diagnostics_of
from dynamoc.interfaces.lsp.documents import Document, documents_with, path_of
from dynamoc.interfaces.lsp.processes import PATIENCE, Releases, Unanswered, Worker
from dynamoc.interfaces.lsp.questions import SCHEME, Rendered
from dynamoc.interfaces.lsp.references import BadName, component_at, definitions, reference_at, renamed, word_for

RENDER = "dynamoc.render"
#: characters after which editors ask for completions without a key for that
_TRIGGERS = [" ", "-", ":", "=", '"']
_SETTINGS = ("dynamoc.yaml", "pyproject.toml")


class Protocol(LanguageServerProtocol):
    """Answers requests whose parameters cannot be read, which pygls only logs."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "id" not in data or "method" not in data:
                raise
            reason = f"the parameters of {data['method']} are not those of the protocol: {error.__cause__ or error}"
            self._send_response(data["id"], error=JsonRpcInvalidParams(message=reason).to_response_error())
            return None

    def handle_message(self, message: Any) -> None:
        if message is not None:
            super().handle_message(message)


class Server(LanguageServer):
    """What is known of the editor: its texts, and the processes that work for it.

    worker, patience  of these processes, for tests
    """

    def __init__(self, worker: Sequence[str] = (), patience: float = PATIENCE) -> None:
        # Whole texts: what counts as a line end differs between editors and Python.
        super().__init__("dynamoc", __version__, types.TextDocumentSyncKind.Full, protocol_cls=Protocol)
        self.checker = Worker(self.log, worker, patience)
        self.explainer = Worker(self.log, worker, patience)
        self.checks = Checks(self.checker, self.texts, self.show, self.failed)
        self.pages = Pages()
        self.releases = Releases(self.log)
        self.rendered: dict[str, Rendered] = {}
        self._opened: dict[str, Document] = {}
        #: how often files may have changed beside the texts
        self._saves = 0

    def log(self, message: str, kind: types.MessageType = types.MessageType.Error) -> None:
        self.window_log_message(types.LogMessageParams(kind, message))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """A bug is a line of the log, and no message that the user has to close."""
        if isinstance(error, JsonRpcInvalidParams | ValueError) and source is JsonRpcException:
            self.log(f"A message of the editor cannot be read: {error.__cause__ or error}")
            return
        self.log(f"dynamoc: bug in {source.__name__}, please report it: {error}")

    def failed(self, error: Exception) -> None:
        trace = "".join(traceback.format_exception(error))
        self.log(f"dynamoc: bug while showing findings, please report it:\n{trace}")

    def document(self, uri: str) -> Document:
        """A text that is open; what is not is read from the disk."""
        return self._opened.get(uri) or self._read(uri)

    def _read(self, uri: str) -> Document:
        text = self.workspace.get_text_document(uri)
        return Document(uri, text.source, text.version, text.language_id, self.workspace.position_encoding)

    def update(self, uri: str, *, delay: bool = True) -> None:
        """Takes the newest text of a document, and has it checked."""
        document = self._opened[uri] = self._read(uri)
        if uri.startswith(f"{SCHEME}:"):
            return
        self.checks.start(document, **({} if delay else {"delay": 0.0}))

    def close(self, uri: str) -> None:
        self.checks.stop(uri)
        self.rendered.pop(unquote(uri), None)
        if self._opened.pop(uri, None) is not None:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def check_again(self) -> None:
        """After a change of files that texts depend on: settings, what exists in the cluster."""
        self._saves += 1
        self.releases.forget()
        for uri in list(self._opened):
            self.update(uri, delay=False)

    def show(self, document: Document, findings: list[dict[str, Any]]) -> None:
        found = diagnostics_of(findings, document, self.pages)
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(document.uri, found, version=document.version)
        )

    def texts(self) -> dict[str, str]:
        return {each.path: each.text for each in self._opened.values()}

    def release_for(self, document: Document) -> str:
        return self.releases.of(document.path)

    def others(self, document: Document, word: str) -> list[Document]:
        """Other documents of the workspace that have a word."""
        folders = [path_of(each.uri) for each in self.workspace.folders.values()]
        if not folders and self.workspace.root_path:
            folders = [self.workspace.root_path]
        opened = [each for each in self._opened.values() if not each.uri.startswith(f"{SCHEME}:")]
        found = documents_with(word, opened, filter(os.path.isdir, folders))
        return [each for each in found if each.uri != document.uri and each.path != document.path]

    def question(self, what: str, document: Document) -> dict[str, Any]:
        """What a worker needs to know of a text. `key` is another one whenever the answer may be."""
        key = [document.path, document.version, hash(document.text), self._saves]
        texts = self.texts() | {document.path: document.text}
        return {"what": what, "path": document.path, "texts": texts, "key": key}


def create(worker: Sequence[str] = (), patience: float = PATIENCE) -> Server:
    """A server with all that it can do."""
    server = Server(worker, patience)
    _add_documents(server)
    _add_answers(server)
    _add_edits(server)
    _add_render(server)
    return server


def serve() -> int:
    """Talks with the editor until that ends the dialogue."""
    # Commands run without collecting garbage, because they end; this one does not.
    gc.enable()
    create().start_io()
    return 0


def _add_documents(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.update(params.text_document.uri, delay=False)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        server.update(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.close(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(_: types.DidSaveTextDocumentParams) -> None:
        server.check_again()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(_: types.DidChangeWatchedFilesParams) -> None:
        server.check_again()

    @server.feature(types.INITIALIZED)
    async def initialized(_: types.InitializedParams) -> None:
        workspace = server.client_capabilities.workspace
        watching = workspace and workspace.did_change_watched_files
        if watching and watching.dynamic_registration:
            watchers = [types.FileSystemWatcher(f"**/{name}") for name in _SETTINGS]
            options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
            registration = types.Registration("settings", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
            await server.client_register_capability_async(types.RegistrationParams([registration]))


def _add_answers(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        document = server.document(params.text_document.uri)
        release = server.release_for(document)
        subject = subject_at(document, params.position, release)
        if subject is None:
            return None
        fate: list[str] = []
        if subject.is_leaf:
            question = server.question("fate", document) | {"field": subject.path, "line": subject.line}
            try:
                fate = await server.explainer.ask(question)
            except Unanswered:
                fate = []
        return hover_of(subject, fate, release)

    @server.feature(
        types.TEXT_DOCUMENT_COMPLETION,
        types.CompletionOptions(trigger_characters=_TRIGGERS, resolve_provider=False),
    )
    def completion(params: types.CompletionParams) -> types.CompletionList:
        document = server.document(params.text_document.uri)
        return completions(document, params.position, server.release_for(document))

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def definition(params: types.DefinitionParams) -> list[types.Location]:
        uri = params.text_document.uri
        rendered = server.rendered.get(unquote(uri))
        if rendered is not None:
            return rendered.origins(params.position.line)
        document = server.document(uri)
        reference = None if document.is_template else reference_at(document, params.position)
        if reference is None:
            return []
        others = await asyncio.to_thread(server.others, document, word_for(reference))
        return definitions(document, reference, others)

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def document_symbol(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        return symbols(server.document(params.text_document.uri))


def _add_edits(server: Server) -> None:
    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])
    )
    def code_action(params: types.CodeActionParams) -> list[types.CodeAction]:
        only = params.context.only
        if only is not None and not any(types.CodeActionKind.QuickFix.startswith(each) for each in only):
            return []
        document = server.document(params.text_document.uri)
        return list(actions(document, list(params.context.diagnostics)))

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare_rename(params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
        document = server.document(params.text_document.uri)
        component = component_at(document, params.position)
        if component is None:
            return None
        span = component.span
        where = document.lines.range(span.line, span.start, span.end)
        return types.PrepareRenamePlaceholder(range=where, placeholder=component.name)

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    async def rename(params: types.RenameParams) -> types.WorkspaceEdit | None:
        document = server.document(params.text_document.uri)
        component = component_at(document, params.position)
        if component is None:
            return None
        others = await asyncio.to_thread(server.others, document, component.graph or component.name)
        try:
            return renamed(document, component, params.new_name, others)
        except BadName as problem:
            raise JsonRpcInvalidParams(message=str(problem)) from None


def _add_render(server: Server) -> None:
    @server.command(RENDER)
    async def render(uri: str) -> dict[str, Any] | None:
        """The rendered text of a document: `{"uri": ..., "text": ..., "errors": ...}`."""
        document = server.document(uri)
        try:
            answer = await server.explainer.ask(server.question("render", document))
        except Unanswered:
            return None
        rendered = Rendered(document, answer)
        # Editors differ in what they escape.
        server.rendered[unquote(rendered.uri)] = rendered
        return {"uri": rendered.uri, "text": answer["text"], "errors": answer["errors"]}
