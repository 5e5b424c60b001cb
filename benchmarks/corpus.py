"""Many varied graphs: recorded examples of release 1.4, or the golden inputs where those are missing, under new names.

Each example is taken in turn; the name of each document in it gets the number of the copy, in all places where a line
ends with it. So copies differ as graphs of several teams do: specs repeat, names and labels do not.
"""

from __future__ import annotations

import re
from pathlib import Path

_HOME = Path(__file__).parents[1]
EXAMPLES = _HOME.parent / "shared" / "conformance" / "1.4-examples" / "inputs"
GOLDEN = _HOME / "golden"

_GRAPH = re.compile(r"^kind: DynamoGraphDeployment$", re.MULTILINE)
_NAME = re.compile(r"^metadata:\n(?:  [^n ].*\n|    .*\n)*  name: *(\S+)$", re.MULTILINE)


def sources() -> list[str]:
    """Texts of files with one graph each, in a fixed order."""
    found = sorted(EXAMPLES.glob("*.yaml")) or sorted(GOLDEN.glob("*/*/input.yaml"))
    texts = [path.read_text() for path in found]
    return [text for text in texts if len(_GRAPH.findall(text)) == 1 and "\n---\n" not in text and _NAME.search(text)]


def renamed(text: str, number: int) -> str:
    """The text with another name for its graph."""
    match = _NAME.search(text)
    assert match is not None
    name = re.escape(match[1].strip("\"'"))
    return re.sub(rf"(?<=[ :]){name}(-\d+)?$", f"g{number:04}-{match[1][:16].strip('-.')}", text, flags=re.MULTILINE)


def write_graphs(folder: Path, count: int) -> Path:
    """So many files of one graph each."""
    folder.mkdir()
    texts = sources()
    for number in range(count):
        (folder / f"g{number:04}.yaml").write_text(renamed(texts[number % len(texts)], number))
    return folder
