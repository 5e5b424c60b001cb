"""Names and versions against the answers of Kubernetes' validation and of Masterminds' semver."""

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dynamoc.kube import names as names_names
from dynamoc.kube.go import Semver, parse_semver, parse_strict_semver

CASES = [json.loads(line) for line in (Path(__file__).parent / "data" / "names.jsonl").read_text().split("\n") if line]


def judged(text: str) -> dict[str, Any]:
    return {
        "label": names_names.is_dns_label(text),
        "subdomain": names_names.is_dns_subdomain(text),
        "service": names_names.is_dns_service_name(text),
        "key": names_names.is_label_key(text),
        "value": names_names.is_label_value(text),
        "env": names_names.is_env_var_name(text, relaxed=False),
        "relaxed": names_names.is_env_var_name(text),
        "port": names_names.is_port_name(text),
        "lower": names_names.lower(text),
    }


def test_as_kubernetes_judges() -> None:
    """All texts in one test: they are hundreds, and a test of its own takes longer than a judgement."""
    for case in CASES:
        assert judged(case["text"]).items() <= case.items(), case


def test_versions_as_semver_reads() -> None:
    for case in CASES:
        loose, strict = parse_semver(case["text"]), parse_strict_semver(case["text"])
        assert (loose and [*loose.core, loose.prerelease]) == case.get("loose"), case
        assert (strict and [*strict.core, strict.prerelease]) == case.get("strict"), case
        if loose:
            assert loose.at_least((1, 0, 0)) == case["at_least_1"], case


def test_versions_as_semver_compares() -> None:
    """Each version of the table was compared with the valid one before it."""
    previous = Semver((1, 0, 0))
    signs = set()
    for case in CASES:
        version = parse_semver(case["text"])
        if version:
            assert version.compare(previous) == case["vs_previous"], (version, previous)
            signs.add(case["vs_previous"])
            previous = version
    assert signs == {-1, 0, 1}


def test_derived_names() -> None:
    assert names_names.dynamo_namespace(False, "team-a", "qwen3-0.6b") == "team-a-qwen3-0-6b"
    assert names_names.dynamo_namespace(True, "team-a", "x") == "dynamo"
    assert names_names.kube_resource_name("Qwen3-0.6B") == "qwen3-0-6b"


def test_model_hash_as_recorded(conformance: Path) -> None:
    recorded = json.loads((conformance / "1.0-features/expected/lws/model-ref-vllm.json").read_text())["objects"]
    services = [item for item in recorded if item["metadata"]["name"].startswith("dynamo-model-")]
    assert services
    for item in services:
        model = item["metadata"]["annotations"]["nvidia.com/dynamo-base-model"]
        assert f"dynamo-model-{names_names.model_hash(model)}" == item["metadata"]["name"]


@given(st.text("abc-", min_size=1, max_size=100))
def test_discovery_label_value_is_a_label_value(name: str) -> None:
    text = names_names.discovery_label_value(name)
    assert len(text) <= 63
    assert text == name or text[:-9] == name[: len(text) - 9]


@given(st.text(max_size=20))
def test_a_service_name_is_a_label_is_a_subdomain(text: str) -> None:
    service, label, subdomain = (
        names_names.is_dns_service_name(text),
        names_names.is_dns_label(text),
        names_names.is_dns_subdomain(text),
    )
    assert service <= label <= subdomain
    assert label <= names_names.is_label_value(text)


versions = st.builds(
    Semver, st.tuples(*[st.integers(0, 2)] * 3), st.sampled_from(["", "a", "a.1", "1", "2", "10", "a.b", "rc1"])
)


@given(versions, versions, versions)
def test_versions_are_in_order(one: Semver, two: Semver, three: Semver) -> None:
    assert one.compare(two) == -two.compare(one)
    if one.compare(two) <= 0 and two.compare(three) <= 0:
        assert one.compare(three) <= 0
