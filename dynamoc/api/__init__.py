"""Models of the Dynamo API: the source of `schemas/` and of the schemas that `dynamoc.schema` checks with.

`dynamoc.api.release_1_0` and its like hold the kinds of a release. Nothing that renders imports this package: pydantic
alone takes longer to start than a whole compilation.
"""
