"""`dynamoc explain`, `render --explain`, `rule` and `rules` as a user types them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.explain.conftest import Run

_MAIN = "spec.template.cliques[worker-ldr].spec.podSpec.containers[main]"
_RELEASE = ("--operator-version", "1.0", "--target", "grove")


def _field(dynamoc: Run, *words: str) -> dict[str, Any]:
    result = dynamoc("explain", "graph.yaml", *words, *_RELEASE, "-o", "json")
    assert result.code == 0, result.err
    fields: list[dict[str, Any]] = json.loads(result.out)["fields"]
    return fields[-1]


def test_a_value_of_the_user_beats_a_constant_and_names_both(dynamoc: Run) -> None:
    field = _field(dynamoc, "pcs/web", f"{_MAIN}.env[DYN_SYSTEM_PORT]")
    assert field["value"] == "9999"
    assert (field["origin"]["kind"], field["origin"]["line"], field["step"]["name"]) == ("user", 24, "env/service")
    (lost,) = field["lost"]
    assert (lost["value"], lost["origin"]["name"], lost["lostTo"]) == ("9090", "env/worker", "env/service")


def test_a_quantity_says_how_it_was_written(dynamoc: Run) -> None:
    field = _field(dynamoc, "pcs", f"{_MAIN}.resources.requests.cpu")
    assert (field["value"], field["written"], field["origin"]["line"]) == ("500m", "0.5", 26)


def test_a_flag_made_of_a_number_leads_to_the_number(dynamoc: Run) -> None:
    result = dynamoc("explain", "graph.yaml", "pcs", f"{_MAIN}.args", *_RELEASE, "-o", "json")
    sources = [
        source for field in json.loads(result.out)["fields"] for source in field["origin"].get("computedFrom", ())
    ]
    assert "spec.services.Worker.multinode.nodeCount" in [source.get("path") for source in sources]


def test_a_name_that_was_put_together_leads_to_its_parts(dynamoc: Run) -> None:
    field = _field(dynamoc, "service/web-frontend", "metadata.name")
    assert [source["line"] for source in field["origin"]["computedFrom"] if "line" in source] == [4, 11]


def test_a_setting_of_the_operator_leads_to_its_file(dynamoc: Run) -> None:
    Path("operator.yaml").write_text(
        "apiVersion: operator.config.dynamo.nvidia.com/v1alpha1\nkind: OperatorConfiguration\n"
        "infrastructure:\n  natsAddress: nats://nats:4222\n"
        "mpi: {sshSecretName: mpi, sshSecretNamespace: operator}\n"
        "rbac: {plannerClusterRoleName: p, eppClusterRoleName: e, dgdrProfilingClusterRoleName: d}\n"
    )
    field = _field(dynamoc, "pcs", f"{_MAIN}.env[NATS_SERVER].value", "--operator-config", "operator.yaml")
    assert field["origin"]["name"] == "infrastructure.natsAddress"
    assert (field["origin"]["file"], field["origin"]["line"]) == ("operator.yaml", 4)


def test_what_exists_in_the_cluster_leads_to_the_file_that_shows_it(dynamoc: Run) -> None:
    Path("cluster.yaml").write_text(
        "apiVersion: v1\nkind: Secret\nmetadata: {name: registry, namespace: default}\n"
        "type: kubernetes.io/dockerconfigjson\n"
        'stringData:\n  .dockerconfigjson: \'{"auths": {"registry.example.com": {}}}\'\n'
    )
    field = _field(
        dynamoc, "pcs", "spec.template.cliques[frontend].spec.podSpec.imagePullSecrets", "--cluster", "cluster.yaml"
    )
    assert (field["value"], field["origin"]["kind"], field["origin"]["line"]) == ("registry", "context", 3)


def test_an_object_without_a_field_is_a_table(dynamoc: Run) -> None:
    result = dynamoc("explain", "graph.yaml", "svc/web-frontend", *_RELEASE)
    assert result.code == 0
    rows = {line.split()[0]: line.split()[-1] for line in result.out.splitlines()}
    assert rows["spec.selector[nvidia.com/dynamo-component]"] == "graph.yaml:11"


def test_without_an_object_all_are_listed(dynamoc: Run) -> None:
    assert "podcliqueset/web\n" in dynamoc("explain", "graph.yaml", *_RELEASE).out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("deploy/web",), "deploy/web is not among the objects; the objects are"),
        (("pcs/web", "spec.replica"), "has no field spec.replica: `replica` can be replicas"),
        (("sa",), "matches more than one object"),
    ],
)
def test_a_wrong_word_is_wrong_usage_with_what_there_is(dynamoc: Run, words: tuple[str, ...], said: str) -> None:
    result = dynamoc("explain", "graph.yaml", *words, *_RELEASE)
    assert result.code == 2
    assert said in result.err


def test_a_line_tells_where_it_went(dynamoc: Run) -> None:
    result = dynamoc("explain", "graph.yaml:13", *_RELEASE)
    assert "goes to podcliqueset/web spec.template.cliques[frontend].spec.replicas" in result.out


def test_a_line_without_effect_says_why(dynamoc: Run) -> None:
    result = dynamoc("explain", "graph.yaml:19", *_RELEASE)
    assert "has no effect.\n    `autoscaling` is deprecated and ignored." in result.out


def test_render_explain_is_the_same_yaml_with_comments(dynamoc: Run) -> None:
    plain = dynamoc("render", "graph.yaml", *_RELEASE).out
    explained = dynamoc("render", "graph.yaml", "-o", "annotated", *_RELEASE).out
    assert list(yaml.safe_load_all(explained)) == list(yaml.safe_load_all(plain))
    assert "replicas: 3" in explained
    assert "# graph.yaml:13:17" in explained


def test_explanations_are_the_same_each_time(dynamoc: Run) -> None:
    words = ("explain", "graph.yaml", "pcs/web", *_RELEASE)
    assert dynamoc(*words).out == dynamoc(*words).out


def test_a_rule_tells_its_text_and_source(dynamoc: Run) -> None:
    result = dynamoc("explain", "env/infrastructure")
    assert "Adds the addresses of NATS" in result.out
    assert "operator: internal/dynamo/graph.go addStandardEnvVars" in result.out
    assert "did you mean env/infrastructure?" in dynamoc("explain", "env/infrastructur").err


def test_rules_are_listed_by_release(dynamoc: Run) -> None:
    listed = dynamoc("explain", "--list=rules", "--operator-version", "1.4", "-o", "json").out
    names = [item["name"] for item in json.loads(listed)["rules"]]
    assert "container/user-main" in names
    assert "env/service" not in names


def test_rendering_loads_nothing_of_explaining(tmp_path: Path) -> None:
    from tests.explain.conftest import GRAPH

    (tmp_path / "graph.yaml").write_text(GRAPH)
    code = (
        "import sys; from dynamoc.interfaces.cli.entry import run; run(['render', 'graph.yaml']); "
        "sys.exit(any(name.startswith('dynamoc.explain') for name in sys.modules))"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path, stdout=subprocess.DEVNULL)


SECRET_VARIABLE = """\
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: ml}
spec:
  components:
    - name: Worker
      type: worker
      podTemplate:
        spec:
          containers:
            - {name: main, image: "nvcr.io/x/vllm-runtime:1.4.0", env: [{name: API_TOKEN, value: hidden-value}]}
"""


def test_values_of_secret_variables_are_hidden(dynamoc: Run) -> None:
    Path("secret.yaml").write_text(SECRET_VARIABLE)
    env = "spec.template.cliques[worker].spec.podSpec.containers[main].env[API_TOKEN]"
    for output in ("text", "json"):
        for words in (("secret.yaml", "pcs", env), ("secret.yaml", "pcs"), ("secret.yaml:11",)):
            out = dynamoc("explain", *words, "-o", output, "--target", "grove").out
            assert "API_TOKEN" in out
            assert "(hidden)" in out
            assert "hidden-value" not in out
