"""What release 0.6 does differently, beyond the golden cases: answers of the operator's own reconcilers."""

import json
from typing import Any

import pytest

from dynamoc.documents.findings.finding import Refusal
from tests.golden.cases import at
from tests.rules.early import config, main_of, render, service
from tests.rules.graphs import Tree

DEBUG = "nvidia.com/enable-debug-mode: 'true'"
STEALING = "nvidia.com/enable-stealing-traffic-debug-mode: 'true'"
POD = "spec.template.spec"


def labels_of(item: Tree) -> dict[str, str]:
    found: dict[str, str] = item["metadata"].get("labels", {})
    return found


def by_name(items: list[Tree]) -> dict[str, Tree]:
    return {item["metadata"]["name"]: item for item in items}


class TestSharedLabels:
    def test_labels_of_pods_end_up_in_the_selector_of_the_service(self) -> None:
        rendered = service("componentType: frontend, extraPodMetadata: {labels: {tier: gold}}")
        (found,) = rendered.of("Service")
        assert found["spec"]["selector"] == labels_of(found) == labels_of(rendered.one("Deployment"))
        assert found["spec"]["selector"]["tier"] == "gold"

    def test_a_component_without_labels_shares_nothing(self) -> None:
        rendered = render("componentType: frontend", kind="DynamoComponentDeployment")
        deployment = rendered.one("Deployment")
        assert labels_of(deployment) == {}
        assert deployment["spec"]["template"]["metadata"]["labels"]["nvidia.com/selector"] == "llm"
        assert "selector" not in rendered.one("Service")["spec"]

    def test_a_single_label_makes_them_share(self) -> None:
        rendered = render("componentType: frontend", kind="DynamoComponentDeployment", labels={"a": "b"})
        assert rendered.one("Service")["spec"]["selector"]["nvidia.com/selector"] == "llm"

    def test_leaders_are_labelled_as_workers(self) -> None:
        rendered = service(NODES + "replicas: 2", target="lws")
        for index, item in enumerate(rendered.of("LeaderWorkerSet")):
            templates = item["spec"]["leaderWorkerTemplate"]
            for owner in (item, templates["leaderTemplate"], templates["workerTemplate"]):
                assert labels_of(owner)["role"] == "worker"
                assert labels_of(owner)["instance-id"] == str(index)
                assert "nvidia.com/selector" not in labels_of(owner)

    def test_unless_the_component_has_no_labels(self) -> None:
        rendered = render(f"{{{NODES}}}", kind="DynamoComponentDeployment", target="lws")
        templates = rendered.one("LeaderWorkerSet")["spec"]["leaderWorkerTemplate"]
        assert labels_of(templates["leaderTemplate"])["role"] == "leader"
        assert labels_of(rendered.one("LeaderWorkerSet")) == {"instance-id": "0"}


NODES = (
    "componentType: worker, multinode: {nodeCount: 2}, resources: {limits: {gpu: '8'}}, "
    "extraPodSpec: {mainContainer: {command: [python3], args: [-m, dynamo.sglang]}}, "
)


class TestDebugging:
    def test_a_debugger_joins_the_pod(self) -> None:
        spec = service(f"annotations: {{{DEBUG}}}").one("Deployment")["spec"]["template"]["spec"]
        assert [container["name"] for container in spec["containers"]] == ["main", "debugger"]
        assert spec["shareProcessNamespace"] is True
        assert spec["containers"][1]["image"] == "python:3.12-slim"

    def test_stealing_traffic_doubles_the_deployment(self) -> None:
        found = by_name(service(f"replicas: 3, annotations: {{{STEALING}}}").of("Deployment"))
        assert found["llm-worker"]["spec"]["replicas"] == 3
        double = found["llm-worker-d"]
        assert double["spec"]["replicas"] == 1
        assert double["spec"]["selector"]["matchLabels"] == {"nvidia.com/selector": "llm-worker-d"}
        assert labels_of(double["spec"]["template"])["nvidia.com/dynamo-deployment-target-type"] == "debug"
        assert [container["name"] for container in double["spec"]["template"]["spec"]["containers"]][-1] == "debugger"

    def test_every_service_then_finds_the_double_only(self) -> None:
        found = by_name(service(f"componentType: frontend, annotations: {{{STEALING}}}").of("Service"))
        assert sorted(found) == ["llm-worker", "llm-worker-d", "llm-worker-p"]
        assert {item["spec"]["selector"]["nvidia.com/selector"] for item in found.values()} == {"llm-worker-d"}


@pytest.mark.parametrize(
    ("word", "strategy"),
    [
        ("Recreate", {"type": "Recreate"}),
        ("RampedSlowRollout", {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}),
        (
            "BestEffortControlledRollout",
            {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": "20%"}},
        ),
        ("recreate", {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}}),
    ],
)
def test_the_strategy_of_a_deployment(word: str, strategy: Tree) -> None:
    found = service(f"annotations: {{nvidia.com/deployment-strategy: {word}}}").one("Deployment")
    assert found["spec"]["strategy"] == strategy


class TestDynamoNamespace:
    def test_services_that_name_different_ones_are_refused(self) -> None:
        with pytest.raises(Refusal) as refusal:
            render("services: {A: {dynamoNamespace: one}, B: {dynamoNamespace: two}}")
        assert refusal.value.path == ("spec", "services", "B", "dynamoNamespace")

    @pytest.mark.parametrize("target", ["plain", "grove"])
    def test_one_service_speaks_for_all_and_this_is_told(self, target: str) -> None:
        graph = "services: {A: {replicas: 1, dynamoNamespace: one}, B: {replicas: 1}}"
        rendered = render(graph, target=target)
        assert ("dynamo-namespace/partly-set", ("spec", "services", "B")) in rendered.told
        texts = json.dumps(rendered.objects)
        assert '"one"' in texts
        assert "dynamo-llm" not in texts


class TestNamespace:
    def test_a_restricted_operator_makes_no_account(self) -> None:
        settings = config()
        settings.namespace.restricted = "team-ephemeral"
        rendered = render("services: {A: {}}", settings=settings, namespace="team-ephemeral")
        assert not rendered.of("ServiceAccount")


class TestKeyPair:
    def secret(self, namespace: str) -> Tree:
        metadata = {"name": "mpi-run-ssh-secret", "namespace": namespace, "labels": {"x": "y"}}
        return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": "Opaque", "data": {"k": "dg=="}}

    def test_it_is_copied_for_every_graph_and_told_where_nobody_shows_it(self) -> None:
        assert [slug for slug, _ in render("{}").told] == ["context/key-pair"]

    def test_the_copy_has_data_and_type_but_no_labels(self) -> None:
        copy = render("{}", self.secret("dynamo-system")).one("Secret")
        assert copy["metadata"] == {"name": "mpi-run-ssh-secret", "namespace": "default"}
        assert (copy["type"], copy["data"]) == ("Opaque", {"k": "dg=="})

    @pytest.mark.parametrize("namespace", ["default", "dynamo-system"])
    def test_there_is_none_where_it_is_there_already(self, namespace: str) -> None:
        rendered = render("{}", self.secret(namespace), namespace=namespace)
        assert not rendered.of("Secret")
        assert not rendered.told

    def test_without_a_source_no_graph_gets_pods(self) -> None:
        settings = config()
        settings.mpi.secret_present = False
        with pytest.raises(Refusal) as refusal:
            render("{}", settings=settings)
        assert refusal.value.slug == "mpi/no-key-pair"


class TestSorting:
    #: field of the pod, as written, as it comes out
    LISTS: tuple[tuple[str, list[Any], list[Any]], ...] = (
        ("initContainers", [{"name": "b"}, {"name": "a"}], [{"name": "a"}, {"name": "b"}]),
        (
            "imagePullSecrets",
            [{"name": "z"}, {"name": "B"}, {"name": "a"}],
            [{"name": "B"}, {"name": "a"}, {"name": "z"}],
        ),
        (
            "tolerations",
            [{"key": "b"}, {"key": "a", "tolerationSeconds": 2}, {"operator": "Exists"}, {"key": "a"}],
            [{"operator": "Exists"}, {"key": "a"}, {"key": "a", "tolerationSeconds": 2}, {"key": "b"}],
        ),
        (
            "hostAliases",
            [{"ip": "2", "hostnames": ["b", "a"]}, {"ip": "1", "hostnames": ["d", "c"]}],
            [{"ip": "1", "hostnames": ["c", "d"]}, {"ip": "2", "hostnames": ["a", "b"]}],
        ),
        ("hostAliases", [{"ip": "2", "hostnames": ["b", "a"]}], [{"ip": "2", "hostnames": ["b", "a"]}]),
        (
            "readinessGates",
            [{"conditionType": "b"}, {"conditionType": "a"}],
            [{"conditionType": "b"}, {"conditionType": "a"}],
        ),
    )

    @pytest.mark.parametrize(("field", "written", "sorted_"), LISTS, ids=[f"{row[0]}-{len(row[1])}" for row in LISTS])
    def test_lists_of_the_pod(self, field: str, written: list[Any], sorted_: list[Any]) -> None:
        pod = json.dumps({field: written})
        found = service(f"extraPodSpec: {pod}").one("Deployment")["spec"]["template"]["spec"][field]
        assert [{key: value for key, value in item.items() if value != {}} for item in found] == sorted_

    def test_lists_of_a_container_but_not_its_command(self) -> None:
        main = {
            "command": ["z", "a"],
            "ports": [{"name": "z", "containerPort": 1}, {"name": "a", "containerPort": 3}],
            "envFrom": [{"secretRef": {"name": "a"}}, {"prefix": "P"}, {"configMapRef": {"name": "z"}}],
            "volumeMounts": [{"name": "z", "mountPath": "/b"}, {"name": "z", "mountPath": "/a"}],
            "securityContext": {"capabilities": {"add": ["Z", "A"], "drop": ["Z", "A"]}},
        }
        found = main_of(service(f"extraPodSpec: {json.dumps({'mainContainer': main})}"))
        assert found["command"] == ["z", "a"]
        assert [port["name"] for port in found["ports"]] == ["a", "z"]
        assert [next(iter(source)) for source in found["envFrom"]] == ["configMapRef", "prefix", "secretRef"]
        assert [mount["mountPath"] for mount in found["volumeMounts"]] == ["/dev/shm", "/a", "/b"]
        assert found["securityContext"]["capabilities"] == {"add": ["A", "Z"], "drop": ["A", "Z"]}

    def test_files_inside_of_volumes(self) -> None:
        items = [{"key": "b", "path": "1"}, {"key": "a", "path": "2"}]
        sources = [{"secret": {"name": "s", "items": items}}, {"configMap": {"name": "c"}}]
        volumes = [{"name": "z", "projected": {"sources": sources}}, {"name": "a", "configMap": {"items": items}}]
        pod = service(f"extraPodSpec: {json.dumps({'volumes': volumes})}").one("Deployment")["spec"]["template"]["spec"]
        first, shared, last = pod["volumes"]
        assert [item["key"] for item in first["configMap"]["items"]] == ["a", "b"]
        assert shared["name"] == "shared-memory"
        assert [next(iter(source)) for source in last["projected"]["sources"]] == ["configMap", "secret"]
        assert [item["key"] for item in last["projected"]["sources"][1]["secret"]["items"]] == ["a", "b"]


class TestRay:
    def args(self, limits: str, flags: str = "--tensor-parallel-size, '4'") -> list[str]:
        fields = (
            f"componentType: worker, multinode: {{}}, {limits}extraPodSpec: "
            f"{{mainContainer: {{command: [python3], args: [-m, dynamo.vllm, {flags}]}}}}"
        )
        found: list[str] = at(
            service(fields, target="grove").cliques()["worker-ldr"], "spec.podSpec.containers[main].args"
        )
        return found

    @pytest.mark.parametrize(
        ("limits", "ray"),
        [
            ("", True),
            ("resources: {limits: {gpu: '2'}}, ", True),
            ("resources: {limits: {gpu: '4'}}, ", False),
            ("resources: {limits: {custom: {nvidia.com/gpu: '4'}}}, ", False),
            ("resources: {requests: {gpu: '4'}}, ", True),
        ],
    )
    def test_it_runs_where_the_limit_of_the_container_is_too_small(self, limits: str, ray: bool) -> None:
        assert self.args(limits)[0].startswith("ray start") == ray

    def test_copies_of_a_model_meet_at_the_leader(self) -> None:
        (line,) = self.args(
            "resources: {limits: {gpu: '8'}}, ", "--tensor-parallel-size, '4', --data-parallel-size, '4'"
        )
        assert line.endswith("--data-parallel-size-local 2 --data-parallel-rpc-port 13445 --data-parallel-start-rank 0")

    def test_a_script_that_loses_its_quotes_is_told(self) -> None:
        fields = "componentType: worker, multinode: {}, extraPodSpec: {mainContainer: {command: [sh, -c], args: ["
        rendered = service(f"{fields}python3 -m dynamo.vllm --tensor-parallel-size 4]}}}}", target="grove")
        assert "vllm/script-without-quotes" in [slug for slug, _ in rendered.told]


@pytest.mark.parametrize("kind", ["prefill", "decode", "epp", "main"])
def test_types_of_later_releases_are_none(kind: str) -> None:
    fields = (
        f"componentType: {kind}, multinode: {{}}, extraPodSpec: {{mainContainer: {{args: [python3 -m dynamo.vllm]}}}}"
    )
    rendered = service(fields + ", replicas: 1", target="grove")
    main = at(rendered.cliques()["worker-ldr"], "spec.podSpec.containers[main]")
    assert main["args"] == ["python3 -m dynamo.vllm"]
    assert "ports" not in main
    assert ("component/unknown-type", ("spec", "services", "Worker", "componentType")) in rendered.told


@pytest.mark.parametrize(
    "metadata", ["annotations: {nvidia.com/dynamo-discovery-backend: kubernetes}", "labels: {x: y}"]
)
def test_discovery_and_generations_of_later_releases_mean_nothing(metadata: str) -> None:
    fields = f"componentType: worker, {metadata}, extraPodMetadata: {{labels: {{nvidia.com/dynamo-worker-hash: abc}}}}"
    rendered = service(fields)
    names = {variable["name"] for variable in main_of(rendered)["env"]}
    assert not {"DYN_DISCOVERY_BACKEND", "DYN_NAMESPACE_WORKER_SUFFIX", "DYN_COMPONENT", "POD_NAME"} & names
    assert rendered.one("Deployment")["metadata"]["name"] == "llm-worker"


def test_the_graph_s_word_on_metrics_beats_the_component_s() -> None:
    own = "services: {A: {annotations: {nvidia.com/enable-metrics: 'false'}}}"
    assert "nvidia.com/metrics-enabled" not in labels_of(render(own).one("Deployment"))
    graph = render(own, annotations={"nvidia.com/enable-metrics": "true"})
    assert labels_of(graph.one("Deployment"))["nvidia.com/metrics-enabled"] == "true"


@pytest.mark.parametrize(
    ("fields", "target", "slug"),
    [
        ("replicas: 1, autoscaling: {enabled: true}", "grove", "autoscaling/ignored"),
        (NODES + "autoscaling: {enabled: true}", "lws", "autoscaling/ignored"),
        ("autoscaling: {enabled: true, minReplicas: 1, behavior: {}}", "plain", "autoscaling/behavior-ignored"),
        ("labels: {a: b}", "plain", "component/labels-ignored"),
        ("annotations: {a: b}", "plain", "component/annotations-ignored"),
        ("serviceName: other", "plain", "component/service-name-ignored"),
        ("ingress: {annotations: {a: b}}", "plain", "ingress/metadata-ignored"),
        ("replicas: 1, componentType: worker, ingress: {enabled: true}", "grove", "ingress/ignored"),
    ],
)
def test_what_the_operator_ignores_is_told(fields: str, target: str, slug: str) -> None:
    assert slug in [found for found, _ in service(fields, target=target).told]


@pytest.mark.parametrize("fields", ["labels: {a: b}", "annotations: {a: b}"])
def test_under_grove_labels_and_annotations_count(fields: str) -> None:
    rendered = service(f"replicas: 1, {fields}", target="grove")
    assert [slug for slug, _ in rendered.told] == ["context/key-pair"]
    assert rendered.cliques()["worker"][fields.partition(":")[0]]["a"] == "b"


class TestDeploymentConfig:
    def component(self, config: object, fields: str = "componentType: worker") -> Any:
        variable = json.dumps([{"name": "DYN_DEPLOYMENT_CONFIG", "value": json.dumps(config)}])
        return service(f"{fields}, envs: {variable}").one("Deployment")

    def test_workers_hold_where_the_graph_names_no_replicas(self) -> None:
        config = {"Worker": {"ServiceArgs": {"workers": 3}}}
        assert self.component(config)["spec"]["replicas"] == 3
        assert self.component(config, "replicas: 1")["spec"]["replicas"] == 1

    def test_gpus_are_limits_only(self) -> None:
        found = self.component({"Worker": {"serviceargs": {"Resources": {"gpu": "2", "cpu": "1"}}}})
        resources = at(found, f"{POD}.containers[main].resources")
        assert resources == {"limits": {"cpu": "1", "nvidia.com/gpu": "2"}, "requests": {"cpu": "1"}}

    @pytest.mark.parametrize(
        "config",
        [
            [],
            {"Worker": 3},
            {"Other": {"ServiceArgs": 4}},
            {"Worker": {"ServiceArgs": {"workers": 2.5}}},
            {"Worker": {"ServiceArgs": {"workers": 2**31}}},
            {"Worker": {"ServiceArgs": {"workers": True}}},
            {"Worker": {"ServiceArgs": {"resources": {"cpu": 3}}}},
            {"Worker": {"ServiceArgs": {"resources": {"custom": {"a": 1}}}}},
        ],
    )
    def test_what_go_cannot_read_is_refused(self, config: object) -> None:
        with pytest.raises(Refusal) as refusal:
            self.component(config)
        assert refusal.value.slug == "env/deployment-config"

    @pytest.mark.parametrize(
        ("config", "text"), [(None, "null"), ({}, "{}"), ({"Worker": {}}, '{"Worker":{"port":8000}}')]
    )
    def test_a_frontend_s_is_written_anew(self, config: object, text: str) -> None:
        found = self.component(config, "componentType: frontend")
        assert at(found, f"{POD}.containers[main].env[DYN_DEPLOYMENT_CONFIG].value") == text


def test_a_pull_secret_that_knows_a_registry_twice_stands_twice() -> None:
    registry: Tree = {"auths": {"nvcr.io": {}, "https://nvcr.io/v1": {}}}
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "pull", "namespace": "default"},
        "type": "kubernetes.io/dockerconfigjson",
        "stringData": {".dockerconfigjson": json.dumps(registry)},
    }
    found = render("services: {A: {extraPodSpec: {mainContainer: {image: nvcr.io/x}}}}", secret).one("Deployment")
    assert at(found, f"{POD}.imagePullSecrets") == [{"name": "pull"}, {"name": "pull"}]


def test_a_component_alone_has_no_parent_and_maybe_no_namespace() -> None:
    found = main_of(render("componentType: worker", kind="DynamoComponentDeployment"))
    assert [variable for variable in found["env"] if variable["name"].startswith("DYN_N")] == [
        {"name": "DYN_NAMESPACE"}
    ]
    assert {"name": "DYN_PARENT_DGD_K8S_NAME"} in found["env"]


def test_lws_without_volcano_fails_later() -> None:
    groups = ("nvidia.com", "leaderworkerset.x-k8s.io")
    known = [
        {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": {"group": group}}
        for group in groups
    ]
    with pytest.raises(Refusal) as refusal:
        render(f"services: {{Worker: {{{NODES}}}}}", *known, target="auto")
    assert refusal.value.slug == "lws/no-volcano"


def test_several_nodes_need_an_orchestrator() -> None:
    with pytest.raises(Refusal) as refusal:
        service(NODES)
    assert refusal.value.slug == "target/no-multinode-orchestrator"
