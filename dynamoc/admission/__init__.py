"""What stands between a valid document and the cluster: webhooks before, and the API server behind the operator.

`webhooks.default` and `webhooks.judge` do what the operator's mutating and validating webhooks do to a user's document;
`objects.judge_object` does what the API server does to an object that the operator sends.
"""
