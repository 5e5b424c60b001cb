"""What the operator's webhooks default and refuse in users' documents.

`by_release.default` and `by_release.judge` do what its mutating and validating webhooks do.
"""
