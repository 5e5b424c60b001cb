"""What a document asks for that does not come to be as written, where the document itself shows it.

From the release on that stores v1beta1, the operator converts what v1alpha1 says: quantities that don't parse are
dropped, the main container beats the component, and a mount without a volume becomes a claim of its name.
Source: api/v1alpha1/shared_spec_conversion.go (resourcesToNative, mergeResources, buildPodTemplateToHub),
internal/dynamo/graph.go appendMissingPVCVolumesForMounts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dynamoc.admission.cluster.context import ClusterContext
from dynamoc.documents.findings.edits import Change
from dynamoc.documents.findings.finding import Path
from dynamoc.documents.schema.problem import Problem
from dynamoc.documents.schema.suggestions import certain_quantity, nearest, value_hint
from dynamoc.kube.merge import Tree
from dynamoc.kube.quantity import canonical_as_read, compare
from dynamoc.reference.slugs import Severity, Slug, WarningSlug

_MAIN = "main"
_PARTS = ("limits", "requests")
_FIELDS = ("cpu", "memory", "gpu")
_GPU = "nvidia.com/gpu"
#: volumes that the operator adds itself
_OPERATORS = ("shared-memory", "epp-config", "hf-cache")


def losses(value: Tree, cluster: ClusterContext, *, converts: bool) -> list[Problem]:
    """Warnings about a checked graph or component; `converts` is whether the operator stores v1beta1.

    In strict mode, claims that are not shown are errors.
    """
    problems: list[Problem] = []
    declared = [claim.get("name") or "" for claim in (value.get("spec") or {}).get("pvcs") or ()]
    for path, spec in _components(value):
        if "podTemplate" in spec or value["apiVersion"].endswith("v1beta1"):
            _Beta(path, spec, problems).look(value, cluster)
        else:
            _Alpha(path, spec, problems).look(value, cluster, declared, converts=converts)
    return problems


def _components(value: Tree) -> Iterator[tuple[Path, Tree]]:
    spec = value.get("spec") or {}
    if value["kind"] == "DynamoComponentDeployment":
        yield ("spec",), spec
    for name, service in (spec.get("services") or {}).items():
        if service is not None:
            yield ("spec", "services", name), service
    for index, component in enumerate(spec.get("components") or ()):
        yield ("spec", "components", index), component


@dataclass(eq=False)
class _Component:
    """One component, and where what is wrong with it goes."""

    path: Path
    spec: Tree
    problems: list[Problem]

    def warn(
        self, slug: WarningSlug, path: Path, message: str, hint: str, *others: Path, change: Change | None = None
    ) -> None:
        problem = Problem(slug, (*self.path, *path), message, hint, "warning", change=change)
        problem.others = tuple((*self.path, *other) for other in others)
        self.problems.append(problem)

    def mounts(self, mounts: list[Tree], path: Path, volumes: set[str], where: str) -> None:
        for index, mount in enumerate(mounts):
            name = mount.get("name") or ""
            if name and name not in volumes and name not in _OPERATORS:
                self.warn(
                    "volumes/claim-of-mount",
                    (*path, index, "name"),
                    f"The pod has no volume `{name}`: the operator mounts a claim with that name.",
                    f"define the volume `{name}` in `{where}`",
                )

    def claim(self, name: str, path: Path, value: Tree, cluster: ClusterContext, *, always: bool = False) -> None:
        """Strict mode asks that each claim be shown; `always` warns of others, too."""
        namespace = value["metadata"]["namespace"]
        if name and (always or cluster.strict) and not cluster.exists("PersistentVolumeClaim", namespace, name):
            effect = "pods that mount it wait until it exists"
            cluster.unknown(self._report, "PersistentVolumeClaim", namespace, name, effect, (*self.path, *path))

    def volumes(self, volumes: list[Tree], path: Path, value: Tree, cluster: ClusterContext) -> set[str]:
        for index, volume in enumerate(volumes):
            claim = (volume.get("persistentVolumeClaim") or {}).get("claimName") or ""
            self.claim(claim, (*path, index, "persistentVolumeClaim", "claimName"), value, cluster)
        return {volume.get("name") or "" for volume in volumes}

    def _report(self, severity: Severity, slug: Slug, message: str, path: Path, hint: str | None) -> None:
        self.problems.append(Problem(slug, path, message, hint, severity))


class _Beta(_Component):
    def look(self, value: Tree, cluster: ClusterContext) -> None:
        pod = (self.spec.get("podTemplate") or {}).get("spec") or {}
        at: Path = ("podTemplate", "spec")
        volumes = self.volumes(pod.get("volumes") or [], (*at, "volumes"), value, cluster)
        cache = (self.spec.get("compilationCache") or {}).get("pvcName") or ""
        self.claim(cache, ("compilationCache", "pvcName"), value, cluster)
        for index, container in enumerate(pod.get("containers") or ()):
            if container.get("name") == _MAIN:
                mounts, path = container.get("volumeMounts") or [], (*at, "containers", index, "volumeMounts")
                known = volumes | {cache} | _shown(mounts, value, cluster)
                self.mounts(mounts, path, known, "podTemplate.spec.volumes")


class _Alpha(_Component):
    def look(self, value: Tree, cluster: ClusterContext, declared: list[str], *, converts: bool) -> None:
        pod = self.spec.get("extraPodSpec") or {}
        main = pod.get("mainContainer") or {}
        flat = self._claims(value, cluster, declared)
        volumes = self.volumes(pod.get("volumes") or [], ("extraPodSpec", "volumes"), value, cluster)
        if not converts:
            return
        mounts = main.get("volumeMounts") or []
        known = volumes | flat | set(declared) | _shown(mounts, value, cluster)
        self.mounts(mounts, ("extraPodSpec", "mainContainer", "volumeMounts"), known, "extraPodSpec.volumes")
        self._resources(self.spec.get("resources") or {}, main.get("resources") or {})
        self._names(pod, main)

    def _claims(self, value: Tree, cluster: ClusterContext, declared: list[str]) -> set[str]:
        """Claims that the component mounts; one that a graph does not declare beside others may be misspelt."""
        names = set()
        for index, mount in enumerate(self.spec.get("volumeMounts") or ()):
            name, path = mount.get("name") or "", ("volumeMounts", index, "name")
            names.add(name)
            if not name or name in declared:
                continue
            if cluster.strict or not declared:
                self.claim(name, path, value, cluster, always=True)
            elif not cluster.exists("PersistentVolumeClaim", value["metadata"]["namespace"], name):
                near = nearest(name, declared)
                self.warn(
                    "volumes/undeclared-claim",
                    path,
                    f"The graph declares no claim `{name}` in `spec.pvcs`: its pods wait until you create one.",
                    f"write `{near}`" if near else f"add `{name}` to `spec.pvcs`, or add the claim to --cluster",
                )
        return names

    def _resources(self, own: Tree, main: Tree) -> None:
        for part in _PARTS:
            item, winners = own.get(part) or {}, main.get(part) or {}
            custom = item.get("custom") or {}
            named: list[tuple[Path, str, Any]] = [
                ((field,), _resource(item, field), item[field]) for field in _FIELDS if item.get(field)
            ]
            named += [(("custom", name), name, text) for name, text in custom.items()]
            for path, name, text in named:
                at = ("resources", part, *path)
                if not _is_quantity(text):
                    self._dropped(at, part, name, text)
                elif name in winners and _differ(text, winners[name]):
                    self._beaten(at, part, name, text, winners[name])
                elif path[0] != "custom" and _is_quantity(custom.get(name)) and _differ(text, custom[name]):
                    message = f"`custom` sets {name} to {custom[name]} too, which overrides this {text}."
                    self.warn("resources/overridden", at, message, "remove one of the two", (*at[:2], "custom", name))

    def _dropped(self, path: Path, part: str, name: str, text: Any) -> None:
        meant = certain_quantity(text)
        self.warn(
            "resources/dropped",
            path,
            f"{text!r} is not a Kubernetes quantity: the operator drops it when it converts the document, so the "
            f"container has no {name} in its {part}.",
            value_hint(str(text)) or "write a number with an optional suffix, such as 500m, 2, 16Gi",
            change=None if meant is None else Change("write", meant, text),
        )

    def _beaten(self, path: Path, part: str, name: str, text: Any, winner: Any) -> None:
        self.warn(
            "resources/overridden",
            path,
            f"The {part} of {name} are {winner}, as the main container sets; this {text} has no effect.",
            "remove one of the two",
            ("extraPodSpec", "mainContainer", "resources", part, name),
        )

    def _names(self, pod: Tree, main: Tree) -> None:
        name = main.get("name") or _MAIN
        if name != _MAIN:
            message = f"The operator names this container `{_MAIN}`, not `{name}`."
            self.warn("container/renamed", ("extraPodSpec", "mainContainer", "name"), message, "remove `name`")
        for index, container in enumerate(pod.get("containers") or ()):
            if container.get("name") == _MAIN:
                message = f"The operator drops this container: `{_MAIN}` is its name for `mainContainer`."
                hint = "move its fields into `extraPodSpec.mainContainer`, or rename it"
                others = (("extraPodSpec", "mainContainer"),) if main else ()
                self.warn("container/dropped", ("extraPodSpec", "containers", index, "name"), message, hint, *others)


def _shown(mounts: list[Tree], value: Tree, cluster: ClusterContext) -> set[str]:
    """Claims that are shown: a mount of their name means them."""
    namespace = value["metadata"]["namespace"]
    names = {mount.get("name") or "" for mount in mounts}
    return {name for name in names if cluster.exists("PersistentVolumeClaim", namespace, name)}


def _resource(item: Tree, field: str) -> str:
    return (item.get("gpuType") or _GPU) if field == "gpu" else field


def _is_quantity(text: Any) -> bool:
    if text is None:
        return False
    try:
        canonical_as_read(text)
    except ValueError:
        return False
    return True


def _differ(left: Any, right: Any) -> bool:
    return _is_quantity(right) and compare(left, right) != 0
