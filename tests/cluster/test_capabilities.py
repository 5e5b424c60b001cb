from typing import Any

import pytest

from dynamoc.admission.cluster.capabilities import Capabilities
from dynamoc.admission.cluster.config import apply
from dynamoc.admission.cluster.context import ClusterContext
from dynamoc.admission.cluster.helm_values import chart_default
from tests.cluster.configuring import release

Tree = dict[str, Any]


def definition(group: str) -> Tree:
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": {"group": group}}


def service(group: str) -> Tree:
    return {"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "spec": {"group": group}}


def found(target: str, *objects: Tree, name: str = "1.0", **settings: Any) -> Capabilities:
    config = chart_default(name)
    apply(config, {key.replace("__", "."): value for key, value in settings.items()})
    return ClusterContext(objects, config, release(name), target).capabilities  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("target", "grove", "lws"), [("grove", True, True), ("lws", False, True), ("plain", False, False)]
)
def test_a_target_is_the_last_word(target: str, grove: bool, lws: bool) -> None:
    no_grove = definition("nvidia.com")
    for enabled in (True, False, None):
        here = found(target, no_grove, orchestrators__grove__enabled=enabled)
        assert (here.grove, here.lws, here.volcano) == (grove, lws, lws)
        assert here.missing == ()


def test_auto_does_what_the_chart_says() -> None:
    here = found("auto")
    assert (here.grove, here.lws, here.kai) == (False, True, False)
    assert "lws" in here.assumed


def test_auto_follows_the_configuration() -> None:
    assert found("auto", orchestrators__grove__enabled=True).grove
    assert found("auto", definition("grove.io"), orchestrators__grove__enabled=False).grove is False


def test_auto_detects_where_the_configuration_leaves_it_to_the_operator() -> None:
    unset = {"orchestrators__grove__enabled": None, "orchestrators__kai_scheduler__enabled": None}
    nothing = found("auto", **unset)
    assert (nothing.grove, nothing.kai) == (False, False)
    shown = found("auto", definition("grove.io"), definition("scheduling.run.ai"), **unset)
    assert (shown.grove, shown.kai) == (True, True)
    queue = {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": "q"}}
    assert found("auto", queue, **unset).kai


def test_a_list_of_definitions_is_complete_where_it_names_dynamos() -> None:
    assert found("auto", definition("grove.io")).lws
    here = found("auto", definition("nvidia.com"), definition("leaderworkerset.x-k8s.io"))
    assert here.lws is False
    assert here.inference_pool is False
    assert here.dra
    both = found("auto", *map(definition, ("nvidia.com", "leaderworkerset.x-k8s.io", "scheduling.volcano.sh")))
    assert both.lws
    assert "lws" not in both.assumed
    assert found("auto", service("nvidia.com"), name="1.4").dra is False
    assert found("auto", service("nvidia.com"), service("resource.k8s.io"), name="1.4").dra


def test_0_6_takes_lws_without_volcano() -> None:
    apis = [definition("nvidia.com"), definition("leaderworkerset.x-k8s.io")]
    assert found("auto", *apis, name="0.6").lws
    assert found("auto", *apis, name="1.0").lws is False


def test_an_api_that_is_demanded_and_missing() -> None:
    here = found("auto", definition("nvidia.com"), orchestrators__grove__enabled=True, orchestrators__lws__enabled=True)
    assert here.missing == (
        ("orchestrators.grove.enabled", "grove.io"),
        ("orchestrators.lws.enabled", "leaderworkerset.x-k8s.io"),
        ("orchestrators.lws.enabled", "scheduling.volcano.sh"),
    )


def test_lws_can_be_turned_off() -> None:
    assert found("auto", orchestrators__lws__enabled=False).lws is False
    assert found("lws", orchestrators__lws__enabled=False).lws is False


def test_kai_follows_the_configuration_whatever_the_target() -> None:
    assert found("grove", orchestrators__kai_scheduler__enabled=True).kai
    assert found("grove").kai is False


def test_settings_of_1_4() -> None:
    assert found("grove", name="1.4", orchestrators__volcano_scheduler__enabled=True).volcano_scheduler
    assert found("grove", name="1.4").volcano_scheduler is False
    assert found("grove", name="1.4", dra__enabled=False).dra is False
    assert found("grove", name="1.4").istio is False
    mesh = {"service_mesh__provider": "istio"}
    assert found("grove", name="1.4", service_mesh__enabled=None, **mesh).istio
    assert found("grove", name="1.4", service_mesh__enabled=True, **mesh).istio
    assert found("grove", name="1.4", service_mesh__enabled=False, **mesh).istio is False
