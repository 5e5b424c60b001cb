"""What is wrong and has one certain remedy: the text as it is written, and as `--fix` leaves it."""

from __future__ import annotations

_GRAPH = """\
# a graph
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: ml}
spec:
  components:
    - name: Worker  # the only one
      type: worker
      # how many
      replicas: 1
      podTemplate:
        spec:
          @pod@
          containers:
            - name: main
              image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0
              @container@
"""
_ALPHA = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: ml}
spec:
  services:
    Worker:
      componentType: worker
      @component@
      extraPodSpec:
        mainContainer: {image: "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0"}
"""
_HEAD = "apiVersion: {}\nkind: {}\nmetadata: {{name: a, namespace: ml}}\n"
_JOB = _HEAD.format("batch/v1", "Job") + (
    "spec:\n  @job@\n  template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}\n"
)
_POD = "spec: {template: {spec: {@, restartPolicy: Never, containers: [{name: a, image: b}]}}}\n"
_SCALER = "spec: {maxReplicas: 2, scaleTargetRef: {kind: Deployment, name: a, apiVersion: apps/v1}, metrics: [@]}\n"
_METRIC = "{type: @, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}"
_CLAIM = "spec: {accessModes: [@], resources: {requests: {storage: 1Gi}}}\n"
_MODE = "spec: {volumeMode: @, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n"
_MOUNT = "volumeMounts: [{name: a, mountPath: /a, @}]"
_SPREAD = "topologySpreadConstraints: [{maxSkew: 1, topologyKey: a, whenUnsatisfiable: ScheduleAnyway, @}]"
_RULES = (
    "spec: {rules: [{http: {paths: [{path: /, pathType: @, backend: {service: {name: a, port: {number: 80}}}}]}}]}\n"
)


def _in(frame: str, mark: str, wrong: str, right: str) -> tuple[str, str]:
    """The two texts; marks of other places are lines that go."""
    sides = (frame.replace(f"@{mark}@", text) for text in (wrong, right))
    one, other = ("".join(line for line in side.splitlines(True) if line.strip()[:1] != "@") for side in sides)
    return one, other


def _container(wrong: str, right: str) -> tuple[str, str]:
    return _in(_GRAPH, "container", wrong, right)


def _pod(wrong: str, right: str) -> tuple[str, str]:
    return _in(_GRAPH, "pod", wrong, right)


def _alpha(wrong: str, right: str) -> tuple[str, str]:
    return _in(_ALPHA, "component", wrong, right)


def _other(version: str, kind: str, rest: str, wrong: str, right: str) -> tuple[str, str]:
    head = _HEAD.format(version, kind)
    return head + rest.replace("@", wrong), head + rest.replace("@", right)


_SERVICE = ("v1", "Service", "spec: {type: @, ports: [{port: 80}]}\n")

#: name of the finding, and the two texts
_REQUEST = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata: {name: a, namespace: ml, uid: u}
spec:
  model: Qwen/Qwen3-32B
  backend: vllm
  deploymentOverrides:
    workersImage: example.com/dynamo-frontend:1.4.0
@  profilingConfig: {config: {}}
"""
CASES: tuple[tuple[str, tuple[str, str]], ...] = (
    ("request/ignored", (_REQUEST.replace("@", "    annotations: {a: b}\n"), _REQUEST.replace("@", ""))),
    (
        "admission/autoscaler-metric",
        _other(
            "autoscaling/v2",
            "HorizontalPodAutoscaler",
            _SCALER,
            _METRIC.replace("@", "resource"),
            _METRIC.replace("@", "Resource"),
        ),
    ),
    ("admission/claim-access", _other("v1", "PersistentVolumeClaim", _CLAIM, "readwriteonce", "ReadWriteOnce")),
    ("admission/claim-mode", _other("v1", "PersistentVolumeClaim", _MODE, "block", "Block")),
    ("admission/dns-policy", _pod("dnsPolicy: clusterFirst  # inside", "dnsPolicy: ClusterFirst  # inside")),
    ("admission/ingress-path", _other("networking.k8s.io/v1", "Ingress", _RULES, "prefix", "Prefix")),
    ("admission/job-field", _in(_JOB, "job", "completionMode: indexed", "completionMode: Indexed")),
    (
        "admission/mount-propagation",
        _container(_MOUNT.replace("@", "mountPropagation: none"), _MOUNT.replace("@", "mountPropagation: None")),
    ),
    (
        "admission/mount-read-only",
        _container(
            _MOUNT.replace("@", "readOnly: true, recursiveReadOnly: enabled"),
            _MOUNT.replace("@", "readOnly: true, recursiveReadOnly: Enabled"),
        ),
    ),
    ("admission/pod-os", _pod("os: {name: Linux}", "os: {name: linux}")),
    (
        "admission/port-protocol",
        _container("ports: [{containerPort: 80, protocol: tcp}]", "ports: [{containerPort: 80, protocol: TCP}]"),
    ),
    (
        "admission/preemption-policy",
        _pod("preemptionPolicy: preemptLowerPriority", "preemptionPolicy: PreemptLowerPriority"),
    ),
    (
        "admission/proc-mount",
        _container("securityContext: {procMount: 'default'}", "securityContext: {procMount: 'Default'}"),
    ),
    (
        "admission/pull-policy",
        _container('imagePullPolicy: "always"  # each time', 'imagePullPolicy: "Always"  # each time'),
    ),
    (
        "admission/resize-policy",
        _container(
            "resizePolicy: [{resourceName: CPU, restartPolicy: NotRequired}]",
            "resizePolicy: [{resourceName: cpu, restartPolicy: NotRequired}]",
        ),
    ),
    (
        "admission/seccomp-profile",
        _pod(
            "securityContext: {seccompProfile: {type: unconfined}}",
            "securityContext: {seccompProfile: {type: Unconfined}}",
        ),
    ),
    (
        "admission/security-policy",
        _pod("securityContext: {fsGroupChangePolicy: always}", "securityContext: {fsGroupChangePolicy: Always}"),
    ),
    ("admission/service-type", _other(*_SERVICE, "clusterIP", "ClusterIP")),
    (
        "admission/spread",
        _pod(_SPREAD.replace("@", "nodeTaintsPolicy: honor"), _SPREAD.replace("@", "nodeTaintsPolicy: Honor")),
    ),
    ("admission/termination-message", _container("terminationMessagePolicy: file", "terminationMessagePolicy: File")),
    (
        "admission/volume-source",
        _pod(
            "volumes: [{name: a, hostPath: {path: /a, type: directory}}]",
            "volumes: [{name: a, hostPath: {path: /a, type: Directory}}]",
        ),
    ),
    ("check/unknown-field", _other("v1", "Service", "spec: {ports: [{@: 80}]}\n", "prot", "port")),
    ("check/wrong-type", _other("v1", "Service", "spec: {ports: [{port: @}]}\n", '"80"', "80")),
    ("context/malformed", _other("v1", "ConfigMap", "data:\n  # a port\n  port: @  # as text\n", "08080", '"08080"')),
    (
        "check/wrong-type",
        _other(
            "v1",
            "PersistentVolumeClaim",
            "spec: {accessModes: @, resources: {requests: {storage: 1Gi}}}\n",
            "ReadWriteOnce",
            "[ReadWriteOnce]",
        ),
    ),
    (
        "resources/dropped",
        _alpha('resources: {limits: {memory: "64 gib", gpu: "1"}}', 'resources: {limits: {memory: "64Gi", gpu: "1"}}'),
    ),
    ("schema/pattern", _container("resources: {limits: {memory: 64 gi}}", "resources: {limits: {memory: 64Gi}}")),
    ("schema/enum", _in(_GRAPH.replace("type: worker", "type: @type@"), "type", "Worker", "worker")),
    (
        "resources/gpu-request-ignored",
        _alpha(
            'resources: {limits: {gpu: "2"}, requests: {gpu: "1", cpu: "4"}}',
            'resources: {limits: {gpu: "2"}, requests: {cpu: "4"}}',
        ),
    ),
)
