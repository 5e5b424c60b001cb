"""The generated schemas at run time: structural validation, defaults, pruning, CEL rules."""
