"""Behaviours that exist in some releases and not in others."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass


@dataclass(eq=False, slots=True)
class Feature:
    """A behaviour with the release it came in, the one it went in (or None), and where that can be read."""

    name: str
    _: KW_ONLY
    since: str
    until: str | None = None
    reason: str
    source: str

    def in_release(self, index: int, order: tuple[str, ...]) -> bool:
        """Whether the release at `index` of `order` has the feature; `until` is the first one without it."""
        if index < order.index(self.since):
            return False
        return self.until is None or index < order.index(self.until)


FEATURES: tuple[Feature, ...] = (
    Feature(
        "backend/must-be-known",
        since="0.4",
        until="0.5",
        reason="A worker is not rendered if neither its command nor backendFramework names its backend.",
        source="internal/dynamo/graph.go determineBackendFramework",
    ),
    Feature(
        "frontend/by-dynamo-tag",
        since="0.4",
        until="0.6",
        reason="A DynamoComponentDeployment gets the Service of a frontend if its dynamoTag ends in its serviceName.",
        source="api/v1alpha1/dynamocomponentdeployment_types.go IsFrontendComponent",
    ),
    Feature(
        "storage/claims-of-components",
        since="0.4",
        until="0.6",
        reason="Each component defines the claim that it mounts, created only without Grove; later, the graph "
        "lists claims.",
        source="controller/dynamocomponentdeployment_controller.go reconcilePVC",
    ),
    Feature(
        "grove/unique-cliques",
        since="1.4",
        reason="The CRD of the Grove that the operator is built with refuses two cliques with the same name.",
        source="grove operator/api 0.1.0-alpha.12, PodCliqueSet spec.template.cliques",
    ),
    Feature(
        "grove/kai",
        since="0.5",
        reason="The KAI scheduler schedules the pods of Grove if the cluster has it.",
        source="internal/dynamo/grove.go injectKaiSchedulerIfEnabled",
    ),
    Feature(
        "grove/opt-out-in-any-case",
        since="0.5",
        reason='The annotation that turns Grove off accepts "false" in any letter case.',
        source="controller/dynamographdeployment_controller.go reconcileResources",
    ),
    Feature(
        "labels/graph-of-pods",
        since="0.5",
        reason="Pods are labelled with the name of their graph.",
        source="internal/dynamo/graph.go generateLabels; controller generatePodTemplateSpec",
    ),
    Feature(
        "lws/detected",
        since="0.5",
        reason="The operator detects LeaderWorkerSet; before, it relied on the flag enable-lws.",
        source="internal/controller_common/predicate.go DetectLWSAvailability",
    ),
    Feature(
        "multinode/needs-orchestrator",
        since="0.5",
        reason="Graphs with components on several nodes are refused without Grove and LeaderWorkerSet.",
        source="controller/dynamographdeployment_controller.go reconcileResources",
    ),
    Feature(
        "deployments/all-containers",
        since="0.6",
        reason="Without Grove, pods have all containers; before, only the first one by name was kept.",
        source="controller/dynamocomponentdeployment_controller.go generatePodTemplateSpec",
    ),
    Feature(
        "grove/startup-order",
        since="0.6",
        reason="The leader of TensorRT-LLM starts after its workers.",
        source="internal/dynamo/graph.go applyCliqueStartupDependencies",
    ),
    Feature(
        "images/discovery-switch",
        since="0.6",
        reason="An annotation of a component turns off the search for pull secrets.",
        source="internal/dynamo/graph.go GenerateBasePodSpec",
    ),
    Feature(
        "labels/namespace-of-cliques",
        since="0.6",
        reason="Cliques of Grove are labelled with the Dynamo namespace.",
        source="internal/dynamo/graph.go generateLabels",
    ),
    Feature(
        "mpi/brings-key-pair",
        since="0.6",
        reason="The operator puts the key pair for mpirun into the graph's namespace; before, the user did.",
        source="internal/secret/secret_replicator.go Replicate",
    ),
    Feature(
        "planner/makes-account",
        since="0.6",
        reason="The operator creates the planner's account; before, its chart did, in its own namespace.",
        source="internal/rbac/manager.go EnsureServiceAccountWithRBAC",
    ),
    Feature(
        "trtllm/python-command",
        since="0.6",
        reason="mpirun starts the whole command if it is a Python one; before, only the arguments.",
        source="internal/dynamo/backend_trtllm.go setupLeaderContainer",
    ),
    Feature(
        "dynamo-namespace/from-services",
        since="0.4",
        until="1.0",
        reason="The services of a graph set its Dynamo namespace; later, it follows from the graph's name alone.",
        source="internal/dynamo/graph.go getDynamoNamespace",
    ),
    Feature(
        "merge/whole-pointers",
        since="0.4",
        until="1.0",
        reason="mergo 0.3.6 replaces a value behind a pointer as a whole, so nothing of a default probe is left.",
        source="go.mod; github.com/imdario/mergo merge.go deepMerge",
    ),
    Feature(
        "command/shell-quoting",
        since="1.0",
        reason="Words of a command are quoted when the operator wraps them for a shell.",
        source="internal/dynamo/utils.go shellQuoteForBashC",
    ),
    Feature(
        "discovery/kubernetes",
        since="1.0",
        reason="Components can find each other through Kubernetes; before, only through etcd.",
        source="internal/controller_common/predicate.go GetDiscoveryBackend",
    ),
    Feature(
        "env/component-type",
        since="1.0",
        reason="Containers get the type of their component in the environment.",
        source="internal/dynamo/component_common.go getCommonContainer",
    ),
    Feature(
        "frontend/namespace-prefix",
        since="1.0",
        reason="A frontend looks for workers under a prefix of Dynamo namespaces, which generations of workers share.",
        source="internal/dynamo/component_frontend.go GetBaseContainer",
    ),
    Feature(
        "worker/generations",
        since="1.0",
        reason="Workers have a hash of their specs, and each generation has its own Dynamo namespace.",
        source="internal/dynamo/component_worker.go GetBaseContainer",
    ),
    Feature(
        "images/each-pull-secret-once",
        since="1.0",
        reason="A pull secret that the user names, or that knows a registry twice, is not repeated.",
        source="internal/controller_common/resource.go AppendUniqueImagePullSecrets",
    ),
    Feature(
        "grove/lower-case-hosts",
        since="1.0",
        reason="Host names under Grove use the service's name in lower case, as Grove names the pods.",
        source="internal/dynamo/grove.go GetLeaderHostname",
    ),
    Feature(
        "lws/dns-wait",
        since="1.0",
        reason="LWS starts all pods of a replica at once, so the leader waits until the workers' names resolve.",
        source="internal/dynamo/lws.go NeedsDNSWait",
    ),
    Feature(
        "mpi/makes-key-pair",
        since="1.0",
        reason="The operator creates the key pair for mpirun; before, it copied the one that its chart had created.",
        source="internal/secret/ssh_key_manager.go",
    ),
    Feature(
        "discovery/container-mode",
        since="1.1",
        reason="Containers of one pod can register on their own.",
        source="internal/dynamo/component_common.go getCommonContainer",
    ),
    Feature(
        "components/keep-labels",
        since="1.1",
        reason="A component's labels stay on its DynamoComponentDeployment, below the operator's own.",
        source="internal/dynamo/graph.go generateSingleDCD",
    ),
    Feature(
        "epp/namespace-prefix",
        since="1.1",
        reason="The endpoint picker looks for workers under a prefix of Dynamo namespaces.",
        source="internal/dynamo/component_epp.go GetBaseContainer",
    ),
    Feature(
        "grove/all-nodes-needed",
        since="1.1",
        reason="A clique of a multinode replica needs all of its pods to be scheduled.",
        source="internal/dynamo/graph.go GenerateGrovePodCliqueSet, buildCliqueForRole",
    ),
    Feature(
        "labels/system-last",
        since="1.1",
        reason="Labels that select and find pods are written last, so the user's labels do not replace them.",
        source="internal/dynamo/graph.go generateLabels; internal/controller generatePodTemplateSpec",
    ),
    Feature(
        "resources/gpu-request",
        since="1.1",
        reason="requests.gpu of a v1alpha1 component becomes a request of the container.",
        source="internal/controller_common/resource.go GetResourcesConfig; api/v1alpha1/shared_spec_conversion.go",
    ),
    Feature(
        "snapshots/by-agent",
        since="1.1",
        reason="A node's agent takes checkpoints and restores them; until one is ready, pods start normally.",
        source="internal/checkpoint/podspec.go InjectCheckpointIntoPodSpec; deploy/snapshot/protocol",
    ),
    Feature(
        "snapshots/status-of-source",
        since="1.1",
        until="1.4",
        reason="The agent annotates a pod with the progress of its snapshot; pods that restore must not have the "
        "annotation.",
        source="deploy/snapshot/protocol/common.go ApplyRestoreTargetMetadata",
    ),
    Feature(
        "sync/content",
        since="1.1",
        reason="Objects without a spec (ConfigMaps, Roles) are updated too; before, they stayed as created.",
        source="internal/controller_common/resource.go getContentFields, CopySpec",
    ),
    Feature(
        "vllm/wait-leader-config-map",
        since="1.1",
        reason="The script that waits for the leader comes from a ConfigMap of the graph.",
        source="internal/dynamo/backend_vllm.go GenerateWaitLeaderConfigMap",
    ),
    Feature(
        "hub/v1beta1",
        since="1.2",
        reason="The operator works only with v1beta1: everything is converted to it before rendering.",
        source="api/v1alpha1/*_conversion.go; internal/controller/dynamographdeployment_controller.go",
    ),
    Feature(
        "lws/one-set",
        since="1.2",
        reason="One LeaderWorkerSet runs all replicas; before, each replica had one, which Volcano scheduled.",
        source="internal/controller/dynamocomponentdeployment_controller.go reconcileLeaderWorkerSetResources",
    ),
    Feature(
        "rollout/leaves-multinode-generation",
        since="1.2",
        reason="Without Grove, a graph with multinode components keeps its old workers next to a new generation.",
        source="controller/dgd_worker_rollout_reconciler.go ReconcileUnsupported, buildRollingUpdateContext",
    ),
    Feature(
        "admission/patches-changes-only",
        since="1.3",
        reason="A mutating webhook that changes nothing writes nothing back, not even what its types would print.",
        source="controller-runtime v0.24.1, pkg/webhook/admission/defaulter_custom.go, Handle",
    ),
    Feature(
        "admission/v1alpha1",
        since="1.2",
        until="1.3",
        reason="The webhooks of graphs and components default and validate v1alpha1, whatever version was written.",
        source="internal/webhook/defaulting/dynamographdeployment_handler.go, internal/webhook/validation",
    ),
    Feature(
        "gpus/of-main-container",
        since="1.2",
        reason="GPUs are counted from the resources of the container main instead of the component's own.",
        source="internal/dynamo/backend_vllm.go getGPUQuantity; graph.go ResolveContainerGPUs",
    ),
    Feature(
        "vllm/elastic-ep",
        since="1.2",
        reason="--enable-elastic-ep runs on a Ray cluster over all nodes.",
        source="internal/dynamo/backend_vllm.go injectElasticEPRayLaunchFlags",
    ),
    Feature(
        "vllm/waits-by-command-line",
        since="1.2",
        reason="Workers wait for the leader if their command line asks for multiprocessing.",
        source="internal/dynamo/backend_vllm.go shouldInjectVLLMMpWaitLeaderInit",
    ),
    Feature(
        "worker-hash/of-components",
        since="1.3",
        reason="New graphs hash the generated components of workers; before, the v1alpha1 view of their specs.",
        source="internal/controller/dynamographdeployment_rollingupdate.go desiredWorkerHashes",
    ),
    Feature(
        "dynamo-namespace/of-graph-label",
        since="1.3",
        reason="Without an owner, a label of a DynamoComponentDeployment names its graph, and so its Dynamo namespace.",
        source="internal/dynamo/v1beta1_helpers.go GetDCDDynamoNamespace",
    ),
    Feature(
        "gms/shadows-with-failover-only",
        since="1.3",
        reason="Engines of the inter-pod GPU memory service are shadows only if failover is enabled.",
        source="internal/dynamo/backend_vllm.go UpdateContainer",
    ),
    Feature(
        "grove/named-topology",
        since="1.3",
        reason="Grove's topology constraints name the topology and what must be packed.",
        source="internal/dynamo/grove.go groveTopologyConstraint",
    ),
    Feature(
        "grove/update-strategy",
        since="1.3",
        reason="An annotation of the graph chooses how Grove replaces pods.",
        source="internal/dynamo/graph.go groveUpdateStrategyFromAnnotations",
    ),
    Feature(
        "lws/no-gpu-limit",
        since="1.3",
        reason="Workers of a LeaderWorkerSet need no GPU limit.",
        source="internal/controller/dynamocomponentdeployment_controller.go generateWorkerPodTemplateSpec",
    ),
    Feature(
        "services/annotated",
        since="1.3",
        reason="Services carry the annotations of graph and component under Grove, and those of models the graph's.",
        source="internal/dynamo/graph.go GetDGDComponentResourceAnnotations; model_service.go",
    ),
    Feature(
        "snapshots/of-graphs",
        since="1.3",
        reason="A graph takes its own snapshots; before, an identity found or created one to share.",
        source="internal/controller/dynamographdeployment_controller.go reconcileCheckpoints; checkpoint/hash.go",
    ),
    Feature(
        "snapshots/switched",
        since="1.3",
        reason="A component's checkpoint block has a switch; before, the v1beta1 block was on if it existed.",
        source="api/v1beta1/dynamocomponentdeployment_types.go ComponentCheckpointConfig",
    ),
    Feature(
        "snapshots/job-file",
        since="1.4",
        reason="The Job of a snapshot of several GPUs keeps the driver's job file where the agent finds it.",
        source="deploy/snapshot/protocol/checkpoint.go wrapWithCudaCheckpointLaunchJob",
    ),
    Feature(
        "snapshots/job-without-mesh",
        since="1.4",
        reason="The Job of a snapshot keeps mesh sidecars away, and stays until its DynamoCheckpoint is deleted.",
        source="deploy/snapshot/protocol/checkpoint.go NewCheckpointJob; controller/checkpoint_job.go",
    ),
    Feature(
        "snapshots/memory-switch",
        since="1.2",
        until="1.4",
        reason="Snapshots with GPU memory service need a switch, DYN_OPERATOR_ALLOW_GMS_SNAPSHOT.",
        source="internal/checkpoint/gms_snapshot_gate.go ValidateGMSSnapshotGate",
    ),
    Feature(
        "volumes/once-for-all-mounts",
        since="1.3",
        reason="A volume that is mounted several times is in the pod once.",
        source="internal/dynamo/graph.go appendMissingPVCVolumesForMounts",
    ),
    Feature(
        "discovery/short-label",
        since="1.4",
        reason="The label app.kubernetes.io/name of the discovery account is cut to what Kubernetes allows.",
        source="internal/discovery/resource.go getK8sDiscoveryLabelValue",
    ),
    Feature(
        "gms/clients-must-exist",
        since="1.4",
        reason="extraClientContainers can name only containers of the pod, each once; before, others were ignored.",
        source="internal/dynamo/graph.go gmsExtraClientContainersError",
    ),
    Feature(
        "gpus/of-claims",
        since="1.4",
        reason="GPUs of resource claims count too, and limits come before requests.",
        source="internal/dra/dra.go ResolveGPUCount",
    ),
    Feature(
        "vllm/elastic-ep-alone",
        since="1.4",
        reason="A replica of one pod runs a Ray head too, and the command line is quoted for any shell.",
        source="internal/dynamo/backend_vllm.go IsElasticEPRayLaunch, injectElasticEPRayLaunchFlags",
    ),
    Feature(
        "worker-hash/runtime-version",
        since="1.4",
        reason="The runtime version in a worker's image tag is part of its hash.",
        source="internal/dynamo/hash.go resolvedRuntimeVersionForHash",
    ),
    Feature(
        "grove/worker-generations",
        since="1.5",
        reason="Under Grove, workers have the hash of their generation, and their own Dynamo namespace.",
        source="controller/dgd_grove_workload_renderer.go applyGroveWorkerHashSuffix",
    ),
    Feature(
        "failover/cold-start",
        since="1.6",
        reason="Only the two engines of a failover pod start in shadow mode, not containers with similar names.",
        source="internal/dynamo/failover_coldstart.go",
    ),
    Feature(
        "vllm/reads-flags-as-vllm",
        since="1.6",
        reason="Short names, underscores and flag=value are understood, and the last of several values wins.",
        source="internal/dynamo/backend_vllm.go normalizeVLLMFlags, parseVLLMLaunchArgs",
    ),
    Feature(
        "runtime/in-sidecar",
        since="1.6",
        reason="An init container named runtime runs Dynamo, next to an engine that the operator does not change.",
        source="internal/dynamo/component_dynamo_sidecar.go",
    ),
    Feature(
        "sidecar/runtime-of-its-own",
        since="1.6",
        reason="A frontend sidecar of a worker registers under its own name, with the features of its own image.",
        source="internal/dynamo/graph.go mergeFrontendSidecarDefaults",
    ),
    Feature(
        "origin/of-graph-alone",
        since="1.6",
        reason="The version that created a graph overwrites the user's value, on the graph and on its pods.",
        source="internal/webhook/defaulting; internal/dynamo/graph.go propagateDGDAnnotations",
    ),
    Feature(
        "roles/own-templates",
        since="1.6",
        reason="The leader and the workers of a multinode component can each have a pod template.",
        source="internal/webhook/validation/shared_v1beta1.go validateComponentPodTemplateMode",
    ),
    Feature(
        "grove/provider-minimum",
        since="1.6",
        reason="The minimum number of available replicas can be set in `providerOverride`.",
        source="internal/provideroverride/availability.go",
    ),
    Feature(
        "sglang/nixl-words",
        since="1.6",
        reason="Only `y` with a named exporter opens ports for the telemetry of NIXL.",
        source="internal/dynamo/backend_sglang.go reserveNixlExporterPorts",
    ),
    Feature(
        "worker-hash/of-settled-specs",
        since="1.6",
        reason="Empty blocks, disabled checkpoints and explicit default paths do not create new workers.",
        source="internal/dynamo/hash.go workerHashSpec",
    ),
    Feature(
        "worker-hash/of-roles",
        since="1.5",
        reason="Roles with only a name, and forceScalingGroup: false, do not create new workers.",
        source="internal/dynamo/hash.go workerHashSpec",
    ),
    Feature(
        "metadata/of-spec-first",
        since="1.5",
        reason="Metadata in the graph's spec, and of v1alpha1 services, takes precedence over that of the graph "
        "itself.",
        source="internal/dynamo/graph.go applyDGDTemplateDefaults, propagateDGDSpecMetadata",
    ),
    Feature(
        "sglang/nixl-ports",
        since="1.5",
        reason="Each GPU of an SGLang worker has a port for the telemetry of NIXL, if that is enabled.",
        source="internal/dynamo/backend_sglang.go reserveNixlExporterPorts",
    ),
    Feature(
        "grove/chosen-once",
        since="1.5",
        reason="Whether Grove runs a graph is chosen when it is created, and stored in an annotation.",
        source="internal/webhook/defaulting/dynamographdeployment_handler.go defaultWorkloadProvider",
    ),
    Feature(
        "snapshots/operator-of-their-own",
        since="1.5",
        reason="Another operator, ai-dynamo/snapshot, takes snapshots that SnapshotJobs ask for, and restores "
        "PodSnapshots.",
        source="controller/dgd_checkpoints_reconciler.go; internal/checkpoint/{native,podspec}.go",
    ),
    Feature(
        "snapshots/shared-memory",
        since="1.6",
        reason="Snapshots include memory that GPUs of several processes share, unless an annotation of the pods turns "
        "that off.",
        source="controller/dgd_checkpoints_reconciler.go buildCheckpointJobPodTemplate",
    ),
    Feature(
        "gms/newer-with-snapshots",
        since="1.5",
        reason="A GPU memory service speaks its newer protocol in components with an enabled checkpoint.",
        source="internal/gms/gms.go EnableV1; internal/dynamo/graph.go GenerateBasePodSpec",
    ),
    Feature(
        "failover/from-snapshot",
        since="1.6",
        reason="Two engines of one pod can start from a snapshot of one, with vLLM and SGLang.",
        source="internal/dynamo/failover.go ValidateSnapshotFailover, buildSnapshotFailoverPod",
    ),
    Feature(
        "vllm/elastic-ep-address",
        since="1.5",
        reason="The Ray head of a single pod with elastic expert parallelism has a headless Service under Grove.",
        source="internal/dynamo/graph.go GenerateElasticEPHeadlessService",
    ),
    Feature(
        "epp/native",
        since="1.5",
        reason="An endpoint picker without eppConfig is the native one, which accepts neither flags nor a ConfigMap.",
        source="internal/dynamo/component_epp.go GetBaseContainer; internal/dynamo/epp IsLegacyGoEPP",
    ),
    Feature(
        "epp/cache-of-native-only",
        since="1.5",
        reason="Only the native endpoint picker has a volume for what it downloads.",
        source="internal/dynamo/component_epp.go GetBasePodSpec",
    ),
    Feature(
        "requests/v1beta1",
        since="1.0",
        reason="Requests are stored in v1beta1, and those written in v1alpha1 are converted.",
        source="api/v1alpha1/dynamographdeploymentrequest_conversion.go",
    ),
    Feature(
        "requests/names-graph",
        since="1.1",
        reason="The graph of a request is named after the request, and not by the profiler.",
        source="controller/dynamographdeploymentrequest_controller.go computeDGDName",
    ),
    Feature(
        "requests/relays-phase",
        since="1.1",
        reason="The profiling Job reports its progress, in the ConfigMap with its answer.",
        source="controller/dynamographdeploymentrequest_controller.go updateProfilingSubPhase",
    ),
    Feature(
        "requests/asks-dcgm-alone",
        since="1.1",
        until="1.2",
        reason="Only the DCGM exporter is asked for GPUs, and only for a request that sets none of the hardware.",
        source="controller/dynamographdeploymentrequest_controller.go enrichHardwareFromDiscovery",
    ),
    Feature(
        "requests/discovers-metadata",
        since="1.2",
        reason="All hardware that a request does not set is looked for, RDMA too, among GPUs of its SKU.",
        source="controller/dynamographdeploymentrequest_controller.go enrichHardwareFromDiscovery; "
        "internal/gpu/discovery.go DiscoverGPUsFiltered",
    ),
    Feature(
        "requests/configured-addresses",
        since="1.2",
        reason="The profiler gets the addresses of the operator's configuration, not those of a chart beside it.",
        source="controller/dynamographdeploymentrequest_controller.go createProfilingJob",
    ),
    Feature(
        "requests/token-for-copier",
        since="1.2",
        reason="The container that copies the answer has a token where the pod mounts none.",
        source="controller/profiling_job_overrides.go ensureOutputCopierKubeAPIAccess",
    ),
    Feature(
        "requests/reports-failure",
        since="1.2",
        reason="The ConfigMap with the answer says that the profiler failed, and why.",
        source="controller/dynamographdeploymentrequest_controller.go checkProfilerFailureInConfigMap",
    ),
    Feature(
        "requests/discovery-by-gate",
        since="1.3",
        reason="GPU discovery can be off only in an operator that is bound to a namespace.",
        source="internal/features/gates.go New",
    ),
    Feature(
        "requests/override-tool",
        since="1.3",
        reason="The profiler gets a program of the operator that applies overrides to its graph.",
        source="controller/profiling_job_overrides.go ensureDGDOverrideTool",
    ),
    Feature(
        "requests/hub-graph",
        since="1.3",
        reason="The graph of a request is created in v1beta1.",
        source="controller/dynamographdeploymentrequest_controller.go dgdFromUnstructured",
    ),
    Feature(
        "requests/fills-runtime-version",
        since="1.4",
        reason="The request's version of the runtime goes into components that set none.",
        source="controller/dynamographdeploymentrequest_controller.go applyDGDRRuntimeVersionOverride",
    ),
    Feature(
        "requests/applies-late",
        since="1.4",
        reason="A request that is profiled or ready may still choose the version of the runtime, and apply its graph.",
        source="controller/dynamographdeploymentrequest_controller.go Reconcile, readyAutoApplyActivation",
    ),
    Feature(
        "requests/containers-by-name",
        since="1.5",
        reason="Overrides of the profiling Job find the containers `profiler` and `output-copier` by name.",
        source="controller/profiling_job_overrides.go profilerContainerOverride",
    ),
    Feature(
        "requests/appends-args",
        since="1.5",
        reason="An override of a graph may append to the arguments of a container.",
        source="internal/dgdoverride/override.go materializeBetaContainerArgsAppends",
    ),
    Feature(
        "requests/checks-names",
        since="1.2",
        reason="The profiler refuses a graph whose name and component have more than 45 characters together.",
        source="components/src/dynamo/profiler/profile_sla.py _validate_dgd_service_name_lengths",
    ),
    Feature(
        "requests/keeps-node-selector",
        since="1.2",
        reason="The node selector of a v1alpha1 request gets into the profiling Job.",
        source="api/v1alpha1/dynamographdeploymentrequest_conversion.go projectProfilingConfigToProfilingJob",
    ),
)
