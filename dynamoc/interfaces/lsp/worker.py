"""The process that compiles for the language server: questions on stdin, answers on stdout, one JSON text a line.

It is a separate process so that a long run, or a bug, keeps the editor from nothing.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from typing import Any, BinaryIO

from dynamoc.interfaces.lsp.questions import ask


def work(questions: BinaryIO, answers: BinaryIO) -> None:
    """Answers until there are no more questions."""
    for line in questions:
        question = json.loads(line)
        answers.write(json.dumps(answered(question)).encode() + b"\n")
        answers.flush()


def answered(question: dict[str, Any]) -> dict[str, Any]:
    """`{"answer": ...}`, or `{"bug": text}` where dynamoc itself fails."""
    try:
        return {"answer": ask(question)}
    except Exception as error:
        return {"bug": "".join(traceback.format_exception(error))}


def main() -> None:
    # Whatever prints must not break the dialogue.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    work(os.fdopen(os.dup(0), "rb"), answers)


if __name__ == "__main__":
    main()
