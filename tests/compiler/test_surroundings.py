"""What stands around the documents: settings that the cluster cannot meet, and Secrets that cannot be read."""

from pathlib import Path

from dynamoc.compiler.options import Options
from dynamoc.compiler.run import compile_paths
from dynamoc.documents.findings.finding import Findings
from tests.golden.cases import GOLDEN

GRAPH = str(GOLDEN / "deployment" / "alone" / "input.yaml")


def slugs(options: Options, *paths: str) -> dict[str, str]:
    findings = Findings()
    compile_paths([GRAPH, *paths], options, findings)
    return {item.slug: item.severity for item in findings.items}


def test_a_demanded_api_that_the_cluster_lacks_is_an_error(tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(
        "apiVersion: operator.config.dynamo.nvidia.com/v1alpha1\nkind: OperatorConfiguration\n"
        "orchestrators: {grove: {enabled: true}}\n"
        "rbac: {plannerClusterRoleName: a, dgdrProfilingClusterRoleName: b, eppClusterRoleName: c}\n"
        "mpi: {sshSecretName: m, sshSecretNamespace: n}\n"
    )
    groups = tmp_path / "crds.yaml"
    # The CRDs of a cluster, complete as those of Dynamo are among them.
    groups.write_text(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
        "metadata: {name: dynamographdeployments.nvidia.com}\nspec: {group: nvidia.com}\n"
    )
    options = Options(operator_version="1.0", operator_config=str(config), context=[str(groups)])
    lacking = slugs(options)
    without_word = slugs(Options(operator_version="1.0", operator_config=str(config)))
    assert "config/missing-api" not in without_word
    assert lacking["config/missing-api"] == "error"


def test_a_pull_secret_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    secret = tmp_path / "secret.yaml"
    secret.write_text(
        "apiVersion: v1\nkind: Secret\nmetadata: {name: pull, namespace: team-a}\n"
        "type: kubernetes.io/dockerconfigjson\nstringData: {.dockerconfigjson: '{'}\n"
    )
    found = slugs(Options(operator_version="1.0", target="plain"), str(secret))
    assert found["context/broken-pull-secret"] == "warning"
