"""One finding, the catalogue of all, the collector that every stage reports to, and how findings print."""

from dynamoc.diagnostics.finding import Finding, Findings, Place, Refusal

__all__ = ["Finding", "Findings", "Place", "Refusal"]
