"""Pictures of graphs: they hold what is rendered, and are what their readers take."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.check.graphs import graph, worker
from tests.cli.conftest import Run

ROOT = Path(__file__).parents[2]
SVG = "{http://www.w3.org/2000/svg}"
INPUTS = sorted(path for path in (ROOT / "golden").rglob("input.yaml"))[::9] + sorted(
    (ROOT / "examples").glob("*.yaml")
)
SECRET = {"envFrom": [{"secretRef": {"name": "hf"}}]}
TWO = graph(
    worker(
        "--tensor-parallel-size=16",
        gpus=8,
        nodes=2,
        replicas=3,
        name="Decode",
        container={"envFrom": [{"secretRef": {"name": "hf"}}]},
    ),
    {**worker(name="Frontend", type="frontend"), "replicas": 2},
    name="chat",
)


def drawn(dynamoc: Run, text: str, style: str, target: str = "grove", *words: str) -> str:
    Path("graph.yaml").write_text(text)
    result = dynamoc(
        "report", "-o", "mermaid", "graph.yaml", "-o", style, "--operator-version", "1.4", "--target", target, *words
    )
    assert result.code == 0, result.err
    picture: str = result.out
    return picture


def test_what_a_picture_holds(dynamoc: Run) -> None:
    assert (
        drawn(dynamoc, TWO, "mermaid")
        == """\
flowchart LR
  subgraph g0["chat (ml)"]
    subgraph g1["Decode"]
      subgraph g2["gang decode x 3"]
        n0["leader<br/>1 pod x 8 GPUs"]
        n1["workers<br/>1 pod x 8 GPUs"]
      end
    end
    subgraph g3["Frontend"]
      n2["pods<br/>2 pods"]
    end
  end
  n3(["chat-decode<br/>Service :9090"])
  n4(["chat-frontend<br/>Service :8000"])
  n5{{"hf<br/>secret"}}
  n3 --> n0
  n3 --> n1
  n4 --> n2
  n0 --> n5
  n1 --> n5
"""
    )


def gpus(mermaid: str) -> int:
    """All GPUs of a picture: pods, times their gang's replicas."""
    total, times = 0, [1]
    for line in mermaid.splitlines():
        if found := re.search(r'subgraph .*?( x (\d+))?"\]$', line):
            times.append(times[-1] * int(found[2] or 1))
        elif line.strip() == "end":
            times.pop()
        elif found := re.search(r"(\d+) pods? x (\d+) GPU", line):
            total += times[-1] * int(found[1]) * int(found[2])
    return total


@pytest.mark.parametrize("target", ["grove", "lws"])
def test_gpus_add_up_to_those_of_requires(target: str, dynamoc: Run) -> None:
    options = ("--operator-version", "1.4", "--target", target)
    picture = drawn(dynamoc, TWO, "mermaid", target)
    report = json.loads(dynamoc("requires", "graph.yaml", "-o", "json", *options).out)
    assert gpus(picture) == sum(each["gpus"] for each in report["components"]) == 48


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.parent.name + "-" + path.stem)
def test_pictures_of_all_kinds_of_graphs(path: Path, dynamoc: Run) -> None:
    pictures = {}
    for style in ("mermaid", "dot", "svg"):
        result = dynamoc("report", "-o", "mermaid", str(path), "-o", style, "--target", "grove")
        assert result.out or result.code == 1
        pictures[style] = result.out
    if not pictures["svg"]:
        return
    names = set(re.findall(r"^ *(n\d+)\W", pictures["mermaid"], re.MULTILINE))
    used = {name for pair in re.findall(r"^  (n\d+) --> (n\d+)$", pictures["mermaid"], re.MULTILINE) for name in pair}
    assert used <= names
    assert pictures["mermaid"].count("subgraph") == len(re.findall(r"^ *end$", pictures["mermaid"], re.MULTILINE))
    assert pictures["dot"].count("{") == pictures["dot"].count("}")
    _check_svg(pictures["svg"])


def _check_svg(text: str) -> None:
    """Nothing lies outside, no box on another, and each text within a box or frame."""
    root = ElementTree.fromstring(text)
    width, height = (float(root.attrib[side]) for side in ("width", "height"))
    boxes, frames = [], []
    for rect in root.findall(f"{SVG}rect"):
        x, y, wide, high = (float(rect.attrib[key]) for key in ("x", "y", "width", "height"))
        assert 0 <= x <= x + wide <= width
        assert 0 <= y <= y + high <= height
        (frames if rect.attrib["class"].startswith("frame") else boxes).append((x, y, x + wide, y + high))
    for index, (left, top, right, bottom) in enumerate(boxes):
        for other in boxes[index + 1 :]:
            assert right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
    for label in root.findall(f"{SVG}text"):
        x, y = float(label.attrib["x"]), float(label.attrib["y"])
        assert any(left <= x <= right and top <= y <= bottom for left, top, right, bottom in (*boxes, *frames))


def test_graphviz_reads_it(dynamoc: Run) -> None:
    if not shutil.which("dot"):
        pytest.skip("no Graphviz on this machine")
    evil = TWO.replace("name: hf", 'name: "a\\"; b -> c \\\\ <b>"')
    for text in (TWO, evil):
        Path("picture.dot").write_text(drawn(dynamoc, text, "dot", "grove", "--warn=objects"))
        done = subprocess.run(["dot", "-Tplain", "picture.dot"], capture_output=True, text=True, check=True)
        assert done.stderr == ""
        assert done.stdout.count("\nnode ") == 6


@pytest.mark.parametrize("name", ['"]; click n0 "x"', "a#b`c<script>", "x\n  n9 --> n0", "\u202ex\x1b[31m"])
@pytest.mark.parametrize("style", ["mermaid", "svg", "dot"])
def test_names_draw_nothing(name: str, style: str, dynamoc: Run) -> None:
    text = TWO.replace("name: hf", f"name: {json.dumps(name)}")
    picture = drawn(dynamoc, text, style, "grove", "--warn=objects")
    plain = drawn(dynamoc, TWO, style)
    assert picture.count("\n") == plain.count("\n")
    assert style == "dot" or "<script>" not in picture
    assert picture.replace("\n", "").isprintable()
    if style == "svg":
        _check_svg(picture)


def test_errors_come_with_a_picture(dynamoc: Run) -> None:
    Path("graph.yaml").write_text(TWO.replace("replicas: 3", "replicas: x"))
    result = dynamoc("report", "-o", "mermaid", "graph.yaml")
    assert result.code == 1
    assert "[schema/type]" in result.err
    assert "GPU" in result.out
