"""Pydantic models of every kind and version: the source of the schemas and of the public Python API. `render` never
imports it.

`dynamoc.api.release_1_0` and its like hold the kinds of a release. Nothing that renders imports this package: pydantic
alone takes longer to start than a whole compilation.
"""
