"""What is rendered has the schemas that `dynamoc schema` prints, as kubeconform reads both."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_paths
from dynamoc.documents.emit.yaml import dump_yaml
from dynamoc.documents.findings.finding import Findings
from dynamoc.interfaces.cli.schema import json_schemas
from tests.docs.pages import ROOT

INPUTS = [*sorted(ROOT.glob("examples/*.yaml")), *sorted(ROOT.glob("golden/*/*/input.yaml"))]


@pytest.mark.skipif(shutil.which("kubeconform") is None, reason="NO KUBECONFORM HERE: rendered objects were not judged")
def test_rendered_objects_have_the_schemas(tmp_path: Path) -> None:
    schemas, objects = tmp_path / "schemas", tmp_path / "objects"
    schemas.mkdir()
    objects.mkdir()
    for (kind, version), schema in json_schemas("1.4").items():
        (schemas / f"{kind.lower()}_{version}.json").write_text(json.dumps(schema))
    for number, path in enumerate(INPUTS):
        for target in ("grove", "lws"):
            findings = Findings()
            made = compile_paths([str(path)], Options(target=target, operator_version="1.4"), findings)
            made = [item for item in made if "." in item["apiVersion"] and "k8s.io/" not in item["apiVersion"]]
            if made and not findings.errors:
                (objects / f"{number}-{target}.yaml").write_text(dump_yaml(made))
    command = ["kubeconform", "-strict", "-output", "json", "-summary", "-ignore-missing-schemas"]
    location = f"{schemas}/{{{{.ResourceKind}}}}_{{{{.ResourceAPIVersion}}}}.json"
    done = subprocess.run(
        [*command, "-schema-location", location, str(objects)], check=False, capture_output=True, text=True
    )
    report = json.loads(done.stdout)
    assert report.get("resources") in (None, []), report["resources"][:3]
    assert report["summary"]["valid"] > 20
