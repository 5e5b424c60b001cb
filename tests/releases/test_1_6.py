"""Release 1.6 as its source says; no record tells. Facts of the operator's own tests stand here in other words."""

from pathlib import Path
from typing import Any

import pytest

from dynamoc.reference.releases import get_release
from dynamoc.rendering.rules.command import asks_for_elastic_ray, asks_for_mp, launch_args
from tests.releases.compiled import IMAGE, Tree, compiled, container, env, frontend, graph, worker

RELEASE = get_release("1.6")
VLLM = {"command": ["python3"], "args": ["-m", "dynamo.vllm", "--tensor-parallel-size", "16"]}
SPREAD = {"multinode": {"nodeCount": 2}}
GROVE_LEADER = "$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)-w-ldr-0.$(GROVE_HEADLESS_SERVICE)"
ORIGIN = "nvidia.com/dynamo-operator-origin-version"


def test_vllm_names_leader_and_rank_in_the_same_way_everywhere(tmp_path: Path) -> None:
    found = compiled(tmp_path, "1.6", graph(worker(**VLLM, **SPREAD)))
    flags = "--distributed-executor-backend mp --nnodes 2 --master-addr $(DYNAMO_LEADER_ADDRESS) --master-port 29500"
    flags += " --node-rank $(DYNAMO_RANK)"
    for clique, more in (("w-ldr", []), ("w-wkr", ["--headless"])):
        main = found.main(clique)
        assert main["command"] == ["python3"]
        assert main["args"] == [*VLLM["args"], *flags.split(), *more]
        assert env(main)["DYNAMO_LEADER_ADDRESS"] == GROVE_LEADER
        assert env(main)["DYNAMO_RANK"] == "$(GROVE_PCSG_POD_INDEX)"
        names = [item["name"] for item in main["env"] if item["name"] != "VLLM_NIXL_SIDE_CHANNEL_HOST"]
        assert names == sorted(names)
    waiter = found.clique("w-wkr")["spec"]["podSpec"]["initContainers"][0]
    assert 'LEADER_HOST="${GROVE_PCSG_NAME}-' in waiter["command"][2]


def test_leader_worker_sets_have_the_same_names(tmp_path: Path) -> None:
    found = compiled(tmp_path, "1.6", graph(worker(**VLLM, **SPREAD)), target="lws")
    (workers,) = found.of("LeaderWorkerSet").values()
    template = workers["spec"]["leaderWorkerTemplate"]
    for part in ("leaderTemplate", "workerTemplate"):
        main = container(template[part]["spec"], "main")
        assert env(main)["DYNAMO_LEADER_ADDRESS"] == "$(LWS_LEADER_ADDRESS)"
        assert env(main)["DYNAMO_RANK"] == "$(LWS_WORKER_INDEX)"
        assert "$(DYNAMO_LEADER_ADDRESS)" in main["args"]


def test_the_operator_s_names_replace_the_user_s(tmp_path: Path) -> None:
    own = [{"name": "DYNAMO_RANK", "value": "7"}]
    main = compiled(tmp_path, "1.6", graph(worker(**VLLM, **SPREAD, env=own))).main("w-ldr")
    assert env(main)["DYNAMO_RANK"] == "$(GROVE_PCSG_POD_INDEX)"
    main = compiled(tmp_path, "1.6", graph(worker(**VLLM, env=own))).main("w")
    assert env(main)["DYNAMO_RANK"] == "7"
    assert "DYNAMO_LEADER_ADDRESS" not in env(main)


@pytest.mark.parametrize("created_by", ["1.5.1", "1.0.0"])
def test_graphs_of_before_keep_the_names_of_their_orchestrator(tmp_path: Path, created_by: str) -> None:
    found = compiled(tmp_path, "1.6", graph(worker(**VLLM, **SPREAD)), created_by=created_by)
    main = found.main("w-wkr")
    assert main["command"] == ["sh", "-c"]
    assert "$((GROVE_PCLQ_POD_INDEX + 1)) --headless" in main["args"][0]
    assert "DYNAMO_RANK" not in env(main)
    assert found.clique("w-wkr")["annotations"][ORIGIN] == created_by


def test_sglang_and_tensorrt_use_the_names_too(tmp_path: Path) -> None:
    document = graph(worker(command=["python3"], args=["-m", "dynamo.sglang"], **SPREAD))
    document["spec"]["backendFramework"] = "sglang"
    main = compiled(tmp_path, "1.6", document).main("w-wkr")
    assert main["command"] == ["python3"]
    assert main["args"][2:] == [
        *("--dist-init-addr", "$(DYNAMO_LEADER_ADDRESS):29500"),
        *("--nnodes", "2", "--node-rank", "$(DYNAMO_RANK)"),
    ]
    document = graph(worker(command=["python3"], args=["-m", "dynamo.trtllm"], **SPREAD))
    document["spec"]["backendFramework"] = "trtllm"
    line = compiled(tmp_path, "1.6", document).main("w-ldr")["args"][0]
    assert "-x DYNAMO_LEADER_ADDRESS -x DYNAMO_RANK -x " in line


def test_engines_of_inter_pod_memory_know_their_rank(tmp_path: Path) -> None:
    memory = {"gpuMemoryService": {"mode": "InterPod"}}
    found = compiled(tmp_path, "1.6", graph(worker(**VLLM, **SPREAD, experimental=memory)))
    assert env(found.main("w-ldr"))["DYNAMO_RANK"] == "0"
    main = found.main("w-wkr-1")
    assert env(main)["DYNAMO_RANK"] == "1"
    assert "-w-ldr-$(GROVE_PCLQ_POD_INDEX).$(GROVE_HEADLESS_SERVICE)" in env(main)["DYNAMO_LEADER_ADDRESS"]


def test_the_origin_is_the_operator_s_word(tmp_path: Path) -> None:
    document = graph(worker(**VLLM, **SPREAD), annotations={ORIGIN: "1.0.0"})
    document["spec"]["components"][0]["podTemplate"]["metadata"] = {"annotations": {ORIGIN: "1.2.3"}}
    assert compiled(tmp_path, "1.6", document).clique("w-ldr")["annotations"][ORIGIN] == "1.6.0"
    assert compiled(tmp_path, "1.5", document).clique("w-ldr")["annotations"][ORIGIN] == "1.2.3"


@pytest.mark.parametrize(
    ("args", "world_size", "data_parallel"),
    [
        ("--tensor-parallel-size 4", 4, 1),
        ("--tensor_parallel_size=4 -pp 2", 8, 1),
        ("-tp=4 -dp 3", 4, 3),
        ("-tp 4 --tensor-parallel-size 2", 2, 1),
        ("--tensor-parallel-size 2 --tensor-parallel-size x", 2, 1),
        ("--tp=4 -dpx 3 --dp 2", 1, 1),
        ("--tensor-parallel-size=4;", 1, 1),
        ("--tensor-parallel-size 4;", 1, 1),
        ("--data_parallel_size=2 --data-parallel-size-local 1", 1, 2),
    ],
)
def test_sizes_are_read_as_vllm_reads_them(args: str, world_size: int, data_parallel: int) -> None:
    found = launch_args({"args": [args]}, RELEASE)
    assert (found.world_size, found.data_parallel) == (world_size, data_parallel)
    assert found.says_data_parallel == (data_parallel > 1)


@pytest.mark.parametrize(
    ("args", "is_mp"),
    [
        ("--distributed-executor-backend mp", True),
        ("--distributed_executor_backend=mp", True),
        ("--distributed-executor-backend mp;", True),
        ("--distributed-executor-backend mp --distributed-executor-backend ray", False),
        ("--distributed-executor-backend ray --distributed-executor-backend mp", True),
        ("--distributed-executor-backend=mpx", False),
    ],
)
def test_multiprocessing_is_read_as_vllm_reads_it(args: str, is_mp: bool) -> None:
    assert asks_for_mp({"command": ["sh", "-c"], "args": [f"python3 -m dynamo.vllm {args}"]}, RELEASE) == is_mp


@pytest.mark.parametrize(
    ("args", "is_elastic"),
    [
        *(
            (f"--enable-elastic-ep --data-parallel-backend=ray{end}", True)
            for end in ("", ";", "&&echo", "|tee", ">log", ")")
        ),
        ("--enable_elastic_ep -dpb ray", True),
        ("--enable-elastic-ep --data-parallel-backend=ray,", False),
        ("--enable-elastic-ep=false -dpb ray", False),
        ("--served-model-name=--enable-elastic-ep -dpb ray", False),
        ("--data-parallel-backend=--enable-elastic-ep -dpb ray", False),
        ("--enable-elastic-ep -dpb ray -dpb mp", False),
    ],
)
def test_elastic_parallelism_is_read_as_vllm_reads_it(args: str, is_elastic: bool) -> None:
    assert asks_for_elastic_ray({"args": args.split()}, RELEASE) == is_elastic


@pytest.mark.parametrize(("version", "strict"), [("1.5.9", False), ("1.6.0", True)])
def test_newer_frontends_start_slowly_and_match_names_whole(tmp_path: Path, version: str, strict: bool) -> None:
    main = compiled(tmp_path, "1.6", graph(frontend(version))).main("frontend")
    assert env(main).get("DYN_NAMESPACE_PREFIX_STRICT") == ("true" if strict else None)
    assert (main.get("startupProbe") or {}).get("failureThreshold") == (30 if strict else None)
    picker = {**worker("epp", version), "type": "epp"}
    main = compiled(tmp_path, "1.6", graph(picker)).main("epp")
    assert ("DYN_NAMESPACE_PREFIX_STRICT" in env(main)) == strict


def test_a_frontend_beside_a_worker_has_what_its_own_image_can_do(tmp_path: Path) -> None:
    side = worker(version="1.5.0", frontendSidecar="side")
    side["podTemplate"]["spec"]["containers"].append({"name": "side", "image": f"{IMAGE}:1.6.0"})
    mode = {"nvidia.com/dynamo-kube-discovery-mode": "container"}
    pod = compiled(tmp_path, "1.6", graph(side, annotations=mode)).clique("w")["spec"]["podSpec"]
    found = env(container(pod, "side"))
    assert (found["DYN_NAMESPACE_PREFIX_STRICT"], found["CONTAINER_NAME"]) == ("true", "side")
    assert env(container(pod, "main"))["CONTAINER_NAME"] == "main"
    assert "DYN_NAMESPACE_PREFIX_STRICT" not in env(container(pod, "main"))


def test_ports_of_the_user_s_replace_the_operator_s(tmp_path: Path) -> None:
    own: Tree = {"name": "own", "containerPort": 1}
    assert [port["name"] for port in compiled(tmp_path, "1.6", graph(worker(ports=[own]))).main("w")["ports"]] == [
        "own"
    ]
    assert len(compiled(tmp_path, "1.6", graph(worker())).main("w")["ports"]) == 2


def runtime_worker(**fields: Any) -> Tree:
    engine = worker(image="vllm/vllm-openai:v0.20", **fields)
    runtime = {
        "name": "runtime",
        "image": f"{IMAGE}:1.6.0",
        "restartPolicy": "Always",
        "env": [{"name": "A", "value": "1"}],
    }
    engine["podTemplate"]["spec"]["initContainers"] = [runtime]
    return engine


def test_dynamo_in_a_container_of_its_own_leaves_the_engine_alone(tmp_path: Path) -> None:
    mode = {"nvidia.com/dynamo-kube-discovery-mode": "container"}
    document = graph(runtime_worker(args=["serve", "m"]), annotations=mode, env=[{"name": "G", "value": "2"}])
    found = compiled(tmp_path, "1.6", document)
    pod = found.clique("w")["spec"]["podSpec"]
    main = container(pod, "main")
    assert env(main) == {"G": "2"}
    assert not {"command", "ports", "livenessProbe", "readinessProbe", "startupProbe"} & main.keys()
    (runtime,) = pod["initContainers"]
    told = env(runtime)
    assert (told["CONTAINER_NAME"], told["A"], told["G"], told["DYN_SYSTEM_PORT"]) == ("runtime", "1", "2", "9090")
    assert told["DYN_NAMESPACE_WORKER_SUFFIX"] == found.clique("w")["labels"]["nvidia.com/dynamo-worker-hash"]
    assert runtime["restartPolicy"] == "Always"
    assert [port["name"] for port in runtime["ports"]] == ["system"]
    assert runtime["startupProbe"]["periodSeconds"] == 2
    assert "command" not in runtime
    assert "DYN_HEALTH_CHECK_ENABLED" not in told


@pytest.mark.parametrize(
    ("change", "refused"),
    [
        ({"type": "frontend"}, ["admission/runtime-sidecar"]),
        ({"multinode": {"nodeCount": 2}}, ["admission/runtime-sidecar"]),
        ({"experimental": {"gpuMemoryService": {}}}, ["admission/runtime-sidecar"]),
        ({}, []),
    ],
)
def test_runtime_sidecars_are_for_workers_on_one_node(tmp_path: Path, change: Tree, refused: list[str]) -> None:
    assert compiled(tmp_path, "1.6", graph({**runtime_worker(), **change})).errors == refused


def roles(**commands: Any) -> list[Tree]:
    found = []
    for name in ("leader", "worker"):
        main = {"name": "main", "image": f"{IMAGE}:1.6.0", "resources": {"limits": {"nvidia.com/gpu": "8"}}}
        found.append({"name": name, "podTemplate": {"spec": {"containers": [{**main, **commands.get(name, {})}]}}})
    return found


def role_graph(found: list[Tree], **fields: Any) -> Tree:
    return graph({"name": "w", "type": "worker", **SPREAD, "roles": found, **fields})


def test_roles_bring_their_own_commands(tmp_path: Path) -> None:
    leader = {"command": ["vllm", "serve", "m"], "args": ["--distributed-executor-backend", "mp", "--node-rank", "0"]}
    follower = {
        "command": ["sh", "-c"],
        "args": ["exec vllm serve m --distributed-executor-backend mp --headless"],
    }
    found = compiled(tmp_path, "1.6", role_graph(roles(leader=leader, worker=follower)))
    main = found.main("w-ldr")
    assert main["command"] == leader["command"]
    assert main["args"] == [*leader["args"], "--master-port", "29500"]
    assert env(main)["DYNAMO_LEADER_ADDRESS"] == GROVE_LEADER
    worker_main = found.main("w-wkr")
    line = "exec vllm serve m --distributed-executor-backend mp --headless --master-port 29500"
    assert worker_main["args"] == [line]
    assert "livenessProbe" not in worker_main
    assert found.clique("w-wkr")["spec"]["podSpec"]["initContainers"][0]["name"] == "wait-for-leader-mp"
    hashes = {found.clique(name)["labels"]["nvidia.com/dynamo-worker-hash"] for name in ("w-ldr", "w-wkr")}
    assert len(hashes) == 1
    lws = compiled(tmp_path, "1.6", role_graph(roles(leader=leader, worker=follower)), target="lws")
    (workers,) = lws.of("LeaderWorkerSet").values()
    template = workers["spec"]["leaderWorkerTemplate"]["workerTemplate"]
    assert container(template["spec"], "main")["args"] == [line]


@pytest.mark.parametrize(
    ("found", "fields", "refused"),
    [
        (roles(), {}, []),
        ([roles()[0], {"name": "worker"}], {}, ["admission/role-template"]),
        (roles(leader={"image": ""}), {}, ["admission/no-image"]),
        (roles(worker={"image": f"{IMAGE}:latest"}), {}, ["admission/runtime-version"]),
        (roles(worker={"name": "other"}), {}, ["admission/no-image"]),
        (roles(), {"podTemplate": worker()["podTemplate"]}, ["cel/templates-are-of-one-kind"]),
        (roles(), {"frontendSidecar": "side"}, ["admission/sidecar-name"] * 2),
    ],
)
def test_templates_of_roles_are_complete(tmp_path: Path, found: list[Tree], fields: Tree, refused: list[str]) -> None:
    assert compiled(tmp_path, "1.6", role_graph(found, **fields)).errors == refused


def test_roles_cannot_run_several_backends(tmp_path: Path) -> None:
    commands = {
        "leader": {"command": ["python3"], "args": ["-m", "dynamo.vllm"]},
        "worker": {"command": ["python3"], "args": ["-m", "dynamo.sglang"]},
    }
    document = role_graph(roles(**commands))
    del document["spec"]["backendFramework"]
    assert compiled(tmp_path, "1.6", document).errors == ["backend/several"]


def minimum(value: int) -> Tree:
    return {"apiVersion": "grove.io/v1alpha1", "value": {"spec": {"minAvailable": value}}}


def test_the_minimum_may_stand_in_a_fragment(tmp_path: Path) -> None:
    found = compiled(tmp_path, "1.6", graph(worker(replicas=3, providerOverride=minimum(2)), frontend()))
    assert found.clique("w")["spec"]["minAvailable"] == 2
    assert found.clique("frontend")["spec"]["minAvailable"] == 1
    assert found.warnings == []
    group = {"apiVersion": "grove.io/v1alpha1", "value": {"minAvailable": 2}}
    found = compiled(tmp_path, "1.6", graph(worker(replicas=3, providerOverride=group, **VLLM, **SPREAD)))
    assert found.template["podCliqueScalingGroups"][0]["minAvailable"] == 2


@pytest.mark.parametrize(
    ("components", "refused"),
    [
        ([worker(replicas=1, providerOverride=minimum(2))], ["admission/min-available"]),
        ([worker(providerOverride=minimum(1)), worker("x", minAvailable=1)], ["admission/min-available"]),
        ([worker(minAvailable=1)], []),
    ],
)
def test_minima_are_judged(tmp_path: Path, components: list[Tree], refused: list[str]) -> None:
    found = compiled(tmp_path, "1.6", graph(*components))
    assert sorted(set(found.errors)) == refused
    if not refused:
        assert found.warnings == ["admission/deprecated-field"]


def test_the_minimum_stays_however_it_is_said(tmp_path: Path) -> None:
    old = graph(worker(replicas=3, minAvailable=2))
    assert compiled(tmp_path, "1.6", graph(worker(replicas=3, providerOverride=minimum(2))), against=old).errors == []
    changed = graph(worker(replicas=3, providerOverride=minimum(3)))
    assert "update/min-available" in compiled(tmp_path, "1.6", changed, against=old).errors


def test_what_says_nothing_makes_no_new_generation(tmp_path: Path) -> None:
    def generation(release: str, **fields: Any) -> str:
        found = compiled(tmp_path, release, graph(worker(**fields)), created_by="1.4.0")
        return str(found.clique("w")["labels"]["nvidia.com/dynamo-worker-hash"])

    claim = {"pvcName": "c"}
    spelled = {"compilationCache": {**claim, "mountPath": "/root/.cache/vllm"}, "experimental": {"grove": {}}}
    assert generation("1.6", **spelled) == generation("1.6", compilationCache=claim)
    assert generation("1.5", **spelled) != generation("1.5", compilationCache=claim)
    assert generation("1.6") == generation("1.5") == generation("1.6", replicas=3, providerOverride=minimum(2))


def test_init_containers_have_pull_secrets_too(tmp_path: Path) -> None:
    (tmp_path / "known").mkdir()
    (tmp_path / "known" / "secret.yaml").write_text(
        "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: default}, type: kubernetes.io/dockerconfigjson,"
        ' stringData: {.dockerconfigjson: \'{"auths": {"init.example.com": {}}}\'}}'
    )
    document = graph(worker())
    document["spec"]["components"][0]["podTemplate"]["spec"]["initContainers"] = [
        {"name": "init", "image": "init.example.com/x:1"}
    ]
    context = [str(tmp_path / "known" / "secret.yaml")]
    for release, names in (("1.6", ["s"]), ("1.5", [])):
        pod = compiled(tmp_path, release, document, context=context).clique("w")["spec"]["podSpec"]
        assert [item["name"] for item in pod.get("imagePullSecrets", ())] == names


LPX = {"name": "l", "type": "lpx", "lpx": {"buildId": "b"}, "roles": [{"name": "agent"}]}


def test_lpx_is_refused_by_name(tmp_path: Path) -> None:
    assert compiled(tmp_path, "1.6", graph(worker(), LPX)).errors == ["lpx/not-rendered"]
    enabled, both = "lpx: {enabled: true}\n", graph(worker(), LPX)
    assert compiled(tmp_path, "1.6", both, config=enabled, against=both).errors == ["lpx/not-rendered"]


@pytest.mark.parametrize(("changed", "refused"), [({}, []), ({"lpx": {"buildId": "c"}}, ["lpx/not-rendered"])])
def test_lpx_may_stay_as_it_is(tmp_path: Path, changed: Tree, refused: list[str]) -> None:
    """The cases of dynamographdeployment_lpx_validation_envtest_test.go that turn the gate off."""
    old = graph(worker(), LPX, labels={"updated": "no"})
    new = graph({**LPX, **changed}, worker(replicas=2), labels={"updated": "true"})
    found = compiled(tmp_path, "1.6", new, against=old)
    assert found.errors == refused
    assert found.objects == []
    assert ("lpx/left-alone" in found.warnings) is not bool(refused)


def test_native_pickers_may_have_replicas(tmp_path: Path) -> None:
    picker = {**worker("epp", "1.6.0", replicas=2), "type": "epp"}
    assert compiled(tmp_path, "1.6", graph(picker)).errors == []


@pytest.mark.parametrize(
    ("strategy", "release", "refused"), [("Coherent", "1.6", []), ("Coherent", "1.5", ["admission/annotation-value"])]
)
def test_coherent_updates_are_known(tmp_path: Path, strategy: str, release: str, refused: list[str]) -> None:
    document = graph(worker(), annotations={"nvidia.com/grove-update-strategy": strategy})
    found = compiled(tmp_path, release, document)
    assert found.errors == refused
    if not refused:
        assert found.of("PodCliqueSet")["g"]["spec"]["updateStrategy"] == {"type": strategy}


@pytest.mark.parametrize(
    ("enable", "exporter", "port", "ports"),
    [
        ("y", "prometheus", "0x4e20", 8),
        ("yes", "prometheus", None, 1),
        ("y", None, None, 8),
        (" y", "prometheus", None, None),
        ("y", "prometheus", "0", None),
    ],
)
def test_telemetry_is_read_as_nixl_reads_it(
    tmp_path: Path, enable: str, exporter: str | None, port: str | None, ports: int | None
) -> None:
    values = {"ENABLE": enable, "EXPORTER": exporter, "PROMETHEUS_PORT": port}
    given = [{"name": f"NIXL_TELEMETRY_{name}", "value": value} for name, value in values.items() if value is not None]
    document = graph(worker(env=given))
    document["spec"]["backendFramework"] = "sglang"
    found = compiled(tmp_path, "1.6", document)
    if ports is None:
        assert found.errors == ["sglang/nixl-ports"]
    else:
        named = [item["containerPort"] for item in found.main("w")["ports"] if item["name"].startswith("nixl")]
        assert len(named) == ports
        assert named[0] == (0x4E20 if port else 19090)


def test_only_the_engines_of_failover_wait_in_the_shadow(tmp_path: Path) -> None:
    shadow = {"name": "DYN_VLLM_GMS_SHADOW_MODE", "value": "false"}
    mode = {"nvidia.com/dynamo-kube-discovery-mode": "container"}
    failover = {"gpuMemoryService": {"mode": "IntraPod"}, "failover": {"mode": "IntraPod", "numShadows": 1}}

    def values(release: str, name: str, **fields: Any) -> list[str]:
        beside = worker(**VLLM, experimental=failover, **fields)
        beside["podTemplate"]["spec"]["containers"].append({"name": "engine-log", "image": "log:1"})
        pod = compiled(tmp_path, release, graph(beside, annotations=mode)).clique("w")["spec"]["podSpec"]
        return [item["value"] for item in container(pod, name).get("env", []) if item["name"] == shadow["name"]]

    assert values("1.6", "engine-0", env=[shadow]) == values("1.6", "engine-1", env=[shadow]) == ["true"]
    assert (values("1.5", "engine-log"), values("1.6", "engine-log")) == (["true"], [])
