"""The releases that dynamoc knows, oldest first: where a release begins.

Each other table in this package has an entry only for a release that differs from the one before.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ALPHA = ("v1alpha1",)
_BETA_FIRST = ("v1beta1", "v1alpha1")
_BOTH = ("v1alpha1", "v1beta1")

#: the arguments of `Release`, by name
RELEASES: dict[str, dict[str, Any]] = {
    "0.4": {
        "version": "0.4.0",
        "source": "85d831080, deploy/cloud/operator",
        "exactness": "source",
        "api_versions": _ALPHA,
        "compared_graphs": 2000,
    },
    "0.5": {
        "version": "0.5.0",
        "source": "c20be9289, deploy/cloud/operator",
        "exactness": "source",
        "api_versions": _ALPHA,
        "compared_graphs": 2000,
    },
    "0.6": {
        "version": "0.6.0",
        "source": "a79122c6e, deploy/cloud/operator",
        "exactness": "recorded",
        "api_versions": _ALPHA,
    },
    "1.0": {
        "version": "1.0.0",
        "source": "e930526b1, deploy/operator",
        "exactness": "recorded",
        "api_versions": _ALPHA,
    },
    "1.1": {
        "version": "1.1.0",
        "source": "34acb1f44, deploy/operator",
        "exactness": "source",
        "api_versions": _ALPHA,
        "compared_graphs": 1200,
    },
    "1.2": {
        "version": "1.2.0",
        "source": "311553ff4, deploy/operator",
        "exactness": "source",
        "api_versions": _BETA_FIRST,
        "compared_graphs": 1200,
    },
    "1.3": {
        "version": "1.3.0",
        "source": "74b79d04b, deploy/operator",
        "exactness": "source",
        "api_versions": _BETA_FIRST,
        "compared_graphs": 1200,
    },
    "1.4": {
        "version": "1.4.0",
        "source": "f7f37be17, deploy/operator",
        "exactness": "recorded",
        "api_versions": _BOTH,
    },
    "1.5": {
        "version": "1.5.0",
        "source": "16d600623, then yueying-AIHorizon/dynamo@3d741331e, deploy/operator",
        "exactness": "recorded early",
        "api_versions": _BOTH,
    },
    "1.6": {
        "version": "1.6.0",
        "source": "tu-kim/dynamo@3f3d3dfa2, karya0/dynamo@dd2a4301e, deploy/operator",
        "exactness": "source",
        "api_versions": _BOTH,
    },
}
ORDER = tuple(RELEASES)
#: what `latest`, and no release at all, mean: the newest release that was checked against recorded answers
DEFAULT_RELEASE = next(name for name in reversed(ORDER) if RELEASES[name]["exactness"] == "recorded")


def is_newer(name: str, than: str = DEFAULT_RELEASE) -> bool:
    """Whether the release `name` came after another one; without another, after the default."""
    return ORDER.index(name) > ORDER.index(than)
