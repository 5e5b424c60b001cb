"""What a Kubernetes API server refuses in any object, whoever sends it.

`objects.judge_object` does to an object of the operator what the API server does.
"""
