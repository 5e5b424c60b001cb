"""The status of a request in both versions.

Facts: api/v1alpha1/dynamographdeploymentrequest_conversion.go of releases 1.0 to 1.5.
"""

from __future__ import annotations

from dynamoc.tree import copy_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]

_SAME = ("observedGeneration", "conditions")
_PENDING, _READY, _DEPLOYED, _DELETED = "Pending", "Ready", "Deployed", "DeploymentDeleted"
#: states of v1alpha1 that v1beta1 has as phases
_PHASES = (_PENDING, "Profiling", _READY, "Deploying", "Failed")


def phase_of(state: str, deployment: Tree | None) -> str:
    if state == _READY and (deployment or {}).get("created"):
        return _DEPLOYED
    if state == _DELETED:
        return _READY
    return state if state in _PHASES else _PENDING


def state_of(phase: str) -> str:
    if phase == _DEPLOYED:
        return _READY
    return phase if phase in _PHASES else _PENDING


def to_beta(alpha: Tree, saved: Tree | None) -> Tree:
    """A status of v1beta1, with what an annotation kept where it is still true."""
    deployment = alpha.get("deployment")
    out: Tree = {"phase": phase_of(alpha.get("state", ""), deployment)}
    out.update((name, copy_tree(alpha[name])) for name in _SAME if name in alpha)
    if "generatedDeployment" in alpha:
        out["profilingResults"] = {"selectedConfig": alpha["generatedDeployment"]}
    if (deployment or {}).get("name"):
        out["dgdName"] = alpha["deployment"]["name"]
    if saved:
        _restore_hub(out, saved, alpha)
    return out


def _restore_hub(out: Tree, saved: Tree, alpha: Tree) -> None:
    same_graph = saved.get("dgdName") == out.get("dgdName")
    is_deployed = saved.get("phase") == _DEPLOYED and out["phase"] == _READY
    if is_deployed and same_graph and _fits(alpha.get("state", ""), alpha.get("deployment"), _DEPLOYED):
        out["phase"] = _DEPLOYED
    if out["phase"] == "Profiling":
        out.update((name, saved[name]) for name in ("profilingPhase", "profilingJobName") if saved.get(name))
    if (saved.get("profilingResults") or {}).get("pareto"):
        out.setdefault("profilingResults", {})["pareto"] = saved["profilingResults"]["pareto"]
    if "deploymentInfo" in saved and same_graph:
        out["deploymentInfo"] = saved["deploymentInfo"]


def to_alpha(beta: Tree, saved: Tree | None) -> Tree:
    """A status of v1alpha1, with what an annotation kept where it is still true."""
    out: Tree = {"state": state_of(beta.get("phase", ""))}
    out.update((name, copy_tree(beta[name])) for name in _SAME if name in beta)
    selected = (beta.get("profilingResults") or {}).get("selectedConfig")
    if selected is not None:
        out["generatedDeployment"] = selected
    name = beta.get("dgdName", "")
    if name:
        out["deployment"] = {"name": name}
    if saved:
        _restore_alpha(out, saved, beta.get("phase", ""), name)
    return out


def _restore_alpha(out: Tree, saved: Tree, phase: str, graph: str) -> None:
    state, deployment = saved.get("state", ""), saved.get("deployment")
    out.update((name, saved[name]) for name in ("backend", "profilingResults") if saved.get(name))
    fits = _fits(state, deployment, phase)
    if state and fits and (state != _DELETED or (deployment or {}).get("name", "") == graph):
        out["state"] = state
    if deployment is not None and deployment.get("name", "") == graph and (not state or fits):
        out["deployment"] = deployment


def _fits(state: str, deployment: Tree | None, phase: str) -> bool:
    return phase_of(state, deployment) == phase or (phase == _DEPLOYED and state == _READY)


def alpha_only(alpha: Tree) -> Tree:
    """What v1beta1 cannot say of a status of v1alpha1."""
    out: Tree = {name: alpha[name] for name in ("backend", "profilingResults") if alpha.get(name)}
    state, deployment = alpha.get("state", ""), alpha.get("deployment")
    has_phase = not state or state in _PHASES
    if not has_phase:
        out["state"] = state
    if deployment is not None and (set(deployment) != {"name"} or not has_phase):
        out["deployment"] = copy_tree(deployment)
        if state:
            out["state"] = state
    return out


def hub_only(beta: Tree, alpha: Tree) -> Tree:
    """What v1alpha1, with `alpha` for the status, cannot say of one of v1beta1."""
    out: Tree = {}
    phase = beta.get("phase", "")
    is_lost = phase == _DEPLOYED and phase_of(alpha.get("state", ""), alpha.get("deployment")) != phase
    if is_lost:
        out["phase"] = phase
    if phase == "Profiling":
        out.update((name, beta[name]) for name in ("profilingPhase", "profilingJobName") if beta.get(name))
    if (beta.get("profilingResults") or {}).get("pareto"):
        out["profilingResults"] = {"pareto": beta["profilingResults"]["pareto"]}
    if "deploymentInfo" in beta:
        out["deploymentInfo"] = copy_tree(beta["deploymentInfo"])
    if (is_lost or "deploymentInfo" in beta) and beta.get("dgdName"):
        out["dgdName"] = beta["dgdName"]
    return out
