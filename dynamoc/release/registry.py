"""The releases that dynamoc knows, oldest first."""

from __future__ import annotations

from dynamoc.release.constants import CONSTANTS
from dynamoc.release.deltas import ORDER, merged, newest
from dynamoc.release.features import FEATURES
from dynamoc.release.order import POD_RULES


class Release:
    """One operator release.

    name         `1.0`
    version      the operator version that the platform chart of the release passes to the operator, e.g. `1.0.0`
    source       commit of the operator's public source that the rules were read from
    compared_graphs  random graphs on which the operator's own code, run once, gave the same answers; 0 where it was not
    exactness    how the release was checked: `recorded` (against answers of the operator), `recorded early` (against
                 those of a commit of some weeks before the release, and the source since) or `source` (read only)
    api_versions served versions of the group `nvidia.com`, the storage version last
    pod_rules    names of the rules that shape a pod, in order
    """

    __slots__ = (
        "_constants",
        "_features",
        "api_versions",
        "compared_graphs",
        "exactness",
        "name",
        "pod_rules",
        "source",
        "version",
    )

    def __init__(
        self,
        name: str,
        *,
        version: str,
        source: str,
        exactness: str,
        api_versions: tuple[str, ...],
        compared_graphs: int = 0,
    ) -> None:
        self.name = name
        self.version = version
        self.source = source
        self.exactness = exactness
        self.api_versions = api_versions
        self.compared_graphs = compared_graphs
        self.pod_rules = newest(POD_RULES, name)
        self._constants: dict[str, object] = merged(CONSTANTS, name)
        self._features = frozenset(feature.name for feature in FEATURES if feature.in_release(ORDER.index(name), ORDER))

    def __getitem__(self, constant: str):  # type: ignore[no-untyped-def]
        """The value of a constant in this release. Callers must not change what they get."""
        return self._constants[constant]

    def patched(self, version: str) -> Release:
        """The same release with another version of the operator."""
        patch = Release.__new__(Release)
        for name in Release.__slots__:
            setattr(patch, name, getattr(self, name))
        patch.version = version
        return patch

    @property
    def constants(self) -> dict[str, object]:
        """All constants of the release, not to be changed."""
        return self._constants

    def has(self, feature: str) -> bool:
        """Whether the named behaviour exists in this release."""
        return feature in self._features


RELEASES: dict[str, Release] = {
    release.name: release
    for release in (
        Release(
            "0.4",
            version="0.4.0",
            source="85d831080, deploy/cloud/operator",
            exactness="source",
            api_versions=("v1alpha1",),
            compared_graphs=2000,
        ),
        Release(
            "0.5",
            version="0.5.0",
            source="c20be9289, deploy/cloud/operator",
            exactness="source",
            api_versions=("v1alpha1",),
            compared_graphs=2000,
        ),
        Release(
            "0.6",
            version="0.6.0",
            source="a79122c6e, deploy/cloud/operator",
            exactness="recorded",
            api_versions=("v1alpha1",),
        ),
        Release(
            "1.0",
            version="1.0.0",
            source="e930526b1, deploy/operator",
            exactness="recorded",
            api_versions=("v1alpha1",),
        ),
        Release(
            "1.1",
            version="1.1.0",
            source="34acb1f44, deploy/operator",
            exactness="source",
            api_versions=("v1alpha1",),
            compared_graphs=1200,
        ),
        Release(
            "1.2",
            version="1.2.0",
            source="311553ff4, deploy/operator",
            exactness="source",
            api_versions=("v1beta1", "v1alpha1"),
            compared_graphs=1200,
        ),
        Release(
            "1.3",
            version="1.3.0",
            source="74b79d04b, deploy/operator",
            exactness="source",
            api_versions=("v1beta1", "v1alpha1"),
            compared_graphs=1200,
        ),
        Release(
            "1.4",
            version="1.4.0",
            source="f7f37be17, deploy/operator",
            exactness="recorded",
            api_versions=("v1alpha1", "v1beta1"),
        ),
        Release(
            "1.5",
            version="1.5.0",
            source="16d600623, then yueying-AIHorizon/dynamo@3d741331e, deploy/operator",
            exactness="recorded early",
            api_versions=("v1alpha1", "v1beta1"),
        ),
        Release(
            "1.6",
            version="1.6.0",
            source="tu-kim/dynamo@3f3d3dfa2, karya0/dynamo@dd2a4301e, deploy/operator",
            exactness="source",
            api_versions=("v1alpha1", "v1beta1"),
        ),
    )
}
DEFAULT_RELEASE = "1.6"


def get_release(name: str) -> Release:
    """The release called `name` (`1.0`, also `v1.0` or `latest`), or a patch of it (`1.4.2`), which has a version of
    its own and is the same otherwise. Raises KeyError where it is unknown."""
    if name == "latest":
        return RELEASES[DEFAULT_RELEASE]
    version = name.removeprefix("v")
    parts = version.split(".")
    release = RELEASES[".".join(parts[:2])]
    if len(parts) == 2 or version == release.version:
        return release
    patch = parts[2]
    if len(parts) > 3 or not (patch.isascii() and patch.isdigit()) or (patch[0] == "0" and patch != "0"):
        raise KeyError(name)
    if version not in _PATCHES:
        _PATCHES[version] = release.patched(version)
    return _PATCHES[version]


_PATCHES: dict[str, Release] = {}
