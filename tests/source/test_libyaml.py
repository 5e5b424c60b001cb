"""In a wheel, the event parser comes without the rest of PyYAML, and leaves PyYAML as it finds it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.installed import Installed

ROOT = Path(__file__).parents[2]

PROLOGUE = "import sys\nfrom tests.source.reading import values, told\n"
BLOCK = """
class Without:
    def find_spec(self, name, path=None, target=None):
        if name == "yaml._yaml":
            raise ImportError(name)
sys.meta_path.insert(0, Without())
"""


def run(code: str, installed: Installed | None = None) -> None:
    """Runs a program with dynamoc from the source, or as a wheel installs it."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([*([str(installed.folder)] if installed else []), str(ROOT)]),
    }
    line = [sys.executable, "-c", code]
    done = subprocess.run(line, capture_output=True, text=True, check=False, env=environment, cwd=ROOT / "docs")
    assert done.returncode == 0, done.stderr


def test_a_wheel_imports_the_parser_alone_and_the_package_once_it_is_needed(installed: Installed) -> None:
    code = """
assert values("a: 1") == [{"a": 1}]
assert sorted(name for name in sys.modules if name.startswith("yaml.")) == ["yaml._yaml", "yaml.error", "yaml.events"]
assert values("a: 1") == [{"a": 1}]
import yaml
assert yaml.load("a: &a [2001-01-01]\\nb: *a", yaml.CSafeLoader)["a"] == [__import__("datetime").date(2001, 1, 1)]
errors = {"a: [": yaml.parser.ParserError, "a: 'b": yaml.scanner.ScannerError, "\\0": yaml.reader.ReaderError}
for text, error in errors.items():
    try:
        list(yaml.parse(text, yaml.CLoader))
    except error:
        pass
    else:
        raise AssertionError(text)
assert [type(token) for token in yaml.scan("a", yaml.CLoader)][1] is yaml.tokens.ScalarToken
assert type(yaml.compose("a", yaml.CLoader)) is yaml.nodes.ScalarNode
assert yaml.dump({"a": [1]}, Dumper=yaml.CSafeDumper) == yaml.dump({"a": [1]})
assert values("a: 1") == [{"a": 1}]
assert told("a: [")[0][0] == "read/unclosed-bracket"
"""
    run(PROLOGUE + code, installed)


def test_the_order_of_imports_does_not_matter(installed: Installed) -> None:
    reading = "assert values('a: 1') == [{'a': 1}]\nassert told('a: [')[0][0] == 'read/unclosed-bracket'\n"
    parts = "from yaml.constructor import SafeConstructor\nimport yaml.nodes\n"
    whole = "from yaml import safe_load\nassert safe_load('[a]') == ['a']\n"
    for where in (None, installed):
        run(PROLOGUE + reading + parts + whole + reading, where)
        run(parts + PROLOGUE + reading + whole, where)


def test_without_libyaml(installed: Installed) -> None:
    code = """
import yaml
from dynamoc.documents.source.events import EventParser
assert EventParser is yaml.SafeLoader
assert values("a: &a [y, 08, !!str 1]\\nb: *a") == [{"a": [True, 8, "1"], "b": [True, 8, "1"]}]
assert told("\\ta: 1") == [("read/tab", "1:1")]
assert told("a: \\0") == [("read/character", "1:4")]
assert told("a: b: c") == [("read/colon", "1:4")]
assert told("[" * 30000) == [("read/too-deep", "1:101")]
"""
    for where in (None, installed):
        run(f"import sys\n{BLOCK}\n{PROLOGUE}{code}", where)


def test_the_pure_parser_agrees_on_the_table() -> None:
    code = """
from tests.source.test_go_table import STRICTER, test_every_text_is_read_as_kubernetes_reads_it as test
STRICTER["a:\\t1"] = "PyYAML's own scanner takes no tab behind a colon."
STRICTER["k: \\ta: 1"] = ""
test("go-yaml.json")
"""
    run(f"import sys\n{BLOCK}\n{PROLOGUE}{code}")


@pytest.mark.slow
def test_the_pure_parser_reads_all_recorded_inputs_as_libyaml_does(conformance: Path) -> None:
    """Places, values and findings: what the playground reads, which has no libyaml."""
    files = sorted(map(str, conformance.glob("*/inputs/**/*.yaml")))
    assert len(files) > 3000
    code = "from site_readings import reading\nfor file in sys.stdin.read().splitlines(): print(reading(file))"
    program = ROOT / "site" / "playground" / "python" / "readings.py"
    load = f"import importlib.util as u\ns = u.spec_from_file_location('site_readings', {str(program)!r})\n"
    load += "m = sys.modules['site_readings'] = u.module_from_spec(s)\ns.loader.exec_module(m)\n"
    answers = []
    for block in ("", BLOCK):
        words = [sys.executable, "-c", f"import sys\n{block}\n{load}{code}"]
        done = subprocess.run(words, input="\n".join(files), capture_output=True, text=True, check=True, cwd=ROOT)
        answers.append(done.stdout.splitlines())
    assert [file for file, one, other in zip(files, *answers, strict=True) if one != other] == []
