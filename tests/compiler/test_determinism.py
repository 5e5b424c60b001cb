"""The same inputs give the same bytes: in each run, in any order of files, in any order of keys."""

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_paths
from dynamoc.documents.emit.yaml import dump_yaml
from dynamoc.documents.findings.finding import Findings
from tests import quick_yaml
from tests.golden.cases import GOLDEN

INPUTS = sorted(str(path) for path in GOLDEN.glob("*/*/input.yaml"))
#: one graph each, with names that don't clash
APART = [
    str(GOLDEN / name / "input.yaml")
    for name in ("planner/planner", "storage/claims", "vllm/data-parallel", "deployment/alone")
]


def rendered(paths: list[str], target: str = "lws") -> str:
    return dump_yaml(compile_paths(paths, Options(operator_version="1.0", target=target), Findings()))


def test_order_of_files_does_not_matter() -> None:
    distinct = _with_distinct_names(APART)
    first = rendered(distinct)
    assert first
    for _ in range(5):
        shuffled = random.sample(distinct, len(distinct))
        assert rendered(shuffled) == first


def test_hash_seed_does_not_matter() -> None:
    outputs = set()
    for seed in ("0", "1", "4711"):
        command = [
            sys.executable,
            "-m",
            "dynamoc",
            "render",
            APART[2],
            "--operator-version",
            "1.0",
            "--target",
            "grove",
        ]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        outputs.add(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)
    assert len(outputs) == 1


@pytest.mark.parametrize("path", INPUTS)
def test_order_of_keys_does_not_matter(path: str, tmp_path: Path) -> None:
    documents = [document for document in quick_yaml.load_all(Path(path).read_text()) if document]
    turned = tmp_path / "turned.yaml"
    turned.write_text(yaml.safe_dump_all([_turned(document) for document in documents], sort_keys=False))
    assert rendered([str(turned)]) == rendered([path])


@settings(max_examples=25)
@given(text=st.text(max_size=40), path=st.sampled_from(INPUTS))
def test_any_argument_is_rendered_or_refused(text: str, path: str, tmp_path_factory: Any) -> None:
    """No text in args and environment makes dynamoc crash, and what it renders holds that text."""
    documents = [document for document in quick_yaml.load_all(Path(path).read_text()) if document]
    for document in documents:
        services = (document.get("spec") or {}).get("services")
        if isinstance(services, dict):
            for service in services.values():
                if isinstance(service, dict) and isinstance(service.get("envs", []), list):
                    service["envs"] = [*service.get("envs", []), {"name": "PROBE", "value": text}]
    changed = tmp_path_factory.mktemp("args") / "input.yaml"
    changed.write_text(yaml.safe_dump_all(documents, allow_unicode=True), encoding="utf-8")
    findings = Findings()
    objects = compile_paths([str(changed)], Options(operator_version="1.0", target="lws"), findings)
    assert objects or findings.items


def _turned(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _turned(item) for key, item in reversed(value.items())}
    if isinstance(value, list):
        return [_turned(item) for item in value]
    return value


def _with_distinct_names(paths: list[str]) -> list[str]:
    """Only files that don't name the same object."""
    seen: set[tuple[str, str]] = set()
    kept = []
    for path in paths:
        keys = {
            (document["kind"], document["metadata"]["name"])
            for document in quick_yaml.load_all(Path(path).read_text())
            if document
        }
        if not keys & seen:
            seen |= keys
            kept.append(path)
    return kept
