"""Versions of Dynamo's runtime in an image that decide what a graph gets or may say, the same in all releases that ask.

What a release alone decides by the runtime is among its constants: `runtime-gates`.
"""

from __future__ import annotations

#: the first whose version is part of a worker's hash (internal/dynamo/hash.go resolvedRuntimeVersionForHash)
FIRST_HASHED = (1, 5, 0)
#: the first whose EPP is the native one (internal/features/runtime/gates.go NativeRustEPP)
NATIVE_PICKER = (1, 5, 0)
#: the first whose planner reads graphs with pod templates of roles (planner_runtime_features.go)
PLANNER_READS_ROLES = (1, 6, 0)
