"""Pods, GPUs, nodes, and gangs."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dynamoc.analysis.compare.pod_counts import pod_resources
from dynamoc.analysis.requires.needs import Role, role_rows
from tests.requires.conftest import GRAPH, Ask, item, needs_of, pod

Tree = dict[str, Any]
GPU = "nvidia.com/gpu"


def container(gpus: int = 0, **fields: Any) -> Tree:
    return {"name": "c", "image": "x", "resources": {"limits": {GPU: str(gpus)} if gpus else {}}, **fields}


def clique(name: str, replicas: int, gpus: int = 0, least: int | None = None) -> Tree:
    spec: Tree = {"replicas": replicas, "podSpec": {"containers": [container(gpus)]}}
    if least is not None:
        spec["minAvailable"] = least
    return {"name": name, "labels": {"nvidia.com/dynamo-component": name.partition("-")[0]}, "spec": spec}


def clique_set(*cliques: Tree, groups: list[Tree] | None = None, replicas: int = 1, **template: Any) -> Tree:
    outline = {"cliques": list(cliques), "podCliqueScalingGroups": groups or [], **template}
    labels = {"nvidia.com/dynamo-graph-deployment-name": "g"}
    spec = {"replicas": replicas, "template": outline}
    return item("PodCliqueSet", "g", version="grove.io/v1alpha1", metadata={"labels": labels}, spec=spec)


def gangs(value: Tree) -> list[tuple[str, int, int, int]]:
    """(scaling group, how many, pods, GPUs), the largest first."""
    return [(gang.group, gang.count, gang.pods, gang.gpus) for gang in needs_of([value]).gangs]


def test_a_clique_is_in_the_gang_with_its_least_pods() -> None:
    assert gangs(clique_set(clique("a", 5, 1, least=2), clique("b", 3, 2))) == [("", 1, 5, 8)]


def test_further_replicas_of_a_scaling_group_are_gangs_of_their_own() -> None:
    group = {"name": "w", "cliqueNames": ["w-ldr", "w-wkr"], "replicas": 4, "minAvailable": 1}
    value = clique_set(clique("f", 2, least=1), clique("w-ldr", 1, 8), clique("w-wkr", 3, 8), groups=[group])
    assert gangs(value) == [("", 1, 5, 32), ("w", 3, 4, 32)]


def test_a_scaling_group_is_in_the_first_gang_with_its_least_replicas() -> None:
    group = {"name": "w", "cliqueNames": ["w"], "replicas": 4, "minAvailable": 3}
    assert gangs(clique_set(clique("w", 2, 1), groups=[group], replicas=2)) == [("", 2, 6, 6), ("w", 2, 2, 2)]


def test_what_runs_no_pods_is_no_gang() -> None:
    assert gangs(clique_set(clique("a", 0, 1, least=1))) == []


def test_a_leader_worker_set_is_a_gang_a_replica() -> None:
    template = {"spec": {"containers": [container(4)]}}
    spec = {"replicas": 3, "leaderWorkerTemplate": {"size": 2, "workerTemplate": template}}
    value = item("LeaderWorkerSet", version="leaderworkerset.x-k8s.io/v1", spec=spec)
    assert gangs(value) == [("", 3, 2, 8)]
    (role,) = needs_of([value]).roles
    assert (role.name, role.pods, role.gpus, role.replicas, role.nodes) == ("LeaderWorkerSet/a", 6, 24, 3, 2)


def test_pods_that_share_devices_share_a_node() -> None:
    request = {"name": "gpu", "exactly": {"deviceClassName": "gpu.nvidia.com", "count": 2}}
    claim = {"name": "rank-0", "templateSpec": {"spec": {"devices": {"requests": [request]}}}}
    sharing = [{"name": "rank-0", "filter": {"childCliqueNames": ["w-gms-0", "w-ldr"]}}]
    group = {"name": "w", "cliqueNames": ["w-gms-0", "w-ldr", "w-wkr"], "replicas": 2, "resourceSharing": sharing}
    cliques = (clique("w-gms-0", 1), clique("w-ldr", 2), clique("w-wkr", 1, 1))
    value = clique_set(*cliques, groups=[group], resourceClaimTemplates=[claim])
    found = needs_of([value])
    (role,) = found.roles
    assert (role.pods, role.nodes, role.replicas, role.shared, role.gpus) == (8, 2, 2, 4, 6)
    assert gangs(value) == [("", 1, 4, 3), ("w", 1, 4, 3)]


def test_claims_that_nobody_shows_are_told() -> None:
    claimed = pod(resourceClaims=[{"name": "gpu", "resourceClaimTemplateName": "gpus"}])
    assert list(needs_of([claimed]).roles[0].unknown) == ["gpus"]
    request = {"exactly": {"deviceClassName": "gpu.nvidia.com", "count": 4}}
    template = item("ResourceClaimTemplate", "gpus", version="resource.k8s.io/v1")
    template["spec"] = {"spec": {"devices": {"requests": [request]}}}
    (role,) = needs_of([claimed, template]).roles
    assert (role.gpus, dict(role.unknown)) == (4, {})


def test_init_containers_count_where_they_hold_more_than_the_rest() -> None:
    spec = {"initContainers": [container(4), container(1, restartPolicy="Always")], "containers": [container(2)]}
    assert pod_resources(spec) == {GPU: 4}
    spec["initContainers"].reverse()
    assert pod_resources(spec) == {GPU: 5}


amounts = st.lists(st.integers(0, 9), max_size=4)


@given(amounts, amounts, amounts)
def test_a_pod_never_holds_less_than_its_containers(init: list[int], sidecars: list[int], main: list[int]) -> None:
    starting = [container(gpus) for gpus in init]
    running = [container(gpus, restartPolicy="Always") for gpus in sidecars]
    spec = {"initContainers": starting + running, "containers": [container(gpus) for gpus in main]}
    assert pod_resources(spec).get(GPU, 0) == max([sum(sidecars + main), *init])


def test_components_of_a_graph(ask: Ask) -> None:
    for target in ("grove", "lws"):
        document = ask(GRAPH, "--target", target)
        components = {entry["name"]: entry for entry in document["components"]}
        assert {name: (entry["pods"], entry["gpus"]) for name, entry in components.items()} == {
            "Frontend": (2, 0),
            "Worker": (6, 48),
        }
        worker = components["Worker"]
        assert (worker["replicas"], worker["nodesPerReplica"], set(worker["gpusPerPod"].values())) == (3, 2, {8})
        assert worker["place"]["line"] == 1 + GRAPH.splitlines().index("    Worker:")
        assert document["resources"] == [{"name": GPU, "largestPod": 8, "total": 48}]
        assert document["summary"]["largestGang"]["gpus"] == 16


def test_nodes_must_have_labels_files_and_profiles() -> None:
    term = {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a", "b"]}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    value = pod(
        nodeSelector={"pool": "gpu"},
        affinity={"nodeAffinity": required},
        volumes=[
            {"hostPath": {"path": "/dev/ib"}},
            {"hostPath": {"path": "/made", "type": "DirectoryOrCreate"}},
            {"nfs": {"server": "filer", "path": "/models"}},
        ],
        topologySpreadConstraints=[
            {"topologyKey": "kubernetes.io/hostname"},
            {"topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"},
            {"topologyKey": "region", "whenUnsatisfiable": "ScheduleAnyway"},
        ],
        securityContext={"seccompProfile": {"type": "Localhost", "localhostProfile": "p.json"}},
    )
    found = {(entry.what, entry.name) for entry in needs_of([value]).nodes}
    assert found == {
        ("label", "pool=gpu"),
        ("label", "zone in (a, b)"),
        ("label", "zone"),
        ("path", "/dev/ib"),
        ("NFS export", "filer:/models"),
        ("seccomp profile", "p.json"),
    }


def addresses(value: Tree) -> list[tuple[str, str, tuple[str, str] | None, str | None]]:
    return [(entry.variable, entry.value, entry.service, entry.by) for entry in needs_of([value]).addresses]


def with_variables(**values: str) -> Tree:
    env = [{"name": name, "value": value} for name, value in values.items()]
    return pod(containers=[{"name": "main", "image": "x", "env": env}])


def test_addresses_are_services_where_they_lie_in_the_cluster() -> None:
    assert addresses(
        with_variables(
            OTEL="http://collector.trace.svc:4317",
            PROMETHEUS_ENDPOINT="http://prometheus.example.com:9090",
            ETCD_ENDPOINTS="http://etcd:2379,http://other:2379",
            NATS_SERVER="nats://dynamo-platform-nats.dynamo-system.svc.cluster.local:4222",
            MODEL="Qwen/Qwen3",
        )
    ) == [
        (
            "NATS_SERVER",
            "nats://dynamo-platform-nats.dynamo-system.svc.cluster.local:4222",
            ("dynamo-system", "dynamo-platform-nats"),
            "chart",
        ),
        ("ETCD_ENDPOINTS", "http://etcd:2379,http://other:2379", ("team", "etcd"), None),
        ("PROMETHEUS_ENDPOINT", "http://prometheus.example.com:9090", None, None),
        ("OTEL", "http://collector.trace.svc:4317", ("trace", "collector"), None),
    ]


def test_a_service_of_the_output_brings_an_address() -> None:
    value = with_variables(NATS_SERVER="nats://nats.team:4222")
    (entry,) = needs_of([value, item("Service", "nats")]).addresses
    assert (entry.service, entry.by) == (("team", "nats"), "render")


def test_the_operator_must_run_where_its_kinds_or_a_planner_do() -> None:
    adapter = item("DynamoGraphDeploymentScalingAdapter", version="nvidia.com/v1alpha1")
    planner = pod()
    planner["metadata"]["labels"] = {"nvidia.com/dynamo-component-type": "planner"}
    assert len(needs_of([adapter, planner]).operator) == 2
    assert needs_of([pod()]).operator == []


def test_a_gang_tells_its_scheduler() -> None:
    one, two = clique("a", 1), clique("b", 1)
    two["spec"]["podSpec"]["schedulerName"] = "kai-scheduler"
    assert [gang.scheduler for gang in needs_of([clique_set(one, two)]).gangs] == ["kai-scheduler"]


def test_graphs_of_one_name_are_told_apart_by_their_namespaces() -> None:
    places = (("a", "chat"), ("b", "chat"), ("a", "other"), ("", ""))
    roles = [Role(namespace, graph, "Worker") for namespace, graph in places]
    assert [graph for graph, *_ in role_rows(roles)] == ["chat (a)", "chat (b)", "other", "", "total"]
