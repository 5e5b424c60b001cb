"""Long runs, newer texts, bugs and processes that die: none of them keeps the editor from anything."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from tests.lsp.editor import SETTINGS, Editor, talk
from tests.lsp.test_diagnostics import GRAPH

WORKER = """
import os
from dynamoc.interfaces.lsp import questions, worker

def ask(question, real=questions.ask):
    text = question["texts"][question["path"]]
    if question["what"] == "check" and "# WAIT" in text:
        # Until the test opens the other end, and closes it.
        with open("pipe") as pipe:
            pipe.read()
    if "# BUG" in text:
        raise RuntimeError("deliberate")
    if "# DIE" in text:
        os._exit(7)
    if "# PRINT" in text:
        print("Content-Length: nonsense")
    return real(question)

worker.ask = ask
worker.main()
"""
SERVER = """
import sys
from dynamoc.interfaces.lsp.server import create

create([sys.executable, "worker.py"], patience=float(sys.argv[1])).start_io()
"""
FOREVER = "1e9"

# Each test starts a server of its own, and that its workers.
pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "dynamoc.yaml").write_text(SETTINGS)
    (tmp_path / "worker.py").write_text(WORKER)
    (tmp_path / "server.py").write_text(SERVER)
    os.mkfifo(tmp_path / "pipe")
    return tmp_path


def command(patience: str = FOREVER) -> tuple[str, ...]:
    return (sys.executable, "server.py", patience)


def codes(found: list[types.Diagnostic]) -> list[str]:
    return [str(each.code) for each in found]


async def opened(folder: Path) -> int:
    """The pipe, once a check waits at its other end."""
    return await asyncio.to_thread(os.open, folder / "pipe", os.O_WRONLY)


def test_a_check_that_takes_long_blocks_no_answer(folder: Path) -> None:
    async def dialogue(editor: Editor) -> None:
        editor.open("graph.yaml", GRAPH + "# WAIT\n")
        pipe = await opened(folder)
        assert "goes to" in await editor.hover("graph.yaml", 6, 14)
        assert await editor.completions("graph.yaml", 6, 14)
        assert editor.published == []
        os.close(pipe)
        assert codes(await editor.diagnostics("graph.yaml")) == ["check/too-few-gpus"]

    talk(folder, dialogue, command=command())


def test_what_was_found_in_an_older_text_is_not_shown(folder: Path) -> None:
    async def dialogue(editor: Editor) -> None:
        editor.open("graph.yaml", GRAPH + "# WAIT\n")
        pipe = await opened(folder)
        version = editor.write("graph.yaml", GRAPH.replace("=4", "=2"))
        # The server takes messages in their order.
        await editor.hover("graph.yaml", 0, 0)
        os.close(pipe)
        assert await editor.diagnostics("graph.yaml", version) == []
        assert [each.version for each in editor.published] == [version]

    talk(folder, dialogue, command=command())


def test_a_check_of_an_older_text_that_does_not_end_is_ended(folder: Path) -> None:
    async def dialogue(editor: Editor) -> None:
        editor.open("graph.yaml", GRAPH + "# WAIT\n")
        pipe = await opened(folder)
        version = editor.write("graph.yaml", GRAPH)
        assert codes(await editor.diagnostics("graph.yaml", version)) == ["check/too-few-gpus"]
        os.close(pipe)

    editor = talk(folder, dialogue, command=command("0"))
    assert editor.logged == []


def test_a_text_that_was_closed_gets_nothing_any_more(folder: Path) -> None:
    async def dialogue(editor: Editor) -> None:
        editor.open("graph.yaml", GRAPH + "# WAIT\n")
        pipe = await opened(folder)
        editor.close("graph.yaml")
        editor.open("other.yaml", GRAPH)
        os.close(pipe)
        await editor.diagnostics("other.yaml")
        assert not any(each.diagnostics for each in editor.published if each.uri == editor.uri("graph.yaml"))

    talk(folder, dialogue, command=command())


@pytest.mark.parametrize(("word", "message"), [("BUG", "RuntimeError: deliberate"), ("DIE", "ended with exit code 7")])
def test_a_bug_is_a_line_of_the_log(folder: Path, word: str, message: str) -> None:
    async def dialogue(editor: Editor) -> None:
        editor.open("graph.yaml", f"{GRAPH}# {word}\n")
        assert await editor.diagnostics("graph.yaml") == []
        assert message in editor.logged[0].message
        assert editor.logged[0].type == types.MessageType.Error
        assert (await editor.hover("graph.yaml", 6, 14)).startswith("**type**")
        version = editor.write("graph.yaml", GRAPH)
        assert codes(await editor.diagnostics("graph.yaml", version)) == ["check/too-few-gpus"]
        assert "goes to" in await editor.hover("graph.yaml", 6, 14)

    talk(folder, dialogue, command=command())


def test_a_bug_in_the_server_itself_ends_nothing(folder: Path) -> None:
    (folder / "server.py").write_text(
        "from dynamoc.interfaces.lsp import server\n"
        "def broken(*_):\n    raise RuntimeError('deliberate')\n"
        "server.completions = server.diagnostics_of = broken\n"
        "server.create().start_io()\n"
    )

    async def dialogue(editor: Editor) -> None:
        editor.open("graph.yaml", GRAPH)
        await editor.until(lambda: [each for each in editor.logged if "deliberate" in each.message])
        with pytest.raises(Exception, match="deliberate"):
            await editor.completions("graph.yaml", 6, 14)
        assert "goes to" in await editor.hover("graph.yaml", 6, 14)

    talk(folder, dialogue, command=command())


def test_what_a_worker_prints_is_no_answer(folder: Path) -> None:
    async def dialogue(editor: Editor) -> None:
        editor.open("graph.yaml", f"{GRAPH}# PRINT\n")
        assert codes(await editor.diagnostics("graph.yaml")) == ["check/too-few-gpus"]

    talk(folder, dialogue, command=command())


def test_modules_in_the_folder_of_the_editor_are_not_imported(tmp_path: Path) -> None:
    """Somebody else may have put them there."""
    (tmp_path / "dynamoc.yaml").write_text(SETTINGS)
    for name in ("yaml", "dynamoc", "json", "pygls"):
        (tmp_path / f"{name}.py").write_text("open('imported', 'w').close()\n")

    async def dialogue(editor: Editor) -> None:
        editor.open("graph.yaml", GRAPH)
        assert codes(await editor.diagnostics("graph.yaml")) == ["check/too-few-gpus"]
        assert "goes to" in await editor.hover("graph.yaml", 6, 14)

    script = Path(sys.executable).with_name("dynamoc")
    talk(tmp_path, dialogue, command=(str(script), "lsp"))
    assert not (tmp_path / "imported").exists()


def test_a_file_that_is_edited_key_by_key(tmp_path: Path) -> None:
    """Each text of a graph that is being typed is taken, whatever it looks like on the way."""
    (tmp_path / "dynamoc.yaml").write_text(SETTINGS)

    async def dialogue(editor: Editor) -> None:
        editor.open("graph.yaml", "")
        version = 1
        for end in range(0, len(GRAPH), 7):
            version = editor.write("graph.yaml", GRAPH[:end])
            line = GRAPH[:end].count("\n")
            column = len(GRAPH[:end].rpartition("\n")[2])
            await editor.completions("graph.yaml", line, column)
        version = editor.write("graph.yaml", GRAPH)
        assert codes(await editor.diagnostics("graph.yaml", version)) == ["check/too-few-gpus"]

    editor = talk(tmp_path, dialogue)
    assert editor.logged == []


def test_a_large_text_has_findings_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "dynamoc.yaml").write_text(SETTINGS)
    text = GRAPH + "# generated\n" * (1 << 17)

    async def dialogue(editor: Editor) -> None:
        editor.open("graph.yaml", text)
        (found,) = await editor.diagnostics("graph.yaml")
        assert (found.code, found.range.start.line) == ("check/too-few-gpus", 14)
        assert await editor.hover("graph.yaml", 6, 14) == ""
        assert await editor.completions("graph.yaml", 6, 14) == []

    talk(tmp_path, dialogue)


def test_a_text_that_was_not_opened_is_read_from_the_disk(tmp_path: Path) -> None:
    (tmp_path / "dynamoc.yaml").write_text(SETTINGS)
    (tmp_path / "graph.yaml").write_text(GRAPH)

    async def dialogue(editor: Editor) -> None:
        assert "goes to" in await editor.hover("graph.yaml", 6, 14)

    talk(tmp_path, dialogue)


def test_what_editors_pass_to_every_server_is_taken(tmp_path: Path) -> None:
    async def dialogue(editor: Editor) -> None:
        assert editor.initialized.capabilities.hover_provider is not None

    talk(tmp_path, dialogue, command=(sys.executable, "-m", "dynamoc", "lsp", "--stdio"))


WRONG: tuple[object, ...] = (None, [], {"textDocument": 1}, {"textDocument": {"uri": "x"}, "position": "here"})


@pytest.mark.parametrize("method", ["textDocument/hover", "textDocument/rename", "workspace/executeCommand"])
def test_a_request_with_wrong_parameters_gets_an_error(folder: Path, method: str) -> None:
    async def dialogue(editor: Editor) -> None:
        editor.open("graph.yaml", GRAPH)
        protocol = editor.client.protocol
        for number, params in enumerate(WRONG):
            name = f"wrong-{number}"
            answer: asyncio.Future[object] = asyncio.get_running_loop().create_future()
            protocol._request_futures[name] = answer
            protocol._send_data({"jsonrpc": "2.0", "id": name, "method": method, "params": params})
            with pytest.raises(JsonRpcInvalidParams, match=f"the parameters of {method} are not those of the protocol"):
                await answer
            # A notification has no answer, and the server goes on.
            protocol._send_data({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": params})
            version = editor.write("graph.yaml", f"{GRAPH}# {number}\n")
            assert codes(await editor.diagnostics("graph.yaml", version)) == ["check/too-few-gpus"], params

    editor = talk(folder, dialogue, command=command())
    assert not any("bug" in each.message for each in editor.logged)
