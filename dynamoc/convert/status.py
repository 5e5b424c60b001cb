"""Status, which a conversion carries along.

Facts: api/v1alpha1/{dynamographdeployment,dynamocomponentdeployment}_conversion.go of release 1.4.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]

# v1alpha1 field -> v1beta1 field; fields that aren't listed have one name.
GRAPH_FIELDS = {"services": "components"}
COMPONENT_FIELDS = {"service": "component"}
ROLLING_UPDATE_FIELDS = {"updatedServices": "updatedComponents"}


def graph_to_beta(alpha: Tree) -> Tree:
    beta = renamed(alpha, GRAPH_FIELDS)
    if "components" in beta:
        beta["components"] = {name: replicas_to_beta(item) for name, item in beta["components"].items()}
    if "rollingUpdate" in beta:
        beta["rollingUpdate"] = renamed(beta["rollingUpdate"], ROLLING_UPDATE_FIELDS)
    return beta


def graph_to_alpha(beta: Tree, saved: Tree | None) -> Tree:
    alpha = renamed(beta, inverse(GRAPH_FIELDS))
    if "services" in alpha:
        kept = (saved or {}).get("services") or {}
        alpha["services"] = {name: replicas_to_alpha(item, kept.get(name)) for name, item in alpha["services"].items()}
    if "rollingUpdate" in alpha:
        alpha["rollingUpdate"] = renamed(alpha["rollingUpdate"], inverse(ROLLING_UPDATE_FIELDS))
    return alpha


def graph_leftovers(alpha: Tree) -> Tree:
    services = {name: _names(item) for name, item in (alpha.get("services") or {}).items() if _names_lost(item)}
    return {"services": services} if services else {}


def component_to_beta(alpha: Tree) -> Tree:
    beta = renamed({key: value for key, value in alpha.items() if key != "podSelector" and value}, COMPONENT_FIELDS)
    if "component" in beta:
        beta["component"] = replicas_to_beta(beta["component"])
    return beta


def component_to_alpha(beta: Tree, saved: Tree | None) -> Tree:
    alpha = renamed(beta, inverse(COMPONENT_FIELDS))
    if "service" in alpha:
        alpha["service"] = replicas_to_alpha(alpha["service"], (saved or {}).get("service"))
    if saved and "podSelector" in saved:
        alpha["podSelector"] = saved["podSelector"]
    return alpha


def component_leftovers(alpha: Tree) -> Tree:
    out = {"podSelector": alpha["podSelector"]} if "podSelector" in alpha else {}
    if "service" in alpha and _names_lost(alpha["service"]):
        out["service"] = _names(alpha["service"])
    return out


def replicas_to_beta(alpha: Tree) -> Tree:
    beta = {key: value for key, value in alpha.items() if key != "componentName"}
    names = _beta_names(alpha)
    if names:
        beta["componentNames"] = names
    return beta


def replicas_to_alpha(beta: Tree, saved: Tree | None) -> Tree:
    alpha = dict(beta)
    names = beta.get("componentNames") or []
    if names:
        alpha["componentName"] = names[-1]
    if saved and _names_lost(saved) and names == _beta_names(saved):
        for key in ("componentName", "componentNames"):
            alpha.pop(key, None)
        alpha |= _names(saved)
    return alpha


def _names(alpha: Tree) -> Tree:
    return {key: alpha[key] for key in ("componentName", "componentNames") if key in alpha}


def _beta_names(alpha: Tree) -> list[str]:
    name = alpha.get("componentName")
    return alpha.get("componentNames") or ([name] if name else [])


def _names_lost(alpha: Tree) -> bool:
    """v1beta1 has only the list, whose last entry v1alpha1 also says as `componentName`."""
    names, name = alpha.get("componentNames"), alpha.get("componentName", "")
    return bool(names[-1] != name) if names else name != ""


def renamed(tree: Tree, names: dict[str, str]) -> Tree:
    return {names.get(key, key): value for key, value in tree.items()}


def inverse(names: dict[str, str]) -> dict[str, str]:
    return {new: old for old, new in names.items()}
