"""The fixture `dynamoc_golden`, in test runs of its own: in a process each, as pytest loads the plug-in there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dynamoc.interfaces.library import render
from tests.cli.test_inputs import GRAPH

# Each test starts pytest, most several times.
pytestmark = pytest.mark.slow

TEST = """
def test_graph(dynamoc_golden):
    rendering = dynamoc_golden("graph.yaml", release="1.4", target="grove")
    assert rendering.of_kind("PodCliqueSet")
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "graph.yaml").write_text(GRAPH)
    (tmp_path / "tests" / "test_mine.py").write_text(TEST)
    return tmp_path


def run(project: Path, *options: str) -> tuple[int, str]:
    """The exit code of pytest and what it prints, with the plug-in alone, as an installation registers it."""
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "dynamoc.interfaces.pytest_plugin",
        "-p",
        "no:cacheprovider",
        *options,
    ]
    done = subprocess.run(command, check=False, cwd=project, capture_output=True, text=True, env=environment)
    return done.returncode, done.stdout + done.stderr


def test_a_golden_file_is_written_when_asked_only_and_compared_after(project: Path) -> None:
    golden = project / "tests" / "golden" / "test_mine" / "test_graph.yaml"
    code, shown = run(project)
    assert code == 1
    assert "tests/golden/test_mine/test_graph.yaml does not exist; write it with pytest --dynamoc-update" in shown
    assert not golden.exists()
    assert run(project, "--dynamoc-update")[0] == 0
    assert golden.read_text() == render(GRAPH, release="1.4", target="grove").to_yaml()
    assert [path.name for path in golden.parent.iterdir()] == ["test_graph.yaml"]
    assert run(project)[0] == 0


def test_a_difference_says_what_restarts_and_leaves_the_file(project: Path) -> None:
    run(project, "--dynamoc-update")
    golden = project / "tests" / "golden" / "test_mine" / "test_graph.yaml"
    before = golden.read_text()
    (project / "tests" / "graph.yaml").write_text(GRAPH.replace("vllm-runtime:1.4.0", "vllm-runtime:1.4.1"))
    code, shown = run(project)
    assert code == 1
    assert "image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0 -> nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.1" in shown
    assert "1 pod restarts" in shown
    assert "run pytest --dynamoc-update" in shown
    assert "Traceback" not in shown
    assert golden.read_text() == before
    assert run(project, "--dynamoc-update")[0] == 0
    assert "1.4.1" in golden.read_text()
    assert run(project)[0] == 0


def test_text_that_differs_where_no_object_does_fails_with_its_lines(project: Path) -> None:
    run(project, "--dynamoc-update")
    golden = project / "tests" / "golden" / "test_mine" / "test_graph.yaml"
    golden.write_text("# by hand\n" + golden.read_text())
    code, shown = run(project)
    assert code == 1
    assert "-# by hand" in shown
    golden.write_text("a: [\n")
    code, shown = run(project)
    assert code == 1
    assert "-a: [" in shown
    assert "INTERNALERROR" not in shown


def test_a_refused_graph_fails_with_the_finding_and_writes_nothing(project: Path) -> None:
    (project / "tests" / "graph.yaml").write_text(GRAPH.replace("type:", "typo:"))
    code, shown = run(project, "--dynamoc-update")
    assert code == 1
    assert "[schema/unknown-field]" in shown
    assert not (project / "tests" / "golden").exists()


def test_names_for_several_calls_and_safe_names_for_parameters(project: Path) -> None:
    (project / "tests" / "test_mine.py").write_text(
        "import pytest\n"
        "@pytest.mark.parametrize('target', ['grove', 'lws', 'a/../b'])\n"
        "def test_each(dynamoc_golden, target):\n"
        "    dynamoc_golden('graph.yaml', target='grove')\n"
        "    dynamoc_golden('graph.yaml', target='plain', name=f'plain {target}')\n"
        "def test_twice(dynamoc_golden):\n"
        "    dynamoc_golden('graph.yaml', target='grove')\n"
        "    dynamoc_golden('graph.yaml', target='plain')\n"
    )
    code, shown = run(project, "--dynamoc-update")
    assert code == 1
    assert "is compared twice in this test; give each call a name" in shown
    names = [str(path.relative_to(project / "tests" / "golden")) for path in sorted(project.rglob("golden/*/*"))]
    assert names == [
        f"test_mine/{name}.yaml"
        for name in (
            "plain-a-..-b",
            "plain-grove",
            "plain-lws",
            "test_each-a-..-b",
            "test_each-grove",
            "test_each-lws",
            "test_twice",
        )
    ]


def test_sources_are_those_of_render(project: Path) -> None:
    (project / "tests" / "test_mine.py").write_text(
        "import yaml\n"
        "from pathlib import Path\n"
        "def test_each(dynamoc_golden):\n"
        "    text = (Path(__file__).parent / 'graph.yaml').read_text()\n"
        "    for number, source in enumerate(('graph.yaml', Path('graph.yaml'), text, yaml.safe_load(text))):\n"
        "        dynamoc_golden(source, target='grove', name=str(number))\n"
    )
    assert run(project, "--dynamoc-update")[0] == 0
    assert len({path.read_text() for path in project.rglob("golden/*/*")}) == 1


def test_the_installation_registers_the_plug_in_and_it_loads_nothing_until_it_is_asked(project: Path) -> None:
    from importlib.metadata import entry_points

    assert [item.value for item in entry_points(group="pytest11", name="dynamoc")] == [
        "dynamoc.interfaces.pytest_plugin"
    ]
    (project / "tests" / "test_mine.py").write_text(
        "import sys\n"
        "def test_loaded():\n"
        "    found = sorted(name for name in sys.modules if name.startswith('dynamoc'))\n"
        "    assert found[:2] == ['dynamoc', 'dynamoc._version']\n"
        "    assert found[2:] == ['dynamoc.interfaces', 'dynamoc.interfaces.pytest_plugin']\n"
    )
    code, shown = run(project)
    assert code == 0, shown
