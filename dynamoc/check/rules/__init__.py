"""The rules, by topic. Each module is loaded by `dynamoc.check.run`, which lists them."""
