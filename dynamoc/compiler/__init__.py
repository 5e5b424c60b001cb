"""The pipeline on one page, `compile.py`, its stages, the tracer, and documents of Dynamo 0.1 to 0.3."""
