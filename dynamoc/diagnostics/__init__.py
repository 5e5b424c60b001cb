"""One finding, and the collector that every stage reports to."""

from dynamoc.diagnostics.finding import Finding, Findings, Place, Refusal

__all__ = ["Finding", "Findings", "Place", "Refusal"]
