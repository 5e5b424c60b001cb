"""The releases that dynamoc knows, oldest first."""

from __future__ import annotations

from dynamoc.release import known_releases
from dynamoc.release.constants import CONSTANTS
from dynamoc.release.deltas import merged
from dynamoc.release.features import FEATURES
from dynamoc.release.known_releases import DEFAULT_RELEASE, ORDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Release:
    """One operator release.

    name         `1.0`
    version      the operator version that the platform chart of the release passes to the operator, e.g. `1.0.0`
    source       commit of the operator's public source that the rules were read from
    compared_graphs  random graphs on which the operator's own code, run once, gave the same answers; 0 where it was not
    exactness    how the release was checked: `recorded` (against answers of the operator), `recorded early` (against
                 those of a commit of some weeks before the release, and the source since) or `source` (read only)
    api_versions served versions of the group `nvidia.com`, the storage version last
    """

    __slots__ = (
        "_constants",
        "_features",
        "api_versions",
        "compared_graphs",
        "exactness",
        "name",
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
        # Filled on first use: a run asks one release, or two.
        self._constants: dict[str, Any] | None = None
        self._features: dict[str, bool] = {}

    def __getitem__(self, constant: str) -> Any:
        """The value of a constant; KeyError where the release has none. Callers must not change what they get."""
        return (self._constants or self.constants)[constant]

    def of(self, topic: str, kind: str) -> Any:
        """The constant `topic/kind`, for topics that have a constant for each kind of component; else a KeyError."""
        return self[f"{topic}/{kind}"]

    def patched(self, version: str) -> Release:
        """The same release with another version of the operator."""
        patch = Release.__new__(Release)
        for name in Release.__slots__:
            setattr(patch, name, getattr(self, name))
        patch.version = version
        return patch

    @property
    def constants(self) -> dict[str, Any]:
        """All constants of the release, not to be changed."""
        if self._constants is None:
            self._constants = merged(CONSTANTS, self.name)
        return self._constants

    def has(self, feature: str) -> bool:
        """Whether the named behaviour exists in this release. KeyError for a name that is no feature of any release."""
        if not self._features:
            index = ORDER.index(self.name)
            self._features = {feature.name: feature.in_release(index, ORDER) for feature in FEATURES}
        return self._features[feature]


RELEASES: dict[str, Release] = {name: Release(name, **facts) for name, facts in known_releases.RELEASES.items()}


def get_release(name: str) -> Release:
    """The release called `name` (`1.0`, also `v1.0`; `latest` is the default), or a patch of it (`1.4.2`), which has a
    version of its own and is the same otherwise. Raises KeyError where it is unknown."""
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
