"""What the operator's webhooks do with a user's document before it is stored.

`by_release.default` and `by_release.judge` do what its mutating and validating webhooks do.
"""
