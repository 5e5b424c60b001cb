"""A word that the release does not know names the releases that do."""

from __future__ import annotations

import pytest

from dynamoc.documents.schema.check import check
from dynamoc.reference.releases import ORDER


@pytest.mark.parametrize(
    ("word", "told"), [("a30", f" Releases 1.2 to {ORDER[-1]} have that word."), ("h100_pcie", None), ("a3000", "")]
)
def test_releases_of_a_word(word: str, told: str | None) -> None:
    spec = {"model": "m", "image": "x", "hardware": {"gpuSku": word}}
    value = {"apiVersion": "nvidia.com/v1beta1", "kind": "DynamoGraphDeploymentRequest", "spec": spec}
    value["metadata"] = {"name": "a"}
    _, problems = check("1.1", "DynamoGraphDeploymentRequest", "nvidia.com/v1beta1", value)
    found = [problem.message for problem in problems if problem.slug == "schema/enum"]
    if told is None:
        assert found == []
    else:
        assert len(found) == 1
        assert found[0].endswith(f'the string "{word}".{told}')
