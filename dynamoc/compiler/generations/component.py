"""One service of Dynamo 0.1 to 0.3, and what `dynamo build` wrote about it, as a component of v1alpha1.

Source: internal/dynamo/graph.go DynamoGraphConfig, ServiceConfig of both operators.
"""

from __future__ import annotations

from typing import Any

from dynamoc.compiler.generations.images import (
    DECODE,
    FRONTEND,
    NAME,
    PLANNER,
    PREFILL,
    TAKEN_OVER,
    WORKER,
    DeploymentConfig,
    Tell,
    backend,
    tell_lost,
)
from dynamoc.documents.findings.finding import Finding, Findings, Path
from dynamoc.documents.source.document import Document
from dynamoc.documents.source.files import read_file
from dynamoc.documents.source.reader import read_text
from dynamoc.kube.merge import Tree

_SHAPE = "write `services:`, a list of `name` and `config`, as in the dynamo.yaml that `dynamo build` makes"


class Archive:
    """The services of a graph, by name in the order of the file, each with the path of its `config` in `document`."""

    __slots__ = ("document", "entry", "services")

    def __init__(self, document: Document) -> None:
        value = document.value
        self.document = document
        self.entry = str(value.get("entry_service") or "")
        self.services: dict[str, tuple[int, Tree]] = {}
        for index, service in enumerate(value["services"]):
            self.services[service["name"]] = index, _config(service)

    def config(self, name: str) -> Tree:
        return self.services[name][1]


def read_archive(file: str, findings: Findings) -> Archive | None:
    """The archive's file; None, with an error, where it is not an archive's."""
    data = read_file(file, findings)
    if data is None:
        return None
    errors = findings.errors
    documents = read_text(data, file, findings, objects=False)
    if findings.errors > errors:
        return None
    if len(documents) != 1 or not _has_services(documents[0].value):
        place = documents[0].place(()) if documents else None
        message = f"{file} is not the description of an archive: it has no list of services with names."
        findings.add(Finding("generation/archive", message, place=place, hint=_SHAPE))
        return None
    return Archive(documents[0])


def _has_services(value: Any) -> bool:
    services = value.get("services") if isinstance(value, dict) else None
    if not isinstance(services, list):
        return False
    return all(isinstance(item, dict) and item.get("name") and isinstance(item["name"], str) for item in services)


def _config(service: Tree) -> Tree:
    config = service.get("config")
    return config if isinstance(config, dict) else {}


def archived_spec(config: Tree) -> Tree:
    """What the operator wrote into a component deployment for a service of an archive, before the overrides."""
    out: Tree = {}
    resources = _resources(config)
    if resources:
        out["resources"] = {"limits": resources, "requests": dict(resources)}
    if isinstance(config.get("workers"), int):
        out["replicas"] = config["workers"]
    scaling = config.get("autoscaling")
    if isinstance(scaling, dict):
        names = {"min_replicas": "minReplicas", "max_replicas": "maxReplicas"}
        out["autoscaling"] = {"enabled": True, **{names[key]: scaling[key] for key in names if key in scaling}}
    if component_type(config) == "planner":
        out["extraPodSpec"] = {"serviceAccountName": "planner-serviceaccount"}
    return out


def component_type(config: Tree) -> str:
    dynamo = config.get("dynamo")
    return str(dynamo.get("component_type") or "") if isinstance(dynamo, dict) and dynamo.get("enabled") else ""


def nodes_of(total: Any, gpus: Any) -> int:
    """The nodes that so many GPUs take, 1 where nothing says that they take several. Source: SetLwsAnnotations."""
    if not isinstance(total, int) or not str(gpus or "").isdecimal() or int(gpus) == 0:
        return 1
    return max(1, -(-total // int(gpus)))


def _resources(config: Tree) -> Tree:
    """Amounts as text: YAML may have read them as numbers."""
    found = config.get("resources")
    if not isinstance(found, dict):
        return {}
    out: Tree = {name: str(found[name]) for name in ("cpu", "memory", "gpu") if found.get(name) is not None}
    if isinstance(found.get("custom"), dict):
        out["custom"] = {key: str(value) for key, value in found["custom"].items()}
    return out


_NEEDED = ("size", "volumeAccessMode")


def add_claim(claim: Any, default: str, pod: Tree, main: Tree, tell: Tell) -> list[Tree]:
    """Mounts a service's claim into `main`; the claim itself where the operator created it, without a namespace.

    Source: internal/controller/common.go constructPVC, getPvcName; the volume has the name of the claim.
    """
    if not isinstance(claim, dict):
        return []
    name, point = claim.get("name") or default, claim.get("mountPoint")
    if not point:
        message = f"The claim `{name}` has no `mountPoint`: it is not mounted."
        tell(("pvc",), "convert/no-successor", message, "add `mountPoint`")
        return []
    pod["volumes"] = [{"name": name, "persistentVolumeClaim": {"claimName": name}}]
    main["volumeMounts"] = [{"name": name, "mountPath": point}]
    if not claim.get("create"):
        _tell_not_created(claim, name, tell)
        return []
    missing = [field for field in _NEEDED if not claim.get(field)]
    if missing:
        message = f"The claim `{name}` is not part of the output: it has no {' and no '.join(missing)}."
        tell(("pvc",), "convert/no-successor", message, f"add {' and '.join(missing)}, or create the claim")
        return []
    message = f"No operator creates claims of components any more: `{name}` is a PersistentVolumeClaim of the output."
    tell(("pvc", "create"), "convert/claim", message)
    return [_claim(name, claim)]


def _tell_not_created(claim: Tree, name: str, tell: Tell) -> None:
    if claim.get("size"):
        message = f"`size` has no effect without `create: true`: the claim `{name}` must exist."
        hint = "add `create: true` and `volumeAccessMode`, or remove `size`"
        tell(("pvc", "size"), "convert/no-successor", message, hint)


def _claim(name: str, claim: Tree) -> Tree:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name},
        "spec": {
            "accessModes": [claim["volumeAccessMode"]],
            "resources": {"requests": {"storage": claim["size"]}},
            "storageClassName": claim.get("storageClass") or "",
        },
    }


_KEPT = ("envFromSecret", "resources", "livenessProbe", "readinessProbe", "extraPodMetadata")
_LWS_SIZE, _LWS_TYPE = "nvidia.com/lws-size", "nvidia.com/deployment-type"
_OLD_PORTS = (3000, "3000", 5000, "5000", "health")


class Service:
    """What is known of one service.

    name      of the component
    role      its type, "" where nothing says it
    spec      what the document says of it
    config    what the archive says of it, {} for nothing
    envs      of the whole graph
    image     that it gets
    claim     name of the claim that the operator made for it where the document gives none
    settings  whether the operator took replicas and resources of DYN_DEPLOYMENT_CONFIG
    """

    __slots__ = ("claim", "config", "envs", "image", "name", "role", "secrets", "settings", "spec")

    def __init__(self, name: str, role: str, spec: Tree, config: Tree, envs: list[Tree]) -> None:
        self.name = name
        self.role = role
        self.spec = spec
        self.config = config
        self.envs = envs
        self.image = ""
        self.secrets: list[str] = []
        self.claim = ""
        self.settings = False


def component(service: Service, tell: Tell) -> tuple[Tree, list[Tree]]:
    """The component, and the claims that it creates; `tell` gets what has no successor."""
    settings = _settings(service, tell)
    merged = _merged(archived_spec(service.config), service.spec)
    if settings is not None and service.settings:
        merged = _merged(merged, settings.spec)
    if service.spec.get("replicas") is not None:
        merged["replicas"] = service.spec["replicas"]
    nodes = _nodes(service, merged, settings if service.settings else None)
    pod, claims = _pod(service, merged, settings, tell)
    envs = [item for item in merged.get("envs") or [] if item.get("name") != NAME]
    found: Tree = {
        **_type(service.role),
        "replicas": merged.get("replicas"),
        "multinode": {"nodeCount": nodes} if nodes > 1 else None,
        "extraPodSpec": pod,
        "envs": envs or None,
        **{key: merged.get(key) for key in _KEPT},
    }
    _tell_probes(merged, tell)
    tell_lost(merged, service.name, tell)
    return {key: item for key, item in found.items() if item is not None}, claims


def _merged(base: Tree, over: Tree) -> Tree:
    """`over` wins, field by field."""
    out = dict(base)
    for key, item in over.items():
        here = out.get(key)
        out[key] = _merged(here, item) if isinstance(here, dict) and isinstance(item, dict) else item
    return out


def _type(role: str) -> Tree:
    if role in (PREFILL, DECODE):
        return {"componentType": WORKER, "subComponentType": role}
    return {"componentType": role} if role else {}


def _settings(service: Service, tell: Tell) -> DeploymentConfig | None:
    """What DYN_DEPLOYMENT_CONFIG says of the service, whose own variable beats that of the graph."""
    own = service.spec.get("envs") or []
    found = [(index, item) for index, item in enumerate(own) if item.get("name") == NAME]
    given = found[-1][1] if found else next((item for item in service.envs if item.get("name") == NAME), None)
    if given is None:
        return None
    settings = DeploymentConfig(str(given.get("value") or ""), service.name)
    path: Path = ("envs", found[-1][0], "value") if found else ()
    if not settings.readable:
        message = f"{NAME} is not a JSON object: the component does not take anything from it."
        tell(path, "convert/no-successor", message, "write its settings as arguments of the components")
    else:
        rest = f" (here {', '.join(settings.settings)})" if settings.settings else ""
        message = f"`{service.name}` has no {NAME} any more: only `dynamo serve` read it{rest}."
        tell(path, "convert/no-successor", message, "write its settings as arguments of the component")
    return settings


def _nodes(service: Service, merged: Tree, settings: DeploymentConfig | None) -> int:
    """The nodes of one replica, as the operator wrote them into annotations that users could write as well."""
    size = str((merged.get("annotations") or {}).get(_LWS_SIZE) or "")
    if size.isdecimal() and (merged.get("annotations") or {}).get(_LWS_TYPE) == "leader-worker":
        return int(size)
    configured = nodes_of(*settings.gpus) if settings is not None else 1
    gpus = (
        (service.config.get("resources") or {}).get("gpu") if isinstance(service.config.get("resources"), dict) else 0
    )
    return configured if configured > 1 else nodes_of(service.config.get("total_gpus"), gpus)


def _pod(service: Service, merged: Tree, settings: DeploymentConfig | None, tell: Tell) -> tuple[Tree, list[Tree]]:
    pod: Tree = dict(merged.get("extraPodSpec") or {})
    if service.secrets:
        pod["imagePullSecrets"] = [{"name": name} for name in service.secrets]
    main: Tree = {"image": service.image, **_command(service, settings, tell)}
    claims = add_claim(merged.get("pvc"), service.claim, pod, main, tell)
    pod["mainContainer"] = main
    return pod, claims


def _command(service: Service, settings: DeploymentConfig | None, tell: Tell) -> Tree:
    """What the container runs instead of `dynamo serve`, as far as it is known; the rest is for the user to write."""
    name, role = service.name, service.role
    known = backend(service.image)
    model = settings.model if settings is not None else ""
    if role == FRONTEND:
        return {}
    if role in (WORKER, PREFILL, DECODE) and known is not None:
        _, module, option = known
        args = [option, model] if model else []
        args += ["--disaggregation-mode", role] if role != WORKER else []
        text = " ".join(["python3", "-m", module, *args])
        lack = "" if model else f"`{option}` and "
        message = f"`{name}` ran `dynamo serve`; it runs `{text}` now. Its other settings were in the archive."
        tell((), "convert/command", message, f"add {lack}the arguments that it needs to `args`")
        return {"command": ["python3", "-m", module], **({"args": args} if args else {})}
    if name.lower() in TAKEN_OVER:
        message = f"Today the frontend does what `{name}` of Dynamo's examples did; here, it runs what its image runs."
        hint = "remove the component, or write the `command` of your own code"
        if name.lower() == "router":
            hint = "remove the component and set DYN_ROUTER_MODE=kv on the frontend, or write your own `command`"
        tell((), "convert/command", message, hint)
        return {}
    what = "A planner" if role == PLANNER else f"`{name}`"
    message = f"{what} ran `dynamo serve`; nothing says what it runs today, so it runs what its image runs."
    typed = "" if role else ", and its `type`: frontend, worker, prefill, decode, planner or epp"
    tell((), "convert/command", message, f"write its `command` and `args`{typed}")
    return {}


def _tell_probes(merged: Tree, tell: Tell) -> None:
    for name in ("livenessProbe", "readinessProbe"):
        probe = merged.get(name)
        for how in ("httpGet", "tcpSocket"):
            check = probe.get(how) if isinstance(probe, dict) else None
            if isinstance(check, dict) and check.get("port") in _OLD_PORTS:
                message = f"Nothing listens on port {check['port']} any more: the probe fails."
                hint = "remove the probe, so that the operator adds its own, or write port 8000 or 9090"
                tell((name, how, "port"), "convert/no-successor", message, hint)
