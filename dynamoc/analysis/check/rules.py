"""The modules with rules, which register themselves, and all rules."""

from __future__ import annotations

from dynamoc.analysis.check.registry import RULES
from dynamoc.analysis.check import nodes
from dynamoc.analysis.check import commands
from dynamoc.analysis.check import containers
from dynamoc.analysis.check import flags
from dynamoc.analysis.check import images
from dynamoc.analysis.check import graphs
from dynamoc.analysis.check import transfer
from dynamoc.analysis.check import variables
from dynamoc.analysis.check import values
from dynamoc.analysis.check import volumes
from dynamoc.analysis.check import weights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.analysis.check.registry import Rule

def rules() -> list[Rule]:
    """All rules, each once."""
    return list(dict.fromkeys(RULES.values()))
