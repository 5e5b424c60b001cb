"""Updates of graphs and components in v1beta1, as the webhooks since 1.3 judge them.

Source: internal/webhook/validation/dynamographdeployment.go, dynamocomponentdeployment.go, shared_v1beta1.go,
shared_v1alpha1.go and shared_helpers.go of 1.3 to 1.6, the functions with `Update` in their names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dynamoc.admission import adapters
from dynamoc.admission.graph import INTER_POD, RUNTIME, node_count
from dynamoc.admission.webhooks import alpha_rules, hub_experimental, update_rules
from dynamoc.admission.webhooks.hub_component import picker_problem, unknown_version
from dynamoc.admission.webhooks.hub_experimental import POWER_LIMIT
from dynamoc.admission.webhooks.hub_roles import is_misplaced
from dynamoc.admission.webhooks.review import HubComponent, Review, image_of, mode_of
from dynamoc.admission.webhooks.update_rules import ANEW, Pair, change, old_spec, refuse, refuse_pair
from dynamoc.documents.findings.finding import Path
from dynamoc.kube.go_scalars import float32
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import runtime_version
from dynamoc.kube.quantity import canonical

PairRule = Callable[[Review, Pair], None]


def nodes_are_kept(review: Review, pair: Pair) -> None:
    """The number of nodes stays; only a `multinode` that is out of place may go."""
    old, new = node_count(pair.old), node_count(pair.new)
    if (old > 1) != (new > 1):
        goes = is_misplaced(pair.old) and pair.new.get("multinode") is None
        if not (goes and pair.old.get("type") == pair.new.get("type")):
            update_rules.nodes_are_kept(review, pair)
        return
    if old != new and not is_misplaced(pair.new):
        message = f"`nodeCount` of `{pair.name}` is immutable: it is {old}, and would become {new}."
        refuse_pair(review, pair, "update/multinode", ("multinode", "nodeCount"), message)
    roles_are_kept(review, pair)


def roles_are_kept(review: Review, pair: Pair) -> None:
    """Roles keep their names; listing them, or no longer, must change nothing else."""
    old, new = pair.old.get("roles"), pair.new.get("roles")
    if (old is None) != (new is None):
        listed = pair.new if old is None else pair.old
        if not (adapters.says_no_more(listed) and (pair.old if old is None else pair.new).get("multinode") is not None):
            message = f"`roles` of `{pair.name}` are added or removed, and set fields of their own."
            hint = "list the same roles without fields of their own first, and change them in the next update"
            refuse(review, "update/roles", (*pair.path, "roles"), message, hint, (*pair.old_path, "roles"))
        return
    before = {role.get("name", ""): (index, role) for index, role in enumerate(old or ())}
    for index, role in enumerate(new or ()):
        known = before.get(role.get("name", ""))
        if known is not None:
            paths = ((*pair.path, "roles", index), (*pair.old_path, "roles", known[0]))
            _override_is_kept(review, role.get("providerOverride"), known[1].get("providerOverride"), *paths)
    if sorted(before) != sorted(role.get("name", "") for role in new or ()):
        refuse_pair(review, pair, "update/roles", ("roles",), f"The names of `roles` of `{pair.name}` are immutable.")


def override_is_kept(review: Review, pair: Pair) -> None:
    old, new = pair.old.get("providerOverride"), pair.new.get("providerOverride")
    _override_is_kept(review, new, old, pair.path, pair.old_path)


def graph_override_is_kept(review: Review) -> None:
    old, new = old_spec(review).get("providerOverride"), review.spec.get("providerOverride")
    _override_is_kept(review, new, old, ("spec",), ("spec",))


def _override_is_kept(review: Review, new: Tree | None, old: Tree | None, path: Path, old_path: Path) -> None:
    for field in ("apiVersion", "target") if new is not None and old is not None else ():
        before, after = (old or {}).get(field), (new or {}).get(field)
        if before != after:
            message = f"`{field}` of a `providerOverride` is immutable: {change(before, after)}."
            where, there = (*path, "providerOverride", field), (*old_path, "providerOverride", field)
            refuse(review, "update/provider-override", where, message, f"write `{field}: {before}`", there)


def provider_is_kept(review: Review) -> None:
    """What runs the pods was chosen when the graph was created, and only the operator may note it later."""
    path: Path = ("metadata", "annotations", adapters.PROVIDER)
    annotations = ((review.old or {}).get("metadata") or {}).get("annotations") or {}
    old, new = annotations.get(adapters.PROVIDER), review.annotations.get(adapters.PROVIDER)
    if old is None and new is not None:
        message = f"Only the operator writes the annotation `{adapters.PROVIDER}`."
        refuse(review, "update/workload-provider", path, message, "delete it")
    elif old is not None and old != new:
        message = f"The annotation `{adapters.PROVIDER}` is immutable: {change(old, new)}."
        refuse(review, "update/workload-provider", path, message, ANEW.format("graph"))


def picker_fits_runtime(review: Review, pair: Pair) -> None:
    """An EPP whose configuration never fitted its image may stay as it is, and change in nothing else."""
    new, old = (
        {**spec, "image": image_of(HubComponent(spec, (), "", in_graph=True).main()[0])}
        for spec in (pair.new, pair.old)
    )
    told = ("type", "image", "runtimeVersionOverride", "eppConfig")
    problem = picker_problem(pair.new, new["image"]) if pair.new.get("type") == "epp" else None
    if problem is not None and any(new.get(field) != old.get(field) for field in told):
        path = (*pair.path, "eppConfig")
        refuse(review, "update/epp-config", path, *problem, (*pair.old_path, "eppConfig"))


_GPU = "nvidia.com/gpu"


def judge_graph(review: Review, judge_pair: PairRule | None = None) -> None:
    restart_names_each_component(review)
    update_rules.components_are_kept(review, "components", list(_named(old_spec(review))), list(_named(review.spec)))
    for pair in _pairs(review):
        if pair.new.get("scalingAdapter") is not None or pair.old.get("scalingAdapter") is not None:
            update_rules.replicas_are_scaled(review, pair)
        (judge_pair or _judge_pair)(review, pair)
    update_rules.backend_is_kept(review, owner="graph")
    update_rules.graph_topology_is_kept(review, "clusterTopologyName")
    transfer_policy_is_kept(review)
    update_rules.restart_waits_for_rollout(review)


def judge_graph_and_images(review: Review, judge_pair: PairRule | None = None) -> None:
    judge_graph(review, judge_pair)
    for pair in _pairs(review):
        scaling_group_is_kept(review, pair)
        image_stays_known(review, pair)
        power_is_kept(review, pair)


def judge_graph_and_overrides(review: Review, judge_pair: PairRule | None = None) -> None:
    provider_is_kept(review)
    graph_override_is_kept(review)
    judge_graph_and_images(review, judge_pair or _judge_pair_and_overrides)


def judge_component(review: Review, judge_pair: PairRule | None = None) -> None:
    update_rules.backend_is_kept(review, owner="component")
    (judge_pair or _judge_pair)(review, _alone(review))


def judge_component_and_overrides(review: Review) -> None:
    judge_component_and_images(review, _judge_pair_and_overrides)


def judge_component_and_images(review: Review, judge_pair: PairRule | None = None) -> None:
    judge_component(review, judge_pair)
    scaling_group_is_kept(review, _alone(review))
    image_stays_known(review, _alone(review))


def _judge_pair(review: Review, pair: Pair) -> None:
    update_rules.nodes_are_kept(review, pair)
    update_rules.topology_is_kept(review, pair)
    memory_pods_are_kept(review, pair)


def _judge_pair_and_overrides(review: Review, pair: Pair) -> None:
    override_is_kept(review, pair)
    nodes_are_kept(review, pair)
    update_rules.topology_is_kept(review, pair)
    memory_pods_are_kept(review, pair)
    picker_fits_runtime(review, pair)


def _judge_pair_and_minimum(review: Review, pair: Pair) -> None:
    _judge_pair_and_overrides(review, pair)
    hub_experimental.minimum_is_kept(review, pair)


def judge_graph_and_minima(review: Review) -> None:
    judge_graph_and_overrides(review, _judge_pair_and_minimum)


def restart_names_each_component(review: Review) -> None:
    """An order of a restart names each component once (validateRestartStrategy); new graphs have no restart."""
    alpha_rules.order_names_each(review, "component", list(_named(review.spec)))


def transfer_policy_is_kept(review: Review) -> None:
    """Source: validateDynamoGraphDeploymentExperimentalSpecUpdate, kvTransferPoliciesEqual."""
    old, new = (_policy(spec) for spec in (old_spec(review), review.spec))
    if old != new:
        message = "`kvTransferPolicy` of a graph is immutable: it cannot be added, removed or changed."
        path = ("spec", "experimental", "kvTransferPolicy")
        refuse(review, "update/transfer-policy", path, message, ANEW.format("graph"))


def _policy(spec: Tree) -> tuple[Any, ...] | None:
    policy: Tree | None = (spec.get("experimental") or {}).get("kvTransferPolicy")
    if policy is None:
        return None
    weight = policy.get("preferredWeight")
    words = [policy.get(field) or "" for field in ("clusterTopologyName", "labelKey", "domain")]
    return (*words, policy.get("enforcement") or "required", None if weight is None else float32(weight))


def memory_pods_are_kept(review: Review, pair: Pair) -> None:
    """GPU memory service and failover with separate pods (validateExperimentalSpecUpdate)."""
    old, new = (spec.get("experimental") or {} for spec in (pair.old, pair.new))
    services = [mode_of(block.get("gpuMemoryService")) == INTER_POD for block in (old, new)]
    if services[0] != services[1]:
        message = f"`{pair.name}` cannot switch between GPU memory service with and without its own pods."
        field: Path = ("experimental", "gpuMemoryService", "mode")
        refuse_pair(review, pair, "update/memory-service", field, message)
    failovers = [mode_of(block.get("failover")) == INTER_POD for block in (old, new)]
    if failovers[0] != failovers[1]:
        message = f"Failover between pods of `{pair.name}` cannot be enabled or disabled."
        refuse_pair(review, pair, "update/failover", ("experimental", "failover"), message)
    elif failovers[0] and _shadows(old) != _shadows(new):
        message = f"`numShadows` of `{pair.name}` is immutable if failover is between pods: it is {_shadows(old)}."
        refuse_pair(review, pair, "update/failover", ("experimental", "failover", "numShadows"), message)


def _shadows(experimental: Tree) -> int:
    return max(experimental["failover"].get("numShadows") or 0, 1)


def scaling_group_is_kept(review: Review, pair: Pair) -> None:
    """Source: validateGroveSpecUpdate."""
    old, new = (
        bool(((spec.get("experimental") or {}).get("grove") or {}).get("forceScalingGroup"))
        for spec in (pair.old, pair.new)
    )
    if old != new:
        message = f"`forceScalingGroup` of `{pair.name}` cannot be {'disabled' if old else 'enabled'}."
        refuse_pair(review, pair, "update/scaling-group", ("experimental", "grove", "forceScalingGroup"), message)


def image_stays_known(review: Review, pair: Pair) -> None:
    """An image cannot be taken away; one without a version in its tag may stay, but not be put in place.

    Components on their own need no version. Source: validateDynamoComponentDeploymentSharedSpecUpdate and
    validateDynamoComponentDeploymentSharedSpecUpdateV1alpha1.
    """
    main, path = HubComponent(pair.new, pair.path, "", in_graph=pair.in_graph).main()
    old_main, old_path = HubComponent(pair.old, pair.old_path, "", in_graph=pair.in_graph).main()
    image, before = image_of(main), image_of(old_main)
    if not image and before:
        message = f"The component `{pair.name}` loses its image `{before}`."
        refuse(review, "update/no-image", path, message, "add the image to the container `main`", old_path)
        return
    is_picker = pair.new.get("type") == "epp" and review.context.release.has("epp/native")
    if not (pair.in_graph or is_picker) or pair.new.get("runtimeVersionOverride"):
        return
    container, path = _dynamo(review, pair.new, pair, (main, path))
    image, before = image_of(container), image_of(_dynamo(review, pair.old, pair, (old_main, old_path))[0])
    is_same = image == before and not pair.old.get("runtimeVersionOverride")
    if not is_same and runtime_version(image, "") is None:
        message, hint = unknown_version(image)
        if not image:
            message = f"`{pair.name}` has no image whose tag is a version."
        refuse(review, "update/runtime-version", (*path, "image"), message, hint, old_path)


def _dynamo(review: Review, spec: Tree, pair: Pair, main: tuple[Tree | None, Path]) -> tuple[Tree | None, Path]:
    """The container whose image says the version: since 1.6 the init container `runtime`, where there is one."""
    if review.context.release.has("runtime/in-sidecar"):
        inits = HubComponent(spec, pair.path, "", in_graph=pair.in_graph).init_containers
        for index, container in enumerate(inits):
            if container.get("name") == RUNTIME:
                return container, (*pair.path, "podTemplate", "spec", "initContainers", index)
    return main


def power_is_kept(review: Review, pair: Pair) -> None:
    """What the planner reckons power by stays (validateDynamoGraphDeploymentSharedSpecUpdate)."""
    old, new = _power_limit(pair.old), _power_limit(pair.new)
    field: Path = ("podTemplate", "metadata", "annotations", POWER_LIMIT)
    if old != new:
        message = f"The annotation `{POWER_LIMIT}` of `{pair.name}` is immutable: {update_rules.change(old, new)}."
        refuse_pair(review, pair, "update/power-limit", field, message)
    if old is None:
        return
    gpus = [_gpus(spec) for spec in (pair.old, pair.new)]
    if gpus[0] != gpus[1]:
        message = f"With a power limit, the number of GPUs of `{pair.name}` is immutable: it is {gpus[0] or 0}."
        refuse_pair(review, pair, "update/power-limit", ("podTemplate", "spec", "containers"), message)
    counts = [node_count(spec) for spec in (pair.old, pair.new)]
    if counts[0] != counts[1]:
        message = f"With a power limit, the number of nodes of `{pair.name}` is immutable: it is {counts[0]}."
        refuse_pair(review, pair, "update/power-limit", ("multinode", "nodeCount"), message)


def _power_limit(spec: Tree) -> str | None:
    annotations = ((spec.get("podTemplate") or {}).get("metadata") or {}).get("annotations") or {}
    limit: str | None = annotations.get(POWER_LIMIT)
    return limit


def _gpus(spec: Tree) -> str | None:
    """Limits come before requests (effectiveNumberOfGPUsV1Beta1)."""
    main = HubComponent(spec, (), "", in_graph=True).main()[0] or {}
    resources = main.get("resources") or {}
    for kind in ("limits", "requests"):
        amount = (resources.get(kind) or {}).get(_GPU)
        if amount is not None:
            return canonical(amount)
    return None


def _alone(review: Review) -> Pair:
    name = review.metadata.get("name", "")
    return Pair(name, review.spec, old_spec(review), ("spec",), ("spec",), in_graph=False)


def _pairs(review: Review) -> list[Pair]:
    """The components that are on both sides."""
    before = _named(old_spec(review))
    return [
        Pair(name, spec, before[name][1], path, before[name][0], in_graph=True)
        for name, (path, spec) in _named(review.spec).items()
        if name in before
    ]


def _named(spec: Tree) -> dict[str, tuple[Path, Tree]]:
    components = enumerate(spec.get("components") or ())
    return {item.get("name", ""): (("spec", "components", index), item) for index, item in components}
