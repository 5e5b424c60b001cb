"""The releases that dynamoc knows, oldest first, and what each is built with.

A table has an entry for each release that differs from the one before; the releases between have what came before them.
Grove of 1.2 and 1.3 (alpha.8 and alpha.11) and of 1.5 and 1.6 (alpha.13 and alpha.14) could not be had: the nearest
version of its CRDs stands for each. Sources: the operator's go.mod, Chart.yaml and values.yaml of the platform chart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, TypeVar

from dynamoc.reference.constants import CONSTANTS
from dynamoc.reference.features import FEATURES, read_data

Entry = TypeVar("Entry")
Key = TypeVar("Key")


def _facts(line: str) -> tuple[str, dict[str, Any]]:
    name, version, exactness, api_versions, compared, source = line.split(" ", 5)
    facts = {"version": version, "exactness": exactness.replace("-", " "), "source": source}
    return name, facts | {"api_versions": tuple(api_versions.split(",")), "compared_graphs": int(compared)}


#: the arguments of `Release`, by name
KNOWN_RELEASES = dict(map(_facts, read_data("releases.txt").splitlines()[1:]))
ORDER = tuple(KNOWN_RELEASES)
#: what `latest`, and no release at all, mean: the newest release that was checked against recorded answers
DEFAULT_RELEASE = next(name for name in reversed(ORDER) if KNOWN_RELEASES[name]["exactness"] == "recorded")


def is_newer(name: str, than: str = DEFAULT_RELEASE) -> bool:
    """Whether the release `name` came after another one; without another, after the default."""
    return ORDER.index(name) > ORDER.index(than)


#: in place of a value: the release no longer has it
GONE: Any = type("Gone", (), {"__repr__": lambda _: "GONE", "__slots__": ()})()


def newest(table: Mapping[str, Entry], release: str) -> Entry:
    """The entry of the newest release up to `release` that has one. KeyError where the release is unknown or older."""
    return table[holder(table, release)]


def holder(table: Mapping[str, object], release: str) -> str:
    """The newest release up to `release` that has an entry. KeyError where the release is unknown or older."""
    found = list(_holders(table, release))
    if not found:
        raise KeyError(release)
    return found[-1]


def merged(table: Mapping[str, Mapping[Key, Any]], release: str) -> dict[Key, Any]:
    """All entries up to `release`, later ones over earlier ones, without what is GONE. KeyError for an unknown one."""
    values: dict[Key, Any] = {}
    for name in _holders(table, release):
        values.update(table[name])
    return {key: value for key, value in values.items() if value is not GONE}


def _holders(table: Mapping[str, object], release: str) -> Iterator[str]:
    if release not in ORDER:
        raise KeyError(release)
    return (name for name in ORDER[: ORDER.index(release) + 1] if name in table)


@dataclass(eq=False, slots=True)
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

    name: str
    _: KW_ONLY
    version: str
    source: str
    exactness: str
    api_versions: tuple[str, ...]
    compared_graphs: int
    # Filled on first use: a run asks one release, or two.
    _constants: dict[str, Any] | None = field(default=None, init=False)
    _features: dict[str, bool] = field(default_factory=dict, init=False)

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
            past = ORDER[: ORDER.index(self.name) + 1]
            self._features = {each.name: each.since in past and each.until not in past for each in FEATURES}
        return self._features[feature]


RELEASES: dict[str, Release] = {name: Release(name, **facts) for name, facts in KNOWN_RELEASES.items()}


def get_release(name: str) -> Release:
    """The release called `name` (`1.0`, also `v1.0`; `latest` is the default), or a patch of it (`1.4.2`), which has a
    different version and is the same otherwise. Raises KeyError where it is unknown."""
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


#: the first whose version is part of a worker's hash (internal/dynamo/hash.go resolvedRuntimeVersionForHash)
FIRST_HASHED = (1, 5, 0)
#: the first whose EPP is the native one (internal/features/runtime/gates.go NativeRustEPP)
NATIVE_PICKER = (1, 5, 0)
#: the first whose planner reads graphs with pod templates of roles (planner_runtime_features.go)
PLANNER_READS_ROLES = (1, 6, 0)


#: project to the name of its documents in `schema/output_kinds.json`; a delta per release, oldest first
OUTPUT_CRDS: dict[str, dict[str, str]] = {
    "0.4": {"LeaderWorkerSet": "lws-0.6.1", "Volcano": "volcano-podgroup", "Istio": "istio-1.23.1"},
    "0.5": {"Grove": "grove-0.1.0-alpha.3"},
    "1.0": {"Grove": "grove-0.1.0-alpha.6", "Gateway API Inference Extension": "inference-1.2.0"},
    "1.2": {"Grove": "grove-0.1.0-alpha.12-rc1"},
    "1.3": {"LeaderWorkerSet": "lws-0.9.0"},
}


#: project to the Go module, and its version, that the operator was built with; a delta per release, oldest first
MODULES: dict[str, dict[str, str]] = {
    "0.4": {
        "Grove": "github.com/NVIDIA/grove/operator/api v0.0.0-20250801123021-8b42bac59ef2",
        "LeaderWorkerSet": "sigs.k8s.io/lws v0.6.1",
        "Volcano": "volcano.sh/apis v1.12.2",
    },
    "0.5": {"Grove": "github.com/NVIDIA/grove/operator/api v0.1.0-alpha.1"},
    "0.6": {"Grove": "github.com/NVIDIA/grove/operator/api v0.1.0-alpha.3"},
    "1.0": {
        "Grove": "github.com/ai-dynamo/grove/operator/api v0.1.0-alpha.6",
        "Gateway API Inference Extension": "sigs.k8s.io/gateway-api-inference-extension v1.2.0",
    },
    "1.2": {"Grove": "github.com/ai-dynamo/grove/operator/api v0.1.0-alpha.8"},
    "1.3": {
        "Grove": "github.com/ai-dynamo/grove/operator/api v0.1.0-alpha.11",
        "LeaderWorkerSet": "sigs.k8s.io/lws v0.9.0",
    },
    "1.4": {"Grove": "github.com/ai-dynamo/grove/operator/api v0.1.0-alpha.12-rc1"},
}

#: project to the name and version of the chart that the platform chart depends on
CHARTS: dict[str, dict[str, tuple[str, str]]] = {
    "0.5": {"Grove": ("grove-charts", "v0.1.0-alpha.1"), "KAI": ("kai-scheduler", "v0.9.2")},
    "0.6": {"Grove": ("grove-charts", "v0.1.0-alpha.3"), "KAI": ("kai-scheduler", "v0.9.4")},
    "1.0": {"Grove": ("grove-charts", "v0.1.0-alpha.6"), "KAI": ("kai-scheduler", "v0.13.0-rc1")},
    "1.1": {"Grove": ("grove-charts", "v0.1.0-alpha.7"), "KAI": ("kai-scheduler", "v0.13.4")},
    "1.2": {"Grove": ("grove-charts", "v0.1.0-alpha.8")},
    "1.3": {"Grove": ("grove-charts", "v0.1.0-alpha.11")},
    "1.4": {"Grove": ("grove-charts", "v0.1.0-alpha.12-rc1")},
    "1.5": {"Grove": ("grove-charts", "v0.1.0-alpha.13"), "KAI": ("kai-scheduler", "v0.17.0")},
    "1.6": {"Grove": ("grove-charts", "v0.1.0-alpha.14")},
}

#: project to the value of the platform chart that installs that chart
VALUES: dict[str, dict[str, str]] = {
    "0.5": {"Grove": "grove.enabled", "KAI": "kai-scheduler.enabled"},
    "1.0": {"Grove": "global.grove.install", "KAI": "global.kai-scheduler.install"},
}
