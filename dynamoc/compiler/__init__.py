"""The pipeline on one page, `compile.py`, its stages, and the tracer."""
