"""Writes tests/golang/data/goyaml.json, what Go's YAML makes of values: `python -m tests.golang.goyaml`. Needs Go."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).with_name("goyaml")
RECORD = Path(__file__).with_name("data") / "goyaml.json"

#: what readers of YAML take for no string, and what cannot be plain, or not in every style
WORDS = (
    *("<<", "=", "~", "", "y", "no", "On", "Null", "NULL", "nan", ".nan", ".inf", "true", "n", "Off"),
    *("1:30", "1:2:3", "+1:30", "-1:30", "1:60", "1:5.5", "1:5._", "1_:5", "1:", "1::2", "0:0", "00:00", "1:2_"),
    *("2001-01-01", "2001-1-1T1:2:3Z", "2001-1-1t01:02:03.5+07:00", "2001-1-1 1:2:3", "2001-1-1   1:2:3.123"),
    *("2001-02-29", "2000-02-29", "1900-02-29", "2001-04-31", "2001-13-1", "2001-0-1", "2001-1-1T1:2:3"),
    *("2001-1-1T24:00:00Z", "2001-1-1T1:2:3+24:60", "2001-1-1T1:2:3+25:00", "2001-1-1 ", "2001-1-1T1:2:3,5Z"),
    *("2001-1-1T1:2:3.Z", "20011-1-1", "2001-01-01x", "201-1-1", "2001-1-1T1:2:60Z", "2001-1-1T1:60:0Z"),
    *("0x1f", "0x0x1f", "0b0b1", "0o0o7", "0x", "0xg", "1e3", ".5", "1.", "1_000", "1__0", "_1", "012", "08", "0o8"),
    *("0b1", "-0b1", "0b+1", "+1", "+-1", "1e400", "1e-400", "18446744073709551615", "18446744073709551616"),
    *("-", "--", "---", "--- a", "...", "....", "- a", "-a", "?", "? a", "?a", ":", ":a", "a:", "a: b", "a:b", "::"),
    *("a #b", "#a", "a#b", "@a", "`", "%a", "!a", "&a", "*a", "|", "|a", ">", "a,b", "[", "]", "{", "}", "a]"),
    *(" a", "a ", "\n", "\n\n", " \n", "a\n", "a\nb", "a\nb\n", "a\n\nb\n\n", " a\nb", "\n a", "\na", "a \nb", "a\n b"),
    *("a\n---\nb", "'\n", "\u2028", "a\u2028b", "a\u2028 b", "a \u2028b", "\u2028a\nb", "a\n\u2028", "a\u2028\n"),
    *(
        "\t",
        "a\tb",
        "\r",
        "a\rb",
        "\x1b",
        "x\0y",
        "\xa0",
        "a\xa0b",
        "\ufeff",
        "\ufeff a",
        "é",
        "🙂",
        "\ud7ff",
        "\ufffd",
    ),
    *("'", "it's", '"', 'a"b', "\\", "a\\b", "10.0.0.1:80", "k" * 128, "k" * 129, "é" * 64, "é" * 65),
    *("word " * 30 + "x", "word " * 16 + "it's: a  b " + "word " * 30 + "x", "\t " * 50 + "  " + "word " * 20 + "x"),
    *("k" * 79 + " b", "k" * 80 + " b", "k" * 81 + " b  c d", "é" * 81 + " b", "k" * 78 + ": b c d"),
    *("k" * 90 + "\u2028" + "a " * 60 + "b", "\t" * 50 + "  a\t ", "k" * 81 + "  " + "'" * 5 + " b: c"),
)
NUMBERS = (
    *(0, -5, 10**20, 2**64 - 1, 2**64, 2**63, -(2**63), -(2**63) - 1, 10**21),
    *(1e6, 100000.5, 1234567.5, 1e-4, 1e-5, -2.5e-07, 5e-324, 1.7976931348623157e308, 1e21, 1.5, -0.1, 1e22),
)


def values(seed: int, mixed: int) -> list[Any]:
    """Each word as a value, an item, a key and both, at two depths, and so many random trees of words and numbers."""
    found: list[Any] = [*WORDS, *NUMBERS, {}, [], None, True]
    for word in (*WORDS, *NUMBERS):
        found += [{"k": word}, [word], {"m": {"n": [word, word]}}]
    for word in WORDS:
        found += [{word: 1}, {"m": {word: word}}, [{word: [word]}], {word: {"a": 1, "b": [[word]]}}]
    found += [{"a1b": 1, "a1-": 2}, {"a10": 1, "a9": 2, "a01": 3}, {"b": 1, "B": 2, "_": 3, "a-b": 4, "ab": 5}]
    choice = random.Random(seed)
    return found + [_tree(choice, 0) for _ in range(mixed)]


def _tree(choice: random.Random, depth: int) -> Any:
    kind = choice.random()
    # Keys that Go's order, which is no order, would put anywhere: two of them at most, and no numbers.
    if depth < 4 and kind < 0.35:
        return {choice.choice(WORDS): _tree(choice, depth + 1) for _ in range(choice.randint(0, 2))}
    if depth < 4 and kind < 0.6:
        return [_tree(choice, depth + 1) for _ in range(choice.randint(0, 3))]
    if kind < 0.7:
        return choice.choice((None, True, False, *NUMBERS))
    return choice.choice(WORDS)


def build() -> str | None:
    """The path of the program; None where there is no Go, or where its modules cannot be had."""
    if not shutil.which("go"):
        return None
    folder = Path(tempfile.mkdtemp(prefix="goyaml-"))
    for name in ("go.mod", "main.go"):
        shutil.copy(SOURCE / name, folder / name)
    for words in (("mod", "tidy"), ("build", "-o", "goyaml", ".")):
        environment = {**os.environ, "GOFLAGS": "-mod=mod"}
        if subprocess.run(["go", *words], cwd=folder, env=environment, capture_output=True, check=False).returncode:
            return None
    return str(folder / "goyaml")


def answers(program: str, given: list[Any]) -> list[str]:
    """What `yaml.Marshal` makes of each value; `error: ` and the reason where it makes nothing of it."""
    data = "".join(json.dumps(value) + "\n" for value in given)
    done = subprocess.run([program], input=data.encode(), capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.decode().split("\n")[:-1]]


def main() -> None:
    program = build()
    if program is None:
        raise SystemExit("goyaml: Go and its module proxy are needed")
    given = values(1, 300)
    rows = [json.dumps(row) for row in zip(given, answers(program, given), strict=True)]
    RECORD.write_text("[\n" + ",\n".join(rows) + "\n]\n")


if __name__ == "__main__":
    main()
