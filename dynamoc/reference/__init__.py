"""What is known: releases of the Dynamo operator as tables, schemas and Go types as data, the catalogue of
findings.
"""
