import pytest
from pydantic import ValidationError

from dynamoc.api import release_0_6
from dynamoc.api.release_1_4 import v1alpha1 as alpha_1_4
from dynamoc.api.v1alpha1.component import SharedSpec
from dynamoc.api.v1alpha1.graph import DynamoGraphDeployment, GraphDeploymentSpec
from dynamoc.api.v1beta1.graph import DynamoGraphDeployment as BetaGraph
from dynamoc.documents.schema.schemas import check

SOURCE = {
    "apiVersion": "nvidia.com/v1alpha1",
    "kind": "DynamoGraphDeployment",
    "metadata": {"name": "graph"},
    "spec": {
        "services": {
            "Worker": {
                "replicas": 2,
                "extraPodSpec": {"nodeSelector": {"gpu": "h100"}, "mainContainer": {"image": "worker:1"}},
            }
        }
    },
}


def test_an_object_holds_what_its_author_wrote_and_no_defaults() -> None:
    assert DynamoGraphDeployment.model_validate(SOURCE).to_dict() == SOURCE


def test_python_names_become_names_of_the_api() -> None:
    graph = DynamoGraphDeployment(
        api_version="nvidia.com/v1alpha1",
        kind="DynamoGraphDeployment",
        metadata={"name": "graph"},
        spec=GraphDeploymentSpec(services={"Frontend": SharedSpec(component_type="frontend", replicas=1)}),
    )
    assert graph.to_dict()["spec"] == {"services": {"Frontend": {"componentType": "frontend", "replicas": 1}}}
    assert check("1.0", "DynamoGraphDeployment", "nvidia.com/v1alpha1", graph.to_dict())[1] == []


@pytest.mark.parametrize(
    "spec",
    [
        {"services": {"A": {"replica": 1}}},
        {"services": {"A": {"replicas": -1}}},
        {"services": {"A": {"replicas": "one"}}},
        {"services": {"A": {"multinode": {"nodeCount": 1}}}},
        {"backendFramework": "tensorflow"},
        {"services": {f"s{number}": {} for number in range(26)}},
    ],
)
def test_what_the_schema_refuses_the_model_refuses(spec: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        DynamoGraphDeployment.model_validate(SOURCE | {"spec": spec})
    assert check("1.0", "DynamoGraphDeployment", "nvidia.com/v1alpha1", SOURCE | {"spec": spec})[1]


def test_releases_differ_where_their_schemas_do() -> None:
    with_model = SOURCE | {"spec": {"services": {"A": {"modelRef": {"name": "m"}}}}}
    with_minimum = SOURCE | {"spec": {"services": {"A": {"minAvailable": 1}}}}
    DynamoGraphDeployment.model_validate(with_model)
    alpha_1_4.DynamoGraphDeployment.model_validate(with_minimum)
    with pytest.raises(ValidationError):
        release_0_6.DynamoGraphDeployment.model_validate(with_model)
    with pytest.raises(ValidationError):
        DynamoGraphDeployment.model_validate(with_minimum)


def test_beta_graphs_have_a_list_of_components() -> None:
    beta = {
        "apiVersion": "nvidia.com/v1beta1",
        "kind": "DynamoGraphDeployment",
        "spec": {"components": [{"name": "worker", "type": "worker", "scalingAdapter": {}}]},
    }
    assert BetaGraph.model_validate(beta).to_dict() == beta
