"""The generated schemas at run time: structural validation, defaults, pruning, CEL rules.

`check` prunes, defaults and validates a document against the generated schema of a release; see `walk`.
"""

from __future__ import annotations

from dynamoc.schema.check import check
from dynamoc.schema.data import served
from dynamoc.schema.problem import Problem

__all__ = ["Problem", "check", "served"]
