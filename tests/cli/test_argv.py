"""The fast parser and typer read the same command line the same way, or the fast one leaves it to typer."""

from __future__ import annotations

import contextlib
from functools import cache
from typing import Any

import pytest
import typer.main
from hypothesis import example, given
from hypothesis import strategies as st

from dynamoc.interfaces.cli import app as app_app
from dynamoc.interfaces.cli.command_line import parse
from dynamoc.interfaces.cli.failure import UsageError
from dynamoc.interfaces.cli.options import CHOICE, MANY, PART, SWITCH, Option
from dynamoc.interfaces.cli.options import COMMANDS as TABLES


@cache
def typer_command() -> Any:
    """What typer makes of the program, which takes longer than to read a command line."""
    return typer.main.get_command(app_app.app)


def typer_parse(argv: list[str]) -> tuple[str, dict[str, Any]] | None:
    """What typer would run, or None for a usage error."""
    seen: list[tuple[str, dict[str, Any]]] = []

    def note(command: str, values: dict[str, Any]) -> int:
        seen.append((command, values))
        return 0

    command = typer_command()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.main, "get_command", lambda _: command)
        patch.setattr(app_app, "run_command", note)
        with contextlib.suppress(UsageError):
            app_app.run_app(argv)
    return seen[0] if seen else None


def words(option: Option) -> st.SearchStrategy[list[str]]:
    flags = st.sampled_from(option.flags)
    if option.kind == SWITCH:
        return flags.map(lambda flag: [flag])
    bare = flags.map(lambda flag: [flag])
    values = st.sampled_from([*option.choices, "auto", "x", "-", "-x", "", "a=b"])
    apart = st.tuples(flags, values).map(list)
    joined = st.tuples(flags, values).map(lambda pair: [f"{pair[0]}={pair[1]}"])
    return bare | joined if option.kind == PART else apart | joined


def lines(command: str) -> st.SearchStrategy[list[str]]:
    stray = st.sampled_from([["a.yaml"], ["b"], ["-"], ["--"], ["--no-such"], ["-x"], ["--keep-going=1"], ["-ojson"]])
    word = st.one_of(*map(words, TABLES[command]), stray)
    return st.lists(word, max_size=5).map(lambda parts: [*command.split(), *(text for part in parts for text in part)])


@given(st.sampled_from(sorted(TABLES)).flatmap(lines))
@example(["render", "a", "-o", "json", "-o", "yaml"])
@example(["render", "a", "--cluster", "b", "--cluster=c"])
@example(["render", "a", "--namespace="])
@example(["render", "a", "--target"])
@example(["convert", "a", "--to", "v1alpha1", "--write", "--check"])
def test_the_fast_parser_agrees_with_typer_wherever_it_answers(argv: list[str]) -> None:
    fast = parse(argv)
    if fast is not None:
        assert fast == typer_parse(argv)


@pytest.mark.parametrize("command", ["render", "check", "validate"])
def test_an_option_may_stand_without_its_value(command: str) -> None:
    argv = [command, "a", "--standalone", "b"]
    fast = parse(argv)
    assert fast is not None
    assert fast == typer_parse(argv)
    assert (fast[1]["standalone"], fast[1]["paths"]) == ("all", ["a", "b"])


@pytest.mark.parametrize("command", TABLES)
def test_every_option_is_read_by_both_parsers(command: str) -> None:
    for option in TABLES[command]:
        for flag in option.flags:
            for value in option.choices or ("x",):
                given = {SWITCH: [flag], PART: [f"{flag}={value}"]}.get(option.kind, [flag, value])
                argv = [*command.split(), "a", *given]
                fast = parse(argv)
                assert fast is not None, argv
                assert fast == typer_parse(argv), argv
                expected = {SWITCH: not option.default, MANY: [value]}.get(option.kind, value)
                assert fast[1][option.name] == expected


@pytest.mark.parametrize("command", TABLES)
def test_defaults_are_the_same(command: str) -> None:
    fast = parse([command, "a"])
    assert fast is not None
    assert fast == typer_parse([*command.split(), "a"])
    for option in TABLES[command]:
        assert option.kind != CHOICE or option.default is None or option.default in option.choices


@pytest.mark.parametrize(
    "line",
    [
        "",
        "render",
        "render --help",
        "render a --target docker",
        "render a --no-such",
        "render a --keep-going=yes",
        "render a --namespace",
        "render a --namespace --keep-going",
        "release list",
        "--version render",
    ],
)
def test_anything_unusual_is_left_to_typer(line: str) -> None:
    assert parse(line.split()) is None


def test_validate_writes_no_objects() -> None:
    assert parse(["validate", "a", "-o", "yaml"]) is None
    assert typer_parse(["validate", "a", "-o", "yaml"]) is None


def test_behind_two_dashes_all_words_are_paths() -> None:
    parsed = parse(["render", "--target", "lws", "--", "-a", "--target"])
    assert parsed is not None
    command, values = parsed
    assert (command, values["paths"], values["target"]) == ("render", ["-a", "--target"], "lws")
