"""What is said of requests that the operator takes: what has no effect, and what fails later."""

import pytest

from tests.requests.compiled import ALPHA, HARDWARE, HEAD, compiled, slugs

REQUEST = HEAD + HARDWARE


def said(text: str, version: str = "1.4") -> list[str]:
    found = [
        told for told in slugs(compiled(text, version=version)[1]) if told.startswith(("warning request", "error"))
    ]
    return sorted(found, key=lambda told: int(told.rpartition(" ")[2]))


JOB = """\
  overrides:
    profilingJob:
      backoffLimit: 1
      completionMode: Indexed
      template:
        metadata:
          labels: {app: mine, team: a}
        spec:
          restartPolicy: Never
          hostNetwork: true
          securityContext: {runAsUser: 5, supplementalGroupsPolicy: Strict}
          containers:
          - name: other
            image: x
            command: [a]
          - name: profiler
            image: z
"""


def test_fields_of_the_job_that_are_not_let_through() -> None:
    assert said(REQUEST + JOB) == [
        "warning request/ignored 10",
        "warning request/ignored 13",
        "warning request/ignored 16",
        "warning request/ignored 17",
        "warning request/ignored 21",
        "warning request/ignored 22",
    ]


def test_since_1_5_containers_are_found_by_name() -> None:
    assert said(REQUEST + JOB, "1.5") == [
        "warning request/ignored 10",
        "warning request/ignored 13",
        "warning request/ignored 16",
        "warning request/ignored 17",
        "warning request/ignored 19",
    ]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("  workload: {concurrency: 1, requestRate: 2}\n", "warning request/two-loads 7"),
        ("  sla: {ttft: 0}\n", "warning request/target 7"),
        ("  sla: {e2eLatency: -1}\n", "warning request/target 7"),
        (
            "  features: {mocker: {enabled: true}, planner: {pre_deployment_sweeping_mode: none}}\n",
            "warning request/mocker 7",
        ),
    ],
)
def test_what_the_profiler_refuses(text: str, wanted: str) -> None:
    assert said(REQUEST + text) == [wanted]


@pytest.mark.parametrize(
    ("name", "backend", "version", "told"),
    [
        ("q" * 25, "vllm", "1.4", True),
        ("q" * 24, "vllm", "1.4", False),
        ("q" * 33, "sglang", "1.4", False),
        ("q" * 34, "sglang", "1.4", True),
        ("q" * 22, "trtllm", "1.4", False),
        ("q" * 23, "trtllm", "1.4", True),
        ("q" * 40, "vllm", "1.1", False),
    ],
)
def test_names_that_are_too_long_for_a_graph(name: str, backend: str, version: str, told: bool) -> None:
    text = REQUEST.replace("name: qwen", f"name: {name}") + f"  backend: {backend}\n"
    assert said(text, version) == ["warning request/name-length 3"] * told


def test_the_name_of_an_override_counts() -> None:
    override = "  overrides: {dgd: {apiVersion: a, kind: b, metadata: {name: " + "q" * 40 + "}}}\n"
    assert said(REQUEST + override) == ["warning request/name-length 7"]


def test_fields_of_v1alpha1_without_effect() -> None:
    text = ALPHA + (
        "  enableGpuDiscovery: true\n"
        '  profilingConfig: {profilerImage: "x:1.4.0", configMapRef: {name: a},\n'
        "    nodeSelector: {a: b}}\n"
        "  deploymentOverrides: {name: mine, workersImage: w}\n"
    )
    assert said(text) == [
        "warning request/ignored 7",
        "warning request/ignored 8",
        "warning request/ignored 10",
        "warning request/ignored 10",
    ]
    assert "warning request/ignored 9" in said(text, "1.1")


def test_a_plain_request_of_v1alpha1_is_told_of_its_version_alone() -> None:
    findings = compiled(ALPHA + '  profilingConfig: {profilerImage: "x:1.4.0"}\n')[1]
    assert slugs(findings) == ["warning admission/deprecated-version 1", "note request/hardware 5"]


def test_requests_of_one_shape_collide_in_1_0() -> None:
    first = HEAD + "  hardware: {gpuSku: h100_sxm}\n"
    second = first.replace("name: qwen", "name: again")
    assert "warning request/same-graph 3" in said(first + "---\n" + second, "1.0")
    assert said(first + "---\n" + second.replace("ml,", "other,"), "1.0") == []


def test_a_claim_that_nobody_shows() -> None:
    text = REQUEST + "  modelCache: {pvcName: weights}\n"
    assert any(told.startswith("warning context/unknown-claim") for told in slugs(compiled(text)[1]))
    claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: weights, namespace: ml}\n"
    assert not any("unknown-claim" in told for told in slugs(compiled(text, claim)[1]))


def test_an_image_without_version_is_refused_at_its_line_in_both_versions() -> None:
    assert said(REQUEST + "  image: x:latest\n") == ["error admission/runtime-version 7"]
    assert said(ALPHA + "  profilingConfig: {profilerImage: x}\n")[0] == "error admission/runtime-version 7"


@pytest.mark.parametrize("version", ["1.0", "1.1", "1.4", "1.6"])
@pytest.mark.parametrize("metadata", ["", "metadata: {name: '', namespace: ml}\n"])
def test_requests_without_a_name(metadata: str, version: str) -> None:
    body = "".join(REQUEST.partition("spec:")[1:])
    text = f"apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeploymentRequest\n{metadata}{body}"
    found = slugs(compiled(f"{text}---\n{text}---\n{REQUEST}", version=version)[1])
    assert any(told.startswith("error schema/name") for told in found)
