"""What the API server refuses at the edges of its rules, and how it is said.

Facts are those of Kubernetes: `core` is pkg/apis/core/validation/validation.go, `apps` is pkg/apis/apps/validation.
"""

from __future__ import annotations

import pytest

from dynamoc.documents.apiserver.objects import examine_object
from tests.apiserver.test_objects import MAIN, clique_set, deployment, made
from tests.webhooks.reviewing import object_refusals, object_warnings


def test_finalizers_of_an_object_have_a_domain() -> None:
    """core ValidateObjectMeta, validateKubeFinalizerName; recorded, too (kubernetes-1.34.json)."""
    assert object_refusals(made("ConfigMap", finalizers=["kubernetes", "team.example/it", "mine"])) == [
        "admission/finalizer metadata.finalizers[2]"
    ]


def test_a_probe_without_handler_is_told_apart_from_one_with_two() -> None:
    """core validateProbe, validateHandler"""
    two = {"exec": {"command": ["true"]}, "tcpSocket": {"port": 1}}
    main = {"name": "main", "image": "i", "livenessProbe": {"periodSeconds": 1}, "readinessProbe": two}
    messages = [problem.message for problem in examine_object(deployment({"containers": [main]}))]
    assert messages == [
        "The livenessProbe has no handler.",
        "The readinessProbe has 2 handlers: tcpSocket, exec.",
    ]


def test_a_claim_of_a_pod_has_one_source() -> None:
    """core validatePodResourceClaim"""
    both = {"name": "a", "resourceClaimName": "x", "resourceClaimTemplateName": "y"}
    claims = [both, {"name": "b"}, {"name": "c", "resourceClaimName": "C_"}]
    assert object_refusals(deployment({"resourceClaims": claims})) == [
        "admission/claim-source spec.template.spec.resourceClaims[0]",
        "admission/claim-source spec.template.spec.resourceClaims[1]",
        "admission/claim-source spec.template.spec.resourceClaims[2].resourceClaimName",
    ]


def test_annotations_of_a_clique_are_those_of_its_pods() -> None:
    """Grove copies them, and the API server looks at the pods (core ValidateAppArmorPodAnnotations)."""
    profile = {"container.apparmor.security.beta.kubernetes.io/none": "runtime/default"}
    found = object_warnings(clique_set({"containers": [MAIN]}, annotations=profile))
    assert [text.split()[0] for text in found] == ["admission/apparmor-profile"]


def test_a_policy_without_effect_says_what_to_write_instead() -> None:
    """pkg/api/pod/util.go dropContainerRestartRules, while the feature gate ContainerRestartRules is off"""
    pod = {"containers": [{**MAIN, "restartPolicy": "Never"}], "initContainers": [{**MAIN, "restartPolicy": "Never"}]}
    pod["initContainers"][0]["name"] = "first"
    found = [problem for problem in examine_object(deployment(pod)) if problem.slug.endswith("container-restart")]
    assert {problem.path[3]: problem.hint for problem in found} == {
        "containers": "delete it",
        "initContainers": "write `restartPolicy: Always`, or delete it",
    }


def test_a_share_of_pods_is_not_negative() -> None:
    """apps ValidatePositiveIntOrPercent, called by ValidateRollingUpdateDeployment"""

    def refused(surge: int) -> list[str]:
        rolling = {"maxSurge": surge, "maxUnavailable": 1}
        return object_refusals(deployment(strategy={"type": "RollingUpdate", "rollingUpdate": rolling}))

    assert refused(0) == refused(2) == []
    assert refused(-1) == ["admission/strategy spec.strategy.rollingUpdate.maxSurge"]


def test_a_strategy_replaces_pods() -> None:
    """apps ValidateDeploymentStrategy, ValidateRollingUpdateDeployment"""
    rolling = {"maxSurge": 0, "maxUnavailable": "0%"}
    for kind in ("RollingUpdate", "Recreate"):
        found = object_refusals(deployment(strategy={"type": kind, "rollingUpdate": rolling}))
        assert set(found) == {"admission/strategy spec.strategy.rollingUpdate"}


def test_fields_of_a_service_go_with_its_type() -> None:
    """core ValidateService"""
    name = made("Service", {"type": "ExternalName", "externalName": "-"})
    port = made("Service", {"ports": [{"port": 1, "nodePort": 30000}]})
    assert object_refusals(name) == ["admission/service-type spec.externalName"]
    assert object_refusals(port) == ["admission/service-type spec.ports[0].nodePort"]


@pytest.mark.parametrize(("directory", "refused"), [("a", False), ("../a", True), ("/a", True)])
def test_a_clone_stays_in_its_volume(directory: str, refused: bool) -> None:
    """core validateGitRepoVolumeSource, validateLocalDescendingPath"""
    volume = {"name": "v", "gitRepo": {"repository": "https://git.example.com/a", "directory": directory}}
    found = object_refusals(deployment({"volumes": [volume]}))
    assert any(text.endswith("volumes[0].gitRepo.directory") for text in found) is refused
