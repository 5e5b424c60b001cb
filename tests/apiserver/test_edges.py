"""What the API server refuses at the edges of its rules, and how it is said."""

from __future__ import annotations

from dynamoc.apiserver.objects import examine_object
from tests.apiserver.test_objects import deployment, made
from tests.webhooks.reviewing import object_refusals


def test_finalizers_of_an_object_have_a_domain() -> None:
    assert object_refusals(made("ConfigMap", finalizers=["kubernetes", "team.example/it", "mine"])) == [
        "admission/finalizer metadata.finalizers[2]"
    ]


def test_a_probe_without_handler_is_told_apart_from_one_with_two() -> None:
    two = {"exec": {"command": ["true"]}, "tcpSocket": {"port": 1}}
    main = {"name": "main", "image": "i", "livenessProbe": {"periodSeconds": 1}, "readinessProbe": two}
    messages = [problem.message for problem in examine_object(deployment({"containers": [main]}))]
    assert messages == [
        "The livenessProbe has no handler.",
        "The readinessProbe has 2 handlers: tcpSocket, exec.",
    ]
