"""dynamoc for Python programs: what the commands do, with typed data for files and streams."""

from __future__ import annotations

import datetime
import doctest
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import dynamoc
from dynamoc.documents.findings.finding import Finding
from dynamoc.interfaces.inputs import InputError, Rendering
from dynamoc.interfaces.library import convert, diff, explain, render, validate
from dynamoc.reference.releases import RELEASES
from tests.cli.test_inputs import CONFIG_MAP, GRAPH

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "how-to" / "python.md"
LLAMA = ROOT / "examples" / "llama.yaml"


def command(*argv: str) -> str:
    run = [sys.executable, "-m", "dynamoc", *argv]
    return subprocess.run(run, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def test_the_examples_of_the_page_do_what_they_show() -> None:
    results = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert results.attempted > 20
    assert results.failed == 0


def test_the_example_program_runs_and_is_checked_strictly(tmp_path: Path) -> None:
    program = ROOT / "examples" / "python" / "build.py"
    run = [sys.executable, str(program), str(tmp_path)]
    shown = subprocess.run(run, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert shown == "no problems\nlarge 3 pods\nsmall 2 pods\nnvidia.com/v1alpha1 Frontend Worker\n"
    assert len(list(yaml.safe_load_all((tmp_path / "objects.yaml").read_text()))) > 10
    mypy = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]
    assert mypy["strict"]
    assert "examples/python" in mypy["files"]


@pytest.mark.parametrize("target", ["grove", "lws"])
def test_each_kind_of_source_gives_what_the_command_prints(target: Any) -> None:
    expected = command("render", str(LLAMA), "--target", target)
    documents = list(yaml.safe_load_all(LLAMA.read_text()))
    as_json = "\n".join(map(json.dumps, documents))
    for sources in (
        (str(LLAMA),),
        (LLAMA,),
        (LLAMA.read_text(),),
        documents,
        (documents[0], yaml.safe_dump(documents[1])),
    ):
        assert render(*sources, target=target).to_yaml() == expected
    assert render(as_json.partition("\n")[0], as_json.partition("\n")[2], target=target).to_yaml() == expected
    assert render(LLAMA, target=target).to_json() == command("render", str(LLAMA), "--target", target, "-o", "json")


def test_a_directory_is_a_source(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(GRAPH)
    (tmp_path / "values.yaml").write_text("replicas: 1\n")
    assert len(render(tmp_path, target="grove")) == len(render(GRAPH, target="grove"))


def test_sources_are_one_cluster() -> None:
    graph = GRAPH.replace('1.4.0"', '1.4.0", envFrom: [{configMapRef: {name: settings}}]')
    with pytest.raises(InputError, match="ConfigMap `inference/settings` is not in the input or --cluster"):
        render(graph, target="grove", deny=["context"])
    assert render(graph, CONFIG_MAP, target="grove", deny=["context"]).of_kind("ConfigMap")
    for context in ([CONFIG_MAP], [yaml.safe_load(CONFIG_MAP)]):
        rendering = render(graph, target="grove", deny=["context"], cluster=context)
        assert rendering.of_kind("ConfigMap") == []
    with pytest.raises(InputError, match="is in the input twice"):
        render(GRAPH, yaml.safe_load(GRAPH))


def test_what_is_given_stays_as_it_is() -> None:
    value = yaml.safe_load(GRAPH)
    before = json.dumps(value)
    rendering = render(value, target="grove")
    convert(value, to="v1alpha1")
    rendering.objects[0]["metadata"]["name"] = "changed"
    assert json.dumps(value) == before
    assert render(value, target="grove").objects[0]["metadata"]["name"] != "changed"


def test_findings_of_texts_have_lines_and_those_of_data_have_none() -> None:
    wrong = GRAPH.replace("type:", "typo:")
    [error] = [item for item in validate(wrong) if item.severity == "error"]
    assert isinstance(error, Finding)
    assert str(error.place) == "<text 1>:7:7"
    [error] = [item for item in validate(yaml.safe_load(wrong)) if item.severity == "error"]
    assert error.place is None
    assert error.path == ("spec", "components", 0, "typo")
    with pytest.raises(InputError) as caught:
        render(wrong)
    assert [item.slug for item in caught.value.findings if item.severity == "error"] == ["schema/unknown-field"]
    assert "[schema/unknown-field]" in str(caught.value)


def test_warnings_and_notes_come_with_the_objects() -> None:
    rendering = render(GRAPH, release="1.6", target="grove")
    assert isinstance(rendering, Rendering)
    assert "release/source-only" in [item.slug for item in rendering.findings]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"release": "9.9"}, f"release '9.9' is not known; use one of latest, {', '.join(RELEASES)}"),
        ({"target": "nonsense"}, "use one of auto, grove, lws, plain"),
        ({"deny": ["drop"]}, "deny drop is not a finding or a group"),
        ({"omit": ["x"]}, "use one of inputs, replicas, worker-hash"),
        ({"standalone": "half"}, "use one of all, shared, graph"),
        ({"cluster": ["kubernetes=1.2"]}, "known versions: 1.30 to 1.34"),
        ({"profiling_results": {"a": "nowhere.yaml"}}, "does not exist"),
    ],
)
def test_what_is_no_choice_is_a_value_error_with_the_choices(arguments: dict[str, Any], words: str) -> None:
    for function in (render, validate):
        with pytest.raises(ValueError, match=words.replace(".", r"\.")):
            function(GRAPH, **arguments)


def test_misuse_of_the_functions() -> None:
    with pytest.raises(ValueError, match="there is no source"):
        render()
    with pytest.raises(TypeError, match="nonsense is not an argument; there are allow, cluster"):
        render(GRAPH, nonsense=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="not int"):
        render(1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="source 1 is not plain JSON data: date"):
        render({"apiVersion": "v1", "kind": "ConfigMap", "data": {"day": datetime.date(2025, 1, 1)}})
    with pytest.raises(ValueError, match="to 'v2' is not known; use one of v1alpha1, v1beta1"):
        convert(GRAPH, to="v2")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="does not exist"):
        render("nowhere.yaml")


def test_options_mean_what_they_mean_on_the_command_line(tmp_path: Path) -> None:
    nameless = tmp_path / "graph.yaml"
    nameless.write_text(GRAPH.replace(", namespace: inference", ""))
    cases: list[tuple[dict[str, Any], tuple[str, ...]]] = [
        ({"release": "1.2", "target": "lws"}, ("--operator-version", "1.2", "--target", "lws")),
        ({"namespace": "prod"}, ("--namespace", "prod")),
        ({"namespace": "prod", "include": ["intermediate"]}, ("-n", "prod", "--include=intermediate")),
        ({"standalone": True, "omit": ["worker-hash"]}, ("--standalone", "--omit=worker-hash")),
        ({"standalone": "shared"}, ("--standalone=shared",)),
        (
            {"cluster": ["kubernetes=1.31"], "deny": ["context", "pods"]},
            ("--cluster=kubernetes=1.31", "--deny=context,pods"),
        ),
        (
            {"cluster": ["v1,grove.io/v1alpha1"], "target": "lws"},
            ("--cluster", "v1,grove.io/v1alpha1", "--target", "lws"),
        ),
    ]
    for arguments, options in cases:
        assert render(nameless, **arguments).to_yaml() == command("render", str(nameless), *options), options


def named(text: str, old: Path, new: Path) -> str:
    """The text with all sources of a side called alike, and without lines: those of a document are its own."""
    text = re.sub(r"<\w+ (old|new) \d>", r"\1.yaml", text.replace(str(old), "old.yaml").replace(str(new), "new.yaml"))
    return re.sub(r'(yaml:|[lL]ine": )\d+', r"\g<1>0", text)


def test_diff_is_what_the_command_does(tmp_path: Path) -> None:
    old, new = tmp_path / "old.yaml", tmp_path / "new.yaml"
    old.write_text(GRAPH + "---\n" + CONFIG_MAP)
    new.write_text(GRAPH.replace("vllm-runtime:1.4.0", "vllm-runtime:1.4.1"))
    run = [sys.executable, "-m", "dynamoc", "diff", str(old), str(new), "--target", "grove", "--allow=changes"]
    shown = [
        subprocess.run([*run, *style], cwd=ROOT, check=True, capture_output=True, text=True).stdout
        for style in ((), ("-o", "json"), ("-o", "markdown"))
    ]
    for sides in ((old, new), ([GRAPH, yaml.safe_load(CONFIG_MAP)], new.read_text()), ([str(old)], [new])):
        difference = diff(*sides, target="grove")
        # Places of the input are named by the source.
        assert named(difference.to_text(), old, new) == named(shown[0], old, new)
        record = {k: v for k, v in json.loads(shown[1]).items() if k not in ("old", "new")}
        assert json.loads(named(json.dumps(difference.to_dict()), old, new)) == json.loads(
            named(json.dumps(record), old, new)
        )
        markdown = difference.to_markdown(f"dynamoc diff {old} → {new}")
        assert named(markdown, old, new) == named(shown[2], old, new)
        assert difference
        assert (difference.restarted.pods, difference.started.pods, difference.stopped.pods) == (1, 0, 0)
    assert not diff(old, [GRAPH, CONFIG_MAP], target="grove")


def test_diff_of_sides_with_errors_and_of_what_is_ignored() -> None:
    wrong, other = GRAPH.replace("type:", "typo:"), GRAPH.replace("vllm-runtime:1.4.0", "vllm-runtime:1.4.1")
    with pytest.raises(InputError, match=r"<text new 1>:7:7.*\[schema/unknown-field\]"):
        diff(GRAPH, wrong, target="grove")
    difference = diff(wrong, GRAPH, target="grove")
    assert [item.side for item in difference.skipped] == ["old"]
    assert [str(item.place) for item in difference.findings if item.severity == "error"] == ["<text old 1>:7:7"]
    pattern = "PodCliqueSet:**.image"
    assert not diff(GRAPH, other, target="grove", ignore=[pattern])
    assert diff(GRAPH, other, target="grove", ignore=[pattern], use_ignores=False)
    with pytest.raises(TypeError, match="ignore is a list of texts"):
        diff(GRAPH, other, ignore=pattern)
    with pytest.raises(ValueError, match="there is no source"):
        diff([], GRAPH)


def test_explain_is_what_the_command_does(tmp_path: Path) -> None:
    path = tmp_path / "graph.yaml"
    path.write_text(GRAPH)
    field = "spec.template.cliques[frontend].spec.podSpec"
    run = ["explain", str(path), "pcs", field, "--target", "grove", "-o", "json"]
    expected = json.loads(command(*run))["fields"]
    found = explain(path, object="pcs", field=field, target="grove")
    assert len(found) == len(expected) > 20
    for mine, theirs in zip(found, expected, strict=True):
        assert (mine.object, mine.field, mine.value) == (theirs["object"], theirs["field"], theirs["value"])
        assert mine.step == theirs.get("step", {}).get("name")
        assert mine.origin is not None
        assert (mine.origin.kind, mine.origin.text) == (theirs["origin"]["kind"], theirs["origin"]["text"])
        place = theirs["origin"].get("line"), theirs["origin"].get("column")
        assert place == ((mine.origin.place.line, mine.origin.place.column) if mine.origin.place else (None, None))
    assert {item.origin.kind for item in found if item.origin} >= {"user", "constant", "rule"}


def test_explain_of_data_has_no_places_and_of_what_is_not_there_says_what_is() -> None:
    found = explain(yaml.safe_load(GRAPH), object="pcs", target="grove")
    assert all(item.origin is None or item.origin.place is None for item in found)
    assert not any("<object" in item.origin.text for item in found if item.origin)
    with pytest.raises(LookupError, match="deployment/nowhere is not among the objects"):
        explain(GRAPH, object="deployment/nowhere", target="grove")
    with pytest.raises(LookupError, match=r"has no field spec\.nowhere"):
        explain(GRAPH, object="pcs", field="spec.nowhere", target="grove")
    with pytest.raises(InputError, match="unknown-field"):
        explain(GRAPH.replace("type:", "typo:"), object="pcs", target="grove")


def test_explain_knows_what_the_context_brings() -> None:
    graph = GRAPH.replace('1.4.0"', '1.4.0", envFrom: [{configMapRef: {name: settings}}]')
    found = explain(graph, object="pcs", target="grove", deny=["context"], cluster=[CONFIG_MAP])
    assert any(item.value == "settings" for item in found)


def test_convert_is_what_the_command_does(tmp_path: Path) -> None:
    path = tmp_path / "graph.yaml"
    path.write_text(GRAPH)
    alpha = convert(path, to="v1alpha1")
    expected = yaml.safe_load(command("convert", str(path), "--to", "v1alpha1"))
    assert alpha.objects == [expected]
    assert convert(alpha.objects[0]).objects == [yaml.safe_load(GRAPH)]
    assert convert(GRAPH, CONFIG_MAP).objects == [yaml.safe_load(GRAPH), yaml.safe_load(CONFIG_MAP)]
    with pytest.raises(InputError):
        convert("kind: DynamoGraphDeployment\nmetadata: {name: a}\n")


def test_importing_dynamoc_loads_nothing_else() -> None:
    program = "import sys, dynamoc; print(sorted(name for name in sys.modules if name.startswith(('dynamoc', 'yaml'))))"
    shown = subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    # The package looks whether it has a bundle, and at its version.
    assert shown == "['dynamoc', 'dynamoc._version']\n"


def test_rendering_loads_no_package_that_is_slow_to_load() -> None:
    program = f"import sys\nfrom dynamoc import render\nrender({str(LLAMA)!r}, target='grove')\n"
    program += "print([name for name in ('pydantic', 'jsonschema', 'rich', 'ruamel', 'typer') if name in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert shown == "[]\n"


def test_what_is_public_is_there() -> None:
    assert all(hasattr(dynamoc, name) for name in dynamoc.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        dynamoc.nonsense  # noqa: B018 # type: ignore[attr-defined]


def test_a_program_without_a_home_and_without_a_network_can_use_it(tmp_path: Path) -> None:
    program = f"from dynamoc import render; print(len(render({str(LLAMA)!r}, target='grove')))"
    environment = {"PATH": os.defpath, "PYTHONPATH": str(ROOT)}
    run = [sys.executable, "-c", program]
    shown = subprocess.run(run, cwd=tmp_path, env=environment, check=True, capture_output=True, text=True).stdout
    assert int(shown) > 5
